//! Reading rows of which there may be more than one call answers.

use stoa_sdk::store::{MOST_ROWS, Rows, read, select};
use stoa_sdk::{Filter, Id, View};

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
