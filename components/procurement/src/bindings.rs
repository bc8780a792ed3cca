//! The services that procurement offers, as Rust.

wit_bindgen::generate!({
    inline: "
        package commerce:procurement-module;
        world services {
            import commerce:platform/ids@0.1.0;
            import commerce:platform/problems@0.1.0;
            export commerce:procurement/suppliers@0.1.0;
            export commerce:procurement/orders@0.1.0;
            export commerce:procurement/charges@0.1.0;
        }
    ",
    path: ["../../wit/platform", "../../wit/procurement"],
    with: {
        "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
        "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
    },
    additional_derives: [PartialEq],
});
