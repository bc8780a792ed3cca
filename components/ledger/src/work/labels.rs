//! Labels of a line in reports: its account and its entry.

use stoa_sdk::set;
use stoa_sdk::store::{GetAll, get_all};

use crate::records::account::AccountLabel;
use crate::records::entry::{EntryLabel, LineRow};

/// The labels of the accounts that these lines are posted to.
pub fn accounts_of(lines: &[LineRow]) -> GetAll<AccountLabel> {
    get_all(set(lines.iter().map(|line| line.account_id)))
}

/// The labels of the entries that these lines belong to.
pub fn entries_of(lines: &[LineRow]) -> GetAll<EntryLabel> {
    get_all(set(lines.iter().map(|line| line.entry_id)))
}

/// The line's own description, or its entry's.
pub fn describe_line(line: &LineRow, entry: Option<&EntryLabel>) -> String {
    line.description.clone().or_else(|| entry.map(|entry| entry.description.clone())).unwrap_or_default()
}
