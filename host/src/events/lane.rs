//! A lane: the deliveries of one endpoint. A relay takes a lane that is due for a while, works on a few of its deliveries at a time, and
//! leaves it until the next is due: so no two hosts send to one endpoint at once, and a slow endpoint holds up none but itself. Each
//! transaction here is short; no call goes out while one is open.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::body::{self, OutboxEvent};
use super::endpoint::{self, Secrets};
use super::schedule::{Schedule, Streak, WAITING_MS};
use crate::database::{Cell, Error, Row, Session};
use crate::ids::Ids;
use crate::keyring::KeyRing;

/// How long a lane is taken for: longer than an attempt and the transactions around it may take.
const LEASE_MS: i64 = 30_000;
/// Deliveries of one endpoint that are under way at a time: few at first and after one that was not taken, so that
/// receivers that stall hold few connections, and more after a wave of which each was taken.
const FIRST_WIDTH: usize = 2;
const WIDTH: usize = 8;
/// Lanes that one look may find, from which each company is given its share, and those that are due the longest, which
/// it goes through.
const CANDIDATES: usize = 200;
const LOOKED_AT: usize = 2_000;
/// How long a lane rests whose secrets cannot be read.
const UNREADABLE_MS: i64 = 60_000;
/// The answer of a receiver that is gone for good.
const GONE: u16 = 410;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lane {
    pub tenant: Uuid,
    pub endpoint: Uuid,
    /// Under which it was taken.
    pub holder: Uuid,
}

/// An attempt that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Milliseconds since 1970.
    pub at: i64,
    pub duration_ms: i64,
    pub response_status: Option<u16>,
    /// Why there was no answer.
    pub error: Option<String>,
}

/// A delivery whose next attempt is about to begin.
pub struct Claimed {
    pub id: Uuid,
    /// This one among them.
    pub begun: i64,
    pub attempts: Vec<Attempt>,
    pub event: OutboxEvent,
}

/// Result of an attempt.
pub struct Ended {
    pub id: Uuid,
    pub begun: i64,
    /// The last one among them.
    pub attempts: Vec<Attempt>,
    /// Delay that the receiver asked for.
    pub patience: Option<std::time::Duration>,
}

impl Ended {
    fn status(&self) -> Option<u16> {
        self.attempts.last().and_then(|attempt| attempt.response_status)
    }

    fn is_success(&self) -> bool {
        self.status().is_some_and(|status| (200..300).contains(&status))
    }
}

/// Deliveries to send now.
pub struct Wave {
    pub url: String,
    pub secrets: Secrets,
    pub claimed: Vec<Claimed>,
    /// The database's clock, milliseconds since 1970.
    pub now: i64,
}

/// One step of a relay on a lane: the results of ended attempts are written, and the next deliveries are claimed.
pub struct LaneStep {
    pub lane: Lane,
    pub ended: Vec<Ended>,
    /// True if the relay continues with due deliveries.
    pub goes_on: bool,
    pub schedule: Schedule,
    pub keys: Arc<KeyRing>,
}

/// Returns whether any lane is due.
pub async fn is_any_due(session: &mut Session) -> Result<bool, Error> {
    let now = session.now().await?;
    let sql = "select 1 from stoa_webhook_lane where due_at <= $1 limit 1";
    Ok(!session.query(sql, &[Cell::Instant(now)]).await?.is_empty())
}

/// Gives back the lanes of a host that is no more. For a database that only one host uses.
pub async fn release_all(session: &mut Session) -> Result<(), Error> {
    let now = session.now().await?;
    let sql = "update stoa_webhook_lane set holder = null, due_at = $1 where holder is not null";
    session.query(sql, &[Cell::Instant(now)]).await?;
    Ok(())
}

