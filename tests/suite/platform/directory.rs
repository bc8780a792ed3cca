//! The directory of users' companies goes in step with the memberships, whatever changes these, and `/auth/me` asks the companies
//! that it names and no others.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::dice::Dice;
use stoa_tests::people::somebody;
use stoa_tests::{Company, Database, Stoa, host, on_both_databases};

on_both_databases![
    the_directory_is_in_step_with_the_memberships,
    a_company_that_the_directory_does_not_name_is_not_asked,
    each_request_runs_where_its_rows_are,
];

/// Steps of the walk: commands, refused ones too, and new companies.
const STEPS: usize = 60;

/// A person who signs in at this host.
struct Person {
    email: String,
    id: String,
}

impl Person {
    fn new(host: &Stoa) -> Person {
        let email = somebody("walker");
        Person { id: host.user_id(&email), email }
    }

    /// The companies that `/auth/me` names.
    fn companies(&self, host: &Stoa) -> BTreeSet<String> {
        let me = host.request("GET", "/v1/auth/me").token(&host.token(&self.email)).send().is(200);
        let memberships = me["memberships"].as_array().cloned().unwrap_or_default();
        memberships.iter().filter_map(|membership| membership["tenantId"].as_str().map(str::to_string)).collect()
    }
}

/// Every command of the contract: its members by name, and their schemas.
fn commands(host: &Stoa) -> Vec<Vec<(String, Json)>> {
    let contract = host.contract();
    let operation = contract.operations.iter().find(|operation| operation.id == "executeIamCommand");
    let body = operation.and_then(|operation| {
        operation.document.pointer("/requestBody/content/application~1json/schema").map(|body| contract.resolve(body))
    });
    let commands = body.and_then(|body| body["oneOf"].as_array()).cloned().unwrap_or_default();
    assert!(commands.len() >= 7, "the commands are not found: {body:?}");
    let members = |command: &Json| {
        let members = contract.resolve(command)["properties"].as_object().cloned().unwrap_or_default();
        members.into_iter().map(|(name, schema)| (name, contract.resolve(&schema).clone())).collect()
    };
    commands.iter().map(members).collect()
}

/// A command on what the company has, by chance. A member that no command had before needs a line here.
fn fill(dice: &mut Dice, shop: &Company, people: &[Person], members: &[(String, Json)]) -> Json {
    let mut body = json!({});
    for (name, schema) in members {
        body[name] = match name.as_str() {
            "kind" => schema.get("const").or(schema["enum"].get(0)).cloned().unwrap_or_default(),
            "status" => dice.pick(schema["enum"].as_array().expect("statuses")).clone(),
            "userId" => json!(dice.pick(people).id),
            // Not the owner's: who walks must be let in.
            "membershipId" => {
                let own_membership = shop.own_membership();
                let others = shop.all("iam/memberships", &[]);
                let others: Vec<&Json> =
                    others.iter().map(|member| &member["id"]).filter(|id| **id != own_membership.as_str()).collect();
                if others.is_empty() { json!(own_membership) } else { (*dice.pick(&others)).clone() }
            }
            "roleId" => dice.pick(&shop.all("iam/roles", &[]))["id"].clone(),
            "code" | "name" => json!(fresh("ROLE")),
            "permissions" => json!([dice.pick(&["users.manage", "catalog.read"])]),
            other => panic!("no value for {other}"),
        };
    }
    body
}

/// The users of the company's memberships, where the company is.
fn list_members(shop: &Company) -> Vec<Vec<String>> {
    let mut rows = shop.rows("select user_id from stoa_membership where {tenant}");
    rows.sort();
    rows
}

/// The company's users by the directory, at home.
fn list_users(shop: &Company) -> Vec<Vec<String>> {
    let company = shop.literal(&shop.tenant);
    let mut rows = shop.host.rows(&format!("select user_id from stoa_user_company where tenant_id = {company}"));
    rows.sort();
    rows
}

fn the_directory_is_in_step_with_the_memberships(database: Database) {
    let mut dice = Dice::new("directory");
    let host = host::shared(database);
    let commands = commands(&host);
    let people: Vec<Person> = (0..4).map(|_| Person::new(&host)).collect();
    let mut shops = vec![host.company_of(&people[0].email), host.company_of(&people[1].email)];
    let mut done = 0;
    for _ in 0..STEPS {
        if dice.one_in(10) {
            shops.push(host.company_of(&dice.pick(&people).email));
            continue;
        }
        let shop = dice.pick(&shops).clone();
        let command = dice.pick(&commands).clone();
        let body = fill(&mut dice, &shop, &people, &command);
        done += usize::from(shop.post("iam/commands", body).status == 201);
    }
    assert!(done > STEPS / 4, "only {done} commands were done");
    let owner = &people[2].id;
    let created = host.operator(&["create", "--name", "By hand", "--currency", "EUR", "--owner", owner]);
    let tenant = created.expect("a company")["tenantId"].as_str().expect("its id").to_string();
    shops.push(Company { tenant, token: host.token(&people[2].email), ..shops[0].clone() });
    for shop in &shops {
        let members = list_members(shop);
        assert!(!members.is_empty());
        assert_eq!(list_users(shop), members, "{}", shop.tenant);
    }
    for person in &people {
        let is_member = |shop: &&Company| list_members(shop).contains(&vec![person.id.clone()]);
        let expected: BTreeSet<String> = shops.iter().filter(is_member).map(|shop| shop.tenant.clone()).collect();
        assert_eq!(person.companies(&host), expected, "{}", person.email);
    }
}

fn a_company_that_the_directory_does_not_name_is_not_asked(database: Database) {
    let host = host::shared(database);
    let person = Person::new(&host);
    let shops = [host.company_of(&person.email), host.company_of(&person.email)];
    let company = shops[0].literal(&shops[0].tenant);
    host.change(&format!("delete from stoa_user_company where tenant_id = {company}"));
    assert_eq!(person.companies(&host), BTreeSet::from([shops[1].tenant.clone()]));
    // The membership decides who may do what: the directory is asked for nothing else.
    shops[0].get("context").is(200);
}

/// Transactions of the host so far at places of this name.
fn count_transactions(host: &Stoa, place: &str) -> u64 {
    let metrics = host.metrics();
    let counters = metrics.lines().filter(|line| {
        line.starts_with("stoa_database_transactions_total{") && line.contains(&format!("place=\"{place}\""))
    });
    counters.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

fn each_request_runs_where_its_rows_are(database: Database) {
    // Its own: no transactions of others are counted.
    let host = Stoa::start(database);
    let shop = host.company();
    let count = |what: &str, request: &dyn Fn()| {
        let before = count_transactions(&host, "company");
        (0..20).for_each(|_| request());
        let counted = count_transactions(&host, "company") - before;
        println!("{what}: {counted}");
        counted
    };
    let of_company = count("of a company", &|| drop(shop.get("context").is(200)));
    assert!((20..30).contains(&of_company), "{of_company}: one each, and now and then a lease");
    let of_nobody = count("of no company", &|| drop(host.get_with("/v1/auth/me", &shop.token).is(200)));
    assert_eq!(of_nobody, 0);
}
