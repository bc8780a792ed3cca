//! Limits, and the orders that are held against them: as they are kept, and as they are shown.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, collection, totals};
use stoa_trade::quantity::{Amount, Money};

collection! {
    /// How much a customer may owe in a currency.
    pub projection LimitRow in "limit" {
        customer_id: Id,
        currency_code: String,
        amount: Money,
    }
    unique { customer: [customer_id, currency_code] }
}

collection! {
    /// An order that was confirmed for a customer with a limit.
    pub projection ExposureRow in "exposure" {
        order_id: Id,
        customer_id: Id,
        currency_code: String,
        amount: Amount,
        /// It counts against the limit.
        open: bool,
    }
    unique { order: [order_id] }
    index { [customer_id, open] }
}

totals! {
    /// All that a customer's orders hold of its limit in a currency.
    pub OpenTotal of ExposureRow by [] { amount: Amount = sum(amount) }
}

totals! {
    /// The same for each currency.
    pub CurrencyTotal of ExposureRow by [currency_code: String] { amount: Amount = sum(amount) }
}

/// The credit limits of a customer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditLimitCustomer {
    /// Id of the customer.
    pub customer_id: Id,
    /// One for each currency, by the code of the currency.
    pub limits: Vec<CreditLimitFigures>,
}

/// A limit, and how much of it is used.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditLimitFigures {
    /// ISO 4217 currency, three letters.
    pub currency_code: String,
    /// The limit.
    pub amount: Money,
    /// Sum of the orders that count against it.
    pub open: Amount,
    /// The rest; below zero if the limit was lowered since.
    pub left: Amount,
}

/// A released order, or one that never counted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditLimitRelease {
    /// Id of the order.
    pub order_id: Id,
}

/// What an order holds of its customer's credit limit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CreditLimitExposure {
    /// Amount of the order that counts against the limit; null once it was released.
    pub exposure: Option<Amount>,
}
