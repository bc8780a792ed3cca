//! Records of the ledger: an entity that keeps books, with a chart and what else the books are made of.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;
use stoa_tests::company::with;

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway, inventory, pos};

/// The day that the entities' books begin, before every day that a request names.
const BOOKS_START_ON: &str = "2020-01-01";
/// A day in a month that nothing closes.
const DAY: &str = "2020-02-15";
/// The first month of the books: the only one that can be closed at once.
const MONTH: &str = "2020-01";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("ledger/", "parentId", "heading"),
        ("replaceMoneyAccount", "accountId", "account of money"),
        ("archiveLegalEntity", "id", "bare legal entity"),
        ("installChart", "id", "bare legal entity"),
    ],
    exempt: &[
        ("listJournalEntries", "partyId", "a filter, of whichever party: never looked up"),
        ("getAccountStatement", "partyId", "a filter, of whichever party: never looked up"),
    ],
    needs: &[
        ("listBranches", "branch"),
        ("apiListBranches", "branch"),
        ("listAccounts", "account"),
        ("listMoneyAccounts", "money account"),
        ("reopenPeriod", "closed month"),
        ("listJournalEntries", "journal entry"),
        ("createJournalEntry", "counter account"),
    ],
    values: &[("entryDate", DAY), ("from", DAY), ("to", DAY), ("asOf", DAY), ("month", MONTH)],
    amends: &[("createJournalEntry", balance), ("reopenPeriod", |body, _| body["expectedVersion"] = 2.into())],
};

/// Two lines that are equal.
fn balance(body: &mut Json, good_id: GoodId) {
    body["lines"][0]["debit"] = "5".into();
    body["lines"][1] = json!({ "accountId": good_id("counter account"), "credit": "5" });
}

const KINDS: &[Kind] = &[
    Kind {
        name: "legal entity",
        collection: "ledger/legal-entities",
        names: &["legalEntityId"],
        make: |records| {
            let members = json!({
                "keepsBooks": true, "currencyCode": "EUR", "booksStartOn": BOOKS_START_ON, "chart": "STANDARD"
            });
            records.company.post("ledger/legal-entities", with(&named(records), members))
        },
        put_away: PutAway::Other(put_entity_away),
    },
    Kind {
        name: "bare legal entity",
        collection: "",
        names: &[],
        make: |records| records.company.post("ledger/legal-entities", named(records)),
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("ledger/legal-entities/{id}"))),
    },
    Kind {
        name: "branch",
        collection: "ledger/branches",
        names: &["branchId"],
        make: |records| records.company.post("ledger/branches", of_entity(records, json!({}))),
        put_away: PutAway::Other(|records, id| {
            inventory::put_warehouses_away(records, &[("branchId", id)]);
            records.company.archive(&format!("ledger/branches/{id}"))
        }),
    },
    Kind {
        name: "heading",
        collection: "",
        names: &[],
        make: |records| account(records, json!({ "postable": false })),
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("ledger/accounts/{id}"))),
    },
    Kind {
        name: "account",
        collection: "ledger/accounts",
        names: &["accountId"],
        make: |records| account(records, json!({})),
        put_away: PutAway::Other(|records, id| {
            if let Some(entry) = records.made("journal entry") {
                reverse(records, &entry).is(201);
            }
            records.company.archive(&format!("ledger/accounts/{id}"))
        }),
    },
    Kind {
        name: "counter account",
        collection: "",
        names: &[],
        make: |records| account(records, json!({})),
        put_away: PutAway::Never,
    },
    Kind {
        name: "account of money",
        collection: "",
        names: &[],
        make: |records| account(records, json!({})),
        put_away: PutAway::Other(|records, id| {
            if let Some(money) = records.made("money account") {
                records.company.archive(&format!("ledger/money-accounts/{money}")).is(200);
            }
            records.company.archive(&format!("ledger/accounts/{id}"))
        }),
    },
    Kind {
        name: "money account",
        collection: "ledger/money-accounts",
        names: &["moneyAccountId"],
        make: |records| {
            let members = json!({ "kind": "CASH", "accountId": records.id_of("account of money") });
            records.company.post("ledger/money-accounts", of_entity(records, members))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "journal entry",
        collection: "ledger/journal-entries",
        // A manual entry is its own source.
        names: &["sourceId"],
        make: |records| {
            let line = |account: &str, side: &str| json!({ "accountId": records.id_of(account), side: "5" });
            let body = json!({
                "legalEntityId": records.id_of("legal entity"),
                "branchId": records.id_of("branch"),
                "entryDate": DAY,
                "description": records.word(),
                "lines": [line("account", "debit"), line("counter account", "credit")],
            });
            records.company.post("ledger/journal-entries", body)
        },
        put_away: PutAway::Other(reverse),
    },
    Kind {
        name: "closed month",
        collection: "",
        names: &[],
        make: |records| {
            let path = format!("ledger/legal-entities/{}/periods/{MONTH}/close", records.id_of("legal entity"));
            records.company.post(&path, json!({ "expectedVersion": 1 }))
        },
        put_away: PutAway::Never,
    },
];

fn named(records: &Records) -> Json {
    let word = records.word();
    json!({ "code": word, "name": word })
}

fn of_entity(records: &Records, members: Json) -> Json {
    let mut body = with(&named(records), members);
    body["legalEntityId"] = records.id_of("legal entity").into();
    body
}

fn account(records: &Records, members: Json) -> Answer {
    records.company.post("ledger/accounts", of_entity(records, with(&json!({ "type": "ASSET" }), members)))
}

fn reverse(records: &Records, entry: &str) -> Answer {
    records.company.post(&format!("ledger/journal-entries/{entry}/reverse"), json!({ "reason": records.word() }))
}

/// Why a record stays: goods without a bill, money that lies there, what was paid or given back by it.
const OWED: [&str; 4] = ["CONTROL_BALANCE_NOT_ZERO", "BALANCE_NOT_ZERO", "HAS_APPLICATIONS", "HAS_REFUNDS"];

/// Returns whether a record is refused to be put away since something is owed on it.
pub fn is_owing(answer: &Answer) -> bool {
    answer.status == 409 && answer["errors"][0]["code"].as_str().is_some_and(|code| OWED.contains(&code))
}

/// An entity is archived once nothing of it is left that is active.
fn put_entity_away(records: &Records, entity: &str) -> Answer {
    let company = &records.company;
    let of_entity = [("legalEntityId", entity)];
    pos::put_registers_away(records, &of_entity);
    inventory::put_warehouses_away(records, &of_entity);
    let path = format!("ledger/legal-entities/{entity}");
    let version = company.get(&format!("{path}/mappings")).is(200)["version"].clone();
    let nothing = json!({ "expectedVersion": version, "roles": [], "methods": [] });
    let cleared = company.put(&format!("{path}/mappings"), nothing);
    if is_owing(&cleared) {
        return cleared;
    }
    cleared.is(200);
    for collection in ["ledger/money-accounts", "ledger/branches"] {
        for id in company.list(collection, &of_entity).is(200).ids() {
            let archived = company.archive(&format!("{collection}/{id}"));
            if is_owing(&archived) {
                return archived;
            }
            archived.is(200);
        }
    }
    company.archive(&path)
}
