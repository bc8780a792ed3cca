//! Another sequence of the extensions of a point: a generation of the same modules.

use http::StatusCode;

use super::records::{Cause, Recorded};
use super::{Activated, ActivationRequest, Deployment, DeploymentError};
use crate::gate::refusal::Refusal;

impl Deployment {
    /// Calls the extensions of a point in this sequence from now on. `modules`: all of them, each once.
    pub async fn arrange(
        &self,
        point: &str,
        modules: &[String],
        request: &ActivationRequest,
    ) -> Result<Activated, DeploymentError> {
        let _lock = self.change_lock.lock().await;
        let (active, set) = self.active(request.expected).await?;
        let mut arrangement = self.generation(active, &set).await?.arrangement.clone();
        let before = arrangement.get(point).cloned().ok_or(DeploymentError::NotFound("point with extensions"))?;
        check_sequence(point, &before, modules)?;
        if before == modules {
            return Ok(Activated { generation: active, changes: Vec::new(), tables: Vec::new() });
        }
        arrangement.insert(point.to_owned(), modules.to_vec());
        let recorded = Recorded {
            number: active + 1,
            cause: Cause::Activation,
            module: None,
            restores: None,
            allowed: Vec::new(),
            reason: Some(format!("arranged {point}: {}", modules.join(", "))),
            by: request.by.clone(),
        };
        let after = self.link_arranged(recorded.number, &set, &[], arrangement).await?;
        self.install(recorded, active, after, set, Vec::new()).await
    }
}

/// Checks that a sequence has the same modules as the one before, each once.
fn check_sequence(point: &str, before: &[String], modules: &[String]) -> Result<(), Refusal> {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    if sorted(before) == sorted(modules) {
        return Ok(());
    }
    let what = format!("name each extension of {point} once; the sequence is: {}", before.join(", "));
    Err(Refusal::new("VALIDATION_FAILED", what).with_status(StatusCode::BAD_REQUEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_has_every_extension_once() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        let before = names(&["b", "a"]);
        for (sequence, is_accepted) in [
            (&["a", "b"][..], true),
            (&["b", "a"], true),
            (&["a"], false),
            (&[], false),
            (&["a", "a"], false),
            (&["a", "b", "b"], false),
            (&["a", "c"], false),
        ] {
            let checked = check_sequence("checkout", &before, &names(sequence));
            assert_eq!(checked.is_ok(), is_accepted, "{sequence:?}");
            if let Err(refusal) = checked {
                assert_eq!(refusal.detail, "name each extension of checkout once; the sequence is: b, a");
            }
        }
    }
}
