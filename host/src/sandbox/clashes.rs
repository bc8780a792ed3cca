//! Claims that two modules of one generation share, or a module and the host.

use std::collections::BTreeMap;

use stoa_descriptor::Descriptor;

use crate::contract::parameters::template_shape;
use crate::operations::HostNames;
use crate::problem;

/// Names by their kind, each with its holder.
struct Claims {
    holders: BTreeMap<(&'static str, String), String>,
    faults: Vec<String>,
}

impl Claims {
    /// Those of the host in addition to its operations: no module takes them, also not the first.
    fn new(host: &HostNames) -> Claims {
        let codes = |grants: &'static [(&str, &str)]| grants.iter().map(|(code, _)| *code).collect();
        let lists: [(&str, Vec<&str>); 5] = [
            ("permission", codes(host.permissions)),
            ("scope", codes(host.scopes)),
            ("event", host.events.to_vec()),
            ("audit filter", host.audit_filters.to_vec()),
            ("onboarding member", host.onboarding.to_vec()),
        ];
        let names = lists.into_iter().flat_map(|(kind, names)| names.into_iter().map(move |name| (kind, name)));
        let holders = names.map(|(kind, name)| ((kind, name.to_owned()), "the host".to_owned())).collect();
        Claims { holders, faults: Vec::new() }
    }

    fn claim(&mut self, kind: &'static str, shape: String, shown: &str, module: &str) {
        match self.holders.get(&(kind, shape.clone())) {
            Some(holder) => self.faults.push(format!("{module}: {kind} `{shown}` is claimed twice: {holder} has it")),
            None => _ = self.holders.insert((kind, shape), format!("`{module}`")),
        }
    }

    fn claim_all(&mut self, descriptor: &Descriptor) {
        let module = &descriptor.name;
        self.claim("module", module.clone(), module, module);
        for route in &descriptor.routes {
            let shape = format!("{} {}", route.method, template_shape(&route.path));
            self.claim("route", shape, &format!("{} {}", route.method, route.path), module);
            self.claim("operation", route.operation.clone(), &route.operation, module);
        }
        let members = descriptor.onboarding.iter().filter_map(|schema| schema.get("properties")?.as_object());
        let events = descriptor.events.iter().map(|kind| ("event", &kind.code));
        let permissions = descriptor.permissions.iter().map(|permission| ("permission", &permission.code));
        let scopes = descriptor.scopes.iter().map(|scope| ("scope", &scope.code));
        let members = members.flat_map(|members| members.keys()).map(|member| ("onboarding member", member));
        let filters = descriptor.audit_filters.iter().map(|filter| ("audit filter", &filter.code));
        for (kind, code) in events.chain(permissions).chain(scopes).chain(members).chain(filters) {
            self.claim(kind, code.clone(), code, module);
        }
    }
}

/// Claims that two modules share, or a module and the host: names, routes, operations, events, permissions, scopes,
/// onboarding members, filters; and problem codes with two meanings. Two modules may declare one code, since a caller
/// cannot distinguish them: then it is the same rejection. The first module is the holder.
pub fn clashes<'a>(host: &HostNames, descriptors: impl Iterator<Item = &'a Descriptor> + Clone) -> Vec<String> {
    let mut claims = Claims::new(host);
    descriptors.clone().for_each(|descriptor| claims.claim_all(descriptor));
    claims.faults.extend(problem_clashes(descriptors));
    claims.faults
}

/// Codes that mean one thing to the host or a module and another to a module.
fn problem_clashes<'a>(descriptors: impl Iterator<Item = &'a Descriptor>) -> Vec<String> {
    let host_codes = problem::CODES.iter();
    let mut meanings: BTreeMap<&str, ((u16, &str), String)> =
        host_codes.map(|(code, status, detail)| (*code, ((*status, *detail), "the host".to_owned()))).collect();
    let mut faults = Vec::new();
    for descriptor in descriptors {
        for problem in &descriptor.problems {
            let meaning = (problem.status, problem.detail.as_str());
            let (held, holder) =
                meanings.entry(&problem.code).or_insert_with(|| (meaning, format!("`{}`", descriptor.name)));
            if *held != meaning {
                faults.push(format!(
                    "{}: problem `{}` has two meanings: {holder} has it with another",
                    descriptor.name, problem.code
                ));
            }
        }
    }
    faults
}
