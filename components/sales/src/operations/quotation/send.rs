//! Sending a quotation: its prices become binding.

use stoa_sdk::store::{run, update_from};
use stoa_sdk::{Answer, Call, Problem, now};
use stoa_trade::Change;

use crate::operations::quotation::input::SendQuotation;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus, receipt};
use crate::rules::priced_line::PricedLine;
use crate::rules::total::check_expected;
use crate::work::priced_line::lock_document;
use crate::work::quotation::{require_status, with_sums};
use crate::work::references::References;

pub fn send(call: &Call) -> Answer {
    let body: SendQuotation = call.body()?;
    let now = now();
    let draft = lock_document::<QuotationItemRow>(call.path_id("id")?)?;
    body.expected_version.check(draft.row.version)?;
    require_status(&draft.row, now, &[QuotationStatus::Draft])?;
    let lines = draft.restate_lines();
    let references = References::read(&draft.name_references(&lines));
    references.check_again(&lines, &draft.customer)?;
    if draft.row.valid_until.is_some_and(|until| until <= now) {
        return Err(Problem::at("QUOTATION_EXPIRED", "/validUntil"));
    }
    let items = draft.reprice_lines(&lines, &references)?;
    let after = QuotationRow { status: QuotationStatus::Sent, sent_at: Some(now), ..draft.row.clone() };
    let after = with_sums(after, &items, now)?;
    check_expected(body.expected_total, after.total)?;
    let change = Change::new(&draft.row, after)?;
    run((change.update(), update_from(&items, QuotationItemRow::REDRAWN)))?;
    let changed = ["status", "total", "pricesAsOf", "sentAt", "items"];
    Ok(receipt(change.after(), now).subjects(references.products()).changed(changed))
}
