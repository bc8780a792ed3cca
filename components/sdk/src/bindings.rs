//! The module contract as Rust: what `wit/platform` says, for the module's side. The only place where it is generated.

wit_bindgen::generate!({
    path: "../../wit/platform",
    world: "commerce:platform/guest",
    pub_export_macro: true,
    default_bindings_module: "stoa_sdk::bindings",
    additional_derives: [PartialEq],
    generate_all,
});
