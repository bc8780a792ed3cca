//! Operations: which there are, who may call them, and what they take and answer.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use stoa_descriptor::{Access, Audience, Descriptor, Idempotency, Route};

use super::schema::{self, Direction, SchemaWithDefs};
use super::{Change, Code, codes};
use crate::contract::parameters::{self, template_shape};

pub fn changes(old: &Descriptor, new: &Descriptor, changes: &mut Vec<Change>) {
    let address = |route: &Route| format!("{} {}", route.method, route.path);
    for was in &old.routes {
        match successor(was, old, new) {
            Some(is) => route((was, old), (is, new), changes),
            None => changes.push(Change::new(codes::ROUTE_REMOVED, was.operation.as_str(), address(was))),
        }
    }
    for is in &new.routes {
        if !old.routes.iter().any(|was| successor(was, old, new).is_some_and(|other| std::ptr::eq(other, is))) {
            let detail = format!("{} for {}", address(is), describe_callers(is));
            changes.push(Change::new(codes::ROUTE_ADDED, is.operation.as_str(), detail));
        }
    }
}

fn same_address(a: &Route, b: &Route) -> bool {
    a.method == b.method && template_shape(&a.path) == template_shape(&b.path)
}

/// The route that succeeds an old one: at the same address, else the one of the same operation id whose address is new.
fn successor<'a>(was: &Route, old: &Descriptor, new: &'a Descriptor) -> Option<&'a Route> {
    let moved = |is: &&Route| is.operation == was.operation && !old.routes.iter().any(|other| same_address(other, is));
    new.routes.iter().find(|is| same_address(was, is)).or_else(|| new.routes.iter().find(moved))
}

fn route((was, old): (&Route, &Descriptor), (is, new): (&Route, &Descriptor), changes: &mut Vec<Change>) {
    let name = was.operation.as_str();
    let mut tell = |code: Code, detail: String| changes.push(Change::new(code, name, detail));
    compare_calls(was, is, &mut tell);
    compare_effects(was, is, &mut tell);
    compare_lists(name, (&was.events, &is.events), codes::ROUTE_EVENT_REMOVED, codes::ROUTE_EVENT_ADDED, changes);
    compare_lists(
        name,
        (&was.problems, &is.problems),
        codes::ROUTE_PROBLEM_REMOVED,
        codes::ROUTE_PROBLEM_ADDED,
        changes,
    );
    compare_lists(
        name,
        (&was.item_codes, &is.item_codes),
        codes::ROUTE_ITEM_CODE_REMOVED,
        codes::ROUTE_ITEM_CODE_ADDED,
        changes,
    );
    parameters((was, old), (is, new), changes);
    body((was, old), (is, new), changes);
    let item = format!("{name} response");
    let was = SchemaWithDefs { schema: &was.response, defs: &old.schemas };
    let is = SchemaWithDefs { schema: &is.response, defs: &new.schemas };
    changes.extend(schema::compare(Direction::Response, &item, was, is));
}

/// Compares how an operation is called: where, by whom and under which conditions.
fn compare_calls(was: &Route, is: &Route, tell: &mut impl FnMut(Code, String)) {
    if !same_address(was, is) {
        tell(codes::ROUTE_MOVED, format!("was {} {}, now {} {}", was.method, was.path, is.method, is.path));
    } else if was.operation != is.operation {
        tell(codes::ROUTE_RENAMED, format!("now {}", is.operation));
    }
    if was.audience != is.audience {
        let shown = |audience| if audience == Audience::User { "people" } else { "API clients" };
        tell(codes::ROUTE_AUDIENCE_CHANGED, format!("was for {}, now for {}", shown(was.audience), shown(is.audience)));
    }
    if let Some(code) = access(&was.access, &is.access) {
        tell(code, format!("needed {}, now {}", describe_access(&was.access), describe_access(&is.access)));
    }
    if let Some(code) = idempotency(was.idempotency, is.idempotency) {
        tell(code, String::new());
    }
    if let Some(code) = switch((was.read_only, is.read_only), codes::ROUTE_BECAME_WRITE, codes::ROUTE_BECAME_READ) {
        tell(code, String::new());
    }
    if was.status != is.status {
        tell(codes::ROUTE_STATUS_CHANGED, format!("was {}, now {}", was.status, is.status));
    }
    if let Some(code) = switch((was.if_match, is.if_match), codes::ROUTE_IF_MATCH_DROPPED, codes::ROUTE_IF_MATCH_ADDED)
    {
        tell(code, String::new());
    }
}

