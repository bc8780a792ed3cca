//! One call: `{"call": "post", ...}` with the arguments of the function, ids and amounts as texts.

use serde_json::{Value as Json, json};
use stoa_sdk::{Id, Problem};

use crate::bindings::commerce::ledger::{books, directory, money};

type Wire = (u64, u64);

fn text(of: &Json) -> String {
    of.as_str().unwrap_or_default().to_owned()
}

fn maybe(of: &Json) -> Option<String> {
    of.as_str().map(str::to_owned)
}

fn id(of: &Json) -> Wire {
    match of.as_str().and_then(|text| text.parse::<Id>().ok()) {
        Some(id) => id.into(),
        None => stoa_sdk::host::fault("the test names no id"),
    }
}

fn maybe_id(of: &Json) -> Option<Wire> {
    (!of.is_null()).then(|| id(of))
}

fn each<T>(of: &Json, read: impl Fn(&Json) -> T) -> Vec<T> {
    of.as_array().into_iter().flatten().map(read).collect()
}

fn shown(id: Wire) -> Json {
    json!(Id::from(id))
}

/// `{"debit": "INVENTORY", "amount": "1"}` or `credit`; `account` and `money` stand for their kind of target.
fn leg(of: &Json) -> books::Leg {
    let (side, target) = match of["debit"].is_null() {
        false => (books::Side::Debit, &of["debit"]),
        true => (books::Side::Credit, &of["credit"]),
    };
    let target = match target {
        Json::String(role) => books::Target::Role(role.clone()),
        other if other["account"].is_string() => books::Target::Account(id(&other["account"])),
        other => books::Target::Money(id(&other["money"])),
    };
    let party = ["customer", "supplier"].into_iter().find(|kind| of[*kind].is_string());
    let party = party.map(|kind| books::Party {
        kind: if kind == "customer" { books::PartyKind::Customer } else { books::PartyKind::Supplier },
        id: id(&of[kind]),
    });
    books::Leg {
        target,
        side,
        amount: text(&of["amount"]),
        party,
        branch: maybe_id(&of["branch"]),
        pointer: maybe(&of["pointer"]),
    }
}

fn posting(of: &Json) -> books::Posting {
    books::Posting {
        entity: id(&of["entity"]),
        currency_code: text(&of["currency"]),
        currency_pointer: maybe(&of["currencyPointer"]),
        on: maybe(&of["on"]),
        on_pointer: maybe(&of["onPointer"]),
        source_kind: text(&of["sourceKind"]),
        source_id: id(&of["sourceId"]),
        purpose: text(&of["purpose"]),
        text: text(&of["text"]),
        legs: each(&of["legs"], leg),
    }
}

fn entity(of: directory::Entity) -> Json {
    json!({
        "id": shown(of.id), "code": of.code, "name": of.name, "active": of.active, "keepsBooks": of.keeps_books,
        "currencyCode": of.currency_code, "amountScale": of.amount_scale,
    })
}

fn branch(of: directory::Branch) -> Json {
    json!({ "id": shown(of.id), "entityId": shown(of.entity_id), "code": of.code, "name": of.name, "active": of.active })
}

fn account(of: money::Account) -> Json {
    json!({
        "id": shown(of.id), "entityId": shown(of.entity_id), "kind": of.kind, "till": of.till, "active": of.active,
        "name": of.name,
    })
}

