//! The two sides of the books of debts: what customers owe, and what is owed to suppliers.

use stoa_sdk::Id;
use stoa_sdk::text_enum;
use stoa_trade::clients::books::{Party, PartyKind};

text_enum! {
    /// SALES: the parties are customers; PURCHASES: suppliers.
    #[derive(PartialOrd, Ord)]
    pub enum Side { Sales => "SALES", Purchases => "PURCHASES" }
}

impl Side {
    /// The party of a leg of the journal.
    pub fn party(self, id: Id) -> Party {
        let kind = match self {
            Side::Sales => PartyKind::Customer,
            Side::Purchases => PartyKind::Supplier,
        };
        Party { kind, id: id.into() }
    }

    /// Audit name of its invoices, and their source in the journal.
    pub const fn invoice(self) -> &'static str {
        match self {
            Side::Sales => SALES_INVOICE,
            Side::Purchases => PURCHASE_INVOICE,
        }
    }

    /// The control role of open invoices.
    pub fn open_role(self) -> &'static str {
        match self {
            Side::Sales => "RECEIVABLE",
            Side::Purchases => "PAYABLE",
        }
    }

    /// The control role of money and credits that no invoice has used.
    pub fn credit_role(self) -> &'static str {
        match self {
            Side::Sales => "CUSTOMER_CREDIT",
            Side::Purchases => "SUPPLIER_CREDIT",
        }
    }
}

/// Audit names, and names of sources in the journal.
pub const SALES_INVOICE: &str = "SALES_INVOICE";
pub const PURCHASE_INVOICE: &str = "PURCHASE_INVOICE";
pub const PAYMENT: &str = "PAYMENT";
pub const CREDIT: &str = "CREDIT";
pub const REFUND: &str = "REFUND";
pub const SUPPLIER_RETURN: &str = "SUPPLIER_RETURN";
pub const APPLICATION: &str = "APPLICATION";
