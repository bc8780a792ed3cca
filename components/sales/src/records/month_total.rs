//! Totals by month of what was delivered and what came back. Derived from the lines: only the lines are the ledger.

use stoa_sdk::{Id, collection};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

collection! {
    // `documents` counts orders; `costed` counts lines of which a cost is known in the currency.
    pub projection DeliveryTotalRow in "delivery_total" {
        legal_entity_id: Id,
        currency_code: String,
        month: Month,
        documents: Amount,
        quantity: Amount,
        revenue: Amount,
        cost: Amount,
        costed: Amount,
        uncosted: Amount,
    }
    unique { total: [legal_entity_id, currency_code, month] }
    counters [documents, quantity, revenue, cost, costed, uncosted]
}
