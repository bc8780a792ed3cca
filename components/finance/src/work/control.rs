//! Expected balances of an entity's control accounts by its documents (finance-ledger.md B9): reconciliation compares
//! them with the books, and the books begin with them.

use stoa_sdk::host::fault;
use stoa_sdk::{Id, Problem};
use stoa_trade::clients::costs;
use stoa_trade::clients::{purchases, sales};
use stoa_trade::quantity::{Amount, sum};
use stoa_trade::snapshot::{add_up, read_settled};

use crate::records::side::Side;
use crate::work::balances::{sum_recognized, sum_standing, sum_taken};
use crate::work::ordered::parse;

/// Debit minus credit of each control role, by documents in the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    pub receivable: Amount,
    pub supplier_credit: Amount,
    pub sales_clearing: Amount,
    pub payable: Amount,
    pub customer_credit: Amount,
    pub goods_received_not_invoiced: Amount,
}

impl Control {
    /// The roles with their balances; that of goods is inventory's to say.
    pub fn roles(self, inventory: Amount) -> [(&'static str, Amount); 7] {
        [
            ("RECEIVABLE", self.receivable),
            ("SUPPLIER_CREDIT", self.supplier_credit),
            ("SALES_CLEARING", self.sales_clearing),
            ("INVENTORY", inventory),
            ("PAYABLE", self.payable),
            ("CUSTOMER_CREDIT", self.customer_credit),
            ("GOODS_RECEIVED_NOT_INVOICED", self.goods_received_not_invoiced),
        ]
    }
}

fn minus(amount: Amount) -> Amount {
    Amount::from_units(-amount.units())
}

/// Control balances by the documents of the entity in the currency.
///
/// # Errors
/// LIMIT_EXCEEDED.
pub fn read_control(entity: Id, currency_code: &str) -> Result<Control, Problem> {
    let (of_sales, of_purchases, [taken], recognized) = read_settled(entity, |summed| {
        (
            sum_standing(Side::Sales, entity, currency_code, summed),
            sum_standing(Side::Purchases, entity, currency_code, summed),
            sum_taken(entity, currency_code, summed),
            sum_recognized(entity, currency_code, (None, None), summed),
        )
    })?;
    let [receivable, paid, credited, issued, collected] = of_sales;
    let [payable, supplier_paid, supplier_credited, ..] = of_purchases;
    let [_, _, recognized] = add_up(recognized.into_values())?;
    let delivered: Amount = parse(&sales::service::position(entity.into(), currency_code)?);
    let position = purchases::service::position(entity.into(), currency_code);
    let (received, billed): (Amount, Amount) = (parse(&position.received_value), parse(&position.billed_value));
    Ok(Control {
        receivable,
        customer_credit: sum([paid, credited])?,
        payable: minus(payable),
        supplier_credit: minus(sum([supplier_paid, supplier_credited])?),
        goods_received_not_invoiced: sum([billed, minus(received)])?,
        // The sum that registers collected of invoices is below zero, as it lowers what is owed.
        sales_clearing: sum([delivered, recognized, minus(issued), minus(taken), minus(collected)])?,
    })
}

/// Value of the entity's goods in the currency.
pub fn read_inventory(entity: Id, currency_code: &str) -> Result<Amount, Problem> {
    let page = costs::service::valuation(entity.into(), None, None, None, 1)?;
    let currency_total = page.totals.iter().find(|total| total.currency_code.as_deref() == Some(currency_code));
    match currency_total.map(|total| total.value.parse()) {
        None => Ok(Amount::ZERO),
        Some(Ok(value)) => Ok(value),
        Some(Err(_)) => fault("inventory answered what is no decimal"),
    }
}
