//! Extensions at the gate: a component exports and imports the interfaces of `commerce:extension` that its descriptor states, and each of
//! their functions has a type that the host can call.

use std::collections::BTreeSet;

use stoa_descriptor::extension::{LISTENER, TIMER, VIEWS};
use stoa_descriptor::{Descriptor, names};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentInstance;

use crate::problem;
use crate::sandbox::interface::{self, InterfaceName};
use crate::sandbox::points::PointShape;
use crate::sandbox::signature::signature;

/// The functions that the host calls by type, or whose results it reads: `wit/extension` states the same.
const TYPED: [(&str, &str, &str); 3] = [
    (
        LISTENER,
        "receive",
        "func(moment: enum { in-transaction, after-commit }, event: record { id: option<tuple<u64, u64>>, kind: string, \
         resource-type: string, resource: tuple<u64, u64>, version: option<s64>, data: string, occurred-at: s64, \
         request: tuple<u64, u64> }) -> result<_, PROBLEM>",
    ),
    (
        TIMER,
        "run",
        "func(timer: string, window: record { since: option<s64>, until: s64 }, cursor: option<string>) -> \
         result<option<string>, PROBLEM>",
    ),
    (
        VIEWS,
        "show",
        "func(place: string, ids: list<tuple<u64, u64>>) -> list<record { module: string, id: tuple<u64, u64>, json: string }>",
    ),
];
/// The platform's problem.
const PROBLEM: &str = "record { code: string, errors: list<record { pointer: string, code: string, required: option<u32>, \
                       identified: option<u32>, expected: option<record { minimum: option<BOUND>, maximum: option<BOUND>, \
                       counted: option<string> }>, conflicts-with: option<tuple<u64, u64>> }> }";
const BOUND: &str = "variant { integer(s64), decimal(string), date(string), instant(s64) }";

/// An interface as the component spells it, its name, and its functions.
type Interface = (String, InterfaceName, ComponentInstance);

/// The faults of a component by its descriptor.
pub fn find_faults(engine: &Engine, component: &Component, descriptor: &Descriptor) -> Vec<String> {
    let (exports, imports) =
        (interface::points_extended(engine, component), interface::points_called(engine, component));
    let extended = descriptor.extends.iter().map(|extension| extension.interface.as_str());
    let others = [
        (LISTENER, descriptor.receives.is_empty()),
        (TIMER, descriptor.timers.is_empty()),
        (VIEWS, descriptor.shows.is_empty()),
    ];
    let others = others.into_iter().filter(|(_, is_empty)| !is_empty).map(|(interface, _)| interface);
    let extended: BTreeSet<&str> = extended.chain(others).collect();
    let called: BTreeSet<&str> = descriptor.points.iter().map(|point| point.code.as_str()).collect();
    let mut faults = compare(&exports, &extended, ["exports", "extend"]);
    faults.extend(compare(&imports, &called, ["imports", "call"]));
    faults.extend(exports.iter().chain(&imports).flat_map(|interface| find_type_faults(engine, interface)));
    faults.extend(find_unknown_codes(descriptor));
    faults
}

/// The codes of rejections that neither the module nor the platform has.
fn find_unknown_codes(descriptor: &Descriptor) -> Vec<String> {
    let is_problem = |code: &str| {
        let mut declared = descriptor.problems.iter();
        declared.any(|problem| problem.code == code) || problem::CODES.iter().any(|(known, ..)| *known == code)
    };
    let is_item_code = |code: &str| {
        let mut declared = descriptor.item_codes.iter();
        declared.any(|named| named.code == code) || names::is_shared_item_code(code) || is_problem(code)
    };
    let unknown = |place: String, codes: &[String], is_known: &dyn Fn(&str) -> bool| -> Vec<String> {
        let unknown = codes.iter().filter(|code| !is_known(code));
        unknown.map(|code| format!("{place}: `{code}` is neither a code of the module nor of the platform")).collect()
    };
    let extends = descriptor.extends.iter().enumerate().flat_map(|(index, extension)| {
        let mut faults = unknown(format!("/extends/{index}/problems"), &extension.problems, &is_problem);
        faults.extend(unknown(format!("/extends/{index}/itemCodes"), &extension.item_codes, &is_item_code));
        faults
    });
    let receives = descriptor.receives.iter().enumerate();
    let receives = receives.flat_map(|(index, receiving)| {
        unknown(format!("/receives/{index}/problems"), &receiving.problems, &is_problem)
    });
    extends.chain(receives).collect()
}

