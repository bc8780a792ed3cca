//! Days are split so that every one is counted once.

use std::collections::BTreeMap;

use stoa_sdk::Date;

use super::split_days;
use crate::dates::Month;

fn day(number: i64) -> Date {
    Date::from_days(number).unwrap()
}

/// How often each day of the window is counted by the split.
fn count_days(window: std::ops::Range<i64>, from: Option<Date>, to: Option<Date>, today: Date) -> BTreeMap<i64, i32> {
    let split = split_days(from, to, today);
    assert!(split.edges.len() <= 2, "{split:?}");
    let count = |number: i64| {
        let month = Month::from_day(day(number));
        let is_in = |(first, last): (Option<Month>, Option<Month>)| {
            first.is_none_or(|first| first <= month) && last.is_none_or(|last| month <= last)
        };
        let whole = i32::from(split.months.is_some_and(is_in));
        let edges = split.edges.iter().filter(|edge| (edge.from.days()..=edge.to.days()).contains(&number));
        whole + edges.map(|edge| if edge.is_taken_off { -1 } else { 1 }).sum::<i32>()
    };
    window.map(|number| (number, count(number))).collect()
}

#[test]
fn every_day_is_counted_once() {
    let first = "2023-12-20".parse::<Date>().unwrap().days();
    let window = first - 40..first + 130;
    let today = day(first + 60);
    let ends = || std::iter::once(None).chain((first..first + 90).map(|number| Some(day(number))));
    for from in ends() {
        for to in ends() {
            for (number, count) in count_days(window.clone(), from, to, today) {
                let is_in = from.is_none_or(|from| from.days() <= number) && to.is_none_or(|to| number <= to.days());
                assert_eq!(count, i32::from(is_in), "{from:?} to {to:?}: {number}");
            }
        }
    }
}

#[test]
fn what_ends_today_reads_no_day_of_its_month() {
    let today: Date = "2026-01-20".parse().unwrap();
    let split = split_days(None, Some(today), today);
    assert_eq!(split.months, Some((None, Some(Month::from_day(today)))));
    let [edge] = split.edges.as_slice() else { panic!("{split:?}") };
    assert!(edge.is_taken_off && edge.from.to_string() == "2026-01-21", "{edge:?}");
    let split = split_days(Some("2026-01-01".parse().unwrap()), Some(today), today);
    assert_eq!(
        (split.months, split.edges.len()),
        (Some((Some(Month::from_day(today)), Some(Month::from_day(today)))), 1)
    );
    // A day or two are read as they are.
    let split = split_days(Some("2025-11-05".parse().unwrap()), Some("2025-11-06".parse().unwrap()), today);
    assert_eq!((split.months, split.edges.len()), (None, 1));
}