/// Keeps relays from leaving these lanes before this transaction has ended: a relay that leaves a lane looks for
/// deliveries in it. The rows are locked in the order of their ids. `endpoints`: ids as a list of JSON.
pub async fn lock_lanes(session: &mut Session, tenant: Uuid, endpoints: &str) -> Result<(), Error> {
    // SQLite has one writer at a time.
    if matches!(session, Session::Postgres(_)) {
        let sql = "select 1 from stoa_webhook_lane
                   where tenant_id = $1
                     and endpoint_id = any (array(select e::uuid from jsonb_array_elements_text($2::jsonb) as e))
                   order by endpoint_id for update";
        session.query(sql, &[Cell::Id(tenant), Cell::text(endpoints)]).await?;
    }
    Ok(())
}

/// As [`wake_lane`], of all these lanes.
pub async fn wake_lanes(session: &mut Session, tenant: Uuid, endpoints: &str, due_at: i64) -> Result<(), Error> {
    let sql = match session {
        Session::Sqlite(_) => {
            "update stoa_webhook_lane set due_at = $3
             where tenant_id = $1 and endpoint_id in (select unhex(e.value) from json_each($2) as e)
               and holder is null and (due_at is null or due_at > $3)"
        }
        Session::Postgres(_) => {
            "update stoa_webhook_lane set due_at = $3
             where tenant_id = $1 and endpoint_id = any (array(select e::uuid from jsonb_array_elements_text($2::jsonb) as e))
               and holder is null and (due_at is null or due_at > $3)"
        }
    };
    session.query(sql, &[Cell::Id(tenant), Cell::text(endpoints), Cell::Instant(due_at)]).await?;
    Ok(())
}

/// Keeps relays from leaving this lane before this transaction has ended: a relay that leaves a lane looks for
/// deliveries in it.
pub async fn lock_lane(session: &mut Session, tenant: Uuid, endpoint: Uuid) -> Result<(), Error> {
    // SQLite has one writer at a time.
    if matches!(session, Session::Postgres(_)) {
        let sql = "select 1 from stoa_webhook_lane where tenant_id = $1 and endpoint_id = $2 for update";
        session.query(sql, &[Cell::Id(tenant), Cell::Id(endpoint)]).await?;
    }
    Ok(())
}

/// Has an endpoint's deliveries looked at, at an instant or before. A relay that works on them looks again before it
/// leaves.
pub async fn wake_lane(session: &mut Session, tenant: Uuid, endpoint: Uuid, due_at: i64) -> Result<(), Error> {
    let sql = "update stoa_webhook_lane set due_at = $3
               where tenant_id = $1 and endpoint_id = $2 and holder is null and (due_at is null or due_at > $3)";
    session.query(sql, &[Cell::Id(tenant), Cell::Id(endpoint), Cell::Instant(due_at)]).await?;
    Ok(())
}

/// Lanes that were taken.
pub struct TakenLanes {
    pub lanes: Vec<Lane>,
    /// Others are due that are within the share of their company.
    pub leaves_others: bool,
}

/// Which lanes a relay may take: so many in all, and so many of each company, those that it has at work left out.
pub struct Share {
    pub lanes: usize,
    pub of_company: usize,
    /// The last lanes, reserved for companies that have none at work.
    pub first: usize,
    pub at_work: Vec<(Uuid, usize)>,
}

impl Share {
    /// Chooses the lanes that may be taken among those that are due: the first of each company, then the second, and so
    /// on, those that it has at work counted. The flag is true if others within a company's share are left.
    fn choose(&self, due: Vec<(Uuid, Uuid)>) -> (Vec<(Uuid, Uuid)>, bool) {
        let mut counts: std::collections::HashMap<Uuid, usize> = self.at_work.iter().copied().collect();
        let numbered = due.into_iter().map(|lane| {
            let count = counts.entry(lane.0).or_default();
            *count += 1;
            (*count, lane)
        });
        let mut numbered: Vec<(usize, (Uuid, Uuid))> = numbered.filter(|(nth, _)| *nth <= self.of_company).collect();
        numbered.sort_by_key(|(nth, _)| *nth);
        let wanted = numbered.len();
        let mut free = self.lanes;
        let has_place = |(nth, _): &(usize, (Uuid, Uuid))| {
            let has_place = free > if *nth == 1 { 0 } else { self.first };
            free -= usize::from(has_place);
            has_place
        };
        numbered.retain(has_place);
        let leaves_others = numbered.len() < wanted;
        (numbered.into_iter().map(|(_, lane)| lane).collect(), leaves_others)
    }

