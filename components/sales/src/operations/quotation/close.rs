//! The ends of a quotation without an order: rejected, or withdrawn and lapsed.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Problem, now};
use stoa_trade::Change;
use stoa_trade::document::version::{ExpectedVersion, ReasonedTransition};

use crate::operations::quotation::input::ExpireQuotation;
use crate::records::quotation::{QuotationRow, QuotationStatus, receipt};
use crate::work::quotation::{lapse, require_status};

fn lock(id: Id, expected: ExpectedVersion) -> Result<QuotationRow, Problem> {
    let row: QuotationRow = run(get(id).locked())?.ok_or_else(Problem::not_found)?;
    expected.check(row.version)?;
    Ok(row)
}

fn finish(before: &QuotationRow, after: QuotationRow) -> Answer {
    let change = Change::of(before, after)?;
    run(change.update())?;
    Ok(receipt(change.after(), now()).changed(change.members()))
}

pub fn reject(call: &Call) -> Answer {
    let body: ReasonedTransition = call.body()?;
    let now = now();
    let row = lock(call.path_id("id")?, body.expected_version)?;
    require_status(&row, now, &[QuotationStatus::Draft, QuotationStatus::Sent])?;
    let after = QuotationRow {
        status: QuotationStatus::Rejected,
        rejected_at: Some(now),
        close_reason: Some(body.reason.into()),
        ..row.clone()
    };
    finish(&row, after)
}

pub fn expire(call: &Call) -> Answer {
    let body: ExpireQuotation = call.body()?;
    let row = lock(call.path_id("id")?, body.expected_version)?;
    // As it is kept: one whose end has come may be closed too.
    if row.status != QuotationStatus::Sent {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    finish(&row, QuotationRow { close_reason: body.reason.map(String::from), ..lapse(&row, now()) })
}
