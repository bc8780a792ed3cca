//! From the outbox to deliveries: a company's next events, in the order of their ids, each for every endpoint that
//! listens to its kind. A write of a company without endpoints costs nothing here: only companies with endpoints have a
//! cursor. Each transaction is small and moves the cursor, whatever the company has made: many events, or more
//! endpoints than one batch has room for.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::TEST_KIND;
use super::lane::{lock_lanes, wake_lanes};
use super::schedule::Schedule;
use crate::database::{Cell, Database, Error, Row, Session, Shard};
use crate::ids::{self, Ids};

/// Deliveries of one transaction; also the events and the endpoints that it reads. SQLite's one writer is busy for a
/// few milliseconds.
const ROWS: usize = 200;
/// A batch ends with the event during which this time is over.
const TIME: Duration = Duration::from_millis(2);
/// Companies that one look finds.
pub const COMPANIES: usize = 1_000;

/// Companies that have events behind their cursor, in the order of their ids from this one on.
pub async fn find_news(session: &mut Session, after: Uuid) -> Result<Vec<Uuid>, Error> {
    let sql = format!(
        "select c.tenant_id from stoa_webhook_cursor c
         where c.tenant_id > $1 and (c.last_endpoint is not null or (
           select e.id from stoa_event e where e.tenant_id = c.tenant_id and e.id > c.last_event
           order by e.id limit 1) is not null)
         order by c.tenant_id limit {COMPANIES}"
    );
    session.query_composed(sql, &[Cell::Id(after)]).await?.iter().map(|row| row.id(0)).collect()
}

struct Batch {
    tenant: Uuid,
    /// End of the ids: no transaction can commit an id below it any more.
    end: Uuid,
    schedule: Schedule,
}

/// Makes deliveries of a company's next events, as many as one transaction takes. Answers how many events there were.
pub async fn fan_out(database: &Database, tenant: Uuid, schedule: &Schedule) -> Result<usize, Error> {
    let end = database.watermark(tenant).await?.map_or(Uuid::max(), ids::first_of);
    let batch = Batch { tenant, end, schedule: schedule.clone() };
    database.write_plain(Shard::Company(tenant), batch, |session, batch| Box::pin(batch.run(session))).await
}

/// How far a company's events have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    event: Uuid,
    /// The last endpoint that this event has a delivery for, where others come after it.
    endpoint: Option<Uuid>,
}

/// An endpoint that may listen.
#[derive(Clone)]
struct Listener {
    id: Uuid,
    kinds: Vec<String>,
    since: i64,
    /// When it was disabled, where it is.
    until: Option<i64>,
}

impl Listener {
    fn read(row: &Row) -> Result<Listener, Error> {
        Ok(Listener {
            id: row.id(0)?,
            kinds: row.text(1)?.split_ascii_whitespace().map(str::to_owned).collect(),
            since: row.instant(2)?,
            until: row.optional(3, Row::instant)?,
        })
    }

    /// A test is for the endpoint that it is about, and for no other.
    fn receives(&self, event: &News) -> bool {
        let is_meant = match event.kind.as_str() {
            TEST_KIND => event.resource == self.id,
            kind => self.kinds.iter().any(|wanted| wanted == kind),
        };
        is_meant && event.created_at >= self.since && self.until.is_none_or(|until| event.created_at < until)
    }
}

struct News {
    id: Uuid,
    kind: String,
    resource: Uuid,
    created_at: i64,
}

/// A company's endpoints in the order of their ids, as many as one batch takes.
struct Listeners {
    page: Vec<Listener>,
    /// Some came before this page.
    is_continued: bool,
    /// Some come after it.
    goes_on: bool,
}

/// Deliveries to make: the endpoint of each and its event.
struct Deliveries<'a> {
    made: Vec<(Uuid, &'a News)>,
    /// Events that were looked at.
    events: usize,
    cursor: Cursor,
}

impl Listeners {
    /// Chooses the events of one batch: at least one of them, and no more deliveries than a batch has. A page that is
    /// not all of the company's endpoints receives the first event only.
    fn choose<'a>(&self, news: &'a [News], before: Cursor, is_over: impl Fn() -> bool) -> Deliveries<'a> {
        let mut chosen = Deliveries { made: Vec::new(), events: 0, cursor: before };
        for event in news {
            let subscribed: Vec<Uuid> =
                self.page.iter().filter(|listener| listener.receives(event)).map(|listener| listener.id).collect();
            if chosen.events > 0 && (chosen.made.len() + subscribed.len() > ROWS || is_over()) {
                break;
            }
            chosen.made.extend(subscribed.into_iter().map(|endpoint| (endpoint, event)));
            chosen.events += 1;
            let last = self.page.last().filter(|_| self.goes_on);
            chosen.cursor = Cursor { event: event.id, endpoint: last.map(|last| last.id) };
            if self.goes_on || self.is_continued {
                break;
            }
        }
        chosen
    }
}