    /// Takes lanes that are due.
    pub async fn take(&self, session: &mut Session) -> Result<TakenLanes, Error> {
        let now = session.now().await?;
        let mut values = vec![Cell::Instant(now)];
        let full = self.at_work.iter().filter(|(_, count)| *count >= self.of_company);
        let full: Vec<String> = full
            .map(|(tenant, _)| {
                values.push(Cell::Id(*tenant));
                format!(" and tenant_id <> ${}", values.len())
            })
            .collect();
        let lock = if matches!(session, Session::Postgres(_)) { " for update of l skip locked" } else { "" };
        // A company with very many lanes that are due hides no other: it has no more candidates than its share. Another
        // host may have taken a lane meanwhile, so each is judged again as it is locked.
        let sql = format!(
            "select l.tenant_id, l.endpoint_id from stoa_webhook_lane l
             where l.due_at <= $1 and (l.tenant_id, l.endpoint_id) in (
               select tenant_id, endpoint_id from (
                 select tenant_id, endpoint_id, due_at, row_number() over (partition by tenant_id order by due_at) as nth
                 from (select tenant_id, endpoint_id, due_at from stoa_webhook_lane where due_at <= $1{}
                       order by due_at limit {LOOKED_AT}) as longest) as numbered
               where nth <= {} order by nth, due_at limit {CANDIDATES})
             order by l.due_at{lock}",
            full.concat(),
            self.of_company
        );
        let rows = session.query_composed(sql, &values).await?;
        let due = rows.iter().map(|row| Ok((row.id(0)?, row.id(1)?))).collect::<Result<Vec<_>, Error>>()?;
        let (chosen, leaves_others) = self.choose(due);
        let mut lanes = Vec::new();
        for (tenant, endpoint) in chosen {
            let lane = Lane { tenant, endpoint, holder: Uuid::new_v4() };
            lane.set(session, Some(lane.holder), Some(now + LEASE_MS)).await?;
            lanes.push(lane);
        }
        Ok(TakenLanes { lanes, leaves_others })
    }
}

impl Lane {
    async fn set(&self, session: &mut Session, holder: Option<Uuid>, due_at: Option<i64>) -> Result<(), Error> {
        let values = [
            Cell::Id(self.tenant),
            Cell::Id(self.endpoint),
            Cell::optional(holder, Cell::Id),
            Cell::optional(due_at, Cell::Instant),
        ];
        let sql = "update stoa_webhook_lane set holder = $3, due_at = $4 where tenant_id = $1 and endpoint_id = $2";
        session.query(sql, &values).await?;
        Ok(())
    }

    /// How it fared until now; none where another relay has taken it meanwhile.
    async fn lock(&self, session: &mut Session) -> Result<Option<Streak>, Error> {
        let lock = if matches!(session, Session::Postgres(_)) { " for update" } else { "" };
        let sql = format!(
            "select failures, failing_since from stoa_webhook_lane
             where tenant_id = $1 and endpoint_id = $2 and holder = $3{lock}"
        );
        let values = [Cell::Id(self.tenant), Cell::Id(self.endpoint), Cell::Id(self.holder)];
        let rows = session.query_composed(sql, &values).await?;
        let streak = |row: &Row| Ok(Streak { failures: row.integer(0)?, since: row.optional(1, Row::instant)? });
        rows.first().map(streak).transpose()
    }
}

