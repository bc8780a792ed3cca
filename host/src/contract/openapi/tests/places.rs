//! Places of responses to which extensions add members.

use super::*;

/// A document of a shop whose order has a place, and of modules that show members there.
fn compose_place(shows: &[(&str, &str)]) -> Value {
    let order = json!({"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string", "format": "uuid"},
        "extensions": {"type": "object", "x-stoa-place": "shop.order", "additionalProperties": {"type": "object"}},
    }});
    let shop = object(json!({"Order": order}));
    let points = object(json!({"LoyaltyPoints": {"type": "object", "properties": {"earned": {"type": "integer"}}}}));
    let shown: Vec<Vec<Shown>> = shows
        .iter()
        .map(|(_, place)| {
            vec![serde_json::from_value(json!({"place": place, "schema": {"$ref": "#/$defs/LoyaltyPoints"}})).unwrap()]
        })
        .collect();
    let module = |name, schemas, shows, by_partner| DocumentedModule {
        name,
        description: "",
        schemas,
        problems: &[],
        item_codes: &[],
        events: &[],
        words: &[],
        shows,
        by_partner,
    };
    let none: &[Shown] = &[];
    let partners = shows.iter().zip(&shown).map(|((name, _), shows)| module(*name, &points, shows.as_slice(), true));
    let modules: Vec<DocumentedModule> = std::iter::once(module("shop", &shop, none, false)).chain(partners).collect();
    let route = route(read("getOrder", "Order"));
    let extensions: Vec<String> = shows.iter().map(|(name, _)| (*name).to_owned()).collect();
    let operation = DocumentedOperation { route: &route, module: "shop", extensions: &extensions, public: false };
    compose(&[operation], &modules, &Info { generation: 1, build: "", description: "" }).unwrap()
}

#[test]
fn a_place_is_published_while_a_module_shows_something_there() {
    for elsewhere in [&[][..], &[("loyalty", "shop.receipt")]] {
        let document = compose_place(elsewhere);
        let schemas = &document["components"]["schemas"];
        let members = object(schemas["Order"]["properties"].clone());
        assert_eq!(members.keys().collect::<Vec<_>>(), ["id"], "{elsewhere:?}");
        assert!(schemas.get("LoyaltyPoints").is_none(), "nothing refers to it");
    }
    let document = compose_place(&[("loyalty", "shop.order")]);
    let schemas = &document["components"]["schemas"];
    let member = &schemas["Order"]["properties"]["extensions"];
    let expected = json!({"loyalty": {"$ref": "#/components/schemas/LoyaltyPoints"}});
    assert_eq!((&member["type"], &member["properties"]), (&json!("object"), &expected));
    assert_eq!(member.get("x-stoa-place"), None);
    assert_eq!(schemas["LoyaltyPoints"]["properties"]["earned"]["type"], "integer");
    assert_eq!(document["paths"]["/getOrder"]["get"]["x-stoa-extensions"], json!(["loyalty"]));
}
