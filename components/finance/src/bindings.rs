//! The services that finance offers, as Rust.

wit_bindgen::generate!({
    inline: "
        package commerce:finance-module;
        world services {
            import commerce:platform/ids@0.1.0;
            import commerce:platform/problems@0.1.0;
            export commerce:finance/tills@0.1.0;
        }
    ",
    path: ["../../wit/platform", "../../wit/finance"],
    with: {
        "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
        "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
    },
    additional_derives: [PartialEq],
    generate_all,
});