impl LaneStep {
    /// Writes down what ended and claims what is next. `None`: the lane was left, or another relay has it.
    pub async fn run(&self, session: &mut Session) -> Result<Option<Wave>, Error> {
        let now = session.now().await?;
        let Some(streak) = self.lane.lock(session).await? else { return Ok(None) };
        self.write_ended(session, streak, now).await?;
        let sql = format!(
            "select status, url, disabled_at, {} from stoa_webhook_endpoint where tenant_id = $1 and id = $2",
            endpoint::COLUMNS
        );
        let rows = session.query_composed(sql, &self.ids()).await?;
        let row = rows.first().ok_or_else(|| Error::Fault("a lane without an endpoint".into()))?;
        let due = match row.text(0)?.as_str() {
            "ACTIVE" => match Secrets::read(&self.keys, self.lane.tenant, self.lane.endpoint, row, 3) {
                Ok(secrets) => {
                    let claimed = self.claim(session, now).await?;
                    if !claimed.is_empty() {
                        self.lane.set(session, Some(self.lane.holder), Some(now + LEASE_MS)).await?;
                        return Ok(Some(Wave { url: row.text(1)?, secrets, claimed, now }));
                    }
                    // A lane that is left goes to the end of the line, however old its deliveries are.
                    self.next_due(session).await?.map(|due| due.max(now))
                }
                Err(error) => {
                    tracing::error!(endpoint = %self.lane.endpoint, %error, "webhooks of this endpoint cannot be signed");
                    Some(now + UNREADABLE_MS)
                }
            },
            "DISABLED" => self.wait_for_an_end(session, row.optional(2, Row::instant)?.unwrap_or(now), now).await?,
            _ => None,
        };
        self.lane.set(session, None, due).await?;
        Ok(None)
    }

    /// How many deliveries the next wave has at most.
    fn width(&self) -> usize {
        let is_well = !self.ended.is_empty() && self.ended.iter().all(Ended::is_success);
        if is_well { WIDTH } else { FIRST_WIDTH }
    }

    fn ids(&self) -> [Cell; 2] {
        [Cell::Id(self.lane.tenant), Cell::Id(self.lane.endpoint)]
    }