impl Batch {
    async fn run(&self, session: &mut Session) -> Result<usize, Error> {
        let Some(before) = self.lock_cursor(session).await? else { return Ok(0) };
        let news = self.read_news(session, before).await?;
        // An event that is no longer kept needs no further delivery.
        let after = before.endpoint.filter(|_| news.first().is_some_and(|event| event.id == before.event));
        let listeners = self.read_listeners(session, after).await?;
        let began = Instant::now();
        let start = Cursor { endpoint: after, ..before };
        let chosen = listeners.choose(&news, start, || began.elapsed() >= TIME);
        self.insert(session, &chosen.made).await?;
        if chosen.cursor != before {
            let Cursor { event, endpoint } = chosen.cursor;
            let sql = "update stoa_webhook_cursor set last_event = $2, last_endpoint = $3 where tenant_id = $1";
            let values = [Cell::Id(self.tenant), Cell::Id(event), Cell::optional(endpoint, Cell::Id)];
            session.query(sql, &values).await?;
        }
        Ok(chosen.events)
    }

    /// How far the company's events have come; none where another host is at it.
    async fn lock_cursor(&self, session: &mut Session) -> Result<Option<Cursor>, Error> {
        let lock = if matches!(session, Session::Postgres(_)) { " for update skip locked" } else { "" };
        let sql = format!("select last_event, last_endpoint from stoa_webhook_cursor where tenant_id = $1{lock}");
        let rows = session.query_composed(sql, &[Cell::Id(self.tenant)]).await?;
        let cursor = |row: &Row| Ok(Cursor { event: row.id(0)?, endpoint: row.optional(1, Row::id)? });
        rows.first().map(cursor).transpose()
    }

    /// The events behind the cursor; the first of them is that of the cursor, where endpoints of it are left.
    async fn read_news(&self, session: &mut Session, before: Cursor) -> Result<Vec<News>, Error> {
        // An event that was begun was below the end once, whatever another look at it says.
        let begun = Uuid::from_u128(before.event.as_u128().saturating_add(1));
        let (from, end) = match before.endpoint {
            Some(_) => (">=", self.end.max(begun)),
            None => (">", self.end),
        };
        let sql = format!(
            "select id, kind, resource_id, created_at from stoa_event
             where tenant_id = $1 and id {from} $2 and id < $3 order by id limit {ROWS}"
        );
        let values = [Cell::Id(self.tenant), Cell::Id(before.event), Cell::Id(end)];
        let rows = session.query_composed(sql, &values).await?;
        let news = rows.iter().map(|row| {
            Ok(News { id: row.id(0)?, kind: row.text(1)?, resource: row.id(2)?, created_at: row.instant(3)? })
        });
        news.collect()
    }

    /// The company's endpoints behind this one, or from the first one on.
    async fn read_listeners(&self, session: &mut Session, after: Option<Uuid>) -> Result<Listeners, Error> {
        let sql = format!(
            "select id, kinds, listens_since, case when status = 'DISABLED' then disabled_at end
             from stoa_webhook_endpoint where tenant_id = $1 and id > $2 and status <> 'ARCHIVED'
             order by id limit {}",
            ROWS + 1
        );
        let values = [Cell::Id(self.tenant), Cell::Id(after.unwrap_or_default())];
        let rows = session.query_composed(sql, &values).await?;
        let page = rows.iter().take(ROWS).map(Listener::read).collect::<Result<_, Error>>()?;
        Ok(Listeners { page, is_continued: after.is_some(), goes_on: rows.len() > ROWS })
    }

