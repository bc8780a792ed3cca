//! Paying invoices with what a payment or a credit has left: never more than either balance, all or nothing (rule 4,
//! P14, P16, P21).

use std::collections::BTreeMap;

use stoa_sdk::store::{Insert, Update, find, get_all, insert, run, update_all};
use stoa_sdk::{Date, Field, Id, Item, Problem, item, map, new_id};
use stoa_trade::clients::books::{Leg, Posting, Side as JournalSide};
use stoa_trade::new_row;
use stoa_trade::quantity::{Money, sum};
use stoa_trade::refusal::refuse;

use crate::records::application::ApplicationRow;
use crate::records::funds::FundsRow;
use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::party_entry::{PartyAccount, PartyAct, PartyEntryRow};
use crate::records::side::{APPLICATION, Side};
use crate::rules::allotment::check_amounts;
use crate::work::entries::{entry, negate};
use crate::work::invoice::debt::owed_of;
use crate::work::posting::{EntrySource, Terms, draw_entry, party_leg};
use crate::work::source::Source;

/// An amount that a request applies to an invoice.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub invoice: Id,
    pub amount: Money,
}

/// Applications that were judged, to be written with what else their operation writes.
#[derive(Debug, Default)]
pub struct Settlement {
    pub total: Money,
    pub applications: Vec<ApplicationRow>,
    pub entries: Vec<PartyEntryRow>,
    pub postings: Vec<Posting>,
    paid: Vec<(InvoiceBalanceRow, Money, Date)>,
}

/// Invoices, and what is paid of them, by the invoices' ids.
pub type PostedInvoices = (BTreeMap<Id, InvoiceRow>, BTreeMap<Id, InvoiceBalanceRow>);

/// Holds posted invoices in the order of their ids; others are absent.
pub fn lock_posted(ids: &[Id]) -> Result<PostedInvoices, Problem> {
    if ids.is_empty() {
        return Ok((BTreeMap::new(), BTreeMap::new()));
    }
    let keys = ids.iter().map(|id| vec![id.put()]);
    let (rows, paid) = run((
        get_all::<InvoiceRow>(ids.iter().copied()).locked(),
        find::<InvoiceBalanceRow>("invoice", keys).locked(),
    ))?;
    Ok((map(rows.into_iter().map(|row| (row.id, row))), map(paid.into_iter().map(|paid| (paid.invoice_id, paid)))))
}

/// Judges what a source is to pay, under the locks of the invoices. `day` is that of an application, given the later of
/// the days on which source and invoice were posted; `pointer` that of the parts.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID, ILLEGAL_STATE with COLLECTED_AT_REGISTER, LIMIT_EXCEEDED; what `day` refuses.
pub fn settle(
    source: &Source,
    parts: &[Part],
    pointer: &str,
    day: impl Fn(Date) -> Result<Date, Problem>,
) -> Result<Settlement, Problem> {
    let ids: Vec<Id> = parts.iter().map(|part| part.invoice).collect();
    let (rows, paid) = lock_posted(&ids)?;
    let faults = |code: &str, is_wrong: &dyn Fn(&Part) -> bool| -> Vec<Item> {
        let wrong = parts.iter().enumerate().filter(|(_, part)| is_wrong(part));
        wrong.map(|(nth, _)| item(format!("{pointer}/{nth}/invoiceId"), code)).collect()
    };
    refuse("NOT_FOUND", faults("NOT_FOUND", &|part| !rows.contains_key(&part.invoice)))?;
    let is_payable = |part: &Part| {
        rows.get(&part.invoice).is_some_and(|row| is_payable(row, source)) && paid.contains_key(&part.invoice)
    };
    refuse("REFERENCE_INVALID", faults("REFERENCE_INVALID", &|part| !is_payable(part)))?;
    let is_collected = |part: &Part| paid.get(&part.invoice).is_some_and(|paid| paid.collected);
    refuse("ILLEGAL_STATE", faults("COLLECTED_AT_REGISTER", &is_collected))?;
    let balance = |part: &Part| paid.get(&part.invoice).map_or(Money::ZERO, |paid| paid.balance);
    let amounts: Vec<(Money, Money)> = parts.iter().map(|part| (part.amount, balance(part))).collect();
    check_amounts(&amounts, source.funds.available, pointer)?;
    let mut settlement = Settlement { total: sum(parts.iter().map(|part| part.amount))?, ..Settlement::default() };
    for part in parts {
        let (Some(row), Some(paid)) = (rows.get(&part.invoice), paid.get(&part.invoice)) else { continue };
        let posted_on = row.posted_on.unwrap_or(source.posted_on);
        settlement.add(source, row, paid, part.amount, day(posted_on.max(source.posted_on))?);
    }
    Ok(settlement)
}

fn is_payable(row: &InvoiceRow, source: &Source) -> bool {
    let debtor = &source.debtor;
    row.status == InvoiceStatus::Issued
        && row.side == debtor.side
        && row.party_id == debtor.party
        && row.legal_entity_id == debtor.entity
        && row.currency_code == debtor.currency_code
}

