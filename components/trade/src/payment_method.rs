//! Payment methods, each stated once with everything that follows from it. A new method is a variant and a row of
//! [`METHODS`] here, a column of receipts (`pos/src/records/receipt.rs`), and the count of accounts that the ledger's
//! `rules/charts.rs` states.

use stoa_sdk::text_enum;

text_enum! {
    // Payment method. No doc comment: it would be the description of every member of this type.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    #[derive(PartialOrd, Ord)]
    pub enum Method { Cash => "CASH", Transfer => "TRANSFER", Card => "CARD", Check => "CHECK", Other => "OTHER" }
}

text_enum! {
    // Kind of a card. No doc comment, as above.
    #[allow(missing_docs, reason = "as above")]
    #[derive(PartialOrd, Ord)]
    pub enum CardKind { Debit => "DEBIT", Credit => "CREDIT" }
}

text_enum! {
    /// Kind of a money account.
    #[allow(missing_docs, reason = "as above")]
    pub enum MoneyKind { Cash => "CASH", Bank => "BANK", Card => "CARD", Check => "CHECK", Other => "OTHER" }
}

/// The description of the member `method` in the contract, where a record has no other.
pub(crate) const METHOD_WORDS: &str = "Payment method: `CASH`, `TRANSFER`, `CARD`, `CHECK` or `OTHER`.";

/// A payment method and everything that follows from it.
#[derive(Debug)]
pub struct MethodFacts {
    /// The method.
    pub method: Method,
    /// The money goes through the drawer of a cash session, and a receipt states no reference of it.
    pub is_cash: bool,
    /// The kinds of card of which a payment may state one; a method without cards has none.
    pub card_kinds: &'static [CardKind],
    /// The kinds of money account that the method may use, first the kind that a chart of accounts opens for it.
    pub money_kinds: &'static [MoneyKind],
    /// The money account that a chart of accounts opens for the method.
    pub money_account: MoneyAccountFacts,
}

/// A money account that every chart of accounts opens.
#[derive(Debug)]
pub struct MoneyAccountFacts {
    /// Code of the money account.
    pub code: &'static str,
    /// Name of the money account, and of the ledger account below it unless the chart has another.
    pub name: &'static str,
    /// Number of the ledger account, which is an asset.
    pub account: &'static str,
}

/// Every method, in the order of the enumeration.
#[rustfmt::skip]
pub static METHODS: [MethodFacts; Method::ALL.len()] = [
    MethodFacts { method: Method::Cash, is_cash: true, card_kinds: &[], money_kinds: &[MoneyKind::Cash],
        money_account: MoneyAccountFacts { code: "CASH", name: "Cash", account: "1000" } },
    MethodFacts { method: Method::Transfer, is_cash: false, card_kinds: &[], money_kinds: &[MoneyKind::Bank],
        money_account: MoneyAccountFacts { code: "BANK", name: "Bank", account: "1010" } },
    MethodFacts { method: Method::Card, is_cash: false, card_kinds: &[CardKind::Debit, CardKind::Credit],
        money_kinds: &[MoneyKind::Card, MoneyKind::Bank],
        money_account: MoneyAccountFacts { code: "CARD", name: "Card clearing", account: "1020" } },
    MethodFacts { method: Method::Check, is_cash: false, card_kinds: &[],
        money_kinds: &[MoneyKind::Check, MoneyKind::Bank],
        money_account: MoneyAccountFacts { code: "CHECK", name: "Cheques to clear", account: "1030" } },
    MethodFacts { method: Method::Other, is_cash: false, card_kinds: &[],
        money_kinds: &[MoneyKind::Other, MoneyKind::Bank],
        money_account: MoneyAccountFacts { code: "OTHER", name: "Other money", account: "1040" } },
];

impl Method {
    /// Every method, in the order of the enumeration.
    pub const ALL: [Method; 5] = [Method::Cash, Method::Transfer, Method::Card, Method::Check, Method::Other];

    /// The method of this name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.as_str() == name)
    }

    /// Everything that follows from the method.
    pub fn facts(self) -> &'static MethodFacts {
        // In the order of the enumeration, so the position is the method's own; a test holds them together.
        &METHODS[self as usize % METHODS.len()]
    }

    /// True if the money goes through the drawer of a cash session.
    pub fn is_cash(self) -> bool {
        self.facts().is_cash
    }

    /// True if a payment states the kind of its card.
    pub fn has_card(self) -> bool {
        !self.facts().card_kinds.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_has_its_own_row() {
        for (index, facts) in METHODS.iter().enumerate() {
            assert_eq!((facts.method as usize, Method::ALL[index]), (index, facts.method));
            assert_eq!(facts.method.facts().method, facts.method);
            assert_eq!(Method::from_name(facts.method.as_str()), Some(facts.method));
            assert!(METHOD_WORDS.contains(&format!("`{}`", facts.method.as_str())), "{:?}", facts.method);
        }
        assert_eq!(Method::from_name("cash"), None);
    }

    #[test]
    fn money_accounts_of_methods_are_distinct() {
        for (index, facts) in METHODS.iter().enumerate() {
            assert!(!facts.money_kinds.is_empty(), "{:?}", facts.method);
            for other in &METHODS[index + 1..] {
                assert_ne!(facts.money_account.code, other.money_account.code);
                assert_ne!(facts.money_account.account, other.money_account.account);
            }
        }
    }
}
