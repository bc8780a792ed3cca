//! Requesting credits: created and replaced. They are worth nothing until a real document recognises them (rule 3).

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Field, Id, Problem, new_id};
use stoa_trade::clients::directory;
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::refusal::require_unchanged;
use stoa_trade::text::key;
use stoa_trade::{Change, new_record, new_row};

use crate::operations::credit::input::{CostLineInput, CreditInput, CreditLineInput};
use crate::operations::credit::references::check_references;
use crate::records::credit::{CreditCostLineRow, CreditLineRow, CreditRow, CreditStatus};
use crate::records::side::Side;
use crate::work::party::require_party;
use crate::work::source::{Locked, lock_source_row};
use crate::work::taken::require_inserted;

pub fn create(side: Side, call: &Call) -> Answer {
    let body: CreditInput = call.body()?;
    body.check(side)?;
    directory::require(body.legal_entity_id, None)?;
    require_party(side, body.party_id)?;
    let products = check_references(side, &body)?;
    let Drawn { row, lines, cost_lines } = draw_credit(side, new_id(), body);
    let (went_in, ..) = run((insert([&row]).unless_taken(), insert(&lines), insert(&cost_lines)))?;
    let key = vec![side.put(), row.legal_entity_id.put(), row.number_key.clone().put()];
    require_inserted::<CreditRow>(side, &went_in, key)?;
    Ok(row.receipt().subjects(products))
}

/// A credit as a body states it, with its lines.
struct Drawn {
    row: CreditRow,
    lines: Vec<CreditLineRow>,
    cost_lines: Vec<CreditCostLineRow>,
}

fn draw_credit(side: Side, id: Id, body: CreditInput) -> Drawn {
    let line_set_id = new_id();
    let line = |(line_no, line): (i64, &CreditLineInput)| {
        new_row!(CreditLineRow {
            id: new_id(),
            credit_id: id,
            line_set_id,
            line_no,
            variant_id: line.variant_id,
            quantity: line.quantity.0,
            amount: line.amount.0,
        })
    };
    let lines = (0..).zip(body.lines()).map(line).collect();
    let cost_line = |(line_no, line): (i64, &CostLineInput)| {
        new_row!(CreditCostLineRow {
            id: new_id(),
            credit_id: id,
            line_set_id,
            line_no,
            receipt_item_id: line.receipt_item_id,
            inventory_unit_id: line.inventory_unit_id,
            amount: line.amount.0,
        })
    };
    let cost_lines = (0..).zip(body.cost_lines()).map(cost_line).collect();
    let row = new_record!(CreditRow {
        id,
        side,
        number_key: key(&body.number.0),
        number: body.number.0,
        legal_entity_id: body.legal_entity_id,
        party_id: body.party_id,
        currency_code: body.currency_code,
        amount: body.amount.0,
        status: CreditStatus::Requested,
        line_set_id,
        reason_type: body.reason_type,
        reason: body.reason.map(String::from),
        origin_invoice_id: body.origin_invoice_id,
        supplier_return_id: body.supplier_return_id,
        variant_id: body.variant_id,
        inventory_unit_id: body.inventory_unit_id,
        document_reference: None,
        reference_key: None,
        recognized_on: None,
        voided_on: None,
        void_reason: None,
    });
    Drawn { row, lines, cost_lines }
}

pub fn replace(side: Side, call: &Call) -> Answer {
    let FullReplacement { expected_version, body }: FullReplacement<CreditInput> = call.body()?;
    body.check(side)?;
    let Locked { row: before, .. } = lock_source_row::<CreditRow>(side, call.path_id("id")?, expected_version)?;
    if before.status != CreditStatus::Requested {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    require_unchanged(&before.legal_entity_id, &body.legal_entity_id, "/legalEntityId")?;
    require_party(side, body.party_id)?;
    let products = check_references(side, &body)?;
    let Drawn { row, lines, cost_lines } = draw_credit(side, before.id, body);
    let change = Change::new(&before, CreditRow { version: before.version, created_at: before.created_at, ..row })?;
    run((change.update(), insert(&lines), insert(&cost_lines)))?;
    let mut changed = change.members();
    changed.retain(|member| member != "lineSetId");
    let is_stated = [("lines", !lines.is_empty()), ("costLines", !cost_lines.is_empty())];
    changed.extend(is_stated.into_iter().filter(|(_, is_stated)| *is_stated).map(|(member, _)| member.to_owned()));
    Ok(change.after().receipt().subjects(products).changed(changed))
}
