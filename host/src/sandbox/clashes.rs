//! Claims that two modules of one generation share.

use std::collections::{BTreeMap, BTreeSet};

use stoa_descriptor::Descriptor;

use crate::contract::parameters::template_shape;
use crate::problem;

/// Claims that two modules share: names, routes, operations, events, permissions, scopes, onboarding members, filters; and problem codes
/// with two meanings. Two modules may declare one code, since a caller cannot tell them apart: then it is the same refusal.
pub fn clashes<'a>(descriptors: impl Iterator<Item = &'a Descriptor> + Clone) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    let mut claim = |kind: &str, shape: String, what: &str, module: &str| {
        if !seen.insert(format!("{kind} {shape}")) {
            faults.push(format!("{module}: {kind} `{what}` is claimed twice"));
        }
    };
    for descriptor in descriptors.clone() {
        let module = &descriptor.name;
        claim("module", module.clone(), module, module);
        for route in &descriptor.routes {
            let shape = format!("{} {}", route.method, template_shape(&route.path));
            claim("route", shape, &format!("{} {}", route.method, route.path), module);
            claim("operation", route.operation.clone(), &route.operation, module);
        }
        for kind in &descriptor.events {
            claim("event", kind.code.clone(), &kind.code, module);
        }
        for permission in &descriptor.permissions {
            claim("permission", permission.code.clone(), &permission.code, module);
        }
        for scope in &descriptor.scopes {
            claim("scope", scope.code.clone(), &scope.code, module);
        }
        let members = descriptor.onboarding.iter().filter_map(|schema| schema.get("properties")?.as_object());
        for member in members.flat_map(|members| members.keys()) {
            claim("onboarding member", member.clone(), member, module);
        }
        for filter in &descriptor.audit_filters {
            claim("audit filter", filter.code.clone(), &filter.code, module);
        }
    }
    faults.extend(problem_clashes(descriptors));
    faults
}

/// Codes that mean one thing to the host or a module and another to a module.
fn problem_clashes<'a>(descriptors: impl Iterator<Item = &'a Descriptor>) -> Vec<String> {
    let mut meanings: BTreeMap<&str, (u16, &str)> =
        problem::CODES.iter().map(|(code, status, detail)| (*code, (*status, *detail))).collect();
    let mut faults = Vec::new();
    for descriptor in descriptors {
        for problem in &descriptor.problems {
            let meaning = (problem.status, problem.detail.as_str());
            if *meanings.entry(&problem.code).or_insert(meaning) != meaning {
                faults.push(format!("{}: problem `{}` has two meanings", descriptor.name, problem.code));
            }
        }
    }
    faults
}
