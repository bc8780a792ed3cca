//! How a sale is paid: the whole in cash, or by components that add up to it exactly. Change is given only in cash
//! (sales-pos.md 11.2).

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Bounds, Id, Item, Problem, item};
use stoa_trade::card_number::find_card_number;
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::{Money, Positive, sum};
use stoa_trade::text::Line;

use crate::records::payment::{Component, Paid};

/// A payment in a request.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PosPaymentInput {
    /// Method of a payment.
    pub method: Method,
    /// Kind of the card; required for CARD and rejected for any other method.
    pub card_kind: Option<CardKind>,
    pub amount: Positive,
    /// Money account that receives the payment. Omitted: the account mapped to the method. Cash goes to the till of the
    /// session.
    pub account_id: Option<Id>,
    /// Required for every method except CASH. Text that resembles a card number is rejected.
    pub reference: Option<Line<1, 120>>,
}

/// How a body pays: by one of the first two.
#[derive(Debug, Clone, Default)]
pub struct StatedTender {
    pub tendered_amount: Option<Money>,
    pub payments: Option<Vec<PosPaymentInput>>,
    /// Cash that was handed over in addition to a CASH component.
    pub cash_tendered: Option<Money>,
}

impl StatedTender {
    fn components(&self) -> &[PosPaymentInput] {
        self.payments.as_deref().unwrap_or_default()
    }

    /// The one CASH component.
    fn cash(&self) -> Option<Money> {
        self.components().iter().find(|component| component.method.is_cash()).map(|component| component.amount.0)
    }

    /// Faults that the schema cannot find.
    pub fn find_faults(&self) -> Vec<Item> {
        let mut faults = Vec::new();
        match (&self.tendered_amount, &self.payments) {
            (None, None) => faults.push(item("/tenderedAmount", "REQUIRED")),
            (Some(_), Some(_)) => faults.push(item("/payments", "NOT_ALLOWED")),
            _ => {}
        }
        let mut has_cash = false;
        for (nth, component) in self.components().iter().enumerate() {
            let pointer = |member: &str| format!("/payments/{nth}/{member}");
            let is_cash = component.method.is_cash();
            if is_cash && has_cash {
                faults.push(item(pointer("method"), "REPEATED"));
            }
            has_cash |= is_cash;
            match (component.method.has_card(), component.card_kind) {
                (true, None) => faults.push(item(pointer("cardKind"), "REQUIRED")),
                (false, Some(_)) => faults.push(item(pointer("cardKind"), "NOT_ALLOWED")),
                _ => {}
            }
            match &component.reference {
                None if !is_cash => faults.push(item(pointer("reference"), "REQUIRED")),
                stated => faults.extend(find_card_number(
                    &pointer("reference"),
                    stated.as_ref().map(|reference| reference.0.as_str()),
                )),
            }
        }
        match (self.cash_tendered, self.cash()) {
            (Some(_), None) => faults.push(item("/cashTendered", "NOT_ALLOWED")),
            (Some(tendered), Some(cash)) if tendered < cash => {
                faults.push(item("/cashTendered", "RANGE").with_bounds(Bounds::minimum(cash)));
            }
            _ => {}
        }
        faults
    }

    /// How it pays a total. `find_faults` has found none.
    ///
    /// # Errors
    /// TENDER_INSUFFICIENT at `/tenderedAmount`, PAYMENT_TOTAL_MISMATCH at `/payments`, LIMIT_EXCEEDED where what was
    /// tendered has more digits than money.
    pub fn pay(&self, total: Money) -> Result<Paid, Problem> {
        match self.tendered_amount {
            Some(tendered) => pay_in_cash(tendered, total),
            None => self.pay_by_components(total),
        }
    }