pub fn make(call: &Json) -> Result<Json, Problem> {
    let answer = match call["call"].as_str().unwrap_or_default() {
        "post" => json!(books::post(&posting(call))?.map(shown)),
        "postAll" => {
            let entries = books::post_all(&each(&call["postings"], posting))?;
            entries.into_iter().map(|entry| json!(entry.map(shown))).collect()
        }
        "mirror" => {
            let (on, pointer) = (maybe(&call["on"]), maybe(&call["onPointer"]));
            let (kind, source) = (text(&call["sourceKind"]), id(&call["sourceId"]));
            let text = text(&call["text"]);
            let mirrors = books::mirror(&kind, source, on.as_deref(), pointer.as_deref(), &text)?;
            mirrors.into_iter().map(shown).collect()
        }
        "admit" => {
            let amount = |of: &Json| books::Amount { value: text(&of["value"]), pointer: maybe(&of["pointer"]) };
            let (currency, pointer) = (maybe(&call["currency"]), maybe(&call["currencyPointer"]));
            let (roles, amounts) = (each(&call["roles"], text), each(&call["amounts"], amount));
            let entity = id(&call["entity"]);
            let terms = books::admit(entity, currency.as_deref(), pointer.as_deref(), &roles, &amounts)?;
            terms.map_or(Json::Null, |terms| json!([terms.currency_code, terms.amount_scale]))
        }
        "admitCosts" => {
            let cost = |of: &Json| books::Cost {
                unit_cost: text(&of["unitCost"]),
                decimal_places: of["decimalPlaces"].as_u64().and_then(|of| u8::try_from(of).ok()).unwrap_or_default(),
                pointer: text(&of["pointer"]),
            };
            books::admit_costs(id(&call["entity"]), &each(&call["costs"], cost))?;
            Json::Null
        }
        "today" => json!(books::today()),
        "roleBalances" => {
            let (roles, day) = (each(&call["roles"], text), maybe(&call["asOf"]));
            let balances = books::role_balances(id(&call["entity"]), &roles, day.as_deref())?;
            balances.into_iter().map(|of| json!([of.role, of.balance])).collect()
        }
        "lineAccounts" => {
            let accounts = each(&call["ids"], id);
            let fit = books::line_accounts(id(&call["entity"]), &accounts, &each(&call["types"], text))?;
            fit.into_iter().map(shown).collect()
        }
        "begin" => {
            let version = call["expectedVersion"].as_i64().unwrap_or_default();
            let scale = call["amountScale"].as_u64().and_then(|of| u8::try_from(of).ok()).unwrap_or_default();
            books::begin(id(&call["entity"]), version, &text(&call["currency"]), scale)?;
            Json::Null
        }
        "entities" => directory::entities(&each(&call["ids"], id)).into_iter().map(entity).collect(),
        "branches" => directory::branches(&each(&call["ids"], id)).into_iter().map(branch).collect(),
        "findEntity" => json!(directory::find_entity(&text(&call["code"])).map(entity)),
        "findBranch" => json!(directory::find_branch(id(&call["entity"]), &text(&call["code"])).map(branch)),
        "require" => {
            let of = directory::require(id(&call["entity"]), "/legalEntityId", maybe_id(&call["branch"]), "/branchId")?;
            entity(of)
        }
        "hold" => {
            let (kind, holder) = (text(&call["kind"]), id(&call["holder"]));
            let (branch, money) = (maybe_id(&call["branch"]), maybe_id(&call["money"]));
            directory::hold(&kind, holder, id(&call["entity"]), branch, money)?;
            Json::Null
        }
        "release" => {
            directory::release(&text(&call["kind"]), id(&call["holder"]))?;
            Json::Null
        }
        "resolve" => {
            let usage = |of: &Json| money::Usage {
                method: text(&of["method"]),
                stated: maybe_id(&of["stated"]),
                pointer: text(&of["pointer"]),
            };
            let found = money::resolve(id(&call["entity"]), &each(&call["uses"], usage))?;
            found.into_iter().map(|of| of.map_or(Json::Null, account)).collect()
        }
        "moneyAccounts" => money::get(&each(&call["ids"], id)).into_iter().map(account).collect(),
        "flows" => {
            let flows = money::flows(id(&call["entity"]), &text(&call["since"]), &text(&call["until"]))?;
            flows.into_iter().map(|of| json!([shown(of.account), of.opening, of.in_, of.out, of.closing])).collect()
        }
        // As a document that is refused after it has posted.
        "fail" => return Err(Problem::illegal_state("/calls")),
        _ => stoa_sdk::host::fault("the test names no call"),
    };
    Ok(answer)
}
