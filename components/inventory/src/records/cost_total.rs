//! Totals by month of what goods on hand cost. Derived from the ledger of costs: only the ledger is the record.

use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::Value;
use stoa_sdk::{Field, Id, collection};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

/// A currency, or none, as a text that groups and unique keys can hold: `-` where there is none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CurrencyKey(pub Option<String>);

impl Field for CurrencyKey {
    type Plain = Self;
    const TYPE: ColumnType = ColumnType::Text;

    fn put(&self) -> Value {
        Value::Text(self.0.clone().unwrap_or_else(|| "-".to_owned()))
    }

    fn take(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(CurrencyKey(Some(text).filter(|text| text != "-"))),
            _ => None,
        }
    }
}

collection! {
    // Totals of a variant: `quantity` and `value` of goods with a cost, `uncosted` of goods without one.
    pub projection VariantCostTotalRow in "variant_cost_total" {
        legal_entity_id: Id,
        variant_id: Id,
        currency_code: CurrencyKey,
        month: Month,
        quantity: Amount,
        uncosted: Amount,
        value: Amount,
    }
    unique { total: [legal_entity_id, variant_id, currency_code, month] }
    counters [quantity, uncosted, value]
}

collection! {
    // Totals of all variants.
    pub projection CostTotalRow in "cost_total" {
        legal_entity_id: Id,
        currency_code: CurrencyKey,
        month: Month,
        quantity: Amount,
        uncosted: Amount,
        value: Amount,
    }
    unique { total: [legal_entity_id, currency_code, month] }
    counters [quantity, uncosted, value]
}
