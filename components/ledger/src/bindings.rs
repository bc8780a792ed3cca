//! The services that the ledger offers, as Rust.

wit_bindgen::generate!({
    inline: "
        package commerce:ledger-module;
        world services {
            import commerce:platform/ids@0.1.0;
            import commerce:platform/problems@0.1.0;
            export commerce:ledger/directory@0.1.0;
            export commerce:ledger/books@0.1.0;
            export commerce:ledger/money@0.1.0;
        }
    ",
    path: ["../../wit/platform", "../../wit/ledger"],
    with: {
        "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
        "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
    },
    additional_derives: [PartialEq],
});
