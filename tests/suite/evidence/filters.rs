//! A list takes all of its filters at once: the store bounds what a filter asks, and what a list offers must fit.

use stoa_tests::contract::Audience;
use stoa_tests::{Database, host, on_one_database};
use uuid::Uuid;

use super::tenancy::fields::forms;
use super::tenancy::records::Records;
use super::tenancy::requests::{Caller, filters};

on_one_database![a_list_takes_all_of_its_filters_at_once];

fn a_list_takes_all_of_its_filters_at_once(database: Database) {
    let host = host::shared(database);
    let contract = host.contract();
    let company = host.company_of("ada@example.test");
    let (caller, records) = (Caller::new(&company), Records::new(&company, "OWN"));
    let (mut taken, mut faults) = (0, Vec::new());
    let reads = |audience: Audience| audience != Audience::Anybody;
    for operation in contract.operations.iter().filter(|one| one.method == "GET" && reads(one.audience())) {
        for form in forms(&contract, operation) {
            let mut query = filters(&contract, &form).unwrap_or_else(|why| panic!("{form}: {why}"));
            // Neither goes with every filter.
            query.retain(|(name, _)| name != "sort" && name != "cursor");
            // A filter that is on asks more than one that is off.
            query.iter_mut().filter(|(_, value)| value == "false").for_each(|(_, value)| *value = "true".to_string());
            let is_id = |parameter: &&serde_json::Value| {
                let id = contract.resolve(&parameter["schema"])["format"] == "uuid";
                id && parameter["in"] == "query" && parameter["required"] != true && parameter["name"] != "cursor"
            };
            for parameter in contract.parameters(operation).filter(is_id) {
                let name = parameter["name"].as_str().unwrap_or_default().to_string();
                query.push((name, Uuid::now_v7().to_string()));
            }
            let answer = caller.ask_with(&contract, &form, &records, &query);
            taken += usize::from(query.len() > 4 && answer.status == 200);
            if answer.status >= 500 {
                faults.push(format!("{form}: {answer}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(taken > 20, "{taken} lists took more than four filters");
}
