//! Short words for what tests do with the books of a legal entity.

use std::collections::BTreeMap;

use chrono::{Days, Months, NaiveDate, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::company::{fresh, with};
use crate::services::ledger::{Call, Leg, Party, PartyKind, Posting, Side, Target};
use crate::services::{self, Key, id, key, new_key, read_answer};
use crate::{Answer, Company, Database};

/// A legal entity of a company on the host whose services tests may call.
#[derive(Clone)]
pub struct Books {
    pub shop: Company,
    pub entity: String,
}

/// The company's calendar day: UTC, as long as the company sets no other zone.
pub fn today() -> NaiveDate {
    Utc::now().date_naive()
}

/// A day relative to today.
pub fn day(from_now: i64) -> String {
    let days = Days::new(from_now.unsigned_abs());
    let day = if from_now < 0 { today().checked_sub_days(days) } else { today().checked_add_days(days) };
    day.expect("a day of the calendar").to_string()
}

/// The `day`th of the month that lies so many months back.
pub fn month_day(months_ago: u32, day: u32) -> String {
    format!("{}-{day:02}", month(months_ago))
}

/// The month that lies so many months back: YYYY-MM.
pub fn month(months_ago: u32) -> String {
    let day = today().checked_sub_months(Months::new(months_ago)).expect("a month of the calendar");
    day.format("%Y-%m").to_string()
}

/// A new legal entity's body.
pub fn entity(code: &str) -> Json {
    json!({ "code": code, "name": format!("Entity {code}") })
}

/// A company whose own entity keeps books in euro since the first day of three months ago.
pub fn books(database: Database) -> Books {
    books_with(database, json!({}))
}

/// The same with members of the entity changed or added.
pub fn books_with(database: Database, members: Json) -> Books {
    let shop = services::host(database).company();
    let base = json!({
        "keepsBooks": true, "currencyCode": "EUR", "booksStartOn": month_day(3, 1), "chart": "STANDARD",
    });
    let body = with(&with(&entity("BOOKS"), base), members);
    let entity = shop.post("ledger/legal-entities", body).is(201).id();
    Books { shop, entity }
}

impl Books {
    /// The path of something of this entity.
    pub fn at(&self, path: &str) -> String {
        format!("ledger/legal-entities/{}/{path}", self.entity)
    }

    /// The id of the account with this code.
    #[track_caller]
    pub fn account(&self, code: &str) -> String {
        let found = self.record("ledger/accounts", code);
        found.unwrap_or_else(|| panic!("no account {code}"))["id"].as_str().unwrap_or_default().to_string()
    }

    /// The id of the money account with this code.
    #[track_caller]
    pub fn money(&self, code: &str) -> String {
        let found = self.record("ledger/money-accounts", code);
        found.unwrap_or_else(|| panic!("no money account {code}"))["id"].as_str().unwrap_or_default().to_string()
    }

    fn record(&self, path: &str, code: &str) -> Option<Json> {
        let all = self.shop.all(path, &[("legalEntityId", &self.entity), ("limit", "100")]);
        all.into_iter().find(|record| record["code"] == code)
    }

    /// A manual entry on two accounts by code.
    #[track_caller]
    pub fn manual(&self, on: &str, debit: &str, credit: &str, amount: &str) -> Answer {
        let body = self.entry(on, &[(debit, "debit", amount), (credit, "credit", amount)]);
        self.shop.post("ledger/journal-entries", body)
    }

    /// The body of a manual entry: lines of account code, side and amount.
    #[track_caller]
    pub fn entry(&self, on: &str, lines: &[(&str, &str, &str)]) -> Json {
        let line =
            |(code, side, amount): &(&str, &str, &str)| json!({ "accountId": self.account(code), (*side): amount });
        json!({
            "legalEntityId": self.entity, "entryDate": on, "description": "By hand",
            "lines": lines.iter().map(line).collect::<Vec<_>>(),
        })
    }

    /// A posting of a new source: legs of role, side and amount.
    pub fn posting(&self, legs: &[(&str, &str, &str)]) -> Posting {
        Posting {
            entity: self.key(),
            currency_code: "EUR".to_string(),
            currency_pointer: None,
            on: None,
            on_pointer: None,
            source_kind: "TEST".to_string(),
            source_id: new_key(),
            purpose: "TEST".to_string(),
            text: fresh("Posted "),
            legs: legs
                .iter()
                .map(|(role, side, amount)| leg(Target::Role((*role).to_string()), side, amount))
                .collect(),
        }
    }

    /// A hold of another module's record on this entity.
    pub fn hold(&self, kind: &str, holder: Key, branch: Option<Key>, money_account: Option<Key>) -> Call {
        Call::Hold { kind: kind.to_string(), holder, entity: self.key(), branch, money_account }
    }

    /// The journal as a table.
    #[track_caller]
    pub fn journal(&self) -> String {
        self.shop.journal_table(&self.entity)
    }

    /// The entity's id as services spell it.
    pub fn key(&self) -> Key {
        key(&self.entity)
    }

    /// Calls services of the ledger in one transaction.
    #[track_caller]
    pub fn calls(&self, calls: &[Call]) -> Answer {
        self.shop.try_ledger(calls)
    }

    /// Calls one service of the ledger.
    #[track_caller]
    pub fn call(&self, call: impl Into<Call>) -> Answer {
        self.calls(&[call.into()])
    }

    /// Calls one service of the ledger, as it must succeed.
    #[track_caller]
    pub fn ask<T: DeserializeOwned>(&self, call: impl Into<Call>) -> T {
        read_answer(&self.call(call).is(200), 0)
    }

    /// Posts, as it must succeed: the entry as people read it.
    #[track_caller]
    pub fn post_entry(&self, posting: Posting) -> Answer {
        let entry: Option<Key> = self.ask(posting);
        let entry = entry.expect("nothing was posted");
        self.shop.get(&format!("ledger/journal-entries/{}", id(entry))).is(200)
    }

    /// The whole mapping set.
    #[track_caller]
    pub fn mappings(&self) -> Json {
        self.shop.get(&self.at("mappings")).is(200).body
    }

    /// Replaces some mappings and leaves the others: pairs of role or method and the account's or money account's id.
    #[track_caller]
    pub fn map(&self, changes: &[(&str, Option<&str>)]) -> Answer {
        let set = self.mappings();
        let changed = |list: &str, name: &str, member: &str| -> Vec<Json> {
            let items = set[list].as_array().cloned().unwrap_or_default();
            items
                .into_iter()
                .map(|item| match changes.iter().find(|(changed, _)| item[name] == *changed) {
                    Some((_, id)) => with(&item, json!({ member: id })),
                    None => item,
                })
                .collect()
        };
        let body = json!({
            "expectedVersion": set["version"],
            "roles": changed("roles", "role", "accountId"),
            "methods": changed("methods", "method", "moneyAccountId"),
        });
        self.shop.put(&self.at("mappings"), body)
    }

    /// Closing balances of the trial balance by account code, zeros left out.
    #[track_caller]
    pub fn closing(&self) -> BTreeMap<String, String> {
        let rows = self.trial(&[("to", &day(1))]).into_iter().map(|(code, row)| (code, text(&row["closing"])));
        rows.filter(|(_, closing)| closing != ZERO).collect()
    }

    /// The rows of the trial balance by account code; both sides are equal.
    #[track_caller]
    pub fn trial(&self, query: &[(&str, &str)]) -> BTreeMap<String, Json> {
        let answer = self.trial_answer(query);
        let totals = &answer["totals"];
        if !query.iter().any(|(name, _)| *name == "branchId") {
            assert_eq!(totals["debit"], totals["credit"], "{answer}");
            assert_eq!((&totals["opening"], &totals["closing"]), (&json!(ZERO), &json!(ZERO)), "{answer}");
        }
        let rows = answer["rows"].as_array().cloned().unwrap_or_default();
        rows.into_iter().map(|row| (text(&row["code"]), row)).collect()
    }

    #[track_caller]
    pub fn trial_answer(&self, query: &[(&str, &str)]) -> Answer {
        let query: Vec<(&str, &str)> = query.iter().copied().chain([("legalEntityId", self.entity.as_str())]).collect();
        self.shop.list("ledger/trial-balance", &query).is(200)
    }

    /// Closes a month as it is.
    #[track_caller]
    pub fn close(&self, month: &str) -> Answer {
        let version = self.version_of(month);
        self.shop.post(&self.at(&format!("periods/{month}/close")), json!({ "expectedVersion": version }))
    }

    #[track_caller]
    pub fn reopen(&self, month: &str) -> Answer {
        let version = self.version_of(month);
        let body = json!({ "expectedVersion": version, "reason": "A late invoice" });
        self.shop.post(&self.at(&format!("periods/{month}/reopen")), body)
    }

    #[track_caller]
    fn version_of(&self, month: &str) -> i64 {
        let year = month.split('-').next().unwrap_or_default();
        let months = self.shop.list(&self.at("periods"), &[("year", year)]).is(200);
        let found = months.items().iter().find(|period| period["month"] == month);
        found.and_then(|period| period["version"].as_i64()).unwrap_or(1)
    }

    /// The number of this entity's entries.
    pub fn entries(&self) -> i64 {
        self.shop.count("ledger_entry", "1 = 1")
    }
}

/// A leg of a posting; the side is `debit` or `credit`.
pub fn leg(target: Target, side: &str, amount: &str) -> Leg {
    let side = if side == "debit" { Side::Debit } else { Side::Credit };
    Leg { target, side, amount: amount.to_string(), party: None, branch: None, pointer: None }
}

/// A customer, as legs name him.
pub fn customer(id: &str) -> Option<Party> {
    Some(Party { kind: PartyKind::Customer, id: key(id) })
}

/// Zero as the journal answers it.
pub const ZERO: &str = "0.000000000000";

/// A text member.
pub fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_string()
}

impl Company {
    /// Leaves the company's people only these permissions, behind the host's back.
    pub fn allow_only(&self, permissions: &[&str]) {
        self.change("update stoa_role set system = (1 = 0) where {tenant}");
        self.change("delete from stoa_role_permission where {tenant}");
        for permission in permissions {
            self.change(&format!(
                "insert into stoa_role_permission (tenant_id, role_id, permission)
                 select tenant_id, id, '{permission}' from stoa_role where {{tenant}}"
            ));
        }
    }
}
