//! Collecting an order at a register: one payment for each component, once for ever; an invoice of the order is settled
//! by it (rule 6, P25, P26).

use std::rc::Rc;

use stoa_sdk::store::{Failure, insert, run, select, update_by};
use stoa_sdk::{Field, Filter, Id, Kept, Problem, all, facts, has, new_id, now, today};
use stoa_trade::arguments::{parse_unsigned, parse_word};
use stoa_trade::clients::books::{self, Posting, Side as JournalSide};
use stoa_trade::clients::money::{self, Usage};
use stoa_trade::clients::sales;
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::{Money, sum, widen};
use stoa_trade::refusal::illegal;
use stoa_trade::text::key;
use stoa_trade::{new_record, new_row};

use crate::bindings::exports::commerce::finance::tills as service;
use crate::records::funds::FundsRow;
use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::money_move::{Direction, MoneyMoveRow, MoveOrigin};
use crate::records::payment::{PaymentOrigin, PaymentRow, PaymentStatus};
use crate::records::side::Side;
use crate::records::till::{CollectionRow, TillRow};
use crate::services::tills::drawer::{account_of, lock_open_till};
use crate::work::entries::PartyDocument;
use crate::work::invoice::collected::{Collected, bills_whole};
use crate::work::invoice::debt::owed_of;
use crate::work::invoice::locked::lines_of;
use crate::work::money::{Moved, draw_move};
use crate::work::month_totals::{Lines, write_lines};
use crate::work::ordered::of_sales;
use crate::work::posting::{EntrySource, Terms, draw_entry, leg, money_leg, of_branch};
use crate::work::source::new_funds;
use crate::work::till::put_cash;

/// Inputs of a collection, under the locks of the drawer and the order's invoices: no other request changes them before
/// this one ends.
struct Prepared {
    till: TillRow,
    /// The one that the receipt settles.
    invoice: Option<InvoiceRow>,
    components: Vec<service::Component>,
    /// The account of each component.
    accounts: Vec<Option<Id>>,
}

thread_local! {
    /// By session and order.
    static PREPARED: Kept<(Id, Id), Rc<Prepared>> = const { Kept::new() };
}

/// Refuses all that [`collect`] could, under the locks of the drawer and the order's invoices; the money account of
/// each component.
///
/// # Errors
/// ILLEGAL_STATE, PAYMENT_ACCOUNT_INVALID, ACCOUNTING_SETUP_REQUIRED.
pub fn prepare(session: Id, order: Id, components: &[service::Component]) -> Result<Vec<Option<Id>>, Problem> {
    prepare_once(session, order, components).map(|prepared| prepared.accounts.clone())
}

/// The collection that was prepared in this request for the same components, or is prepared now.
fn prepare_once(session: Id, order: Id, components: &[service::Component]) -> Result<Rc<Prepared>, Problem> {
    let mut failure = None;
    let read = |_: &[(Id, Id)]| match prepare_now(session, order, components) {
        Ok(prepared) => vec![((session, order), Rc::new(prepared))],
        Err(problem) => {
            failure = Some(problem);
            Vec::new()
        }
    };
    let kept = PREPARED.with(|kept| kept.get([(session, order)], read)).remove(&(session, order));
    match (kept.filter(|kept| kept.components == components), failure) {
        (Some(prepared), _) => Ok(prepared),
        (None, Some(problem)) => {
            PREPARED.with(Kept::forget);
            Err(problem)
        }
        (None, None) => prepare_now(session, order, components).map(Rc::new),
    }
}

fn prepare_now(session: Id, order: Id, components: &[service::Component]) -> Result<Prepared, Problem> {
    let till = lock_open_till(session)?;
    let invoice = find_invoice(order)?;
    let accounts = resolve_accounts(&till, components)?;
    Ok(Prepared { till, invoice, components: components.to_vec(), accounts })
}