    /// The cash of a payment, where the body states it: what stays in the drawer, and the change.
    pub fn in_cash(&self, paid: &Paid) -> [(&'static str, Money); 2] {
        match self.tendered_amount {
            Some(_) => [("/tenderedAmount", paid.cash), ("/tenderedAmount", paid.change)],
            None => [("/payments", paid.cash), ("/cashTendered", paid.change)],
        }
    }

    fn pay_by_components(&self, total: Money) -> Result<Paid, Problem> {
        // Eight amounts of 18 digits fit i128 by far.
        let stated: i128 = self.components().iter().map(|component| component.amount.0.units()).sum();
        if stated != total.units() || self.components().is_empty() {
            return Err(Problem::at("PAYMENT_TOTAL_MISMATCH", "/payments"));
        }
        let cash = self.cash().unwrap_or(Money::ZERO);
        let change = minus(self.cash_tendered.unwrap_or(cash), cash);
        let component = |(line_no, payment): (u8, &PosPaymentInput)| Component {
            line_no,
            method: payment.method,
            card_kind: payment.card_kind,
            amount: payment.amount.0,
            account: payment.account_id,
            reference: payment.reference.as_ref().map(|reference| reference.0.clone()),
        };
        let components = (1..).zip(self.components()).map(component).collect();
        Ok(Paid { total, components, cash, change, tendered: sum([total, change])? })
    }
}

fn pay_in_cash(tendered: Money, total: Money) -> Result<Paid, Problem> {
    if tendered < total {
        return Err(Problem::at("TENDER_INSUFFICIENT", "/tenderedAmount"));
    }
    let whole =
        Component { line_no: 1, method: Method::Cash, card_kind: None, amount: total, account: None, reference: None };
    // An empty list is not a payment (decisions.md D4).
    let components = if total.is_zero() { Vec::new() } else { vec![whole] };
    Ok(Paid { total, components, cash: total, tendered, change: minus(tendered, total) })
}

/// The difference of money of which the second is not more than the first.
fn minus(whole: Money, part: Money) -> Money {
    Money::from_units(whole.units() - part.units())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn cash_of(tendered: &str) -> StatedTender {
        StatedTender { tendered_amount: Some(money(tendered)), ..StatedTender::default() }
    }

    fn pay(method: Method, amount: &str) -> PosPaymentInput {
        PosPaymentInput {
            method,
            card_kind: (method == Method::Card).then_some(CardKind::Debit),
            amount: Positive(money(amount)),
            account_id: None,
            reference: (method != Method::Cash).then(|| Line("AB-99812".to_owned())),
        }
    }

    fn by(payments: Vec<PosPaymentInput>, cash_tendered: Option<&str>) -> StatedTender {
        StatedTender { payments: Some(payments), cash_tendered: cash_tendered.map(money), ..StatedTender::default() }
    }

    fn faults(tender: &StatedTender) -> Vec<String> {
        tender.find_faults().into_iter().map(|fault| format!("{} {}", fault.pointer, fault.code)).collect()
    }

    #[test]
    fn e308_change_is_what_was_tendered_beyond_the_total() {
        let paid = cash_of("100").pay(money("87.5")).unwrap();
        assert_eq!((paid.change.to_string(), paid.cash.to_string()), ("12.500000".to_owned(), "87.500000".to_owned()));
        assert_eq!(paid.tendered, money("100"));
        let [component] = paid.components.as_slice() else { panic!("one component") };
        assert_eq!((component.line_no, component.method, component.amount), (1, Method::Cash, money("87.5")));
    }

    #[test]
    fn e309_change_is_of_cash_alone() {
        let stated = by(vec![pay(Method::Card, "50"), pay(Method::Cash, "37.5")], Some("40"));
        let paid = stated.pay(money("87.5")).unwrap();
        assert_eq!((paid.change, paid.tendered, paid.cash), (money("2.5"), money("90"), money("37.5")));
        assert_eq!(paid.components.iter().map(|component| component.line_no).collect::<Vec<_>>(), [1, 2]);
        let exact = by(vec![pay(Method::Card, "50"), pay(Method::Cash, "37.5")], None).pay(money("87.5")).unwrap();
        assert_eq!((exact.change, exact.tendered), (Money::ZERO, money("87.5")));
        let cards = by(vec![pay(Method::Card, "87.5")], None).pay(money("87.5")).unwrap();
        assert_eq!((cards.cash, cards.change), (Money::ZERO, Money::ZERO));
    }

    #[test]
    fn e310_a_body_pays_in_one_way() {
        let both = StatedTender { tendered_amount: Some(money("1")), ..by(vec![pay(Method::Cash, "1")], None) };
        assert_eq!(faults(&both), ["/payments NOT_ALLOWED"]);
        assert_eq!(faults(&StatedTender::default()), ["/tenderedAmount REQUIRED"]);
        assert!(faults(&cash_of("1")).is_empty());
    }

    #[test]
    fn e311_sums_are_exact_to_the_last_digit() {
        let code = |paid: Result<Paid, Problem>| {
            let problem = paid.unwrap_err();
            (problem.code, problem.errors.into_iter().map(|error| error.pointer).collect::<Vec<_>>())
        };
        let refusal = |code: &str, pointer: &str| (code.to_owned(), vec![pointer.to_owned()]);
        let short = || refusal("TENDER_INSUFFICIENT", "/tenderedAmount");
        let mismatch = || refusal("PAYMENT_TOTAL_MISMATCH", "/payments");
        assert_eq!(code(cash_of("87.499999").pay(money("87.5"))), short());
        for amount in ["87.499999", "87.500001"] {
            assert_eq!(code(by(vec![pay(Method::Card, amount)], None).pay(money("87.5"))), mismatch());
        }
        let many = vec![pay(Method::Other, "999999999999.999999"); 8];
        assert_eq!(code(by(many, None).pay(money("1"))), mismatch());
        let beyond = by(vec![pay(Method::Card, "1"), pay(Method::Cash, "1")], Some("999999999999.999999"));
        assert_eq!(beyond.pay(money("2")).unwrap_err().code, "LIMIT_EXCEEDED");
    }

    #[test]
    fn e312_cash_is_one_component_and_is_not_tendered_short() {
        let twice = by(vec![pay(Method::Cash, "1"), pay(Method::Cash, "1")], None);
        assert_eq!(faults(&twice), ["/payments/1/method REPEATED"]);
        assert_eq!(faults(&by(vec![pay(Method::Card, "1")], Some("1"))), ["/cashTendered NOT_ALLOWED"]);
        assert_eq!(faults(&by(vec![pay(Method::Cash, "1")], Some("0.999999"))), ["/cashTendered RANGE"]);
        assert!(faults(&by(vec![pay(Method::Cash, "1")], Some("1"))).is_empty());
        let beside = StatedTender { cash_tendered: Some(money("1")), ..cash_of("1") };
        assert_eq!(faults(&beside), ["/cashTendered NOT_ALLOWED"]);
    }

    #[test]
    fn e313_only_cards_have_a_kind() {
        let unkind = PosPaymentInput { card_kind: None, ..pay(Method::Card, "1") };
        let kind = PosPaymentInput { card_kind: Some(CardKind::Credit), ..pay(Method::Transfer, "1") };
        assert_eq!(
            faults(&by(vec![unkind, kind], None)),
            ["/payments/0/cardKind REQUIRED", "/payments/1/cardKind NOT_ALLOWED"]
        );
    }

    #[test]
    fn e314_every_method_but_cash_has_a_reference() {
        for method in [Method::Transfer, Method::Card, Method::Check, Method::Other] {
            let bare = PosPaymentInput { reference: None, ..pay(method, "1") };
            assert_eq!(faults(&by(vec![bare], None)), ["/payments/0/reference REQUIRED"], "{method:?}");
        }
        assert!(faults(&by(vec![pay(Method::Cash, "1")], None)).is_empty());
    }

    #[test]
    fn e315_a_reference_shaped_like_a_card_number_is_refused() {
        let faults_of = |text: &str| {
            let reference = Some(Line(text.to_owned()));
            faults(&by(vec![pay(Method::Cash, "1"), PosPaymentInput { reference, ..pay(Method::Card, "1") }], None))
        };
        assert_eq!(faults_of("4111 1111 1111 1112"), ["/payments/1/reference CARD_NUMBER_REFUSED"]);
        assert!(faults_of("**** 4242").is_empty());
        let cash = PosPaymentInput { reference: Some(Line("4111111111111111".to_owned())), ..pay(Method::Cash, "1") };
        assert_eq!(faults(&by(vec![cash], None)), ["/payments/0/reference CARD_NUMBER_REFUSED"]);
    }

    #[test]
    fn e322_nothing_is_paid_by_tendering_anything() {
        for (tendered, change) in [("0", "0"), ("5", "5")] {
            let paid = cash_of(tendered).pay(Money::ZERO).unwrap();
            assert!(paid.components.is_empty());
            assert_eq!((paid.change, paid.cash), (money(change), Money::ZERO));
        }
        let refused = by(vec![pay(Method::Card, "1")], None).pay(Money::ZERO).unwrap_err();
        assert_eq!(refused.code, "PAYMENT_TOTAL_MISMATCH");
    }
}
