//! Reading rows of which there may be more than one call answers.

use stoa_sdk::host::fault;
use stoa_sdk::store::{Failure, MOST_ROWS, Rows, read, run, select};
use stoa_sdk::{Filter, Id, View};

/// Every row, however many there are; `id` of a row. A failure is a fault: for functions that have no problem to answer.
pub fn read_every<R: View>(filter: &Filter, id: impl Fn(&R) -> Id) -> Vec<R> {
    let first = read(select(filter.clone()).limit(MOST_ROWS));
    read_rest(first, filter, id).unwrap_or_else(|failure| fault(&format!("a read failed: {failure:?}")))
}

/// The rows of the first page and of all that follow it; `id` of a row.
pub fn read_rest<R: View>(first: Rows<R>, filter: &Filter, id: impl Fn(&R) -> Id) -> Result<Vec<R>, Failure> {
    let (mut next, mut rows) = (first.next(&id), first.items);
    while next.is_some() {
        let page: Rows<R> = run(select(filter.clone()).after(next).limit(MOST_ROWS))?;
        next = page.next(&id);
        rows.extend(page.items);
    }
    Ok(rows)
}

/// Hands over every row, however many there are, a page at a time; `id` of a row.
pub fn for_each_row<R: View>(filter: &Filter, id: impl Fn(&R) -> Id, mut put: impl FnMut(R)) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let page: Rows<R> = run(select(filter.clone()).after(after).limit(MOST_ROWS))?;
        after = page.next(&id);
        page.items.into_iter().for_each(&mut put);
        if after.is_none() {
            return Ok(());
        }
    }
}
