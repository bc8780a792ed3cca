//! Requesting credits: created and replaced. They are worth nothing until a real document recognises them (rule 3).

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Id, Problem, new_id, now};
use stoa_trade::Change;
use stoa_trade::clients::directory;
use stoa_trade::refusal::or_duplicate;
use stoa_trade::text::key;

use crate::operations::credit::input::{CostLineInput, CreditInput, CreditUpdate, StatedCredit};
use crate::operations::credit::references::check_references;
use crate::records::credit::{CreditCostLineRow, CreditRow, CreditStatus};
use crate::records::side::Side;
use crate::work::party::require_party;
use crate::work::source::lock_credit;

pub fn create_sales(call: &Call) -> Answer {
    create(Side::Sales, call)
}

pub fn create_purchase(call: &Call) -> Answer {
    create(Side::Purchases, call)
}

fn create(side: Side, call: &Call) -> Answer {
    let stated = call.body::<CreditInput>()?.state(side)?;
    directory::require(stated.entity, None)?;
    require_party(side, stated.party)?;
    let products = check_references(side, &stated)?;
    let row = draw_credit(side, &stated);
    let lines = draw_lines(&row, &stated);
    run((insert([&row]), insert(&lines))).map_err(or_duplicate("/number"))?;
    Ok(row.receipt().subjects(products))
}

fn draw_credit(side: Side, stated: &StatedCredit) -> CreditRow {
    let now = now();
    CreditRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        side,
        number: stated.number.clone(),
        number_key: key(&stated.number),
        legal_entity_id: stated.entity,
        party_id: stated.party,
        currency_code: stated.currency_code.clone(),
        amount: stated.amount,
        status: CreditStatus::Requested,
        line_set_id: new_id(),
        reason_type: stated.reason_type,
        reason: stated.reason.clone(),
        origin_invoice_id: stated.origin_invoice,
        supplier_return_id: stated.supplier_return,
        variant_id: stated.variant,
        inventory_unit_id: stated.unit,
        document_reference: None,
        reference_key: None,
        recognized_on: None,
        voided_on: None,
        void_reason: None,
    }
}

fn draw_lines(row: &CreditRow, stated: &StatedCredit) -> Vec<CreditCostLineRow> {
    let line = |(line_no, line): (i64, &CostLineInput)| CreditCostLineRow {
        id: new_id(),
        created_at: row.updated_at,
        updated_at: row.updated_at,
        credit_id: row.id,
        line_set_id: row.line_set_id,
        line_no,
        receipt_item_id: line.receipt_item_id,
        inventory_unit_id: line.inventory_unit_id,
        amount: line.amount.0,
    };
    (0..).zip(&stated.cost_lines).map(line).collect()
}

pub fn replace_sales(call: &Call) -> Answer {
    replace(Side::Sales, call)
}

pub fn replace_purchase(call: &Call) -> Answer {
    replace(Side::Purchases, call)
}

fn replace(side: Side, call: &Call) -> Answer {
    let body: CreditUpdate = call.body()?;
    let expected = body.expected_version;
    let stated = body.state(side)?;
    let id: Id = call.path_id("id")?;
    let before = lock_credit(side, id, expected)?.row;
    if before.status != CreditStatus::Requested {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    if stated.entity != before.legal_entity_id {
        return Err(Problem::immutable(vec!["/legalEntityId".to_owned()]));
    }
    require_party(side, stated.party)?;
    let products = check_references(side, &stated)?;
    let drawn = draw_credit(side, &stated);
    let after = CreditRow { id, version: before.version, created_at: before.created_at, ..drawn };
    let lines = draw_lines(&after, &stated);
    let change = Change::new(&before, after)?;
    run((change.update(), insert(&lines)))?;
    let mut changed = change.members();
    changed.retain(|member| member != "lineSetId");
    if !lines.is_empty() {
        changed.push("costLines".to_owned());
    }
    Ok(change.after().receipt().subjects(products).changed(changed))
}
