//! Services that a module offers, as Rust.

/// Generates the services of a module from its world: text of WIT, and the folder of its package. Ids and problems are
/// those of the SDK; the module's crate depends on `wit-bindgen`.
#[macro_export]
macro_rules! offered_services {
    ($package:tt, $world:tt) => {
        wit_bindgen::generate!({
            inline: $world,
            path: ["../../wit/platform", $package],
            with: {
                "commerce:platform/ids@0.1.0": stoa_sdk::bindings::commerce::platform::ids,
                "commerce:platform/problems@0.1.0": stoa_sdk::bindings::commerce::platform::problems,
            },
            additional_derives: [PartialEq],
            generate_all,
        });
    };
}
