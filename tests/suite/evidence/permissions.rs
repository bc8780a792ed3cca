//! Permissions of operations: the matrix as a reviewed text, and every line of it tried, with the permission and without.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::contract::{Audience, Contract, Operation};
use stoa_tests::reviewed::reviewed;
use stoa_tests::{Answer, Company, Database, Request, company, host, modules, on_both_databases};

stoa_tests::tests![the_matrix_is_reviewed, every_function_of_a_service_states_what_callers_hold];

on_both_databases![
    without_the_permission_nothing_is_learnt,
    with_exactly_the_permission_one_is_let_in,
    without_any_permission_a_member_is_let_in_where_membership_is_enough,
    without_the_scope_nothing_is_learnt,
    with_exactly_the_scope_one_is_let_in,
    nobody_calls_in_anothers_name,
];

/// Operation by audience by permission or scope, one line each.
fn the_matrix_is_reviewed() {
    let contract = Contract::new(super::contract::contract_of_modules().clone());
    let mut lines: Vec<String> = contract.operations.iter().map(line).collect();
    lines.sort();
    reviewed("permissions.txt", &(lines.join("\n") + "\n"));
}

/// Functions for which callers hold nothing in particular: they return what every member may read, or judge an argument.
const OPEN: [&str; 11] = [
    "commerce:ledger/books#admit",
    "commerce:ledger/books#admit-costs",
    "commerce:ledger/books#line-accounts",
    "commerce:ledger/books#today",
    "commerce:ledger/directory#branches",
    "commerce:ledger/directory#entities",
    "commerce:ledger/directory#find-branch",
    "commerce:ledger/directory#find-entity",
    "commerce:ledger/directory#require",
    "commerce:ledger/money#get",
    "commerce:ledger/money#resolve",
];

/// A function that states nothing is open to every caller of a partner's module, so each open one is listed.
fn every_function_of_a_service_states_what_callers_hold() {
    let mut functions = 0;
    for module in ["catalog", "pricing", "inventory", "procurement", "sales", "pos", "finance", "ledger"] {
        let file = modules::folder().join(format!("{module}.wasm"));
        let output = host::program().args(["module", "inspect", "--json"]).arg(file).output();
        let surface: Json = serde_json::from_slice(&output.expect("cannot run stoa").stdout).expect("a surface");
        let function_name =
            |service: &Json| Some(format!("{}#{}", service["interface"].as_str()?, service["function"].as_str()?));
        let stated: BTreeSet<String> =
            surface["descriptor"]["services"].as_array().into_iter().flatten().filter_map(function_name).collect();
        let open = OPEN.iter().filter(|name| name.starts_with(&format!("commerce:{module}/")));
        let stated: BTreeSet<String> = stated.into_iter().chain(open.map(|name| name.to_string())).collect();
        let offers = surface["offers"].as_object().expect("services");
        let names = offers.iter().flat_map(|(service, functions)| {
            let service = service.split('@').next().unwrap_or_default();
            functions.as_object().into_iter().flat_map(|all| all.keys()).map(move |name| format!("{service}#{name}"))
        });
        let offered: BTreeSet<String> = names.collect();
        assert_eq!(stated, offered, "{module}");
        functions += offered.len();
    }
    assert!(functions > 50, "{functions}");
}

fn line(operation: &Operation) -> String {
    let sets = operation.admitting().iter().map(|codes| codes.join(" and ")).collect::<Vec<_>>().join(" or ");
    let (audience, needs) = match operation.audience() {
        Audience::Anybody => ("anybody", "nothing".to_string()),
        Audience::User if !sets.is_empty() => ("user", format!("permission {sets}")),
        Audience::User if operation.of_tenant() => ("user", "membership".to_string()),
        Audience::User => ("user", "verified identity".to_string()),
        Audience::Machine if !sets.is_empty() => ("api-client", format!("scope {sets}")),
        Audience::Machine => ("api-client", "key".to_string()),
    };
    format!("{} {} {} | {audience} | {needs}", operation.path, operation.method, operation.id)
}

/// Returns whether the tests below try an operation: those for any caller need nothing that could be lacking.
pub fn tried(operation: &Operation) -> bool {
    match operation.audience() {
        Audience::Anybody => true,
        Audience::User if operation.admitting().concat().is_empty() => true,
        Audience::User => operation.of_tenant(),
        Audience::Machine => !operation.admitting().concat().is_empty(),
    }
}

