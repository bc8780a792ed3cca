//! The ends of a quotation without an order: rejected, or withdrawn and lapsed.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, Id, Problem, now};
use stoa_trade::Change;
use stoa_trade::document::version::{ExpectedVersion, ReasonedTransition};

use crate::operations::quotation::input::ExpireQuotation;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus, receipt};
use crate::work::priced_line::{LockedDocument, lock_document, products_of};
use crate::work::quotation::{lapse, require_status};

fn lock(id: Id, expected: ExpectedVersion) -> Result<LockedDocument<QuotationItemRow>, Problem> {
    let quotation = lock_document::<QuotationItemRow>(id)?;
    expected.check(quotation.row.version)?;
    Ok(quotation)
}

fn finish(before: &LockedDocument<QuotationItemRow>, after: QuotationRow) -> Answer {
    let change = Change::new(&before.row, after)?;
    run(change.update())?;
    Ok(receipt(change.after(), now()).subjects(products_of(&before.items)).changed(change.members()))
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
