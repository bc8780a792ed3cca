//! Calls of modules that no caller asked for: of those that receive events after their commit, and of timers.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::calendar;
use crate::database::{Cell, Error, Row, Session};
use crate::ids::Ids;
use crate::pipeline::company_clock;
use crate::pipeline::finish::list_extensions;
use crate::platform::operators;
use crate::sandbox::{Failure, Generation, Module, Ran, RequestFacts};
use crate::wit::events::Event;
use crate::wit::module::Problem;

/// The company in which a module acts by itself.
pub struct BackgroundCompany {
    pub id: Uuid,
    pub facts: RequestFacts,
    pub is_active: bool,
    /// When it was made, milliseconds since 1970.
    pub created_at: i64,
}

/// The result of a call that succeeded.
pub struct BackgroundResult<T> {
    pub value: T,
    emitted: Vec<Event>,
    has_changes: bool,
    /// Name and version of each module that took part.
    modules: Vec<(String, String)>,
}

/// Why a call is undone.
pub enum Undone {
    /// By the database, which ends the transaction.
    Database(Error),
    /// By a module, in words for operators.
    Module(String),
}

/// The audit entry of a call that wrote rows.
pub struct BackgroundEntry {
    pub actor: &'static str,
    pub operation: &'static str,
    pub resource: Uuid,
    /// The entry's member in addition to the modules: `kind`, or `timer`.
    pub what: (&'static str, String),
}

impl BackgroundCompany {
    /// Lets the rest of the transaction see the company's rows. A module's day is that of the company's time zone.
    pub async fn enter(session: &mut Session, tenant: Uuid, actor: &str) -> Result<BackgroundCompany, Error> {
        session.stand_for(tenant).await?;
        let now = session.now().await?;
        let clock = company_clock::hold(session, tenant).await?;
        let sql = "select time_zone, status, created_at from stoa_tenant where id = $1";
        let rows = session.query(sql, &[Cell::Id(tenant)]).await?;
        let row: &Row = rows.first().ok_or_else(|| Error::Fault("a company without a row".into()))?;
        let time = clock.unwrap_or(now);
        let facts = company_clock::system_facts(actor, tenant, Uuid::now_v7(), now, clock);
        let facts = facts.at(time, calendar::day(time, &row.text(0)?));
        let is_active = row.text(1)? == "ACTIVE";
        Ok(BackgroundCompany { id: tenant, facts, is_active, created_at: row.instant(2)? })
    }

    /// Judges a call of `module` that ended. A failure is counted, and noted for the module's trial.
    pub fn judge<T>(
        &self,
        generation: &Generation,
        module: &Arc<Module>,
        ran: Ran<Result<T, Problem>>,
    ) -> (Option<Session>, Result<BackgroundResult<T>, Undone>) {
        let Ran { session, emitted, result, refusal, blamed, extensions, has_changes, .. } = ran;
        if session.is_none() {
            return (None, Err(Undone::Database(Error::Fault("the session was lost".into()))));
        }
        let value = match (refusal, result) {
            (Some((listener, problem)), _) => {
                Err(Undone::Module(format!("{} rejected an event with {}", listener.name, problem.code)))
            }
            (None, Ok(Ok(value))) => Ok(value),
            (None, Ok(Err(problem))) => Err(Undone::Module(format!("it rejected the call with {}", problem.code))),
            (None, Err(Failure::Database(error))) => Err(Undone::Database(error)),
            (None, Err(failure)) => {
                blamed.health.count_failure(&failure);
                if matches!(failure, Failure::Fault(_)) {
                    generation.note_background_failure(&blamed, self.id);
                }
                Err(Undone::Module(failure.to_string()))
            }
        };
        let others = extensions.iter().filter(|extension| extension.name != module.name);
        let modules = std::iter::once(module).chain(others);
        let modules = modules.map(|module| (module.name.clone(), module.version.clone())).collect();
        let emitted = emitted.into_iter().map(|(_, event)| event).collect();
        (session, value.map(|value| BackgroundResult { value, emitted, has_changes, modules }))
    }

    /// Writes the events of a call, and its audit entry if it changed anything.
    pub async fn record<T>(
        &self,
        session: &mut Session,
        result: &BackgroundResult<T>,
        entry: BackgroundEntry,
    ) -> Result<(), Error> {
        let (now, request) = (self.facts.instant, Uuid::from_u64_pair(self.facts.request.0, self.facts.request.1));
        operators::emit(session, now, self.id, request, &result.emitted).await?;
        if !result.has_changes {
            return Ok(());
        }
        let BackgroundEntry { actor, operation, resource, what: (key, what) } = entry;
        let mut metadata = json!({ "result": "SUCCESS", "extensions": list_extensions(&result.modules) });
        metadata[key] = Json::String(what);
        session
            .query(
                "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type,
                   resource_id, metadata, created_at)
                 values ($1, $2, $3, 'SYSTEM', $4, $5, 'MODULE', $6, $7, $8)",
                &[
                    Cell::Id(self.id),
                    Cell::Id(Ids::new(now).make()),
                    Cell::Id(request),
                    Cell::text(actor),
                    Cell::text(operation),
                    Cell::Id(resource),
                    Cell::text(metadata.to_string()),
                    Cell::Instant(now),
                ],
            )
            .await
            .map(drop)
    }
}

/// Milliseconds until the next try: twice as long after each failure in a row, from the first to the longest.
pub fn find_pause(first: i64, longest: i64, tries: i64) -> i64 {
    let exponent = u32::try_from(tries.clamp(0, 30)).unwrap_or(0);
    first.saturating_mul(1 << exponent).min(longest)
}

#[cfg(test)]
mod tests {
    use super::find_pause;

    #[test]
    fn pauses_double_up_to_the_longest() {
        for (tries, expected) in [(-1, 2), (0, 2), (1, 4), (2, 8), (3, 16), (5, 50), (64, 50), (i64::MAX, 50)] {
            assert_eq!(find_pause(2, 50, tries), expected, "{tries}");
        }
    }
}