fn select_audience(contract: &Contract, audience: Audience) -> impl Iterator<Item = &Operation> {
    contract.operations.iter().filter(move |operation| operation.audience() == audience)
}

/// Operations by what lets callers in.
fn by_access(contract: &Contract, audience: Audience) -> BTreeMap<Vec<Vec<String>>, Vec<&Operation>> {
    let mut groups: BTreeMap<_, Vec<&Operation>> = BTreeMap::new();
    for operation in select_audience(contract, audience).filter(|operation| !operation.admitting().concat().is_empty())
    {
        groups.entry(operation.admitting()).or_default().push(operation);
    }
    groups
}

/// Every set of codes that comes as near as possible without letting in: of several that are needed together all but
/// one, and none of those that would each be enough.
fn nearly(catalog: &BTreeSet<String>, admitting: &[Vec<String>]) -> Vec<BTreeSet<String>> {
    match admitting {
        [together] => {
            together.iter().map(|lacking| catalog.iter().filter(|code| *code != lacking).cloned().collect()).collect()
        }
        alone => vec![catalog.iter().filter(|code| !alone.concat().contains(code)).cloned().collect()],
    }
}

/// A request for an operation as wrong as can be, in several ways: none may show before the refusal.
fn wrong(operation: &Operation, tenant: &str, request: impl Fn(&str) -> Request) -> Vec<Answer> {
    let nonsense = operation.filled(tenant, |_| "no-such-thing".into());
    let absent = operation.filled(tenant, |_| uuid::Uuid::now_v7().to_string());
    let with_body = |request: Request, body: &str| match operation.method.as_str() {
        "GET" => request,
        _ => request.bytes(body.to_string()),
    };
    vec![
        with_body(request(&nonsense), "{\"unknown\":").send(),
        with_body(request(&absent), "{}").send(),
        with_body(request(&absent), "{\"name\":7,\"name\":8}").send(),
        with_body(request(&format!("{absent}?bogus=1")), &json!({ "expectedVersion": "x" }).to_string()).send(),
        with_body(request(&absent).without("idempotency-key").header("content-type", "text/plain"), "text").send(),
        with_body(request(&absent).header("accept", "text/html"), "[]").send(),
    ]
}

/// True where the request may have any fault but its sender.
fn is_let_in(answer: &Answer) -> bool {
    (200..500).contains(&answer.status) && ![401, 403, 405, 429].contains(&answer.status)
}

fn codes(set: &BTreeSet<String>) -> Vec<&str> {
    set.iter().map(String::as_str).collect()
}

/// The permissions of the active catalog: an owner has them all.
fn catalog(shop: &Company) -> BTreeSet<String> {
    let context = shop.get("context").is(200);
    let listed = context["permissions"].as_array().into_iter().flatten();
    listed.filter_map(|code| code.as_str().map(String::from)).collect()
}

/// Every scope that any operation names.
fn scopes(contract: &Contract) -> BTreeSet<String> {
    select_audience(contract, Audience::Machine).flat_map(|operation| operation.admitting().concat()).collect()
}

/// A user whose one role grants exactly these permissions.
fn staff(shop: &Company, permissions: &[&str]) -> Company {
    shop.member("staff", &[&shop.role(&fresh("ROLE"), permissions)]).1
}

/// State but for the record of denials, which are written down.
fn state(shop: &Company) -> BTreeMap<String, (usize, u64)> {
    let mut digest = shop.digest();
    digest.remove("stoa_audit");
    digest
}

fn without_the_permission_nothing_is_learnt(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let catalog = catalog(&shop);
    let mut tried = 0;
    for (admitting, operations) in by_access(&contract, Audience::User) {
        for held in nearly(&catalog, &admitting) {
            assert!(!held.is_empty() && held.len() < catalog.len(), "{admitting:?}");
            let person = staff(&shop, &codes(&held));
            let before = state(&shop);
            for operation in &operations {
                let request = |path: &str| shop.host.request(&operation.method, path).token(&person.token);
                let answers = wrong(operation, &shop.tenant, request);
                for answer in &answers {
                    assert_eq!(answer.masked(), answers[0].masked(), "{}: answers differ", operation.id);
                    assert_eq!(
                        answer["code"], "PERMISSION_DENIED",
                        "{} without one of {admitting:?}: {answer}",
                        operation.id
                    );
                }
                tried += 1;
            }
            assert_eq!(state(&shop), before, "something changed without {admitting:?}");
        }
    }
    assert!(tried > 30, "only {tried} operations");
}