/// Compares what an operation leaves behind, what it shows, and what it costs.
fn compare_effects(was: &Route, is: &Route, tell: &mut impl FnMut(Code, String)) {
    match (&was.audit, &is.audit) {
        (Some(was), Some(is)) if was != is => tell(codes::ROUTE_AUDIT_CHANGED, format!("was {was}, now {is}")),
        (Some(was), None) => tell(codes::ROUTE_AUDIT_CHANGED, format!("was {was}, now none")),
        (None, Some(is)) => tell(codes::ROUTE_AUDIT_ADDED, is.clone()),
        _ => {}
    }
    let discloses = (was.discloses_identifiers, is.discloses_identifiers);
    if let Some(code) = switch(discloses, codes::ROUTE_DISCLOSURE_DROPPED, codes::ROUTE_DISCLOSURE_ADDED) {
        tell(code, String::new());
    }
    if let Some(code) = switch((was.csv, is.csv), codes::ROUTE_CSV_DROPPED, codes::ROUTE_CSV_ADDED) {
        tell(code, String::new());
    }
    if was.heavy != is.heavy {
        tell(codes::ROUTE_WEIGHT_CHANGED, format!("now {}", if is.heavy { "heavy" } else { "as others" }));
    }
    let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    if was.grows_with != is.grows_with {
        tell(codes::ROUTE_GROWTH_CHANGED, format!("was {}, now {}", shown(&was.grows_with), shown(&is.grows_with)));
    }
    if was.cache_control != is.cache_control {
        let detail = format!("was {}, now {}", shown(&was.cache_control), shown(&is.cache_control));
        tell(codes::ROUTE_CACHE_CHANGED, detail);
    }
}

/// The code of a member that is true or false, where it changed.
fn switch((was, is): (bool, bool), dropped: Code, added: Code) -> Option<Code> {
    match (was, is) {
        (true, false) => Some(dropped),
        (false, true) => Some(added),
        _ => None,
    }
}

fn compare_lists(name: &str, (was, is): (&[String], &[String]), removed: Code, added: Code, changes: &mut Vec<Change>) {
    let reported = |code, what: &String| Change::new(code, format!("{name} {what}"), "");
    changes.extend(was.iter().filter(|what| !is.contains(what)).map(|what| reported(removed, what)));
    changes.extend(is.iter().filter(|what| !was.contains(what)).map(|what| reported(added, what)));
}

/// The code of a changed access: some callers who met the old condition do not meet the new one, or the reverse.
fn access(was: &Access, is: &Access) -> Option<Code> {
    if !implies(was, is) {
        Some(codes::ROUTE_ACCESS_NARROWED)
    } else if !implies(is, was) {
        Some(codes::ROUTE_ACCESS_WIDENED)
    } else {
        None
    }
}

fn implies(was: &Access, is: &Access) -> bool {
    fn set(codes: &[String]) -> BTreeSet<&String> {
        codes.iter().collect()
    }
    match (was, is) {
        // No permission is needed: membership is enough.
        (_, Access::All(new) | Access::Any(new)) if new.is_empty() => true,
        (Access::All(old), Access::All(new)) => set(new).is_subset(&set(old)),
        (Access::All(old), Access::Any(new)) => !set(old).is_disjoint(&set(new)),
        (Access::Any(old), Access::All(new)) => {
            !old.is_empty() && old.iter().all(|one| new.iter().all(|needed| needed == one))
        }
        (Access::Any(old), Access::Any(new)) => !old.is_empty() && set(old).is_subset(&set(new)),
    }
}

fn describe_access(access: &Access) -> String {
    match access {
        Access::All(codes) | Access::Any(codes) if codes.is_empty() => "no permission".to_owned(),
        Access::All(codes) => codes.join(" and "),
        Access::Any(codes) => codes.join(" or "),
    }
}

/// Describes the callers that an operation admits.
pub fn describe_callers(route: &Route) -> String {
    let (Access::All(codes) | Access::Any(codes)) = &route.access;
    match (route.audience, codes.is_empty()) {
        (Audience::User, true) => "every member of a company".to_owned(),
        (Audience::User, false) => format!("users with {}", describe_access(&route.access)),
        (Audience::ApiClient, true) => "every API client".to_owned(),
        (Audience::ApiClient, false) => format!("API clients with {}", describe_access(&route.access)),
    }
}

