//! Reading rows of which there may be more than one call answers.

use stoa_sdk::store::{MOST_ROWS, Rows, read, run, select};
use stoa_sdk::{Filter, Id, Problem, View};

/// Every row, however many there are; `id` of a row.
pub fn read_every<R: View>(filter: &Filter, id: impl Fn(&R) -> Id) -> Vec<R> {
    let mut rows: Vec<R> = Vec::new();
    loop {
        let after = rows.last().map(&id);
        let page: Rows<R> = read(select(filter.clone()).after(after).limit(MOST_ROWS));
        rows.extend(page.items);
        if !page.more {
            return rows;
        }
    }
}

/// Hands over every row, however many there are, a page at a time; `id` of a row.
///
/// # Errors
/// The store's.
pub fn for_each_row<R: View>(filter: &Filter, id: impl Fn(&R) -> Id, mut put: impl FnMut(R)) -> Result<(), Problem> {
    let mut after = None;
    loop {
        let page: Rows<R> = run(select(filter.clone()).after(after).limit(MOST_ROWS))?;
        after = page.items.last().map(&id);
        page.items.into_iter().for_each(&mut put);
        if !page.more {
            return Ok(());
        }
    }
}
