//! The interfaces by which modules extend others, as Rust: what `wit/extension` says, for the module's side. `stoa-trade` has the
//! points of commerce. A component exports those of which its crate calls the macro, and imports those that its code calls.

/// For modules that call points: what they ask the host.
pub mod asking {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/asking",
        generate_all,
    });
}

/// For modules that receive events: `export_listener!` exports it.
pub mod listening {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/listening",
        with: {
            "commerce:platform/ids@0.1.0": crate::bindings::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": crate::bindings::commerce::platform::problems,
        },
        pub_export_macro: true,
        default_bindings_module: "stoa_sdk::extension::listening",
        additional_derives: [PartialEq],
        generate_all,
    });
}

/// For modules that have timers: `export_timer!` exports it.
pub mod timed {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/timed",
        with: {
            "commerce:platform/ids@0.1.0": crate::bindings::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": crate::bindings::commerce::platform::problems,
        },
        default_bindings_module: "stoa_sdk::extension::timed",
        pub_export_macro: true,
        additional_derives: [PartialEq],
        generate_all,
    });
}

/// For modules that add members to responses: `export_views!` exports it.
pub mod viewing {
    wit_bindgen::generate!({
        path: ["../../wit/platform", "../../wit/extension"],
        world: "commerce:extension/viewing",
        with: { "commerce:platform/ids@0.1.0": crate::bindings::commerce::platform::ids },
        pub_export_macro: true,
        default_bindings_module: "stoa_sdk::extension::viewing",
        additional_derives: [PartialEq],
        generate_all,
    });
}