fn with_exactly_the_permission_one_is_let_in(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let mut tried = 0;
    for (admitting, operations) in by_access(&contract, Audience::User) {
        for held in &admitting {
            let person = staff(&shop, &held.iter().map(String::as_str).collect::<Vec<_>>());
            for operation in &operations {
                let request = |path: &str| shop.host.request(&operation.method, path).token(&person.token);
                for answer in wrong(operation, &shop.tenant, request) {
                    assert!(is_let_in(&answer), "{held:?}: {answer}");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 30, "only {tried} operations");
}

fn without_any_permission_a_member_is_let_in_where_membership_is_enough(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let (_, person) = shop.member("member", &[]);
    let for_members = select_audience(&contract, Audience::User)
        .filter(|operation| operation.of_tenant() && operation.admitting().concat().is_empty());
    let mut tried = 0;
    for operation in for_members {
        for answer in
            wrong(operation, &shop.tenant, |path| shop.host.request(&operation.method, path).token(&person.token))
        {
            assert!(is_let_in(&answer), "{answer}");
        }
        tried += 1;
    }
    assert!(tried > 10, "only {tried} operations");
}

fn without_the_scope_nothing_is_learnt(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let catalog = scopes(&contract);
    let mut tried = 0;
    for (admitting, operations) in by_access(&contract, Audience::Machine) {
        for held in nearly(&catalog, &admitting) {
            assert!(!held.is_empty() && held.len() < catalog.len(), "{admitting:?}");
            let machine = shop.machine(&codes(&held));
            let before = state(&shop);
            for operation in &operations {
                let request = |path: &str| shop.host.request(&operation.method, path).token(&machine.key);
                let answers = wrong(operation, "", request);
                for answer in &answers {
                    assert_eq!(answer.masked(), answers[0].masked(), "{}: answers differ", operation.id);
                    assert_eq!(
                        answer["code"], "SCOPE_DENIED",
                        "{} without one of {admitting:?}: {answer}",
                        operation.id
                    );
                }
                tried += 1;
            }
            assert_eq!(
                without_last_use(state(&shop)),
                without_last_use(before),
                "something changed without {admitting:?}"
            );
        }
    }
    assert!(tried > 10, "only {tried} operations");
}

/// When a key was last used is kept in its row.
fn without_last_use(mut state: BTreeMap<String, (usize, u64)>) -> BTreeMap<String, (usize, u64)> {
    state.remove("stoa_api_key");
    state
}

fn with_exactly_the_scope_one_is_let_in(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let mut tried = 0;
    for (admitting, operations) in by_access(&contract, Audience::Machine) {
        for held in &admitting {
            let machine = shop.machine(&held.iter().map(String::as_str).collect::<Vec<_>>());
            for operation in &operations {
                let request = |path: &str| shop.host.request(&operation.method, path).token(&machine.key);
                for answer in wrong(operation, "", request) {
                    assert!(is_let_in(&answer), "{held:?}: {answer}");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 10, "only {tried} operations");
}

/// Without a credential, with one of the other family, with one of another company.
fn nobody_calls_in_anothers_name(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let scopes = scopes(&contract);
    let machine = shop.machine(&codes(&scopes));
    let stranger = shop.as_user("stranger@example.test");
    let before = state(&shop);
    for operation in &contract.operations {
        let ask = |token: Option<&str>| {
            wrong(operation, &shop.tenant, |path| {
                let request = shop.host.request(&operation.method, path);
                match token {
                    Some(token) => request.token(token),
                    None => request,
                }
            })
        };
        let all = |token: Option<&str>, code: &str| {
            for answer in ask(token) {
                assert_eq!(answer["code"], code, "{}: {answer}", operation.id);
            }
        };
        match operation.audience() {
            Audience::Anybody => {
                for answer in ask(None) {
                    assert!(![401, 403].contains(&answer.status), "{}: {answer}", operation.id);
                }
            }
            Audience::User => {
                all(None, "UNAUTHENTICATED");
                all(Some(&machine.key), "WRONG_IDENTITY_FAMILY");
                if operation.of_tenant() {
                    all(Some(&stranger.token), "MEMBERSHIP_REQUIRED");
                }
            }
            Audience::Machine => {
                all(None, "UNAUTHENTICATED");
                all(Some(&shop.token), "WRONG_IDENTITY_FAMILY");
            }
        }
    }
    assert_eq!(without_last_use(state(&shop)), without_last_use(before));
}