    async fn insert(&self, session: &mut Session, made: &[(Uuid, &News)]) -> Result<(), Error> {
        if made.is_empty() {
            return Ok(());
        }
        let now = session.now().await?;
        let mut ids = Ids::new(now);
        let row = |(endpoint, event): &(Uuid, &News)| {
            json!([ids.make().simple(), endpoint.simple(), event.id.simple(), event.kind])
        };
        let rows: Vec<Json> = made.iter().map(row).collect();
        let wait = self.schedule.wait(0, rand::random(), None).unwrap_or_default();
        let due = now.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
        let endpoints: BTreeSet<String> = made.iter().map(|(endpoint, _)| endpoint.simple().to_string()).collect();
        let endpoints = json!(endpoints).to_string();
        lock_lanes(session, self.tenant, &endpoints).await?;
        let insert = match session {
            Session::Sqlite(_) => {
                "insert into stoa_webhook_delivery (tenant_id, id, endpoint_id, event_id, kind, status, next_attempt_at,
                   created_at)
                 select $1, unhex(e.value ->> 0), unhex(e.value ->> 1), unhex(e.value ->> 2), e.value ->> 3, 'PENDING', $3, $4
                 from json_each($2) as e"
            }
            Session::Postgres(_) => {
                "insert into stoa_webhook_delivery (tenant_id, id, endpoint_id, event_id, kind, status, next_attempt_at,
                   created_at)
                 select $1, (e ->> 0)::uuid, (e ->> 1)::uuid, (e ->> 2)::uuid, e ->> 3, 'PENDING', $3, $4
                 from jsonb_array_elements($2::jsonb) as e"
            }
        };
        let values =
            [Cell::Id(self.tenant), Cell::text(Json::Array(rows).to_string()), Cell::Instant(due), Cell::Instant(now)];
        session.query(insert, &values).await?;
        wake_lanes(session, self.tenant, &endpoints, due).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_hears_what() {
        let listener = |kinds: &[&str], since, until| Listener {
            id: Uuid::from_u128(1),
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            since,
            until,
        };
        let news = |kind: &str, resource, created_at| News {
            id: Uuid::nil(),
            kind: kind.into(),
            resource: Uuid::from_u128(resource),
            created_at,
        };
        let one = listener(&["a.made", "b.made"], 100, None);
        assert!(one.receives(&news("a.made", 9, 100)) && one.receives(&news("b.made", 1, 101)));
        assert!(!one.receives(&news("c.made", 9, 100)), "another kind");
        assert!(!one.receives(&news("a.made", 9, 99)), "before it was made");
        assert!(one.receives(&news(TEST_KIND, 1, 100)), "its own test, subscribed or not");
        assert!(!listener(&[TEST_KIND], 0, None).receives(&news(TEST_KIND, 2, 100)), "the test of another");
        let disabled = listener(&["a.made"], 100, Some(200));
        assert!(disabled.receives(&news("a.made", 9, 199)) && !disabled.receives(&news("a.made", 9, 200)));
    }

    fn news(number: u128) -> News {
        News { id: Uuid::from_u128(number), kind: "a.made".into(), resource: Uuid::nil(), created_at: 100 }
    }

    fn listeners(ids: std::ops::RangeInclusive<u128>) -> Vec<Listener> {
        let listener = |id| Listener { id: Uuid::from_u128(id), kinds: vec!["a.made".into()], since: 0, until: None };
        ids.map(listener).collect()
    }

    #[test]
    fn a_batch_is_bounded_by_rows_and_time_and_takes_one_event_at_least() {
        let all: Vec<News> = (1..=20).map(news).collect();
        let before = Cursor { event: Uuid::nil(), endpoint: None };
        let size = |count, is_over: fn() -> bool| {
            let page = Listeners { page: listeners(1..=count), is_continued: false, goes_on: false };
            let chosen = page.choose(&all, before, is_over);
            assert_eq!(chosen.cursor, Cursor { event: all[chosen.events - 1].id, endpoint: None });
            (chosen.events, chosen.made.len())
        };
        assert_eq!(size(0, || false), (20, 0));
        assert_eq!(size(10, || false), (20, 200));
        assert_eq!(size(50, || false), (4, 200));
        assert_eq!(size(150, || false), (1, 150));
        assert_eq!(size(10, || true), (1, 10), "the time was over with the first");
    }

    /// As the transactions do, batch after batch: more endpoints than a batch has room for.
    #[test]
    fn every_batch_moves_the_cursor_and_each_endpoint_receives_each_event_once() {
        let everybody = listeners(1..=450);
        let all: Vec<News> = (1..=3).map(news).collect();
        let mut cursor = Cursor { event: Uuid::nil(), endpoint: None };
        let mut received = BTreeSet::new();
        let mut batches = 0;
        while cursor != (Cursor { event: all[2].id, endpoint: None }) {
            let left = all.iter().position(|event| match cursor.endpoint {
                Some(_) => event.id >= cursor.event,
                None => event.id > cursor.event,
            });
            let after = cursor.endpoint.unwrap_or_default();
            let behind: Vec<&Listener> = everybody.iter().filter(|listener| listener.id > after).collect();
            let page = Listeners {
                page: behind.iter().take(ROWS).map(|listener| (*listener).clone()).collect(),
                is_continued: cursor.endpoint.is_some(),
                goes_on: behind.len() > ROWS,
            };
            let chosen = page.choose(&all[left.expect("an event is left")..], cursor, || false);
            assert_ne!(chosen.cursor, cursor, "the cursor moves");
            assert!(chosen.made.len() <= ROWS);
            for (endpoint, event) in &chosen.made {
                assert!(received.insert((*endpoint, event.id)), "{endpoint} receives {} twice", event.id);
            }
            cursor = chosen.cursor;
            batches += 1;
        }
        assert_eq!((received.len(), batches), (450 * 3, 9));
    }
}
