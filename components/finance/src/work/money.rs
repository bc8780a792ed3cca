//! Money that moves: the account that a method uses, the rows that reports of cash are sums of, and the legs of its entry.

use stoa_sdk::{Date, Id, Problem, new_id};
use stoa_trade::clients::books::{Posting, Side as JournalSide};
use stoa_trade::clients::money::{self, Account, Usage};
use stoa_trade::new_row;
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Money;
use stoa_trade::refusal::invalid;

use crate::records::money_move::{Direction, MoneyMoveRow, MoveOrigin};
use crate::records::party_entry::{PartyAccount, PartyAct, PartyEntryRow};
use crate::records::payment::PaymentRow;
use crate::records::refund::RefundRow;
use crate::records::side::{PAYMENT, Side};
use crate::work::entries::{Debtor, Document, PartyDocument, entry, negate};
use crate::work::posting::{EntrySource, Terms, draw_entry, money_leg, party_leg};

/// The stated money account, else the one mapped to the method; none if the entity keeps no books.
///
/// # Errors
/// PAYMENT_ACCOUNT_INVALID at `/accountId`, ACCOUNTING_SETUP_REQUIRED.
pub fn resolve_account(entity: Id, method: Method, stated: Option<Id>) -> Result<Option<Account>, Problem> {
    let usage =
        Usage { method: method.as_str().to_owned(), stated: stated.map(Into::into), pointer: "/accountId".to_owned() };
    Ok(money::resolve(entity, &[usage])?.into_iter().next().flatten())
}

/// A kind of card only of a card.
///
/// # Errors
/// VALIDATION_FAILED at `/cardKind`.
pub fn check_card(method: Method, card: Option<CardKind>) -> Result<(), Problem> {
    match card {
        Some(kind) if !method.facts().card_kinds.contains(&kind) => Err(invalid("/cardKind", "NOT_ALLOWED")),
        _ => Ok(()),
    }
}

/// Money of a document on its way.
#[derive(Debug, Clone)]
pub struct Moved {
    pub entity: Id,
    pub currency_code: String,
    pub account: Option<Id>,
    pub method: Method,
    pub direction: Direction,
    pub amount: Money,
    pub on: Date,
    pub origin: MoveOrigin,
    pub source: Id,
    /// The cash session whose drawer it changes.
    pub session: Option<Id>,
}

/// The row of money that moved; of one that is undone the row that takes it back.
pub fn draw_move(moved: &Moved, branch: Option<Id>, is_undone: bool) -> MoneyMoveRow {
    let signed = match moved.direction {
        Direction::In => moved.amount,
        Direction::Out => negate(moved.amount),
    };
    new_row!(MoneyMoveRow {
        id: new_id(),
        legal_entity_id: moved.entity,
        branch_id: branch,
        currency_code: moved.currency_code.clone(),
        money_account_id: moved.account,
        method: moved.method,
        direction: moved.direction,
        amount: if is_undone { negate(signed) } else { signed },
        on_date: moved.on,
        origin: moved.origin,
        source_id: moved.source,
        undo: is_undone,
        session_id: moved.session,
    })
}

/// The money of a payment that is not a register's.
pub fn money_of_payment(row: &PaymentRow, on: Date) -> Moved {
    let way = match row.side {
        Side::Sales => (Direction::In, MoveOrigin::CustomerPayment),
        Side::Purchases => (Direction::Out, MoveOrigin::SupplierPayment),
    };
    draw_money(row, way, (row.account_id, row.method), on)
}

/// The money of a refund; `session`: of the drawer that it leaves, or comes back to.
pub fn money_of_refund(row: &RefundRow, on: Date, session: Option<Id>) -> Moved {
    let way = match row.side {
        Side::Sales => (Direction::Out, MoveOrigin::CustomerRefund),
        Side::Purchases => (Direction::In, MoveOrigin::SupplierRefund),
    };
    Moved { session, ..draw_money(row, way, (row.account_id, row.method), on) }
}

fn draw_money(
    row: &impl PartyDocument,
    (direction, origin): (Direction, MoveOrigin),
    (account, method): (Option<Id>, Method),
    on: Date,
) -> Moved {
    let Debtor { entity, currency_code, .. } = row.debtor();
    let (amount, source) = (row.posted_amount(), row.document().id);
    Moved { entity, currency_code, account, method, direction, amount, on, origin, source, session: None }
}

/// Rows and posting that a payment of money writes in addition to itself: P13, P15.
pub struct Recorded {
    pub entry: PartyEntryRow,
    pub moved: MoneyMoveRow,
    pub posting: Posting,
}

/// Records the money of a payment.
pub fn record_payment(row: &PaymentRow) -> Recorded {
    let debtor = row.debtor();
    let moved = money_of_payment(row, row.paid_on);
    let document = row.document();
    let less = negate(row.amount);
    let entry = entry(&debtor, &document, PartyAct::Post, PartyAccount::Payments, None, row.paid_on, less);
    let posting = post_money(&debtor, &document, PAYMENT, &moved, "/paidOn");
    Recorded { entry, moved: draw_move(&moved, None, false), posting }
}

/// The entry of money that comes from or goes to a party, against what it has to its credit.
pub fn post_money(debtor: &Debtor, document: &Document, kind: &str, moved: &Moved, on_pointer: &str) -> Posting {
    let terms = Terms {
        currency_pointer: Some("/currencyCode"),
        ..Terms::new(debtor.entity, &debtor.currency_code, moved.on, on_pointer)
    };
    let (of_money, of_party) = match moved.direction {
        Direction::In => (JournalSide::Debit, JournalSide::Credit),
        Direction::Out => (JournalSide::Credit, JournalSide::Debit),
    };
    let party = debtor.side.party(debtor.party);
    let legs = money_leg(moved.account, of_money, moved.amount).into_iter();
    let legs = legs.chain([party_leg(debtor.side.credit_role(), of_party, moved.amount, party)]).collect();
    draw_entry(terms, EntrySource { kind, id: document.id, purpose: "MONEY", number: &document.number }, legs)
}
