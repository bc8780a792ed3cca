//! Modules compiled into the process: the same crates without a sandbox, behind the same calls of the host.
//!
//! Module code is synchronous and the host's calls are not. A component bridges that with a stack of its own, and so does this:
//! each call of a module runs on a coroutine that stops at every call to the host and goes on with its answer. No thread is
//! changed for it, and the host runs its one async path either way. The measurement leaves out only the sandbox: instantiation,
//! reset, bounds checks, lifting and lowering, reflection between modules. Values are still moved from the one crate's types
//! into the other's, which costs well under a microsecond per call.

mod convert;
mod coroutine;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use stoa::sandbox::module::Native;
use stoa::sandbox::state::State;
use stoa::sandbox::{Generation, Module};
use stoa::wit::module;
use stoa_sdk::bindings::exports::commerce::platform::module as sdk;

pub use coroutine::install_services;

/// A module's `handle`.
type Handle = fn(&sdk::Call) -> stoa_sdk::Answer;

struct Linked {
    handle: Handle,
    /// Those whose services it may call.
    providers: Vec<Arc<Module>>,
}

impl Native for Linked {
    fn handle<'a>(
        &'a self,
        state: &'a mut State,
        call: &'a module::Call,
    ) -> BoxFuture<'a, wasmtime::Result<Result<module::Reply, module::Problem>>> {
        Box::pin(async move {
            let answer = coroutine::run(self.handle, convert::call(call), state, &self.providers).await?;
            Ok(answer.map(convert::reply).map_err(convert::problem))
        })
    }
}

/// Puts the linked crates, all that the measured requests touch, in the places of their components; everything else of the
/// generation stays as it is.
pub fn replace(generation: &mut Generation) -> anyhow::Result<()> {
    let crates: [(&str, Handle); 2] = [
        ("catalog", <catalog::Catalog as stoa_sdk::Module>::handle),
        ("pricing", <pricing::Pricing as stoa_sdk::Module>::handle),
    ];
    let providers = generation.modules.clone();
    for (name, handle) in crates {
        let module = generation.modules.iter_mut().find(|module| module.name == name);
        let module = module.ok_or_else(|| anyhow::anyhow!("there is no native component of {name}"))?;
        *module = Arc::new(Module {
            name: module.name.clone(),
            version: module.version.clone(),
            code: module.code.clone(),
            operations: module.operations.clone(),
            // It calls no extension.
            extended_by: BTreeMap::new(),
            points: BTreeMap::new(),
            receives: None,
            timer: None,
            native: Some(Arc::new(Linked { handle, providers: providers.clone() })),
            vetted: module.vetted.clone(),
        });
    }
    Ok(())
}
