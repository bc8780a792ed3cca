//! The books against the documents: every control account at what the documents say of it, or a fault (FI11).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Answer, Call, Id, Operation, Problem, Reply};
use stoa_trade::clients::{books, directory};
use stoa_trade::quantity::{Amount, Sum};
use stoa_trade::refusal::illegal;

use crate::records::permission::FIGURES;
use crate::work::control::{read_control, read_inventory};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/reports/reconciliation", "getReconciliation", reconcile).summary("Reconciliation of books and documents")
        .description("Every difference must be zero. Documents in other currencies than the books are excluded.")
        .needs(FIGURES).query::<AskReconciliation>().answers::<Reconciliation>().cache_control("no-store").or_csv().heavy()
        .problems(&["NOT_FOUND", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]).item_codes(&["BOOKS_NOT_KEPT"]),
];

/// The entity whose books are compared.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskReconciliation {
    /// Legal entity that keeps books.
    legal_entity_id: Id,
}

/// The control accounts of a legal entity.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reconciliation {
    currency_code: String,
    items: Vec<ControlBalance>,
}

/// Control account; its balances are debit minus credit.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControlBalance {
    role: &'static str,
    ledger_balance: Amount,
    document_balance: Amount,
    difference: Amount,
}

fn reconcile(call: &Call) -> Answer {
    let query: AskReconciliation = call.query()?;
    let id = query.legal_entity_id;
    let entities = directory::entities(&[id]);
    let entity = entities.first().ok_or_else(|| Problem::reference_missing("/query/legalEntityId"))?;
    let Some(currency_code) = entity.currency_code.clone().filter(|_| entity.keeps_books) else {
        return Err(illegal("/query/legalEntityId", "BOOKS_NOT_KEPT"));
    };
    let documents = read_control(id, &currency_code)?.roles(read_inventory(id, &currency_code)?);
    let balances = books::balances(id, &documents.map(|(role, _)| role));
    let mut items = Vec::new();
    for (role, document_balance) in documents {
        let ledger_balance = balances.get(role).copied().unwrap_or_default();
        let difference = ledger_balance.checked_sub(document_balance).ok_or_else(Sum::limit_exceeded)?;
        items.push(ControlBalance { role, ledger_balance, document_balance, difference });
    }
    Ok(Reply::json(&Reconciliation { currency_code, items }))
}
