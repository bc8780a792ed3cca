//! The changes that pushed modules would bring.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::Console;
use super::answer::{Answer, apart, digest_of, invalid};
use crate::deployment::records::Digest;
use crate::gate::diff::{self, Change};
use crate::sandbox::Vetted;

pub(super) fn routes() -> Router<Console> {
    Router::new()
        .route("/operator/modules/{module}/diff", get(compare))
        .route("/operator/activations", get(compare_set))
}

async fn compare(State(console): State<Console>, Path(digest): Path<String>) -> Answer {
    let deployment = console.deployment;
    Answer(
        async {
            let digest = digest_of(&digest)?;
            apart(async move {
                let vetted = deployment.find_or_fetch(digest).await?;
                let (changes, conflicts) = deployment.preview(&vetted).await?;
                let active = deployment.current.load();
                let against = active.module(&vetted.descriptor.name);
                let against = against.map(|old| json!({ "version": old.version, "digest": hex::encode(old.digest) }));
                let extra = json!({ "against": against, "generation": active.number });
                Ok((StatusCode::OK, describe_vetted(&vetted, &changes, &conflicts, extra)))
            })
            .await
        }
        .await,
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetQuery {
    /// By commas.
    digests: String,
}

/// The changes of an activation of these modules together; `rejection`: why they could not run.
async fn compare_set(
    State(console): State<Console>,
    query: Result<Query<SetQuery>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let deployment = console.deployment;
    let compared = async {
        let Query(SetQuery { digests }) = query.map_err(|_| invalid("digests are named, by commas"))?;
        let digests = digests.split(',').map(digest_of).collect::<Result<Vec<Digest>, _>>()?;
        let (compared, refusal) = apart(async move { deployment.compare_set(&digests).await }).await?;
        let modules: Vec<Json> =
            compared.iter().map(|(vetted, changes)| describe_vetted(vetted, changes, &[], json!({}))).collect();
        let rejection = refusal.map(|refusal| json!({ "code": refusal.code, "detail": refusal.detail }));
        Ok((StatusCode::OK, json!({ "modules": modules, "rejection": rejection })))
    };
    Answer(compared.await)
}

/// `conflicts`: all for which an activation of the module by itself would be rejected.
pub(super) fn describe_vetted(vetted: &Vetted, changes: &[Change], conflicts: &[String], extra: Json) -> Json {
    let mut body = json!({
        "digest": hex::encode(vetted.digest),
        "name": vetted.descriptor.name,
        "version": vetted.descriptor.version,
        "breaking": !conflicts.is_empty() || changes.iter().any(|change| change.breaking),
        "conflicts": conflicts,
        "changes": changes,
        "text": diff::text(changes),
    });
    if let (Some(body), Json::Object(extra)) = (body.as_object_mut(), extra) {
        body.extend(extra);
    }
    body
}
