//! The services that pricing offers, as Rust.

wit_bindgen::generate!({
    inline: "
        package commerce:pricing-module;
        world services {
            import commerce:platform/ids@0.1.0;
            export commerce:pricing/prices@0.1.0;
            export commerce:pricing/offers@0.1.0;
        }
    ",
    path: ["../../wit/platform", "../../wit/pricing"],
    with: { "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids },
    pub_export_macro: true,
    default_bindings_module: "pricing::bindings",
    additional_derives: [PartialEq],
    generate_all,
});
