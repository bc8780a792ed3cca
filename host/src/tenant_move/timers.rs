//! The timers of a company that moves. Each place works through its companies in rounds of its own, so the new place may have passed the
//! company where the old one has not, or the other way round. The windows of a company leave no gap and do not overlap: a company for
//! which the new place is ahead lags there, and one for which it is behind waits for it.

use serde_json::{Value as Json, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::NotYet;
use super::server::Server;

/// A round of a timer, as a place has it. Instants are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Round {
    module: String,
    code: String,
    since: Option<i64>,
    until: i64,
    mark: Option<Uuid>,
    cursor: Option<String>,
}

/// A window of a company that the new place works off by itself.
#[derive(Debug, PartialEq, Eq)]
struct Window {
    since: Option<i64>,
    until: i64,
    cursor: Option<String>,
}

impl Round {
    /// The instant up to which the company has had its windows.
    fn find_end(&self, company: Uuid) -> Option<i64> {
        match (self.mark, &self.cursor) {
            (Some(mark), Some(_)) if mark == company => self.since,
            (Some(mark), _) if company <= mark => Some(self.until),
            _ => self.since,
        }
    }

    /// Where the company's next window begins: it has none before its own beginning.
    fn find_since(&self, end: Option<i64>, created_at: i64) -> Option<i64> {
        end.filter(|end| created_at <= *end)
    }
}

async fn list_rounds(server: &mut Server) -> anyhow::Result<Vec<Round>> {
    let millis = |column: &str| format!("floor(extract(epoch from {column}) * 1000)::bigint");
    let sql = format!(
        "select module, code, {}, {}, tenant_id, cursor from stoa_timer order by module, code",
        millis("since"),
        millis("until")
    );
    let read =
        sqlx::query_as::<_, (String, String, Option<i64>, i64, Option<Uuid>, Option<String>)>(AssertSqlSafe(sql));
    let rows = read.fetch_all(&mut server.connection).await?;
    let round = |(module, code, since, until, mark, cursor)| Round { module, code, since, until, mark, cursor };
    Ok(rows.into_iter().map(round).collect())
}

/// Adds a row of `stoa_timer_lag` for each timer of which the new place has passed the company.
pub async fn add_lags(
    source: &mut Server,
    target: &mut Server,
    company: Uuid,
    carried: &mut Json,
) -> anyhow::Result<()> {
    let created: i64 = source
        .value(format!(
            "select floor(extract(epoch from created_at) * 1000)::bigint from stoa_tenant where id = '{company}'"
        ))
        .await?;
    let lagging: Vec<(String, String, i64)> = sqlx::query_as(
        "select module, code, floor(extract(epoch from until) * 1000)::bigint from stoa_timer_lag where tenant_id = $1",
    )
    .bind(company)
    .fetch_all(&mut source.connection)
    .await?;
    let (rounds, others) = (list_rounds(source).await?, list_rounds(target).await?);
    for round in &rounds {
        let other = others.iter().find(|other| other.module == round.module && other.code == round.code);
        let lag = lagging.iter().find(|(module, code, _)| *module == round.module && *code == round.code);
        let Some(window) = find_window(round, other, lag.map(|(_, _, until)| *until), company, created)? else {
            continue;
        };
        let instant = |millis: i64| chrono::DateTime::from_timestamp_millis(millis).map(|time| time.to_rfc3339());
        let row = json!({
            "tenant_id": company,
            "module": round.module,
            "code": round.code,
            "since": window.since.and_then(instant),
            "until": instant(window.until),
            "cursor": window.cursor,
            "tries": 0,
            "trouble": "the company has moved to another place",
            "retry_at": instant(window.until),
        });
        if let Some(rows) = carried["stoa_timer_lag"].as_array_mut() {
            rows.push(row);
        }
    }
    Ok(())
}

/// The window that the company works off at the new place before its rounds take it. `lag`: the end of the window that it works off
/// already, which goes with it.
fn find_window(
    round: &Round,
    other: Option<&Round>,
    lag: Option<i64>,
    company: Uuid,
    created_at: i64,
) -> Result<Option<Window>, NotYet> {
    let behind = || NotYet(format!("the timer {} {} has come less far at the new place", round.module, round.code));
    let there = other.and_then(|other| other.find_end(company));
    if let Some(until) = lag {
        return if Some(until) > there { Err(behind()) } else { Ok(None) };
    }
    let end = round.find_end(company);
    let since = round.find_since(end, created_at);
    if round.mark == Some(company) && round.cursor.is_some() {
        // A batch of the window is done. The rest of it is the new place's.
        return match there {
            Some(there) if there >= round.until => {
                Ok(Some(Window { since, until: round.until, cursor: round.cursor.clone() }))
            }
            _ => Err(behind()),
        };
    }
    match there {
        there if there == end => Ok(None),
        Some(there) if Some(there) > end => Ok(Some(Window { since, until: there, cursor: None })),
        _ => Err(behind()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPANY: Uuid = Uuid::from_u128(5);

    /// A round from 10 to 20 that has come as far as a company.
    fn round(mark: Option<u128>, cursor: Option<&str>) -> Round {
        Round {
            module: "sales".into(),
            code: "remind".into(),
            since: Some(10),
            until: 20,
            mark: mark.map(Uuid::from_u128),
            cursor: cursor.map(str::to_owned),
        }
    }

    fn find(here: &Round, there: &Round, lag: Option<i64>) -> Result<Option<Window>, ()> {
        find_window(here, Some(there), lag, COMPANY, 0).map_err(|_| ())
    }

    #[test]
    fn a_company_has_each_window_once() {
        let window = |since, until| Ok(Some(Window { since, until, cursor: None }));
        let (before, passed) = (round(Some(4), None), round(Some(6), None));
        assert_eq!(find(&before, &before, None), Ok(None));
        assert_eq!(find(&passed, &passed, None), Ok(None));
        assert_eq!(find(&before, &passed, None), window(Some(10), 20), "the new place has passed it");
        assert_eq!(find(&passed, &before, None), Err(()), "the new place would call it again for this window");
        let next = Round { since: Some(20), until: 30, ..round(None, None) };
        assert_eq!(find(&passed, &next, None), Ok(None), "the round is over there");
        assert_eq!(find(&before, &next, None), window(Some(10), 20));
    }

    #[test]
    fn a_window_that_was_begun_goes_on() {
        let begun = round(Some(5), Some("half"));
        let rest = Window { since: Some(10), until: 20, cursor: Some("half".into()) };
        assert_eq!(find(&begun, &round(Some(6), None), None), Ok(Some(rest)));
        assert_eq!(find(&begun, &round(Some(4), None), None), Err(()));
    }

    #[test]
    fn a_company_that_lags_takes_its_window_along() {
        assert_eq!(find(&round(None, None), &round(None, None), Some(10)), Ok(None));
        assert_eq!(find(&round(Some(6), None), &round(None, None), Some(20)), Err(()));
    }

    #[test]
    fn a_young_company_has_no_window_before_its_beginning() {
        let found = find_window(&round(None, None), Some(&round(Some(6), None)), None, COMPANY, 12);
        assert_eq!(found.ok().flatten(), Some(Window { since: None, until: 20, cursor: None }));
    }
}
