//! The ends of a quotation without an order: rejected, or withdrawn and lapsed.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, Id, Problem, now, set};
use stoa_trade::Change;
use stoa_trade::document::version::{ExpectedVersion, ReasonedTransition};

use crate::operations::quotation::input::ExpireQuotation;
use crate::records::quotation::{QuotationRow, QuotationStatus, receipt};
use crate::work::quotation::{LockedQuotation, lapse, lock_quotation, require_status};

fn lock(id: Id, expected: ExpectedVersion) -> Result<LockedQuotation, Problem> {
    let quotation = lock_quotation(id)?;
    expected.check(quotation.row.version)?;
    Ok(quotation)
}

fn finish(before: &LockedQuotation, after: QuotationRow) -> Answer {
    let change = Change::new(&before.row, after)?;
    run(change.update())?;
    let products = set(before.items.iter().map(|item| item.product_id));
    Ok(receipt(change.after(), now()).subjects(products).changed(change.members()))
}

pub fn reject(call: &Call) -> Answer {
    let body: ReasonedTransition = call.body()?;
    let now = now();
    let offer = lock(call.path_id("id")?, body.expected_version)?;
    require_status(&offer.row, now, &[QuotationStatus::Draft, QuotationStatus::Sent])?;
    let after = QuotationRow {
        status: QuotationStatus::Rejected,
        rejected_at: Some(now),
        close_reason: Some(body.reason.into()),
        ..offer.row.clone()
    };
    finish(&offer, after)
}

pub fn expire(call: &Call) -> Answer {
    let body: ExpireQuotation = call.body()?;
    let offer = lock(call.path_id("id")?, body.expected_version)?;
    // As it is kept: one whose end has come may be closed too.
    if offer.row.status != QuotationStatus::Sent {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let after = QuotationRow { close_reason: body.reason.map(String::from), ..lapse(&offer.row, now()) };
    finish(&offer, after)
}
