//! Orders that a register collected: only its receipt settles such an order, once, and it settles an invoice of the
//! order (rule 6, P26).

use std::collections::BTreeMap;

use stoa_sdk::store::{Update, run, select, update_by};
use stoa_sdk::{Date, Field, Id, Problem, all, map, new_id};
use stoa_trade::clients::books::{Posting, Side as JournalSide};
use stoa_trade::new_row;
use stoa_trade::quantity::{Quantity, sum, widen};
use stoa_trade::refusal::illegal;

use crate::records::application::ApplicationRow;
use crate::records::funds::FundsRow;
use crate::records::invoice::InvoiceRow;
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::payment::{PaymentOrigin, PaymentRow};
use crate::records::side::{APPLICATION, Side};
use crate::work::entries::{Document, Owed, PartyDocument, entry, negate};
use crate::work::invoice::locked::LockedInvoice;
use crate::work::ordered::Orders;
use crate::work::posting::{EntrySource, Terms, draw_entry, leg, party_leg};

/// The payments by which a register collected an order.
pub struct Collected {
    pub payments: Vec<PaymentRow>,
}

/// The settlement of an invoice of a collected order.
pub struct Settled {
    pub on: Date,
    pub applications: Vec<ApplicationRow>,
    pub entries: Vec<PartyEntryRow>,
    pub funds: Update<FundsRow>,
    pub postings: Vec<Posting>,
}

/// The payments of the collected order that these lines bill; none if they bill no such order.
///
/// # Errors
/// ILLEGAL_STATE with COLLECTED_AT_REGISTER where such an order is billed in part or together with another.
pub fn read_collected(invoice: &LockedInvoice, lines: &[InvoiceLineRow]) -> Result<Option<Collected>, Problem> {
    if invoice.row.side == Side::Purchases {
        return Ok(None);
    }
    let is_collected = |order: &Id| invoice.orders.states.get(order).is_some_and(|state| state.is_collected);
    let Some(order) = lines.iter().filter_map(|line| line.order_id).find(is_collected) else { return Ok(None) };
    if !bills_whole(&invoice.orders, order, lines) {
        return Err(illegal(first_pointer(lines, order), "COLLECTED_AT_REGISTER"));
    }
    let components = all([PaymentRow::order_id.eq(order), PaymentRow::origin.eq(PaymentOrigin::PosReceipt)]);
    let payments = run(select::<PaymentRow>(components).whole())?;
    let collected = sum(payments.iter().map(|payment| payment.amount))?;
    if collected != invoice.row.total {
        // Prices of an order are its invoice's, so this is an order that was collected otherwise than it is billed.
        return Err(illegal(first_pointer(lines, order), "COLLECTED_AT_REGISTER"));
    }
    Ok(Some(Collected { payments }))
}

impl Collected {
    /// Each component pays its part; no money moves again. The caller runs the returned writes.
    pub fn settle(&self, invoice: &InvoiceRow, owed: Owed) -> Settled {
        let issued_on = invoice.issued_on.unwrap_or(owed.due_on);
        let on = self.payments.iter().map(|payment| payment.paid_on).fold(issued_on, Date::max);
        let debtor = invoice.debtor();
        let (mut applications, mut entries, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        for payment in &self.payments {
            let application = new_row!(ApplicationRow {
                id: new_id(),
                side: Side::Sales,
                payment_id: Some(payment.id),
                credit_id: None,
                invoice_id: invoice.id,
                party_id: invoice.party_id,
                legal_entity_id: invoice.legal_entity_id,
                currency_code: invoice.currency_code.clone(),
                amount: payment.amount,
                applied_on: on,
                reverses: None,
            });
            let document = Document { kind: DocumentKind::Payment, id: payment.id, number: payment.number.clone() };
            let paid = negate(payment.amount);
            entries.push(entry(&debtor, &document, PartyAct::Post, PartyAccount::Invoices, Some(owed), on, paid));
            let terms = Terms::new(invoice.legal_entity_id, &invoice.currency_code, on, "/issuedOn");
            let source =
                EntrySource { kind: APPLICATION, id: application.id, purpose: APPLICATION, number: &payment.number };
            let legs = vec![
                leg("SALES_CLEARING", JournalSide::Debit, widen(payment.amount)),
                party_leg("RECEIVABLE", JournalSide::Credit, payment.amount, debtor.side.party(debtor.party)),
            ];
            postings.push(draw_entry(terms, source, legs));
            applications.push(application);
        }
        let sources = self.payments.iter().map(|payment| vec![payment.id.put()]);
        let funds = update_by::<FundsRow>("source", sources)
            .add_each(FundsRow::applied, self.payments.iter().map(|payment| payment.amount));
        Settled { on, applications, entries, funds, postings }
    }
}

/// Returns whether these lines bill one collected order and all of it.
pub fn bills_whole(orders: &Orders, order: Id, lines: &[InvoiceLineRow]) -> bool {
    let mut billed: BTreeMap<Id, Quantity> = BTreeMap::new();
    for line in lines {
        let Some(item) = line.order_item_id.filter(|_| line.order_id == Some(order)) else { return false };
        let counted = billed.entry(item).or_default();
        match counted.checked_add(line.quantity) {
            Some(sum) => *counted = sum,
            None => return false,
        }
    }
    let ordered = map(orders.lines.values().filter(|line| line.order == order).map(|line| (line.id, line.quantity)));
    ordered == billed
}

/// The pointer of the first line of the order.
fn first_pointer(lines: &[InvoiceLineRow], order: Id) -> String {
    let of_order = lines.iter().find(|line| line.order_id == Some(order));
    of_order.map_or_else(|| "/lines".to_owned(), InvoiceLineRow::pointer)
}
