//! Requesting credits: created and replaced. They are worth nothing until a real document recognises them (rule 3).

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Id, Problem, new_id};
use stoa_trade::clients::directory;
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::refusal::{or_duplicate, require_unchanged};
use stoa_trade::text::key;
use stoa_trade::{Change, new_record, new_row};

use crate::operations::credit::input::{CostLineInput, CreditInput};
use crate::operations::credit::references::check_references;
use crate::records::credit::{CreditCostLineRow, CreditRow, CreditStatus};
use crate::records::side::Side;
use crate::work::party::require_party;
use crate::work::source::{Locked, lock_source_row};

pub fn create(side: Side, call: &Call) -> Answer {
    let body: CreditInput = call.body()?;
    body.check(side)?;
    directory::require(body.legal_entity_id, None)?;
    require_party(side, body.party_id)?;
    let products = check_references(side, &body)?;
    let (row, lines) = draw_credit(side, new_id(), body);
    run((insert([&row]), insert(&lines))).map_err(or_duplicate("/number"))?;
    Ok(row.receipt().subjects(products))
}

/// A credit as a body states it, and its cost lines.
fn draw_credit(side: Side, id: Id, body: CreditInput) -> (CreditRow, Vec<CreditCostLineRow>) {
    let line_set_id = new_id();
    let line = |(line_no, line): (i64, &CostLineInput)| {
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
    let lines = (0..).zip(body.cost_lines()).map(line).collect();
    let row = new_record!(CreditRow {
        id,
        side,
        number_key: key(&body.number.0),
        number: body.number.0,
        legal_entity_id: body.legal_entity_id,
        party_id: body.party_id,
        currency_code: body.currency_code.into(),
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
    (row, lines)
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
    let (drawn, lines) = draw_credit(side, before.id, body);
    let change = Change::new(&before, CreditRow { version: before.version, created_at: before.created_at, ..drawn })?;
    run((change.update(), insert(&lines)))?;
    let mut changed = change.members();
    changed.retain(|member| member != "lineSetId");
    if !lines.is_empty() {
        changed.push("costLines".to_owned());
    }
    Ok(change.after().receipt().subjects(products).changed(changed))
}
