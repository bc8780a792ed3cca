//! Days as whole months, and the days at their edges: the part that totals by month cover, and the part that is read from lines.

use stoa_sdk::Date;

use crate::dates::Month;

/// Days, both included, whose lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// They are in the totals of the months, and are taken off.
    pub is_taken_off: bool,
    /// The first.
    pub from: Date,
    /// The last.
    pub to: Date,
}

/// Which months' totals, and which days in addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The first and the last month; `None`: from the first, or to the last, there is.
    pub months: Option<(Option<Month>, Option<Month>)>,
    /// At most two.
    pub edges: Vec<Edge>,
}

fn day(number: i64) -> Option<Date> {
    Date::from_days(number)
}

/// Splits the days from one to another, both included; `None`: without an end. A month at an edge has either the days
/// inside added or those outside taken off, whichever are fewer; as no line is dated later than tomorrow, later days
/// do not count.
pub fn split_days(from: Option<Date>, to: Option<Date>, today: Date) -> Split {
    let last_dated = today.days() + 1;
    // The days of a month before `from` and those after `to`, and how many of them may have lines.
    let before = |from: Date| {
        let first = Month::from_day(from).first_day()?;
        (first < from).then_some((first, day(from.days() - 1)?, from.days() - first.days()))
    };
    let after = |to: Date| {
        let last = Month::from_day(to).last_day()?;
        let count = (last.days().min(last_dated) - to.days()).max(0);
        (to < last).then_some((day(to.days() + 1)?, last, count))
    };
    let take_off = |days: Option<(Date, Date, i64)>| days.map(|(from, to, _)| Edge { is_taken_off: true, from, to });
    let add = |from: Date, to: Date| Edge { is_taken_off: false, from, to };
    let count = |days: Option<(Date, Date, i64)>| days.map_or(0, |(.., count)| count);
    match (from, to) {
        (Some(from), Some(to)) if from > to => Split { months: None, edges: Vec::new() },
        (Some(from), Some(to)) if Month::from_day(from) == Month::from_day(to) => {
            let (early, late) = (before(from), after(to));
            if to.days() - from.days() < count(early) + count(late) {
                return Split { months: None, edges: vec![add(from, to)] };
            }
            let month = Some(Month::from_day(from));
            Split { months: Some((month, month)), edges: take_off(early).into_iter().chain(take_off(late)).collect() }
        }
        _ => {
            let mut edges = Vec::new();
            let first = from.map(|from| {
                let (early, last) = (before(from), Month::from_day(from).last_day().unwrap_or(from));
                if last.days() - from.days() < count(early) {
                    edges.push(add(from, last));
                    return Month::from_day(from).next();
                }
                edges.extend(take_off(early));
                Month::from_day(from)
            });
            let last = to.map(|to| {
                let (late, start) = (after(to), Month::from_day(to).first_day().unwrap_or(to));
                match day(start.days() - 1) {
                    Some(eve) if to.days() - start.days() < count(late) => {
                        edges.push(add(start, to));
                        Month::from_day(eve)
                    }
                    _ => {
                        edges.extend(take_off(late));
                        Month::from_day(to)
                    }
                }
            });
            let is_empty = first.zip(last).is_some_and(|(first, last)| first > last);
            Split { months: (!is_empty).then_some((first, last)), edges }
        }
    }
}
