//! The records of tests that ended: name, seconds, how each ended, and why it failed. The suite appends a line to the file
//! that `STOA_TEST_RECORD` names (`tests/src/record.rs`).

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

/// Names the file to the suite.
pub const FILE: &str = "STOA_TEST_RECORD";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Passed,
    Failed,
    /// It passed its time limit, and ended the suite's program.
    Hung,
    /// A part of the suite for which this machine lacks something.
    NotRun,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    pub name: String,
    pub seconds: f64,
    pub end: End,
    /// The message of a test that failed, or what a part lacks, with its line breaks escaped.
    pub why: String,
}

/// Every test that ended, in the order of their ends; none if no test has begun.
pub fn read(file: &Path) -> Result<Vec<Ended>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.lines().map(|line| parse(line).with_context(|| format!("a record is not as expected: {line}"))).collect()
}

fn parse(line: &str) -> Option<Ended> {
    let mut members = line.split('\t');
    let (name, seconds, end, why) =
        (members.next()?, members.next()?.parse().ok()?, members.next()?, members.next()?.to_owned());
    let end = match end {
        "passed" => End::Passed,
        "failed" => End::Failed,
        "hung" => End::Hung,
        "not run" => End::NotRun,
        _ => return None,
    };
    Some(Ended { name: name.to_owned(), seconds, end, why })
}

/// Parts that did not run, each once with what it lacks.
pub fn list_not_run(ended: &[Ended]) -> BTreeSet<(&str, &str)> {
    let parts = ended.iter().filter(|part| part.end == End::NotRun);
    parts.map(|part| (part.name.as_str(), part.why.as_str())).collect()
}

/// Parts that did not run though a strict run requires them: those whose names begin as one of `strict`, or all if it
/// names none.
pub fn list_missing<'a>(ended: &'a [Ended], strict: &[String]) -> BTreeSet<&'a str> {
    let is_wanted = |part: &str| strict.is_empty() || strict.iter().any(|begin| part.starts_with(begin.as_str()));
    list_not_run(ended).into_iter().map(|(part, _)| part).filter(|part| is_wanted(part)).collect()
}

/// The slowest tests, slowest first.
pub fn slowest(ended: &[Ended], most: usize) -> Vec<&Ended> {
    let mut sorted: Vec<&Ended> = ended.iter().collect();
    sorted.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    sorted.truncate(most);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_the_suite_writes_them() {
        let ended = parse("a::sqlite::b\t1.250\tfailed\tan.rs:1:2: no\\nway").unwrap();
        let why = "an.rs:1:2: no\\nway".to_owned();
        assert_eq!(ended, Ended { name: "a::sqlite::b".into(), seconds: 1.25, end: End::Failed, why });
        for wrong in ["", "a", "a\tx\tpassed\t", "a\t1\tgone\t", "a\t1\tpassed"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_did_not_run_is_listed_once() {
        let lines =
            ["b\t0.000\tnot run\tno node", "a\t1\tpassed\t", "b\t0.000\tnot run\tno node", "a\t0\tnot run\tno go"];
        let ended = lines.map(|line| parse(line).unwrap());
        assert_eq!(list_not_run(&ended), BTreeSet::from([("a", "no go"), ("b", "no node")]));
    }

    #[test]
    fn a_strict_run_misses_the_parts_that_it_wants() {
        let lines = ["a::b\t0\tnot run\tno go", "c::d\t0\tnot run\tno node", "a::e\t1\tpassed\t"];
        let ended = lines.map(|line| parse(line).unwrap());
        assert_eq!(list_missing(&ended, &[]), BTreeSet::from(["a::b", "c::d"]));
        assert_eq!(list_missing(&ended, &["c::".to_owned()]), BTreeSet::from(["c::d"]));
        assert!(list_missing(&ended, &["a::e".to_owned()]).is_empty());
    }

    #[test]
    fn the_slowest_come_first() {
        let ended = ["a\t1\tpassed\t", "b\t3\tpassed\t", "c\t2\tfailed\t"].map(|line| parse(line).unwrap());
        let names: Vec<&str> = slowest(&ended, 2).iter().map(|ended| ended.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
    }
}
