//! The time that a purge goes by. A clock may have run ahead for a while (a board without a battery, before it asked
//! the network): rows that a purge drops by such a time are gone, and a key whose row is gone acts a second time. So a
//! purge goes by the newest time that was seen at least a day ago, and not at all right after a jump.

use crate::database::{Cell, Error, Row, Session};

pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Two looks at the clock that lie further apart than this, either way, are a jump, or no host looked for so long.
const JUMP_MS: i64 = 60 * 60 * 1000;

/// Looks at the clock that are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Looks {
    /// The newest that was made at least a day before another.
    mark: Option<i64>,
    /// The mark of the next day.
    next_mark: i64,
    seen_at: i64,
}

/// The result of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Purge as if it were this time.
    By(i64),
    /// Nothing was seen a day ago yet.
    TooYoung,
    /// So many milliseconds from the look before.
    Jumped(i64),
}

/// Looks at the database's clock and remembers it.
pub async fn look(session: &mut Session) -> Result<Look, Error> {
    let now = session.now().await?;
    let rows = session.query("select mark, next_mark, seen_at from stoa_clock where id = 1", &[]).await?;
    let before = rows
        .first()
        .map(|row| {
            let mark = row.optional(0, Row::instant)?;
            Ok::<_, Error>(Looks { mark, next_mark: row.instant(1)?, seen_at: row.instant(2)? })
        })
        .transpose()?;
    let (after, look) = step(before, now);
    session
        .query(
            "insert into stoa_clock (id, mark, next_mark, seen_at) values (1, $1, $2, $3)
             on conflict (id) do update set mark = excluded.mark, next_mark = excluded.next_mark, seen_at = excluded.seen_at",
            &[
                Cell::optional(after.mark, Cell::Instant),
                Cell::Instant(after.next_mark),
                Cell::Instant(after.seen_at),
            ],
        )
        .await?;
    Ok(look)
}

fn step(before: Option<Looks>, now: i64) -> (Looks, Look) {
    let Some(Looks { mark, next_mark, seen_at }) = before else {
        return (Looks { mark: None, next_mark: now, seen_at: now }, Look::TooYoung);
    };
    // A time that was seen and has not come yet was seen by a clock that ran ahead.
    let mark = mark.filter(|mark| *mark <= now);
    let (mark, next_mark) = match now - next_mark {
        ..0 => (mark, now),
        0..DAY_MS => (mark, next_mark),
        _ => (Some(next_mark), now),
    };
    let jump = now - seen_at;
    let look = match mark {
        _ if jump.abs() > JUMP_MS => Look::Jumped(jump),
        // After a small step back the mark is a little younger than it was.
        Some(mark) if now - mark >= DAY_MS => Look::By(mark),
        _ => Look::TooYoung,
    };
    (Looks { mark, next_mark, seen_at: now }, look)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 60 * 60 * 1000;

    /// Looks every ten minutes over a span; answers every time that a purge would have gone by.
    fn run(looks: &mut Option<Looks>, from: i64, to: i64) -> Vec<i64> {
        let mut by = Vec::new();
        for now in (from..=to).step_by(usize::try_from(HOUR / 6).expect("a step")) {
            let (after, look) = step(*looks, now);
            *looks = Some(after);
            if let Look::By(time) = look {
                assert!(time <= now - DAY_MS, "{time} at {now} was not seen a day ago");
                by.push(time);
            }
        }
        by
    }

    #[test]
    fn a_steady_clock_is_followed_at_a_day_or_two() {
        let mut looks = None;
        assert!(run(&mut looks, 0, DAY_MS - HOUR).is_empty());
        let by = run(&mut looks, DAY_MS, 10 * DAY_MS);
        assert_eq!(by.first(), Some(&0));
        assert!(by.last().is_some_and(|last| *last >= 8 * DAY_MS), "{by:?}");
    }

    #[test]
    fn a_clock_that_ran_ahead_for_less_than_a_day_drops_nothing() {
        for ahead in [2 * HOUR, 10 * DAY_MS, 400 * DAY_MS] {
            let mut looks = None;
            let (right, away) = (5 * DAY_MS, 23 * HOUR);
            run(&mut looks, 0, right);
            let (_, look) = step(looks, right + ahead);
            assert!(matches!(look, Look::Jumped(_)), "{look:?}");
            // While it is wrong, and for good after it is right again.
            let wrong = run(&mut looks, right + ahead, right + ahead + away);
            assert!(wrong.iter().all(|time| *time <= right), "{wrong:?}");
            let after = run(&mut looks, right + away, right + 3 * DAY_MS);
            assert!(!after.is_empty() && after.iter().all(|time| *time <= right + 2 * DAY_MS), "{after:?}");
        }
    }

    #[test]
    fn a_shop_that_is_shut_at_night_is_purged() {
        let mut looks = None;
        let by: Vec<i64> =
            (0..5).flat_map(|day| run(&mut looks, day * DAY_MS + 9 * HOUR, day * DAY_MS + 18 * HOUR)).collect();
        assert!(by.last().is_some_and(|last| *last >= 2 * DAY_MS), "{by:?}");
    }
}
