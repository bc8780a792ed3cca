//! The module contract as Rust: what `wit/platform` says, for the host's side. The only place where it is generated.

wasmtime::component::bindgen!({
    path: "../wit/platform",
    world: "guest",
    imports: { default: async | trappable },
    exports: { default: async },
    additional_derives: [PartialEq],
});

pub use commerce::platform::{arguments, context, events, log, problems, store};
pub use exports::commerce::platform::module;