/// The one invoice that bills the order, held; none if none does.
///
/// # Errors
/// ILLEGAL_STATE at `/order`: ORDER_COLLECTED; ORDER_BILLED unless one invoice bills it, no other order, in full and unpaid.
fn find_invoice(order: Id) -> Result<Option<InvoiceRow>, Problem> {
    let billing: Filter = has::<InvoiceLineRow, _, _>(
        InvoiceRow::line_set_id,
        InvoiceLineRow::line_set_id,
        InvoiceLineRow::order_id.eq(order),
    );
    let issued = all([InvoiceRow::side.eq(Side::Sales), InvoiceRow::status.eq(InvoiceStatus::Issued), billing]);
    let (collected, invoices) = run((
        select::<CollectionRow>(CollectionRow::order_id.eq(order)).first(),
        select::<InvoiceRow>(issued).locked().whole(),
    ))?;
    if collected.is_some() {
        return Err(illegal("/order", "ORDER_COLLECTED"));
    }
    let mut invoices = invoices.into_iter();
    let Some(invoice) = invoices.next() else { return Ok(None) };
    let (lines, paid) = run((
        select::<InvoiceLineRow>(lines_of(invoice.id)).whole(),
        select::<InvoiceBalanceRow>(InvoiceBalanceRow::invoice_id.eq(invoice.id)).locked().whole(),
    ))?;
    let orders = of_sales(&sales::read_orders(&[order], &[])?);
    let is_unpaid = paid.iter().all(|paid| paid.applied.is_zero());
    if invoices.next().is_some() || !is_unpaid || !bills_whole(&orders, order, &lines) {
        return Err(illegal("/order", "ORDER_BILLED"));
    }
    Ok(Some(invoice))
}

/// Cash goes into the session's drawer, all else where it is stated or mapped.
fn resolve_accounts(till: &TillRow, components: &[service::Component]) -> Result<Vec<Option<Id>>, Problem> {
    let drawer_account = account_of(till)?;
    let mut usages = Vec::new();
    for (nth, component) in components.iter().enumerate() {
        let pointer = format!("/components/{nth}/accountId");
        let stated = component.account_id.map(Id::from);
        let method: Method = parse_word(&component.method);
        let is_cash = method.is_cash();
        if is_cash && stated.is_some() && stated != drawer_account {
            return Err(Problem::at("PAYMENT_ACCOUNT_INVALID", pointer));
        }
        let stated = if is_cash { drawer_account } else { stated };
        usages.push(Usage { method: method.as_str().to_owned(), stated: stated.map(Into::into), pointer });
    }
    if usages.is_empty() {
        return Ok(Vec::new());
    }
    let accounts = money::resolve(till.legal_entity_id, &usages)?;
    Ok(accounts.into_iter().map(|account| account.map(|account| account.id.into())).collect())
}

/// Records what a register took for an order.
///
/// # Errors
/// As [`prepare`]; the codes of accounting.
pub fn collect(collection: &service::Collection) -> Result<service::Collected, Problem> {
    let prepared = prepare_once(collection.session_id.into(), collection.order_id.into(), &collection.components)?;
    // A second collection of the request finds another drawer, and an order that is collected.
    PREPARED.with(Kept::forget);
    let (till, invoice) = (&prepared.till, prepared.invoice.as_ref());
    let components = collection.components.iter().zip(&prepared.accounts);
    let payments: Vec<PaymentRow> =
        components.map(|(component, account)| draw_payment(collection, component, *account)).collect();
    let is_cash = |payment: &&PaymentRow| payment.method.is_cash();
    let cash: Money = sum(payments.iter().filter(is_cash).map(|payment| payment.amount))?;
    let expected = sum([till.expected, cash])?;
    let collection_row = new_row!(CollectionRow {
        id: new_id(),
        order_id: collection.order_id.into(),
        receipt_id: collection.receipt_id.into(),
        session_id: collection.session_id.into(),
        total: parse_unsigned(&collection.total),
    });
    // Nothing of them is left for others: only the receipt settles its order.
    let funds: Vec<FundsRow> =
        payments.iter().map(|payment| new_funds(&payment.debtor(), payment.id, Money::ZERO)).collect();
    let moves: Vec<MoneyMoveRow> = payments.iter().map(|payment| move_of(collection, payment)).collect();
    let mut postings = vec![post_collection(collection, &payments)];
    let answers = payments.iter().map(|payment| service::Payment {
        line_no: payment.receipt_line.and_then(|no| u8::try_from(no).ok()).unwrap_or_default(),
        id: payment.id.into(),
        money_account_id: payment.account_id.map(Into::into),
    });
    let answer =
        service::Collected { payments: answers.collect(), cash: cash.to_string(), expected: expected.to_string() };
    let settled = invoice.map(|invoice| {
        let owed = owed_of(invoice, today());
        let settled = Collected { payments: payments.clone() }.settle(invoice, owed);
        (invoice, settled)
    });
    let drawer = (!cash.is_zero()).then(|| put_cash(till, cash));
    let recorded = (insert([&collection_row]), insert(&payments), insert(&funds), drawer);
    let entity = Id::from(collection.legal_entity_id);
    let written = match settled {
        None => write_lines(entity, recorded, &Lines { moves, ..Lines::default() }).map(drop),
        Some((invoice, settled)) => {
            let paid = update_by::<InvoiceBalanceRow>("invoice", [vec![invoice.id.put()]])
                .set(InvoiceBalanceRow::collected, &true)
                .set(InvoiceBalanceRow::applied, &invoice.total)
                .set(InvoiceBalanceRow::balance, &Money::ZERO)
                .set(InvoiceBalanceRow::settled_on, &Some(settled.on));
            postings.extend(settled.postings);
            let lines = Lines { entries: settled.entries, moves, ..Lines::default() };
            write_lines(entity, (recorded, paid, insert(&settled.applications), settled.funds), &lines).map(drop)
        }
    };
    written.map_err(|failure| match failure {
        Failure::Duplicate(_) => illegal("/order", "ORDER_COLLECTED"),
        other => other.into(),
    })?;
    books::post_all(&postings)?;
    Ok(answer)
}

