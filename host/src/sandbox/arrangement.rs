//! The sequence in which the extensions of a point are called. The generation records it, so that an operator can read
//! it, change it and restore it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use stoa_descriptor::Descriptor;
use stoa_descriptor::extension::{Moment, PACKAGE};

use super::generation::Unlinked;

/// The names of the extensions of each point, in the sequence in which they are called: `checkout`, `listener`.
pub type Arrangement = BTreeMap<String, Vec<String>>;

/// The point of modules that receive events in the transaction.
pub const LISTENER: &str = "listener";
/// Modules that receive events after their commit. They are called in no request: the generation records since when they receive.
pub const AFTER_COMMIT: &str = "after-commit";
/// The point of modules that add members to responses.
pub const VIEWS: &str = "views";

/// The keyword of a schema that names a place.
const PLACE: &str = "x-stoa-place";

/// Most extensions of one point: each may take a quarter of a request's limits, and all of them together no more than
/// the request.
const MOST: usize = 25;

/// A point without the package of its interface: `checkout`.
pub fn name_point(interface: &str) -> &str {
    interface.strip_prefix(PACKAGE).unwrap_or(interface)
}

/// The points that a module extends.
pub fn list_points(descriptor: &Descriptor) -> BTreeSet<&str> {
    let receives = |moment: Moment| descriptor.receives.iter().any(|receiving| receiving.moment == moment);
    let extended = descriptor.extends.iter().map(|extension| name_point(&extension.interface));
    let listens = receives(Moment::InTransaction).then_some(LISTENER);
    let waits = receives(Moment::AfterCommit).then_some(AFTER_COMMIT);
    let shows = (!descriptor.shows.is_empty()).then_some(VIEWS);
    extended.chain(listens).chain(waits).chain(shows).collect()
}

/// The places of a module's responses to which extensions add members: its schemas name them.
pub fn list_places(descriptor: &Descriptor) -> BTreeSet<&str> {
    let mut places = BTreeSet::new();
    let of_routes = descriptor.routes.iter().map(|route| &route.response);
    descriptor.schemas.values().chain(of_routes).for_each(|schema| collect_places(schema, &mut places));
    places
}

fn collect_places<'a>(schema: &'a Json, places: &mut BTreeSet<&'a str>) {
    match schema {
        Json::Array(items) => items.iter().for_each(|item| collect_places(item, places)),
        Json::Object(members) => {
            places.extend(members.get(PLACE).and_then(Json::as_str));
            members.values().for_each(|member| collect_places(member, places));
        }
        _ => {}
    }
}

/// Returns whether a caller of a point calls a module there. At the point of views, it calls those that show something
/// at one of its places: so a module may show members at one place and call a module with others. `places`: those of
/// the caller.
pub fn is_called(extension: &Descriptor, interface: &str, places: &BTreeSet<&str>) -> bool {
    let shows = || extension.shows.iter().any(|shown| places.contains(shown.place.as_str()));
    list_points(extension).contains(name_point(interface)) && (name_point(interface) != VIEWS || shows())
}

/// The arrangement of these modules: extensions that `wanted` names keep its sequence, and others follow by their names.
pub fn fit<'a>(
    wanted: &Arrangement,
    descriptors: impl Iterator<Item = &'a Descriptor>,
) -> Result<Arrangement, Unlinked> {
    let mut extending: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for descriptor in descriptors {
        for point in list_points(descriptor) {
            extending.entry(point).or_default().insert(&descriptor.name);
        }
    }
    let arranged = extending.into_iter().map(|(point, mut names)| {
        let count = names.len();
        if count > MOST {
            return Err(Unlinked::Points(format!("{point} has {count} extensions, at most {MOST}")));
        }
        let before = wanted.get(point).into_iter().flatten();
        let mut sequence: Vec<String> = before.filter(|name| names.remove(name.as_str())).cloned().collect();
        sequence.extend(names.into_iter().map(str::to_owned));
        Ok((point.to_owned(), sequence))
    });
    arranged.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn module(name: &str, point: &str) -> Descriptor {
        let extends = json!([{ "interface": format!("{PACKAGE}{point}") }]);
        let whole = json!({ "name": name, "version": "1.0.0", "description": "x", "extends": extends });
        serde_json::from_value(whole).unwrap()
    }

    fn arrange(names: &[&str], before: &[&str]) -> Result<Arrangement, Unlinked> {
        let wanted = Arrangement::from([("checkout".to_owned(), before.iter().map(|name| name.to_string()).collect())]);
        let modules: Vec<Descriptor> = names.iter().map(|name| module(name, "checkout")).collect();
        fit(&wanted, modules.iter())
    }

    #[test]
    fn known_extensions_keep_their_sequence_and_new_ones_follow_by_name() {
        for (names, before, expected) in [
            (&["a", "b"][..], &["b", "a"][..], &["b", "a"][..]),
            (&["b", "a"], &[], &["a", "b"]),
            (&["a", "d", "c", "b"], &["c", "gone", "b"], &["c", "b", "a", "d"]),
            (&["a"], &["a", "a"], &["a"]),
        ] {
            let arranged = arrange(names, before).unwrap();
            assert_eq!(arranged["checkout"], expected, "{names:?} {before:?}");
        }
        assert_eq!(fit(&Arrangement::new(), std::iter::empty()).unwrap(), Arrangement::new());
    }

    #[test]
    fn a_point_has_a_limited_number_of_extensions() {
        let names: Vec<String> = (0..=MOST).map(|number| format!("m{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(arrange(&names[1..], &[]).unwrap()["checkout"].len(), MOST);
        let refused = arrange(&names, &[]).unwrap_err();
        assert_eq!(refused, Unlinked::Points("checkout has 26 extensions, at most 25".to_owned()));
    }

    #[test]
    fn listeners_and_views_are_points_too() {
        let whole = json!({
            "name": "loyalty", "version": "1.0.0", "description": "x",
            "receives": [
                { "kind": "a.done", "moment": "in-transaction" },
                { "kind": "b.done", "moment": "after-commit" },
            ],
            "shows": [{ "place": "a.b", "schema": { "type": "object" } }],
        });
        let descriptor: Descriptor = serde_json::from_value(whole).unwrap();
        assert_eq!(list_points(&descriptor), BTreeSet::from([LISTENER, AFTER_COMMIT, VIEWS]));
    }

    #[test]
    fn views_are_called_for_the_places_of_the_caller() {
        let caller = json!({
            "name": "sales", "version": "1.0.0", "description": "x",
            "schemas": { "Order": {
                "type": "object", "properties": { "extensions": { "type": "object", "x-stoa-place": "sales.order" } },
            } },
        });
        let caller: Descriptor = serde_json::from_value(caller).unwrap();
        let places = list_places(&caller);
        assert_eq!(places, BTreeSet::from(["sales.order"]));
        for (place, expected) in [("sales.order", true), ("pos.receipt", false)] {
            let shows = json!([{ "place": place, "schema": { "type": "object" } }]);
            let whole = json!({ "name": "loyalty", "version": "1.0.0", "description": "x", "shows": shows });
            let extension: Descriptor = serde_json::from_value(whole).unwrap();
            assert_eq!(is_called(&extension, "commerce:extension/views", &places), expected, "{place}");
            assert!(!is_called(&extension, "commerce:extension/checkout", &places));
        }
        assert!(is_called(&module("limits", "checkout"), "commerce:extension/checkout", &places));
    }
}
