//! Sending a quotation: its prices become binding.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, Problem, now};
use stoa_trade::Change;

use crate::operations::quotation::input::SendQuotation;
use crate::records::quotation::{QuotationRow, QuotationStatus, receipt};
use crate::rules::total::check_expected;
use crate::work::quotation::{lock_quotation, reprice_items, require_status, restate_items, rewrite_items, with_sums};
use crate::work::references::{Named, References};

pub fn send(call: &Call) -> Answer {
    let body: SendQuotation = call.body()?;
    let now = now();
    let draft = lock_quotation(call.path_id("id")?)?;
    body.expected_version.check(draft.row.version)?;
    require_status(&draft.row, now, &[QuotationStatus::Draft])?;
    let lines = restate_items(&draft.items);
    let named = Named {
        entity: draft.row.legal_entity_id,
        warehouse: draft.row.warehouse_id,
        price_list: draft.row.price_list_id,
        lines: &lines,
    };
    let references = References::read(&named);
    references.check_again(&lines, &draft.customer)?;
    if draft.row.valid_until.is_some_and(|until| until <= now) {
        return Err(Problem::at("QUOTATION_EXPIRED", "/validUntil"));
    }
    let items = reprice_items(&draft.items, &lines, &references)?;
    let after = QuotationRow { status: QuotationStatus::Sent, sent_at: Some(now), ..draft.row.clone() };
    let after = with_sums(after, &items, now)?;
    check_expected(body.expected_total, after.total)?;
    let change = Change::new(&draft.row, after)?;
    run((change.update(), rewrite_items(&items)))?;
    let changed = ["status", "total", "pricesAsOf", "sentAt", "items"];
    Ok(receipt(change.after(), now).subjects(references.products()).changed(changed))
}
