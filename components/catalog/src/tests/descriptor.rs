//! The module's descriptor.

use stoa_sdk::Module;

use crate::Catalog;

#[test]
fn the_descriptor_is_whole() {
    let descriptor = Catalog::descriptor();
    let text = serde_json::to_string(&descriptor.routes).expect("routes are JSON");
    let named = text
        .match_indices("#/$defs/")
        .map(|(offset, prefix)| text[offset + prefix.len()..].split('"').next().expect("a name follows").to_owned());
    for name in named {
        assert!(descriptor.schemas.contains_key(&name), "{name}");
    }
    let mut operations: Vec<&str> = descriptor.routes.iter().map(|route| route.operation.as_str()).collect();
    operations.sort_unstable();
    operations.dedup();
    assert_eq!(operations.len(), descriptor.routes.len());
    let declared: Vec<&str> = descriptor.events.iter().map(|event| event.code.as_str()).collect();
    for event in descriptor.routes.iter().flat_map(|route| &route.events) {
        assert!(declared.contains(&event.as_str()), "{event}");
    }
}
