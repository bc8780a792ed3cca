//! Digests that were withdrawn: a rollback declares what it takes out to be bad. No way back leads to such a digest,
//! and an operator activates it by saying so (`again`), which makes it good. A module under watch is watched from its
//! last withdrawal on.

use std::collections::BTreeMap;
use std::fmt;

use http::StatusCode;
use serde_json::{Value as Json, json};

use super::records::{self, Cause, Digest, Set};
use crate::database::{Error, Row, Session};
use crate::gate::refusal::Refusal;

/// How a digest was withdrawn.
#[derive(Debug, Clone)]
pub struct Withdrawal {
    module: String,
    version: String,
    digest: Digest,
    /// The generation that took it out.
    generation: u64,
    reason: Option<String>,
    by: String,
}

pub type Withdrawals = BTreeMap<Digest, Withdrawal>;

impl Withdrawal {
    /// The module with its version.
    fn name(&self) -> String {
        format!("{} {}", self.module, self.version)
    }
}

impl fmt::Display for Withdrawal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short: String = hex::encode(self.digest).chars().take(12).collect();
        write!(out, "{} ({short}) was withdrawn in generation {} by {}", self.name(), self.generation, self.by)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(out, ": {reason}"))
    }
}

/// Returns whether a generation withdraws a module that is not in it any more. A rollback of the whole set withdraws all that
/// it takes out; one for the sake of a module withdraws that module.
fn withdraws(cause: Cause, named: Option<&str>, module: &str) -> bool {
    matches!(cause, Cause::Rollback | Cause::AutomaticRollback) && named.is_none_or(|named| named == module)
}

/// Every digest that is withdrawn now: a withdrawal ended the newest generation that has it.
pub async fn find(session: &mut Session) -> Result<Withdrawals, Error> {
    let rows = session
        .query(
            "select m.digest, m.module, a.version, n.number, n.cause, n.module, n.reason, n.activated_by
             from (select digest, module, max(generation) as generation from stoa_generation_module
               group by digest, module) m
             join stoa_generation n on n.number = m.generation + 1
             join stoa_artifact a on a.digest = m.digest
             where n.cause in ('ROLLBACK', 'AUTOMATIC_ROLLBACK')",
            &[],
        )
        .await?;
    let mut found = Withdrawals::new();
    for row in &rows {
        let (digest, module) = (records::digest(row, 0)?, row.text(1)?);
        if withdraws(Cause::from_name(&row.text(4)?)?, row.optional(5, Row::text)?.as_deref(), &module) {
            let (version, generation) = (row.text(2)?, records::number(row, 3)?);
            let (reason, by) = (row.optional(6, Row::text)?, row.text(7)?);
            found.insert(digest, Withdrawal { module, version, digest, generation, reason, by });
        }
    }
    Ok(found)
}

/// Names in each generation of the history, as `withdrawn`, the modules that are withdrawn now.
pub async fn mark_generations(session: &mut Session, items: &mut [Json]) -> Result<(), Error> {
    let withdrawals = find(session).await?;
    let names: BTreeMap<String, String> =
        withdrawals.iter().map(|(digest, withdrawal)| (hex::encode(digest), withdrawal.name())).collect();
    for item in items {
        let modules = item["modules"].as_array().into_iter().flatten();
        let bad: Vec<&String> = modules.filter_map(|module| names.get(module["digest"].as_str()?)).collect();
        item["withdrawn"] = json!(bad);
    }
    Ok(())
}

/// Returns whether a set has nothing that was withdrawn.
pub fn is_good(withdrawals: &Withdrawals, set: &Set) -> bool {
    set.iter().all(|(_, digest)| !withdrawals.contains_key(digest))
}

/// Refuses what was withdrawn.
pub fn check<'a>(withdrawals: &Withdrawals, digests: impl Iterator<Item = &'a Digest>) -> Result<(), Refusal> {
    let items: Vec<String> = digests.filter_map(|digest| withdrawals.get(digest)).map(Withdrawal::to_string).collect();
    match items.is_empty() {
        true => Ok(()),
        false => {
            let what = format!("{}. To activate it again, add --again", items.join("; "));
            Err(Refusal::new("MODULE_WITHDRAWN", what).with_status(StatusCode::CONFLICT))
        }
    }
}

