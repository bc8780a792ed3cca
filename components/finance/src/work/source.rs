//! Payments and credits as what pays invoices and is refunded: one shape of both, under the lock of the document.

use stoa_sdk::store::{Update, find, get, run, update, update_by};
use stoa_sdk::{Column, Date, Field, Id, Problem, Record, Reply, new_id, now};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::new_row;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::illegal;

use crate::records::application::ApplicationRow;
use crate::records::credit::{CreditRow, CreditStatus};
use crate::records::funds::FundsRow;
use crate::records::party_entry::{DocumentKind, PartyAccount};
use crate::records::payment::{PaymentOrigin, PaymentRow, PaymentStatus};
use crate::records::side::Side;
use crate::work::entries::{Debtor, Document, PartyDocument};

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
    /// The account of the party's ledger that holds it until it is used.
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
    new_row!(FundsRow {
        id: new_id(),
        source_id: source,
        side: debtor.side,
        legal_entity_id: debtor.entity,
        party_id: debtor.party,
        currency_code: debtor.currency_code.clone(),
        applied: Money::ZERO,
        refunded: Money::ZERO,
        available,
    })
}

/// A row of a document whose amount pays invoices and is refunded.
pub trait SourceRow: Record + PartyDocument + Clone {
    /// The column by which applications name it.
    const APPLIED: Column<Option<Id>>;

    fn side(&self) -> Side;

    /// The day of its entry; None: it has posted nothing, or is undone.
    ///
    /// # Errors
    /// ILLEGAL_STATE with POS_RECEIPT for a payment of a register: nothing else may use it.
    fn posted_on(&self) -> Result<Option<Date>, Problem>;

    /// Raises its version when something was taken of it.
    fn raise(&self) -> Update<Self>;

    /// Receipt of a write.
    fn receipt(&self) -> Reply;

    /// The row as the store leaves it after a change that only raises its version.
    fn after_raise(&self) -> Self {
        let mut after = self.clone();
        after.touch(now());
        after
    }
}

impl SourceRow for PaymentRow {
    const APPLIED: Column<Option<Id>> = ApplicationRow::payment_id;

    fn side(&self) -> Side {
        self.side
    }

    /// Only the receipt of a register settles its order.
    fn posted_on(&self) -> Result<Option<Date>, Problem> {
        if self.origin == PaymentOrigin::PosReceipt {
            return Err(illegal("/path/id", "POS_RECEIPT"));
        }
        let is_money = matches!(self.status, PaymentStatus::Recorded | PaymentStatus::Confirmed);
        Ok(is_money.then_some(self.paid_on))
    }

    fn raise(&self) -> Update<PaymentRow> {
        update::<PaymentRow>(self.id).set(PaymentRow::number, &self.number)
    }

    fn receipt(&self) -> Reply {
        PaymentRow::receipt(self)
    }
}

impl SourceRow for CreditRow {
    const APPLIED: Column<Option<Id>> = ApplicationRow::credit_id;

    fn side(&self) -> Side {
        self.side
    }

    fn posted_on(&self) -> Result<Option<Date>, Problem> {
        Ok(self.recognized_on.filter(|_| self.status == CreditStatus::Recognized))
    }

    fn raise(&self) -> Update<CreditRow> {
        update::<CreditRow>(self.id).set(CreditRow::number, &self.number)
    }

    fn receipt(&self) -> Reply {
        CreditRow::receipt(self)
    }
}

/// A payment or credit of the side, not held.
///
/// # Errors
/// NOT_FOUND.
pub fn read_source_row<R: SourceRow>(side: Side, id: Id) -> Result<R, Problem> {
    let row: Option<R> = run(get(id))?;
    row.filter(|row| row.side() == side).ok_or_else(Problem::not_found)
}

/// A payment or credit under its lock, with what is left of it, where it is posted.
pub struct Locked<R> {
    pub row: R,
    pub funds: Option<FundsRow>,
}

/// Holds a payment or credit of the side.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT.
pub fn lock_source_row<R: SourceRow>(side: Side, id: Id, expected: ExpectedVersion) -> Result<Locked<R>, Problem> {
    let funds = find::<FundsRow>("source", [vec![id.put()]]).locked();
    let (row, funds) = run((get::<R>(id).locked(), funds))?;
    let row = row.filter(|row| row.side() == side).ok_or_else(Problem::not_found)?;
    expected.check(row.version())?;
    Ok(Locked { row, funds: funds.into_iter().next() })
}

impl<R: SourceRow> Locked<R> {
    /// The document as what invoices and refunds may take.
    ///
    /// # Errors
    /// ILLEGAL_STATE: it has posted nothing, is undone, or of a register.
    pub fn into_source(self) -> Result<(R, Source), Problem> {
        match (self.row.posted_on()?, self.funds) {
            (Some(posted_on), Some(funds)) => {
                let (debtor, document) = (self.row.debtor(), self.row.document());
                Ok((self.row, Source { debtor, document, posted_on, funds }))
            }
            _ => Err(Problem::new("ILLEGAL_STATE")),
        }
    }
}
