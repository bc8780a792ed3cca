//! The services that inventory offers, as Rust.

wit_bindgen::generate!({
    inline: "
        package commerce:inventory-module;
        world services {
            import commerce:platform/ids@0.1.0;
            import commerce:platform/problems@0.1.0;
            export commerce:inventory/warehouses@0.1.0;
            export commerce:inventory/stock@0.1.0;
            export commerce:inventory/units@0.1.0;
            export commerce:inventory/costs@0.1.0;
        }
    ",
    path: ["../../wit/platform", "../../wit/inventory"],
    with: {
        "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
        "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
    },
    additional_derives: [PartialEq],
    generate_all,
});
