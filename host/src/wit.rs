//! The contracts of modules as Rust: what `wit/platform` and `wit/extension` say, for the host's side. The only place
//! where they are generated.

wasmtime::component::bindgen!({
    path: "../wit/platform",
    world: "guest",
    imports: { default: async | trappable },
    exports: { default: async },
    additional_derives: [PartialEq],
});

pub use commerce::platform::{arguments, context, events, log, problems, store};
pub use exports::commerce::platform::module;

/// The interfaces of `commerce:extension` that the host serves or calls by type. Those of points it links by their shapes.
pub mod extension {
    wasmtime::component::bindgen!({
        path: ["../wit/platform", "../wit/extension"],
        world: "commerce:extension/extension-host",
        imports: { default: async | trappable },
        exports: { default: async },
        with: {
            "commerce:platform/ids@0.1.0": crate::wit::commerce::platform::ids,
            "commerce:platform/problems@0.1.0": crate::wit::commerce::platform::problems,
        },
    });

    pub use commerce::extension::points;
    pub use exports::commerce::extension::{listener, timer};
}