    async fn write_ended(&self, session: &mut Session, before: Streak, now: i64) -> Result<(), Error> {
        let mut streak = before;
        let mut is_gone = false;
        for ended in &self.ended {
            let begun = usize::try_from(ended.begun).unwrap_or(usize::MAX);
            let wait = self.schedule.wait(begun, rand::random(), ended.patience);
            let (status, next) = match wait {
                _ if ended.is_success() => ("SUCCEEDED", None),
                Some(wait) => {
                    ("PENDING", Some(now.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))))
                }
                None => ("FAILED", None),
            };
            streak = match status {
                "SUCCEEDED" => Streak::default(),
                "FAILED" => streak.fail(now),
                _ => streak,
            };
            is_gone |= ended.status() == Some(GONE);
            self.write_attempts(session, ended, status, next).await?;
        }
        if streak != before {
            let mut values = self.ids().to_vec();
            values.extend([Cell::Integer(streak.failures), Cell::optional(streak.since, Cell::Instant)]);
            let sql = "update stoa_webhook_lane set failures = $3, failing_since = $4
                       where tenant_id = $1 and endpoint_id = $2";
            session.query(sql, &values).await?;
        }
        let is_failing = streak.failures > before.failures && streak.disables(now);
        if is_gone || is_failing { self.disable(session, now).await } else { Ok(()) }
    }

    /// A delivery that was cancelled meanwhile stays so; its attempts are reported all the same.
    async fn write_attempts(
        &self,
        session: &mut Session,
        ended: &Ended,
        status: &str,
        next: Option<i64>,
    ) -> Result<(), Error> {
        let attempts = serde_json::to_string(&ended.attempts).map_err(|error| Error::Fault(error.to_string()))?;
        let values = [
            Cell::Id(self.lane.tenant),
            Cell::Id(ended.id),
            Cell::Integer(ended.begun),
            Cell::text(attempts),
            Cell::text(status),
            Cell::optional(next, Cell::Instant),
        ];
        let sql = "update stoa_webhook_delivery set attempts = $4, begun_at = null,
                     status = case when status = 'PENDING' then $5 else status end,
                     next_attempt_at = case when status = 'PENDING' then cast($6 as timestamptz) end
                   where tenant_id = $1 and id = $2 and begun = $3";
        session.query(sql, &values).await?;
        Ok(())
    }

    /// Disables an endpoint that is gone or has failed for days, and audits that.
    async fn disable(&self, session: &mut Session, now: i64) -> Result<(), Error> {
        let disabled = session
            .query(
                "update stoa_webhook_endpoint set status = 'DISABLED', disabled_at = $3, updated_at = $3,
                   version = version + 1
                 where tenant_id = $1 and id = $2 and status = 'ACTIVE' returning 1",
                &[Cell::Id(self.lane.tenant), Cell::Id(self.lane.endpoint), Cell::Instant(now)],
            )
            .await?;
        if disabled.is_empty() {
            return Ok(());
        }
        tracing::warn!(endpoint = %self.lane.endpoint, "an endpoint of webhooks is disabled");
        let metadata = json!({ "result": "SUCCESS", "changed": ["status"], "detail": { "status": "DISABLED" } });
        let mut ids = Ids::new(now);
        let values = [
            Cell::Id(self.lane.tenant),
            Cell::Id(ids.make()),
            Cell::Id(ids.make()),
            Cell::Id(self.lane.endpoint),
            Cell::text(metadata.to_string()),
            Cell::Instant(now),
        ];
        let sql = "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type,
                     resource_id, metadata, created_at)
                   values ($1, $2, $3, 'SYSTEM', 'system:relay', 'disableWebhook', 'WEBHOOK_ENDPOINT', $4, $5, $6)";
        session.query(sql, &values).await?;
        Ok(())
    }

    /// The next deliveries that are due. An attempt that was cut off with its host counts: whether it arrived is unknown.
    async fn claim(&self, session: &mut Session, now: i64) -> Result<Vec<Claimed>, Error> {
        if !self.goes_on {
            return Ok(Vec::new());
        }
        let sql = format!(
            "select d.id, d.begun, d.begun_at, d.attempts, {}
             from stoa_webhook_delivery d left join stoa_event e on e.tenant_id = $1 and e.id = d.event_id
             where d.tenant_id = $1 and d.endpoint_id = $2 and d.status = 'PENDING' and d.next_attempt_at <= $3
             order by d.next_attempt_at, d.id limit {}",
            body::COLUMNS,
            self.width()
        );
        let mut values = self.ids().to_vec();
        values.push(Cell::Instant(now));
        let mut claimed = Vec::new();
        for row in session.query_composed(sql, &values).await? {
            let (id, mut begun) = (row.id(0)?, row.integer(1)?);
            let mut attempts: Vec<Attempt> =
                serde_json::from_str(&row.text(3)?).map_err(|error| Error::Fault(error.to_string()))?;
            if let Some(time) = row.optional(2, Row::instant)? {
                let error = Some("INTERRUPTED".to_owned());
                attempts.push(Attempt {
                    at: time,
                    duration_ms: now.saturating_sub(time),
                    response_status: None,
                    error,
                });
            }
            let is_over = usize::try_from(begun).unwrap_or(usize::MAX) >= self.schedule.attempts();
            if is_over || row.is_null(4) {
                self.write_attempts(session, &Ended { id, begun, attempts, patience: None }, "FAILED", None).await?;
                continue;
            }
            begun += 1;
            let text = serde_json::to_string(&attempts).map_err(|error| Error::Fault(error.to_string()))?;
            let sql = "update stoa_webhook_delivery set begun = $3, begun_at = $4, attempts = $5
                       where tenant_id = $1 and id = $2";
            let values =
                [Cell::Id(self.lane.tenant), Cell::Id(id), Cell::Integer(begun), Cell::Instant(now), Cell::text(text)];
            session.query(sql, &values).await?;
            let event = OutboxEvent::read(self.lane.tenant, &row, 4)?;
            claimed.push(Claimed { id, begun, attempts, event });
        }
        Ok(claimed)
    }

    async fn next_due(&self, session: &mut Session) -> Result<Option<i64>, Error> {
        let sql = "select next_attempt_at from stoa_webhook_delivery
                   where tenant_id = $1 and endpoint_id = $2 and status = 'PENDING' order by next_attempt_at limit 1";
        let rows = session.query(sql, &self.ids()).await?;
        rows.first().map_or(Ok(None), |row| row.optional(0, Row::instant))
    }

    /// Fails the deliveries that wait for a disabled endpoint after some days. Answers when to look again.
    async fn wait_for_an_end(&self, session: &mut Session, disabled: i64, now: i64) -> Result<Option<i64>, Error> {
        let end = disabled.saturating_add(WAITING_MS);
        if now < end {
            return Ok(Some(end));
        }
        let sql = "update stoa_webhook_delivery set status = 'FAILED', next_attempt_at = null
                   where tenant_id = $1 and endpoint_id = $2 and status = 'PENDING'";
        session.query(sql, &self.ids()).await?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_wide_after_a_wave_that_was_taken() {
        let ended = |status| {
            let last = Attempt { at: 0, duration_ms: 0, response_status: status, error: None };
            Ended { id: Uuid::nil(), begun: 1, attempts: vec![last], patience: None }
        };
        let width = |statuses: &[Option<u16>]| {
            let lane = Lane { tenant: Uuid::nil(), endpoint: Uuid::nil(), holder: Uuid::nil() };
            let keys: KeyRing = "11".repeat(32).parse().expect("a key");
            let ended = statuses.iter().map(|status| ended(*status)).collect();
            LaneStep { lane, ended, goes_on: true, schedule: Schedule::default(), keys: Arc::new(keys) }.width()
        };
        assert_eq!(width(&[]), FIRST_WIDTH);
        assert_eq!(width(&[Some(200), Some(204)]), WIDTH);
        assert_eq!([width(&[Some(200), Some(500)]), width(&[None])], [FIRST_WIDTH; 2]);
    }

    #[test]
    fn no_company_takes_more_than_its_share() {
        let id = Uuid::from_u128;
        let due: Vec<(Uuid, Uuid)> =
            [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (3, 6)].map(|(a, b)| (id(a), id(b))).into();
        let choose = |lanes, of_company, at_work: &[(u128, usize)]| -> (Vec<u128>, bool) {
            let at_work = at_work.iter().map(|(tenant, count)| (id(*tenant), *count)).collect();
            let share = Share { lanes, of_company, first: 1, at_work };
            let (chosen, leaves_others) = share.choose(due.clone());
            (chosen.iter().map(|(_, endpoint)| endpoint.as_u128()).collect(), leaves_others)
        };
        assert_eq!(choose(10, 2, &[]), (vec![1, 4, 6, 2, 5], false));
        assert_eq!(choose(10, 2, &[(1, 2), (2, 1)]), (vec![6, 4], false));
        assert_eq!(choose(2, 2, &[]), (vec![1, 4], true));
        assert_eq!(choose(0, 2, &[]), (vec![], true));
        // The last slot is for a company that has no lane at work.
        assert_eq!(choose(4, 2, &[]), (vec![1, 4, 6], true));
        assert_eq!(choose(1, 2, &[(1, 1), (2, 1)]), (vec![6], true));
        assert_eq!(choose(1, 2, &[(1, 1), (2, 1), (3, 1)]), (vec![], true));
    }
}
