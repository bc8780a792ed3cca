//! A supplier return under its lock, with the lines that are valid.

use std::collections::BTreeSet;

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Id, Problem, has, set};

use crate::records::supplier_return::{SupplierReturnLineRow, SupplierReturnRow};

/// Holds a return, and reads its lines.
///
/// # Errors
/// NOT_FOUND.
pub fn lock_return(id: Id) -> Result<(SupplierReturnRow, Vec<SupplierReturnLineRow>), Problem> {
    let standing = has::<SupplierReturnRow, _, _>(
        SupplierReturnLineRow::line_set_id,
        SupplierReturnRow::line_set_id,
        SupplierReturnRow::id.eq(id),
    );
    let (row, lines) = run((get::<SupplierReturnRow>(id).locked(), select::<SupplierReturnLineRow>(standing).whole()))?;
    Ok((row.ok_or_else(Problem::not_found)?, lines))
}

/// The products of these lines.
pub fn products_of(lines: &[SupplierReturnLineRow]) -> BTreeSet<Id> {
    set(lines.iter().map(|line| line.product_id))
}