/// The state of a module that a way back leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// There never was another.
    Nothing,
    /// It was not active.
    Absent,
    Digest(Digest),
}

/// The last digest of a module's name that is another one and good; else its absence.
pub async fn find_earlier(
    session: &mut Session,
    withdrawals: &Withdrawals,
    name: &str,
    active: Digest,
) -> Result<Earlier, Error> {
    let digests = records::digests(session, name).await?;
    let good = digests.into_iter().find(|digest| *digest != active && !withdrawals.contains_key(digest));
    Ok(match good {
        Some(digest) => Earlier::Digest(digest),
        None if records::was_absent(session, name).await? => Earlier::Absent,
        None => Earlier::Nothing,
    })
}

/// A generation that a digest was in.
struct Run {
    generation: u64,
    since: i64,
    until: Option<i64>,
    /// True if the next generation withdrew it.
    withdrawn: bool,
}

/// Milliseconds for which each digest of a generation has been active since its last withdrawal. Those of the first
/// generation are left out: there is nothing before it.
pub async fn find_ages(session: &mut Session, generation: u64) -> Result<BTreeMap<Digest, i64>, Error> {
    let now = session.now().await?;
    let rows = session
        .query(
            "select m.digest, m.module, m.generation, g.activated_at, n.activated_at,
               case when stays.module is null then n.cause end, n.module
             from stoa_generation_module active
             join stoa_generation_module m on m.digest = active.digest and m.module = active.module
             join stoa_generation g on g.number = m.generation
             left join stoa_generation n on n.number = m.generation + 1
             left join stoa_generation_module stays on stays.generation = n.number and stays.module = m.module
               and stays.digest = m.digest
             where active.generation = $1 order by m.generation",
            &[records::integer(generation)?],
        )
        .await?;
    let mut ages: BTreeMap<Digest, Option<i64>> = BTreeMap::new();
    for row in &rows {
        let cause = row.optional(5, Row::text)?.map(|name| Cause::from_name(&name)).transpose()?;
        let (module, named) = (row.text(1)?, row.optional(6, Row::text)?);
        let run = Run {
            generation: records::number(row, 2)?,
            since: row.instant(3)?,
            until: row.optional(4, Row::instant)?,
            withdrawn: cause.is_some_and(|cause| withdraws(cause, named.as_deref(), &module)),
        };
        let age = ages.entry(records::digest(row, 0)?).or_insert(Some(0));
        *age = add_run(*age, &run, now);
    }
    Ok(ages.into_iter().filter_map(|(digest, age)| Some((digest, age?))).collect())
}

/// The age after one more generation, in the order of their numbers.
fn add_run(age: Option<i64>, run: &Run, now: i64) -> Option<i64> {
    match (run.withdrawn, run.generation) {
        (true, _) => Some(0),
        (false, 1) => None,
        _ => age.map(|age| age + (run.until.unwrap_or(now) - run.since).max(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, Run, add_run, withdraws};

    #[test]
    fn a_rollback_withdraws_what_it_is_about() {
        for (cause, named, expected) in [
            (Cause::Activation, None, false),
            (Cause::Activation, Some("evil"), false),
            (Cause::Rollback, None, true),
            (Cause::Rollback, Some("evil"), true),
            (Cause::AutomaticRollback, Some("evil"), true),
            (Cause::AutomaticRollback, Some("other"), false),
        ] {
            assert_eq!(withdraws(cause, named, "evil"), expected, "{cause:?} {named:?}");
        }
    }

    #[test]
    fn a_digest_is_as_old_as_it_was_active_since_its_withdrawal() {
        let run = |generation, since, until, withdrawn| Run { generation, since, until, withdrawn };
        for (runs, expected) in [
            (vec![run(1, 0, None, false)], None),
            (vec![run(1, 0, Some(10), false), run(3, 20, None, false)], None),
            (vec![run(1, 0, Some(10), true), run(3, 90, None, false)], Some(10)),
            (vec![run(2, 40, None, false)], Some(60)),
            (vec![run(2, 10, Some(20), false), run(5, 70, None, false)], Some(40)),
            (vec![run(2, 10, Some(20), true), run(5, 70, None, false)], Some(30)),
        ] {
            let mut age = Some(0);
            for run in runs.iter() {
                age = add_run(age, run, 100);
            }
            assert_eq!(age, expected);
        }
    }
}
