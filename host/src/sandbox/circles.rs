//! The sequence in which modules are linked, and circles among them. A module that was called again while it waits for
//! another would see its own half-done work, so a host links no circle, whether it leads through services, points or
//! events.

use std::fmt;

use stoa_descriptor::Descriptor;
use stoa_descriptor::extension::Moment;

use super::generation::Unlinked;

/// A module that another needs, by its index, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    module: usize,
    reason: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Reason {
    /// `commerce:pricing/prices`.
    Service(String),
    /// `price-adjustment`.
    Point(String),
    /// `sale.completed`.
    Event(String),
}

impl Need {
    pub fn service(module: usize, service: String) -> Need {
        Need { module, reason: Reason::Service(service) }
    }

    pub fn point(module: usize, point: &str) -> Need {
        Need { module, reason: Reason::Point(point.to_owned()) }
    }
}

/// One step of a circle: a module that needs another.
struct Edge<'a> {
    from: &'a str,
    to: &'a str,
    reason: &'a Reason,
}

impl fmt::Display for Edge<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Edge { from, to, reason } = self;
        match reason {
            Reason::Service(service) => write!(out, "{from} needs {service} of {to}"),
            Reason::Point(point) => write!(out, "{from} calls {to} at {point}"),
            Reason::Event(kind) => write!(out, "{from} receives {kind} of {to}"),
        }
    }
}

/// The indices of modules in a sequence in which each comes after those that it needs. `Err`: some need each other in a circle.
pub fn sort(names: &[&str], needs: &[Vec<Need>]) -> Result<Vec<usize>, Unlinked> {
    let mut sorted: Vec<usize> = Vec::with_capacity(needs.len());
    while sorted.len() < needs.len() {
        let is_ready = |(index, needs): &(usize, &Vec<Need>)| {
            !sorted.contains(index) && needs.iter().all(|need| sorted.contains(&need.module))
        };
        let ready: Vec<usize> = needs.iter().enumerate().filter(is_ready).map(|(index, _)| index).collect();
        if ready.is_empty() {
            return Err(describe_circle(&find_circle(names, needs, &sorted)));
        }
        sorted.extend(ready);
    }
    Ok(sorted)
}

/// One circle among the modules that are not sorted: every one of them needs another of them, so a walk along these
/// needs comes back to a module that it has seen.
fn find_circle<'a>(names: &[&'a str], needs: &'a [Vec<Need>], sorted: &[usize]) -> Vec<Edge<'a>> {
    let unmet = |index: usize| needs.get(index)?.iter().find(|need| !sorted.contains(&need.module));
    let name = |index: usize| names.get(index).copied().unwrap_or_default();
    let mut walked: Vec<(usize, &Need)> = Vec::new();
    let mut current = (0..needs.len()).find(|index| !sorted.contains(index));
    while let Some(index) = current {
        if let Some(begin) = walked.iter().position(|(walked, _)| *walked == index) {
            walked.drain(..begin);
            break;
        }
        let Some(need) = unmet(index) else { break };
        walked.push((index, need));
        current = Some(need.module);
    }
    walked
        .into_iter()
        .map(|(index, need)| Edge { from: name(index), to: name(need.module), reason: &need.reason })
        .collect()
}

fn describe_circle(circle: &[Edge<'_>]) -> Unlinked {
    let edges: Vec<String> = circle.iter().map(Edge::to_string).collect();
    let edges = edges.join("; ");
    if circle.iter().any(|edge| matches!(edge.reason, Reason::Event(_))) {
        return Unlinked::Circle(format!("events in a circle: {edges}"));
    }
    let text = format!("a circle: {edges}");
    match circle.iter().any(|edge| matches!(edge.reason, Reason::Point(_))) {
        true => Unlinked::Circle(text),
        false => Unlinked::Services(text),
    }
}

/// Checks that no event that is received after its commit leads to itself: each module may emit an event for each that
/// it receives.
pub fn check_events<'a>(descriptors: impl Iterator<Item = &'a Descriptor>) -> Result<(), Unlinked> {
    let descriptors: Vec<&Descriptor> = descriptors.collect();
    let find_emitter =
        |kind: &str| descriptors.iter().position(|descriptor| descriptor.events.iter().any(|event| event.code == kind));
    let list_needs = |descriptor: &&Descriptor| -> Vec<Need> {
        let received = descriptor.receives.iter().filter(|receiving| receiving.moment == Moment::AfterCommit);
        let need = |kind: &String| Some(Need { module: find_emitter(kind)?, reason: Reason::Event(kind.clone()) });
        received.filter_map(|receiving| need(&receiving.kind)).collect()
    };
    let needs: Vec<Vec<Need>> = descriptors.iter().map(list_needs).collect();
    let names: Vec<&str> = descriptors.iter().map(|descriptor| descriptor.name.as_str()).collect();
    sort(&names, &needs).map(drop)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn modules_follow_those_that_they_need() {
        let names = ["sales", "pricing", "group-prices"];
        let needs = [
            vec![Need::service(1, "commerce:pricing/offers".to_owned())],
            vec![Need::point(2, "price-adjustment")],
            Vec::new(),
        ];
        assert_eq!(sort(&names, &needs), Ok(vec![2, 1, 0]));
        assert_eq!(sort(&[], &[]), Ok(Vec::new()));
    }

    #[test]
    fn a_circle_is_named_edge_by_edge_without_the_modules_that_only_wait_for_it() {
        let names = ["pos", "sales", "pricing", "group-prices"];
        let needs = |last: Need| {
            [
                vec![Need::service(1, "commerce:sales/orders".to_owned())],
                vec![Need::service(2, "commerce:pricing/offers".to_owned())],
                vec![Need::point(3, "price-adjustment")],
                vec![last],
            ]
        };
        let circle = sort(&names, &needs(Need::service(1, "commerce:sales/customers".to_owned())));
        let expected = "a circle: sales needs commerce:pricing/offers of pricing; pricing calls group-prices at price-adjustment; \
                        group-prices needs commerce:sales/customers of sales";
        assert_eq!(circle, Err(Unlinked::Circle(expected.to_owned())));
        let of_services = [vec![Need::service(1, "a:b/c".to_owned())], vec![Need::service(0, "a:b/d".to_owned())]];
        let expected = "a circle: x needs a:b/c of y; y needs a:b/d of x";
        assert_eq!(sort(&["x", "y"], &of_services), Err(Unlinked::Services(expected.to_owned())));
    }

    fn module(name: &str, kind: &str, received: &str, moment: &str) -> Descriptor {
        let whole = json!({
            "name": name, "version": "1.0.0", "description": "x",
            "events": [{ "code": kind, "description": "x", "resourceType": "X", "data": {}, "example": {} }],
            "receives": [{ "kind": received, "moment": moment }],
        });
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn events_after_their_commit_make_no_circle() {
        let check = |moment: &str, other: &str| {
            let modules = [module("a", "a.done", "b.done", "after-commit"), module("b", "b.done", other, moment)];
            check_events(modules.iter())
        };
        let expected = "events in a circle: a receives b.done of b; b receives a.done of a";
        assert_eq!(check("after-commit", "a.done"), Err(Unlinked::Circle(expected.to_owned())));
        assert_eq!(check("in-transaction", "a.done"), Ok(()));
        assert_eq!(check("after-commit", "nobody.done"), Ok(()));
    }
}