fn idempotency(was: Idempotency, is: Idempotency) -> Option<Code> {
    use Idempotency::{None as No, Optional, Required};
    match (was, is) {
        (No | Optional, Required) => Some(codes::ROUTE_IDEMPOTENCY_REQUIRED),
        (Optional | Required, No) => Some(codes::ROUTE_IDEMPOTENCY_DROPPED),
        (No | Required, Optional) => Some(codes::ROUTE_IDEMPOTENCY_OPTIONAL),
        _ => None,
    }
}

fn parameters((was, old): (&Route, &Descriptor), (is, new): (&Route, &Descriptor), changes: &mut Vec<Change>) {
    let name = &was.operation;
    let (was_path, is_path) = (path_schema(was, old), path_schema(is, new));
    let (was_names, is_names) = (parameters::names(&was.path), parameters::names(&is.path));
    // Places count, not names; of another path nothing can be said that its move does not say.
    if same_address(was, is) {
        for (was_name, is_name) in was_names.iter().zip(&is_names) {
            if was_name != is_name {
                let detail = format!("{{{was_name}}} is now {{{is_name}}}");
                changes.push(Change::new(codes::ROUTE_PARAMETER_RENAMED, name.as_str(), detail));
            }
            if let (Some(was), Some(is)) = (was_path.get(*was_name), is_path.get(*is_name)) {
                let (was, is) = (
                    SchemaWithDefs { schema: was, defs: &old.schemas },
                    SchemaWithDefs { schema: is, defs: &new.schemas },
                );
                changes.extend(schema::compare(Direction::Request, &format!("{name} path /{is_name}"), was, is));
            }
        }
    }
    let (was, is) = (query_schema(was, old), query_schema(is, new));
    let (was, is) =
        (SchemaWithDefs { schema: &was, defs: &old.schemas }, SchemaWithDefs { schema: &is, defs: &new.schemas });
    changes.extend(schema::compare(Direction::Request, &format!("{name} query"), was, is));
}

/// The schema of each path parameter: a uuid where none is stated.
fn path_schema(route: &Route, descriptor: &Descriptor) -> Map<String, Value> {
    let stated = parameters::object(route.path_schema.as_ref(), &descriptor.schemas).unwrap_or_default();
    let stated = stated.get("properties").and_then(Value::as_object);
    let schema = |name: &str| {
        let uuid = || json!({"type": "string", "format": "uuid"});
        stated.and_then(|all| all.get(name)).cloned().unwrap_or_else(uuid)
    };
    parameters::names(&route.path).into_iter().map(|name| (name.to_owned(), schema(name))).collect()
}

/// As the host reads it: an object, without members that are not named.
fn query_schema(route: &Route, descriptor: &Descriptor) -> Value {
    let mut query = parameters::object(route.query.as_ref(), &descriptor.schemas).unwrap_or_default();
    query.insert("type".into(), "object".into());
    query.insert("additionalProperties".into(), false.into());
    Value::Object(query)
}

fn body((was, old): (&Route, &Descriptor), (is, new): (&Route, &Descriptor), changes: &mut Vec<Change>) {
    let name = &was.operation;
    let item = format!("{name} body");
    match (&was.body, &is.body) {
        (None, None) => {}
        (None, Some(_)) => changes.push(Change::new(codes::REQUEST_BODY_ADDED, item, "a body must be sent")),
        (Some(_), None) => changes.push(Change::new(codes::REQUEST_BODY_REMOVED, item, "no body is taken")),
        (Some(before), Some(after)) => {
            let detail = format!("was {} bytes, now {}", was.body_limit, is.body_limit);
            if is.body_limit < was.body_limit {
                changes.push(Change::new(codes::ROUTE_BODY_LIMIT_LOWERED, name.as_str(), detail));
            } else if is.body_limit > was.body_limit {
                changes.push(Change::new(codes::ROUTE_BODY_LIMIT_RAISED, name.as_str(), detail));
            }
            let before = SchemaWithDefs { schema: before, defs: &old.schemas };
            let after = SchemaWithDefs { schema: after, defs: &new.schemas };
            changes.extend(schema::compare(Direction::Request, &item, before, after));
        }
    }
}
