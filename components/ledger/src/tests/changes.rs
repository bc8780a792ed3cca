//! Writes and rejections of changes of records, and the sums that a closing keeps.

use serde_json::json;
use stoa_sdk::scripted::{NOW, ask, rows, script, whole};
use stoa_sdk::store::{Call, Reply, Row};
use stoa_sdk::{Field, Id, Instant, Problem};
use stoa_trade::Status;
use stoa_trade::quantity::Amount;

use crate::Ledger;
use crate::records::account::AccountRow;
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::records::entry::BranchKey;
use crate::records::role::AccountType;
use crate::tests::rows::{ENTITY, entity, postability};

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
    let found = |entity: &EntityRow| vec![Reply::Done, rows([whole(entity, 1)]), rows([]), rows([]), rows([])];
    let log = script([
        found(&entity(true)),
        vec![first],
        vec![Reply::Inserted(vec![true; 2])],
        vec![rows([group(2, None, "0", "8")])],
        vec![Reply::Inserted(vec![true])],
        vec![Reply::Inserted(vec![true])],
    ]);
    let path = [("id", ENTITY.to_string()), ("month", "2025-12".to_owned())];
    let path = path.each_ref().map(|(name, value)| (*name, value.as_str()));
    let answer = ask::<Ledger>("closePeriod", &path, &[], Some(json!({ "expectedVersion": 1 }))).unwrap();
    assert_eq!((&answer["status"], &answer["version"]), (&json!("CLOSED"), &json!(2)));
    let runs = &log.borrow().runs;
    let [Call::Aggregate(second)] = runs[3].as_slice() else { panic!("{:?}", runs[3]) };
    assert_eq!(second.after, Some(vec![Id(5, 1).put(), BranchKey(Some(Id(6, 1))).put()]));
    let inserted = |run: &Vec<Call>| match run.as_slice() {
        [Call::Insert(call)] => (call.collection.clone(), call.rows.len()),
        other => panic!("{other:?}"),
    };
    let totals = |count| ("period_total".to_owned(), count);
    assert_eq!([2, 4, 5].map(|run| inserted(&runs[run])), [totals(2), totals(1), ("period".to_owned(), 1)]);

    // Another version than the month has, which was never closed.
    script([found(&entity(true))]);
    let refused = ask::<Ledger>("closePeriod", &path, &[], Some(json!({ "expectedVersion": 2 }))).unwrap_err();
    assert_eq!(refused.code, "VERSION_CONFLICT");

    // The months of an archived entity stay as they are.
    let archived = EntityRow { status: Status::Archived, ..entity(true) };
    for (operation, body) in [
        ("closePeriod", json!({ "expectedVersion": 1 })),
        ("reopenPeriod", json!({ "expectedVersion": 1, "reason": "Late" })),
    ] {
        script([found(&archived)]);
        let refused = ask::<Ledger>(operation, &path, &[], Some(body)).unwrap_err();
        assert_eq!(refused.code, "ARCHIVED", "{operation}");
    }
}

#[test]
fn countries_are_assigned_codes() {
    let stated = |code: &str| json!({ "code": "B", "name": "B", "countryCode": code });
    let changed = |code: &str| json!({ "expectedVersion": 1, "name": "B", "countryCode": code });
    let id = ENTITY.to_string();
    for code in ["ZZ", "UK", "XK"] {
        let log = script([]);
        let path = [("id", id.as_str())];
        let refusals = [
            ask::<Ledger>("createLegalEntity", &[], &[], Some(stated(code))).unwrap_err(),
            ask::<Ledger>("replaceLegalEntity", &path, &[], Some(changed(code))).unwrap_err(),
        ];
        for refused in refusals {
            assert_eq!((refused.code.as_str(), pointers(&refused)), ("VALIDATION_FAILED", vec!["/countryCode"]));
        }
        assert!(log.borrow().runs.is_empty(), "nothing is read for it");
    }
}

#[test]
fn manual_lines_are_as_fine_as_the_books() {
    let largest = "99999999999999999999999999";
    // The books' digits, amounts of two debits and their credit, and where they are refused.
    for (scale, amounts, expected) in [
        (12, ["0.000000000001", "1", "1.000000000001"], vec![]),
        (7, ["0.0000001", "1", "1.0000001"], vec![]),
        (6, ["0.0000001", "1", "1.0000001"], vec!["/lines/0/debit", "/lines/2/credit"]),
        (6, ["1.5000000", "1", "2.5"], vec![]),
        (
            11,
            ["0.000000000001", "0.000000000001", "0.000000000002"],
            vec!["/lines/0/debit", "/lines/1/debit", "/lines/2/credit"],
        ),
        (12, [largest, "1", "100000000000000000000000000"], vec!["/lines/2/credit"]),
    ] {
        let entity = EntityRow { amount_scale: Some(scale), ..entity(true) };
        let found = vec![
            Reply::Done,
            rows([whole(&entity, 1)]),
            rows([postability(1, true), postability(2, true)]),
            rows([]),
            rows([]),
        ];
        let written = vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; 3])];
        // Three lines of the script's request bring the day totals forward; there is nothing to sum.
        let brought = vec![Reply::Done, Reply::Inserted(vec![true]), rows([])];
        let log = script([found, written, brought]);
        let line =
            |account: u64, side: &str, amount: &str| json!({ "accountId": Id(5, account).to_string(), (side): amount });
        let body = json!({
            "legalEntityId": ENTITY.to_string(), "entryDate": "2026-01-01", "description": "By hand",
            "lines": [line(1, "debit", amounts[0]), line(1, "debit", amounts[1]), line(2, "credit", amounts[2])],
        });
        match ask::<Ledger>("createJournalEntry", &[], &[], Some(body)) {
            Ok(_) => assert!(expected.is_empty(), "{amounts:?} at {scale}"),
            Err(refused) => {
                assert_eq!((refused.code.as_str(), pointers(&refused)), ("ACCOUNTING_AMOUNT_PRECISION", expected));
                assert!(refused.errors.iter().all(|error| error.code == "AMOUNT_PRECISION"));
                assert_eq!(log.borrow().runs.len(), 1, "nothing is written");
            }
        }
    }
}
