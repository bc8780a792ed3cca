//! What two modules of one generation claim both.

use std::collections::BTreeSet;

use stoa_descriptor::Descriptor;

use crate::contract::parameters::template_shape;

/// What two modules claim: names, routes, operations, events, permissions, scopes, onboarding members, filters, problem codes.
pub fn clashes<'a>(descriptors: impl IntoIterator<Item = &'a Descriptor>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    let mut claim = |kind: &str, shape: String, what: &str, module: &str| {
        if !seen.insert(format!("{kind} {shape}")) {
            faults.push(format!("{module}: {kind} `{what}` is claimed twice"));
        }
    };
    for descriptor in descriptors {
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
        for problem in &descriptor.problems {
            claim("problem", problem.code.clone(), &problem.code, module);
        }
    }
    faults
}
