//! Inventory's stock: goods that are held, leave, arrive and come back on behalf of a document. Inventory says what
//! they cost, its caller posts it. Refusals point into the lines that were given: `Problem::moved_each` brings them to
//! where the request states them.

use stoa_sdk::Problem;

use super::Key;

pub use crate::bindings::commerce::inventory::stock::{
    CustomerReturn, Delivered, DeliveryLine, Disposition, IncomingLine, Level, NewUnit, Pair, Receipt, ReceiptLine,
    Received, ReserveLine, Reserved, ReturnLine, Returned, SalesOrder, SentBack, SupplierReturn, SupplierReturnLine,
    Transferred,
};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::inventory::stock) {
        fn levels(pairs: &[Pair]) -> Vec<Level>;
        fn transferred_incoming(pairs: &[Pair]) -> Vec<Transferred>;
        fn reserve(order: &SalesOrder, warehouse: Key, lines: &[ReserveLine]) -> Result<Vec<Reserved>, Problem>;
        fn release(order: Key, reservations: &[Key], reason: &str) -> Result<(), Problem>;
        fn deliver(order: &SalesOrder, lines: &[DeliveryLine]) -> Result<Vec<Delivered>, Problem>;
        fn return_from_customer(to: &CustomerReturn, lines: &[ReturnLine]) -> Result<Vec<Returned>, Problem>;
        fn receive(from: &Receipt, lines: &[ReceiptLine]) -> Result<Vec<Received>, Problem>;
        fn change_incoming(lines: &[IncomingLine]) -> Result<(), Problem>;
        fn return_to_supplier(to: &SupplierReturn, lines: &[SupplierReturnLine]) -> Result<Vec<SentBack>, Problem>;
    }
}
