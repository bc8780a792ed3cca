//! The extensions that an operation may reach: its route names points and kinds of events, and the problems of the
//! modules that extend or receive them are problems of the operation too, in the contract and for the judge.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stoa_descriptor::extension::{Moment, Shown, VIEWS};
use stoa_descriptor::{Descriptor, Route};

use super::arrangement::list_places;
use super::module::Module;
use crate::operations::Operation;

/// The codes with which a module rejects what it extends.
#[derive(Clone, Copy)]
struct ExtensionCodes<'a> {
    module: &'a str,
    problems: &'a [String],
    item_codes: &'a [String],
    /// The places of responses where the module adds members.
    shows: &'a [Shown],
}

/// The extensions of each point, and the modules that receive each kind of event in the transaction, by these names.
pub struct ReachedExtensions<'a>(BTreeMap<&'a str, Vec<ExtensionCodes<'a>>>);

impl<'a> ReachedExtensions<'a> {
    pub fn new(descriptors: impl Iterator<Item = &'a Descriptor>) -> ReachedExtensions<'a> {
        let mut reached: BTreeMap<&str, Vec<ExtensionCodes>> = BTreeMap::new();
        for descriptor in descriptors {
            let codes = ExtensionCodes { module: &descriptor.name, problems: &[], item_codes: &[], shows: &[] };
            for extension in &descriptor.extends {
                let (problems, item_codes) = (extension.problems.as_slice(), extension.item_codes.as_slice());
                reached.entry(&extension.interface).or_default().push(ExtensionCodes { problems, item_codes, ..codes });
            }
            for receiving in descriptor.receives.iter().filter(|it| it.moment == Moment::InTransaction) {
                let problems = receiving.problems.as_slice();
                reached.entry(&receiving.kind).or_default().push(ExtensionCodes { problems, ..codes });
            }
            if !descriptor.shows.is_empty() {
                reached.entry(VIEWS).or_default().push(ExtensionCodes { shows: &descriptor.shows, ..codes });
            }
        }
        ReachedExtensions(reached)
    }

    /// `places`: those of the operation's module.
    fn find<'s>(
        &'s self,
        route: &'s Route,
        places: &'s BTreeSet<&str>,
    ) -> impl Iterator<Item = &'s ExtensionCodes<'a>> + 's {
        let is_called = move |codes: &&ExtensionCodes<'_>| {
            codes.shows.is_empty() || codes.shows.iter().any(|shown| places.contains(shown.place.as_str()))
        };
        let names = route.reaches.iter().chain(&route.events);
        names.filter_map(move |name| self.0.get(name.as_str())).flatten().filter(is_called)
    }

    /// The names of the extensions that an operation may reach, sorted.
    fn list_extensions(&self, route: &Route, places: &BTreeSet<&str>) -> Vec<String> {
        let names: BTreeSet<&str> = self.find(route, places).map(|codes| codes.module).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// The module with the operations as they are in its generation.
    pub fn complete(&self, module: Module) -> Module {
        let descriptor = module.descriptor.clone();
        let places = list_places(&descriptor);
        let routes = module.operations.iter().map(|operation| &operation.route);
        let extended = routes.map(|route| (route.operation.clone(), self.list_extensions(route, &places)));
        let extended_by = extended.filter(|(_, names)| !names.is_empty()).collect();
        let operations = module.operations.iter().map(|operation| self.extend(operation, &places)).collect();
        Module { operations, extended_by, ..module }
    }

    /// The operation with the codes of the extensions that it may reach. One that reaches none is shared as it is.
    fn extend(&self, operation: &Arc<Operation>, places: &BTreeSet<&str>) -> Arc<Operation> {
        let (mut problems, mut item_codes) = (operation.route.problems.clone(), operation.route.item_codes.clone());
        for codes in self.find(&operation.route, places) {
            add_missing(&mut problems, codes.problems);
            add_missing(&mut item_codes, codes.item_codes);
        }
        let is_same =
            problems.len() == operation.route.problems.len() && item_codes.len() == operation.route.item_codes.len();
        if is_same {
            return operation.clone();
        }
        let route = Route { problems, item_codes, ..operation.route.clone() };
        Arc::new(Operation { route, ..(**operation).clone() })
    }
}

fn add_missing(codes: &mut Vec<String>, others: &[String]) {
    for code in others {
        if !codes.contains(code) {
            codes.push(code.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Judged;

    fn operation(reaches: &[&str]) -> Arc<Operation> {
        let route = json!({
            "method": "POST", "path": "/tenants/{tenantId}/sales/{id}/confirm", "operation": "confirmSale",
            "summary": "Confirm a sale", "audience": "user", "access": { "any": [] }, "idempotency": "none",
            "readOnly": false, "status": 200, "response": { "type": "object" }, "bodyLimit": 0, "audit": "SALE",
            "problems": ["VERSION_CONFLICT"], "reaches": reaches,
        });
        let route: Route = serde_json::from_value(route).unwrap();
        Arc::new(Operation::compile(Judged::Now, route, &serde_json::Map::new()).unwrap())
    }

    #[test]
    fn an_operation_has_the_codes_of_the_extensions_that_it_reaches() {
        let whole = json!({
            "name": "limits", "version": "1.0.0", "description": "x",
            "extends": [{
                "interface": "commerce:extension/checkout", "problems": ["LIMITS_PASSED", "VERSION_CONFLICT"],
                "itemCodes": ["LIMITS_LOW"],
            }],
            "receives": [
                { "kind": "sale.done", "moment": "in-transaction", "problems": ["LIMITS_LATE"] },
                { "kind": "sale.gone", "moment": "after-commit", "problems": ["LIMITS_OTHER"] },
            ],
        });
        let descriptor: Descriptor = serde_json::from_value(whole).unwrap();
        let reached = ReachedExtensions::new(std::iter::once(&descriptor));
        for (reaches, problems, item_codes, names) in [
            (&["commerce:extension/checkout"][..], &["VERSION_CONFLICT", "LIMITS_PASSED"][..], 1, &["limits"][..]),
            (&["sale.done"], &["VERSION_CONFLICT", "LIMITS_LATE"], 0, &["limits"]),
            (&["sale.gone", "commerce:extension/numbering"], &["VERSION_CONFLICT"], 0, &[]),
        ] {
            let before = operation(reaches);
            let after = reached.extend(&before, &BTreeSet::new());
            assert_eq!(after.route.problems, problems, "{reaches:?}");
            assert_eq!(after.route.item_codes.len(), item_codes, "{reaches:?}");
            assert_eq!(reached.list_extensions(&before.route, &BTreeSet::new()), names, "{reaches:?}");
            assert_eq!(Arc::ptr_eq(&before, &after), names.is_empty(), "{reaches:?}");
        }
    }
}
