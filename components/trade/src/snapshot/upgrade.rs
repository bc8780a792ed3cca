//! The totals of lines that are older than they: a module's `upgrade` brings them forward, one entity after the other.

use stoa_sdk::store::{Failure, run, select};
use stoa_sdk::{Id, all};

use super::{Ledger, Snapshots};

impl Snapshots {
    /// As [`upgrade`](Self::upgrade), for the entities that have lines of this ledger, in the order of their ids.
    pub fn upgrade_lines<L: Ledger<N>, const N: usize>(
        &self,
        cursor: Option<String>,
    ) -> Result<Option<String>, Failure> {
        self.upgrade(cursor, |after: Option<Id>| {
            let later = all(after.map(|after| L::LINE_ENTITY.gt(after)));
            let line = run(select::<L::Row>(later).by(L::LINE_ENTITY).first())?;
            Ok(line.map(|line| L::read_line(&line).1))
        })
    }
}