impl Settlement {
    fn add(&mut self, source: &Source, row: &InvoiceRow, paid: &InvoiceBalanceRow, amount: Money, on: Date) {
        let (payment_id, credit_id) = source.ids();
        let application = new_row!(ApplicationRow {
            id: new_id(),
            side: row.side,
            payment_id,
            credit_id,
            invoice_id: row.id,
            party_id: row.party_id,
            legal_entity_id: row.legal_entity_id,
            currency_code: row.currency_code.clone(),
            amount,
            applied_on: on,
            reverses: None,
        });
        self.entries.extend(apply_entries(source, row, on, amount));
        let terms = Terms::new(row.legal_entity_id, &row.currency_code, on, "/appliedOn");
        let number = &source.document.number;
        let entry_source = EntrySource { kind: APPLICATION, id: application.id, purpose: APPLICATION, number };
        self.postings.push(draw_entry(terms, entry_source, application_legs(row, amount)));
        self.applications.push(application);
        self.paid.push((paid.clone(), amount, on));
    }

    /// Writes of the applications themselves, but for their entries.
    pub fn writes(&self) -> (Insert, Update<InvoiceBalanceRow>) {
        let settled = |(paid, amount, on): &(InvoiceBalanceRow, Money, Date)| {
            if paid.balance == *amount { Some(*on) } else { paid.settled_on }
        };
        let balances = update_all::<InvoiceBalanceRow>(self.paid.iter().map(|(paid, ..)| paid.id))
            .set_each(InvoiceBalanceRow::settled_on, self.paid.iter().map(settled))
            .add_each(InvoiceBalanceRow::applied, self.paid.iter().map(|(_, amount, _)| *amount))
            .add_each(InvoiceBalanceRow::balance, self.paid.iter().map(|(_, amount, _)| negate(*amount)));
        (insert(&self.applications), balances)
    }

    /// Takes the total from the funds of a source that was posted before.
    pub fn take(&self, source: &Source) -> Update<FundsRow> {
        source.change_funds().add(FundsRow::applied, self.total).add(FundsRow::available, negate(self.total))
    }
}

/// Entries of an application between the accounts of the party: zero in all.
fn apply_entries(source: &Source, row: &InvoiceRow, on: Date, amount: Money) -> [PartyEntryRow; 2] {
    let owed = owed_of(row, on);
    let apply_entry =
        |account, owed, amount| entry(&source.debtor, &source.document, PartyAct::Apply, account, owed, on, amount);
    [apply_entry(PartyAccount::Invoices, Some(owed), negate(amount)), apply_entry(source.account(), None, amount)]
}

fn application_legs(row: &InvoiceRow, amount: Money) -> Vec<Leg> {
    let party = row.side.party(row.party_id);
    let (debit, credit) = match row.side {
        Side::Sales => (row.side.credit_role(), row.side.open_role()),
        Side::Purchases => (row.side.open_role(), row.side.credit_role()),
    };
    vec![party_leg(debit, JournalSide::Debit, amount, party), party_leg(credit, JournalSide::Credit, amount, party)]
}

/// Applications that are undone, to be written with what else their operation writes.
pub struct Reversal {
    pub opposites: Vec<ApplicationRow>,
    pub entries: Vec<PartyEntryRow>,
    pub balances: Update<InvoiceBalanceRow>,
    /// Sources of the entries to be mirrored.
    pub applications: Vec<Id>,
}

/// Undoes every valid application of a source: opposite rows, and the invoices are open again.
pub fn reverse(source: &Source, standing: &[ApplicationRow], on: Date) -> Result<Reversal, Problem> {
    let mut by_invoice: BTreeMap<Id, Money> = BTreeMap::new();
    for application in standing {
        let taken = by_invoice.entry(application.invoice_id).or_default();
        *taken = sum([*taken, application.amount])?;
    }
    let ids: Vec<Id> = by_invoice.keys().copied().collect();
    let (rows, paid) = lock_posted(&ids)?;
    let (mut opposites, mut entries) = (Vec::new(), Vec::new());
    for application in standing {
        opposites.push(new_row!(ApplicationRow {
            id: new_id(),
            amount: negate(application.amount),
            applied_on: on,
            reverses: Some(application.id),
            ..application.clone()
        }));
        if let Some(row) = rows.get(&application.invoice_id) {
            entries.extend(apply_entries(source, row, on, negate(application.amount)));
        }
    }
    let open: Vec<(Id, Money)> =
        by_invoice.iter().filter_map(|(invoice, amount)| Some((paid.get(invoice)?.id, *amount))).collect();
    let balances = update_all::<InvoiceBalanceRow>(open.iter().map(|(id, _)| *id))
        .add_each(InvoiceBalanceRow::applied, open.iter().map(|(_, amount)| negate(*amount)))
        .add_each(InvoiceBalanceRow::balance, open.iter().map(|(_, amount)| *amount))
        .set(InvoiceBalanceRow::settled_on, &None);
    Ok(Reversal { opposites, entries, balances, applications: standing.iter().map(|row| row.id).collect() })
}
