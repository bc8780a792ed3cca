//! Payments and credits as what pays invoices and is refunded: one shape of both, under the lock of the document.

use stoa_sdk::store::{Update, find, get, run, update, update_by};
use stoa_sdk::{Date, Field, Id, Problem, new_id, now};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::illegal;

use crate::records::credit::{CreditRow, CreditStatus};
use crate::records::funds::FundsRow;
use crate::records::party_entry::{DocumentKind, PartyAccount};
use crate::records::payment::{PaymentOrigin, PaymentRow, PaymentStatus};
use crate::records::side::Side;
use crate::work::entries::{Debtor, Document};

/// A payment or credit that is posted.
#[derive(Debug, Clone)]
pub struct Source {
    pub debtor: Debtor,
    pub document: Document,
    /// The day of its entry: nothing is done with it before.
    pub posted_on: Date,
    pub funds: FundsRow,
}

impl Source {
    /// The account of the party's ledger on which it stands until it is used.
    pub fn account(&self) -> PartyAccount {
        match self.document.kind {
            DocumentKind::Credit => PartyAccount::Credits,
            _ => PartyAccount::Payments,
        }
    }

    /// The columns by which applications and refunds name it: payment, credit.
    pub fn ids(&self) -> (Option<Id>, Option<Id>) {
        match self.document.kind {
            DocumentKind::Credit => (None, Some(self.document.id)),
            _ => (Some(self.document.id), None),
        }
    }

    /// Changes what is left of it.
    pub fn change_funds(&self) -> Update<FundsRow> {
        update_by("source", [vec![self.document.id.put()]])
    }
}

/// The funds of a document that was just posted.
pub fn new_funds(debtor: &Debtor, source: Id, available: Money) -> FundsRow {
    let now = now();
    FundsRow {
        id: new_id(),
        created_at: now,
        updated_at: now,
        source_id: source,
        side: debtor.side,
        legal_entity_id: debtor.entity,
        party_id: debtor.party,
        currency_code: debtor.currency_code.clone(),
        applied: Money::ZERO,
        refunded: Money::ZERO,
        available,
    }
}

/// The party of a payment, as a debtor.
pub fn payer_of(row: &PaymentRow) -> Debtor {
    Debtor {
        side: row.side,
        party: row.party_id,
        entity: row.legal_entity_id,
        currency_code: row.currency_code.clone(),
    }
}

/// The debtor of the debt that a credit lowers.
pub fn creditor_of(row: &CreditRow) -> Debtor {
    Debtor {
        side: row.side,
        party: row.party_id,
        entity: row.legal_entity_id,
        currency_code: row.currency_code.clone(),
    }
}

/// The payment as entries name it.
pub fn payment_document(row: &PaymentRow) -> Document {
    Document { kind: DocumentKind::Payment, id: row.id, number: row.number.clone() }
}

/// The credit as entries name it.
pub fn credit_document(row: &CreditRow) -> Document {
    Document { kind: DocumentKind::Credit, id: row.id, number: row.number.clone() }
}

/// The payment as a source of money, with what is left of it.
pub fn source_of_payment(row: &PaymentRow, funds: FundsRow) -> Source {
    Source { debtor: payer_of(row), document: payment_document(row), posted_on: row.paid_on, funds }
}

/// A payment under its lock, with what is left of it, where it is posted.
pub struct LockedPayment {
    pub row: PaymentRow,
    pub funds: Option<FundsRow>,
}

/// Holds a payment of the side.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT.
pub fn lock_payment(side: Side, id: Id, expected: ExpectedVersion) -> Result<LockedPayment, Problem> {
    let funds = find::<FundsRow>("source", [vec![id.put()]]).locked();
    let (row, funds) = run((get::<PaymentRow>(id).locked(), funds))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    expected.check(row.version)?;
    Ok(LockedPayment { row, funds: funds.into_iter().next() })
}

impl LockedPayment {
    /// The payment as money that invoices and refunds may take.
    ///
    /// # Errors
    /// ILLEGAL_STATE: it is PENDING, undone, or of a register, whose receipt alone settles its order.
    pub fn into_source(self) -> Result<(PaymentRow, Source), Problem> {
        let is_money = matches!(self.row.status, PaymentStatus::Recorded | PaymentStatus::Confirmed);
        if self.row.origin == PaymentOrigin::PosReceipt {
            return Err(illegal("/path/id", "POS_RECEIPT"));
        }
        match self.funds {
            Some(funds) if is_money => {
                let source = source_of_payment(&self.row, funds);
                Ok((self.row, source))
            }
            _ => Err(Problem::new("ILLEGAL_STATE")),
        }
    }
}

/// A credit under its lock, with what is left of it, where it is recognised.
pub struct LockedCredit {
    pub row: CreditRow,
    pub funds: Option<FundsRow>,
}

/// Holds a credit of the side.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT.
pub fn lock_credit(side: Side, id: Id, expected: ExpectedVersion) -> Result<LockedCredit, Problem> {
    let funds = find::<FundsRow>("source", [vec![id.put()]]).locked();
    let (row, funds) = run((get::<CreditRow>(id).locked(), funds))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    expected.check(row.version)?;
    Ok(LockedCredit { row, funds: funds.into_iter().next() })
}

impl LockedCredit {
    /// The credit as what invoices and refunds may take.
    ///
    /// # Errors
    /// ILLEGAL_STATE unless it is RECOGNIZED.
    pub fn into_source(self) -> Result<(CreditRow, Source), Problem> {
        match (self.row.status, self.row.recognized_on, self.funds) {
            (CreditStatus::Recognized, Some(posted_on), Some(funds)) => {
                let (debtor, document) = (creditor_of(&self.row), credit_document(&self.row));
                Ok((self.row, Source { debtor, document, posted_on, funds }))
            }
            _ => Err(Problem::new("ILLEGAL_STATE")),
        }
    }
}

/// Raises the version of a payment of which something was taken.
pub fn raise_payment(row: &PaymentRow) -> Update<PaymentRow> {
    update::<PaymentRow>(row.id).set(PaymentRow::number, &row.number)
}

/// Raises the version of a credit of which something was taken.
pub fn raise_credit(row: &CreditRow) -> Update<CreditRow> {
    update::<CreditRow>(row.id).set(CreditRow::number, &row.number)
}

/// The row as the store leaves it after a change that raises its version alone.
pub fn after_raise<R: stoa_sdk::Record + Clone>(row: &R) -> R {
    let mut after = row.clone();
    after.touch(now());
    after
}
