//! The services that the catalog offers, as Rust.

wit_bindgen::generate!({
    inline: "
        package commerce:catalog-module;
        world services {
            import commerce:platform/ids@0.1.0;
            export commerce:catalog/articles@0.1.0;
            export commerce:catalog/holdings@0.1.0;
            export commerce:catalog/products@0.1.0;
        }
    ",
    path: ["../../wit/platform", "../../wit/catalog"],
    with: { "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids },
    additional_derives: [PartialEq],
});
