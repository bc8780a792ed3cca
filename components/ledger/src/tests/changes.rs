//! What changes of records write and refuse, and what a closing keeps.

use serde_json::json;
use stoa_sdk::scripted::{NOW, ask, rows, script, whole};
use stoa_sdk::store::{Call, Reply, Row};
use stoa_sdk::{Field, Id, Instant, Problem};
use stoa_trade::Status;
use stoa_trade::quantity::Amount;

use crate::Ledger;
use crate::records::account::AccountRow;
use crate::records::branch::BranchRow;
use crate::records::entry::BranchKey;
use crate::records::role::AccountType;
use crate::tests::rows::{ENTITY, entity};

const ID: Id = Id(5, 1);

fn account(used: bool) -> AccountRow {
    AccountRow {
        id: ID,
        version: 4,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        legal_entity_id: ENTITY,
        code: "1000".to_owned(),
        name: "Cash".to_owned(),
        account_type: AccountType::Asset,
        parent_id: None,
        postable: true,
        used,
        description: Some("Till".to_owned()),
        control_role: None,
        status: Status::Active,
        archived_at: None,
    }
}

fn branch() -> BranchRow {
    BranchRow {
        id: ID,
        version: 2,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        legal_entity_id: ENTITY,
        code: "Main".to_owned(),
        code_key: "main".to_owned(),
        name: "Main".to_owned(),
        address: None,
        status: Status::Active,
        archived_at: None,
    }
}

/// The account as it is found, and again under the lock with the chart, its mappings and its money.
fn answers(row: &AccountRow) -> Vec<Vec<Reply>> {
    let node: Row =
        vec![row.id.put(), row.account_type.put(), row.parent_id.put(), row.postable.put(), row.status.put()];
    let row = || rows([whole(row, 4)]);
    vec![vec![row()], vec![Reply::Done, row(), rows([node]), rows([]), rows([])]]
}

fn pointers(problem: &Problem) -> Vec<&str> {
    problem.errors.iter().map(|error| error.pointer.as_str()).collect()
}

#[test]
fn a_replacement_writes_what_differs() {
    let log = script([answers(&account(true)), vec![vec![Reply::Done]]].concat());
    let body = json!({ "name": "Cash", "description": "Drawer", "code": "1000", "type": "ASSET" });
    let answer = ask::<Ledger>("replaceAccount", &[("id", &ID.to_string())], &[], Some(body)).unwrap();
    assert_eq!((&answer["description"], &answer["legalEntityId"]), (&json!("Drawer"), &json!(ENTITY.to_string())));
    let runs = &log.borrow().runs;
    let [Call::Update(update)] = runs[2].as_slice() else { panic!("{:?}", runs[2]) };
    assert_eq!(update.set, ["description"]);
}

#[test]
fn what_is_fixed_is_refused_together() {
    for (used, postable, expected) in [
        (false, true, vec!["/legalEntityId", "/code", "/type"]),
        (true, false, vec!["/legalEntityId", "/code", "/type", "/postable"]),
    ] {
        script(answers(&account(used)));
        let body = json!({
            "name": "Cash", "postable": postable, "legalEntityId": ID.to_string(), "code": "1001", "type": "EXPENSE",
        });
        let refused = ask::<Ledger>("replaceAccount", &[("id", &ID.to_string())], &[], Some(body)).unwrap_err();
        assert_eq!((refused.code.as_str(), pointers(&refused)), ("IMMUTABLE_FIELD", expected));
    }
    script(answers(&account(true)));
    let body = json!({ "name": "Cash", "postable": false });
    let refused = ask::<Ledger>("replaceAccount", &[("id", &ID.to_string())], &[], Some(body)).unwrap_err();
    assert_eq!((refused.code.as_str(), pointers(&refused)), ("IMMUTABLE_FIELD", vec!["/postable"]));
}

#[test]
fn what_is_held_is_not_archived() {
    let held = |holds: Vec<Row>| {
        let row = || rows([whole(&branch(), 2)]);
        vec![vec![row()], vec![Reply::Done, row(), rows(holds)], vec![Reply::Done]]
    };
    let archive = || ask::<Ledger>("archiveBranch", &[("id", &ID.to_string())], &[], Some(json!({})));
    script(held(vec![vec![Id(8, 8).put()]]));
    let refused = archive().unwrap_err();
    assert_eq!((refused.code.as_str(), refused.errors[0].code.as_str()), ("ILLEGAL_STATE", "HELD"));
    let log = script(held(Vec::new()));
    assert_eq!(archive().unwrap()["status"], "ARCHIVED");
    let runs = &log.borrow().runs;
    let [Call::Update(update)] = runs[2].as_slice() else { panic!("{:?}", runs[2]) };
    assert_eq!(update.set, ["status", "archived_at"]);
}

#[test]
fn a_closing_keeps_the_sums_of_every_page() {
    let amount = |text: &str| text.parse::<Amount>().unwrap();
    let group = |account: u64, branch: Option<u64>, debit: &str, credit: &str| -> Row {
        let branch = BranchKey(branch.map(|id| Id(6, id)));
        vec![Id(5, account).put(), branch.put(), amount(debit).put(), amount(credit).put()]
    };
    let mut first = rows([group(1, None, "7", "0"), group(1, Some(1), "1", "0")]);
    if let Reply::Rows(page) = &mut first {
        page.more = true;
    }
    let log = script([
        vec![Reply::Done, rows([whole(&entity(true), 1)]), rows([]), rows([])],
        vec![first],
        vec![rows([group(2, None, "0", "8")])],
        vec![Reply::Inserted(vec![true; 3]), Reply::Inserted(vec![true])],
    ]);
    let path = [("id", ENTITY.to_string()), ("month", "2025-12".to_owned())];
    let path = path.each_ref().map(|(name, value)| (*name, value.as_str()));
    let answer = ask::<Ledger>("closePeriod", &path, &[], Some(json!({ "expectedVersion": 1 }))).unwrap();
    assert_eq!((&answer["status"], &answer["version"]), (&json!("CLOSED"), &json!(2)));
    let runs = &log.borrow().runs;
    let [Call::Aggregate(second)] = runs[2].as_slice() else { panic!("{:?}", runs[2]) };
    assert_eq!(second.after, Some(vec![Id(5, 1).put(), BranchKey(Some(Id(6, 1))).put()]));
    let [Call::Insert(totals), Call::Insert(period)] = runs[3].as_slice() else { panic!("{:?}", runs[3]) };
    assert_eq!((totals.rows.len(), period.rows.len()), (3, 1));

    // Another version than the month has, which was never closed.
    script([vec![Reply::Done, rows([whole(&entity(true), 1)]), rows([]), rows([])]]);
    let refused = ask::<Ledger>("closePeriod", &path, &[], Some(json!({ "expectedVersion": 2 }))).unwrap_err();
    assert_eq!(refused.code, "VERSION_CONFLICT");
}
