//! From the outbox to deliveries: a company's new events, in the order of their ids, each for every endpoint that listens to its kind. A
//! write of a company without endpoints costs nothing here: only companies with endpoints have a cursor.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::TEST_KIND;
use super::schedule::Schedule;
use crate::database::{Cell, Database, Error, Row, Session, Shard};
use crate::ids::{self, Ids};

/// Events of one transaction.
const BATCH: usize = 500;
/// Companies that one look finds.
const COMPANIES: usize = 1_000;

/// Companies that have events behind their cursor.
pub async fn find_news(session: &mut Session) -> Result<Vec<Uuid>, Error> {
    let sql = format!(
        "select c.tenant_id from stoa_webhook_cursor c
         where exists (select 1 from stoa_event e where e.tenant_id = c.tenant_id and e.id > c.last_event)
         limit {COMPANIES}"
    );
    session.query_composed(sql, &[]).await?.iter().map(|row| row.id(0)).collect()
}

struct Batch {
    tenant: Uuid,
    /// End of the ids: nobody can commit an id below it any more.
    end: Uuid,
    schedule: Schedule,
}

/// Turns a company's next events into deliveries. Answers how many events there were.
pub async fn fan_out(database: &Database, tenant: Uuid, schedule: &Schedule) -> Result<usize, Error> {
    let end = database.watermark(tenant).await?.map_or(Uuid::max(), ids::first_of);
    let batch = Batch { tenant, end, schedule: schedule.clone() };
    database.write_plain(Shard::Company(tenant), batch, |session, batch| Box::pin(batch.run(session))).await
}

/// An endpoint that may listen.
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
    fn hears(&self, event: &News) -> bool {
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

impl Batch {
    async fn run(&self, session: &mut Session) -> Result<usize, Error> {
        let Some(last) = self.lock_cursor(session).await? else { return Ok(0) };
        let sql = format!(
            "select id, kind, resource_id, created_at from stoa_event
             where tenant_id = $1 and id > $2 and id < $3 order by id limit {BATCH}"
        );
        let rows = session.query_composed(sql, &[Cell::Id(self.tenant), Cell::Id(last), Cell::Id(self.end)]).await?;
        let news = rows.iter().map(|row| {
            Ok(News { id: row.id(0)?, kind: row.text(1)?, resource: row.id(2)?, created_at: row.instant(3)? })
        });
        let news = news.collect::<Result<Vec<News>, Error>>()?;
        let Some(newest) = news.last() else { return Ok(0) };
        let listeners = session
            .query(
                "select id, kinds, listens_since, case when status = 'DISABLED' then disabled_at end
                 from stoa_webhook_endpoint where tenant_id = $1 and status <> 'ARCHIVED' order by id",
                &[Cell::Id(self.tenant)],
            )
            .await?;
        let listeners = listeners.iter().map(Listener::read).collect::<Result<Vec<_>, Error>>()?;
        self.insert(session, &news, &listeners).await?;
        let sql = "update stoa_webhook_cursor set last_event = $2 where tenant_id = $1";
        session.query(sql, &[Cell::Id(self.tenant), Cell::Id(newest.id)]).await?;
        Ok(news.len())
    }

    /// How far the company's events have come; none where another host is at it.
    async fn lock_cursor(&self, session: &mut Session) -> Result<Option<Uuid>, Error> {
        let lock = if matches!(session, Session::Postgres(_)) { " for update skip locked" } else { "" };
        let sql = format!("select last_event from stoa_webhook_cursor where tenant_id = $1{lock}");
        let rows = session.query_composed(sql, &[Cell::Id(self.tenant)]).await?;
        rows.first().map(|row| row.id(0)).transpose()
    }

    async fn insert(&self, session: &mut Session, news: &[News], listeners: &[Listener]) -> Result<(), Error> {
        let now = session.now().await?;
        let mut ids = Ids::new(now);
        let mut rows: Vec<Json> = Vec::new();
        let mut heard: Vec<Uuid> = Vec::new();
        for event in news {
            for listener in listeners.iter().filter(|listener| listener.hears(event)) {
                let id = ids.make();
                rows.push(json!([id.simple(), listener.id.simple(), event.id.simple(), event.kind]));
                if !heard.contains(&listener.id) {
                    heard.push(listener.id);
                }
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let wait = self.schedule.wait(0, rand::random(), None).unwrap_or_default();
        let due = now.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
        heard.sort();
        lock_lanes(session, self.tenant, &heard).await?;
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
        for endpoint in heard {
            wake_lane(session, self.tenant, endpoint, due).await?;
        }
        Ok(())
    }
}

/// Keeps relays from leaving these lanes before this transaction has ended: whoever leaves one looks for what is in it. In one order.
pub async fn lock_lanes(session: &mut Session, tenant: Uuid, endpoints: &[Uuid]) -> Result<(), Error> {
    // SQLite has one writer at a time.
    if matches!(session, Session::Postgres(_)) {
        for endpoint in endpoints {
            let sql = "select 1 from stoa_webhook_lane where tenant_id = $1 and endpoint_id = $2 for update";
            session.query(sql, &[Cell::Id(tenant), Cell::Id(*endpoint)]).await?;
        }
    }
    Ok(())
}

/// Has an endpoint's deliveries looked at, at an instant or before. Who works on them looks again before it leaves.
pub async fn wake_lane(session: &mut Session, tenant: Uuid, endpoint: Uuid, due_at: i64) -> Result<(), Error> {
    let sql = "update stoa_webhook_lane set due_at = $3
               where tenant_id = $1 and endpoint_id = $2 and holder is null and (due_at is null or due_at > $3)";
    session.query(sql, &[Cell::Id(tenant), Cell::Id(endpoint), Cell::Instant(due_at)]).await?;
    Ok(())
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
        assert!(one.hears(&news("a.made", 9, 100)) && one.hears(&news("b.made", 1, 101)));
        assert!(!one.hears(&news("c.made", 9, 100)), "another kind");
        assert!(!one.hears(&news("a.made", 9, 99)), "before it listened");
        assert!(one.hears(&news(TEST_KIND, 1, 100)), "its own test, subscribed or not");
        assert!(!listener(&[TEST_KIND], 0, None).hears(&news(TEST_KIND, 2, 100)), "the test of another");
        let disabled = listener(&["a.made"], 100, Some(200));
        assert!(disabled.hears(&news("a.made", 9, 199)) && !disabled.hears(&news("a.made", 9, 200)));
    }
}