/// The interfaces that only one of component and descriptor has. `verbs`: of the component and of the descriptor.
fn compare(found: &[Interface], stated: &BTreeSet<&str>, [has, states]: [&str; 2]) -> Vec<String> {
    let paths: BTreeSet<&str> = found.iter().map(|(_, name, _)| name.path.as_str()).collect();
    let unstated = paths.difference(stated);
    let unstated = unstated.map(|path| format!("the component {has} `{path}` and the descriptor does not {states} it"));
    let missing = stated.difference(&paths);
    let missing = missing.map(|path| {
        format!("the descriptor {states}s `{path}` and the component does not {} it", has.trim_end_matches('s'))
    });
    unstated.chain(missing).collect()
}

fn find_type_faults(engine: &Engine, (_, name, instance): &Interface) -> Vec<String> {
    let expected = TYPED.iter().filter(|(path, ..)| *path == name.path);
    let missing = expected
        .clone()
        .filter(|(_, function, _)| !interface::functions(engine, instance).any(|(found, _)| found == *function));
    let missing = missing.map(|(path, function, _)| format!("`{path}` lacks the function `{function}`"));
    let wrong = interface::functions(engine, instance).filter_map(|(function, type_)| {
        let item = format!("{}#{function}", name.path);
        if let Some((.., text)) = expected.clone().find(|(_, typed, _)| *typed == function) {
            let (expected, found) = (spell_out(text), signature(&type_));
            return (found != expected).then(|| format!("`{item}` is {found}, and the host calls it as {expected}"));
        }
        let has_shape = matches!(name.path.as_str(), LISTENER | TIMER) || PointShape::from_function(&type_).is_some();
        (!has_shape).then(|| format!("function `{item}` has no shape that a point has: check, collect or first"))
    });
    missing.chain(wrong).collect()
}

fn spell_out(signature: &str) -> String {
    signature.replace("PROBLEM", PROBLEM).replace("BOUND", BOUND)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    /// The faults of a component that calls `checkout` by a function of these types, with these members of its descriptor.
    fn faults_of(types: &str, members: Json) -> Vec<String> {
        let text = format!(
            "(component (import \"commerce:extension/checkout@0.1.0\" (instance (export \"ask\" (func {types})))))"
        );
        let bytes = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let engine = Engine::default();
        let component = Component::from_binary(&engine, &bytes).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let mut whole = json!({ "name": "till", "version": "1.0.0", "description": "x" });
        for (name, member) in members.as_object().expect("members") {
            whole[name] = member.clone();
        }
        find_faults(&engine, &component, &serde_json::from_value(whole).expect("a descriptor"))
    }

    const CHECKOUT: &str = "commerce:extension/checkout";

    #[test]
    fn a_component_has_the_interfaces_that_its_descriptor_states() {
        let (types, points) = ("(result (list string))", json!([{ "code": CHECKOUT, "description": "Before it." }]));
        assert_eq!(faults_of(types, json!({ "points": points })), [""; 0]);
        assert_eq!(
            faults_of(types, json!({})),
            ["the component imports `commerce:extension/checkout` and the descriptor does not call it"]
        );
        let extends = json!([{ "interface": "commerce:extension/numbering" }]);
        let timers = json!([{ "code": "a", "description": "x", "everyMinutes": 60 }]);
        assert_eq!(
            faults_of(types, json!({ "points": points, "extends": extends, "timers": timers })),
            [
                "the descriptor extends `commerce:extension/numbering` and the component does not export it",
                "the descriptor extends `commerce:extension/timer` and the component does not export it",
            ]
        );
        assert_eq!(
            faults_of("(result string)", json!({ "points": points })),
            ["function `commerce:extension/checkout#ask` has no shape that a point has: check, collect or first"]
        );
    }

    #[test]
    fn codes_of_rejections_are_the_modules_or_the_platforms() {
        let points = json!([{ "code": CHECKOUT, "description": "Before it." }]);
        let problems = json!([{ "code": "TILL_CLOSED", "status": 409, "detail": "The till is closed." }]);
        let receives = |codes: Json| json!([{ "kind": "a.done", "moment": "in-transaction", "problems": codes }]);
        let found = |codes: Json| {
            let members = json!({ "points": points, "problems": problems, "receives": receives(codes) });
            let faults = faults_of("(result (list string))", members).into_iter();
            faults.filter(|fault| fault.starts_with("/receives")).collect::<Vec<String>>()
        };
        assert_eq!(found(json!(["TILL_CLOSED", "VALIDATION_FAILED"])), [""; 0]);
        let expected = "/receives/0/problems: `ELSEWHERE` is neither a code of the module nor of the platform";
        assert_eq!(found(json!(["ELSEWHERE"])), [expected]);
    }
}