fn draw_payment(collection: &service::Collection, component: &service::Component, account: Option<Id>) -> PaymentRow {
    let now = now();
    let number = format!("POS-{}-{}", Id::from(collection.receipt_id), component.line_no);
    new_record!(PaymentRow {
        id: new_id(),
        side: Side::Sales,
        number_key: key(&number),
        number,
        legal_entity_id: collection.legal_entity_id.into(),
        party_id: collection.customer_id.into(),
        currency_code: collection.currency_code.clone(),
        amount: parse_unsigned(&component.amount),
        method: parse_word(&component.method),
        card_kind: component.card_kind.as_deref().map(parse_word::<CardKind>),
        account_id: account,
        paid_on: today(),
        reference: component.reference.clone(),
        notes: None,
        status: PaymentStatus::Confirmed,
        origin: PaymentOrigin::PosReceipt,
        receipt_id: Some(collection.receipt_id.into()),
        receipt_line: Some(component.line_no.into()),
        order_id: Some(collection.order_id.into()),
        confirmed_at: Some(now),
        confirmed_by: Some(facts().actor.clone()),
        voided_on: None,
        void_reason: None,
    })
}

fn move_of(collection: &service::Collection, payment: &PaymentRow) -> MoneyMoveRow {
    let is_cash = payment.method.is_cash();
    let moved = Moved {
        entity: payment.legal_entity_id,
        currency_code: payment.currency_code.clone(),
        account: payment.account_id,
        method: payment.method,
        direction: Direction::In,
        amount: payment.amount,
        on: payment.paid_on,
        origin: MoveOrigin::PosReceipt,
        source: payment.id,
        session: is_cash.then(|| collection.session_id.into()),
    };
    draw_move(&moved, collection.branch_id.map(Id::from), false)
}

/// P25: the money of each component against what was delivered.
fn post_collection(collection: &service::Collection, payments: &[PaymentRow]) -> Posting {
    let branch = collection.branch_id.map(Id::from);
    let terms = Terms::new(collection.legal_entity_id.into(), &collection.currency_code, today(), "");
    let number = Id::from(collection.receipt_id).to_string();
    let source =
        EntrySource { kind: "POS_RECEIPT", id: collection.receipt_id.into(), purpose: "COLLECTION", number: &number };
    let taken = payments.iter().filter_map(|payment| money_leg(payment.account_id, JournalSide::Debit, payment.amount));
    let cleared = leg("SALES_CLEARING", JournalSide::Credit, widen::<0>(parse_unsigned(&collection.total)));
    draw_entry(terms, source, taken.chain([cleared]).map(|leg| of_branch(leg, branch)).collect())
}
