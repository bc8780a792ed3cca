//! A module: what was vetted of it, and the code that runs when it is called.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use arc_swap::ArcSwap;
#[cfg(feature = "native-modules")]
use futures_util::future::BoxFuture;
use stoa_descriptor::Descriptor;
use stoa_descriptor::names::NamePattern;
use wasmtime::component::Component;

use super::health::Health;
use super::judge::{EventSchema, Judge};
use super::state::State;
use crate::contract::Schema;
use crate::observe::trace::Attributes;
use crate::operations::Operation;
use crate::store::Tables;
use crate::wit::GuestPre;
use crate::wit::extension::{listener, timer};
#[cfg(feature = "native-modules")]
use crate::wit::module::{Call, Problem, Reply};

/// A module that may run here. Generations that have it share it.
pub struct Vetted {
    pub digest: [u8; 32],
    /// Bytes of the component.
    pub size: usize,
    pub descriptor: Arc<Descriptor>,
    pub schema: Arc<Tables>,
    pub component: Component,
    /// Operations that callers may ask of it.
    pub operations: Vec<Arc<Operation>>,
    /// The event kinds that it may emit.
    pub events: BTreeMap<String, Arc<EventSchema>>,
    pub judge: Arc<Judge>,
    /// Its signer; `None` for a module that --dev took from its folder.
    pub signer: Option<String>,
    /// The services (`commerce:area/interface`) that it may call for callers who do not hold what these need. It follows the
    /// settings while the host runs.
    pub acts_in: ArcSwap<BTreeSet<String>>,
    /// True if a partner signed it: names that it introduces begin with its own.
    pub by_partner: bool,
    /// Words with which its names may begin instead. They follow the settings, as `acts_in` does.
    pub granted_names: ArcSwap<Vec<NamePattern>>,
    /// The schemas of the members that it adds to responses, by their places.
    pub shown: BTreeMap<String, Arc<Schema>>,
    /// True if it calls services or points of other modules, whose refusals it passes on.
    pub passes_on: bool,
    /// True if it may take the place of a module that another signed.
    pub replaces_others: bool,
    pub health: Arc<Health>,
}

/// A module of a generation: linked to those whose services it uses, and to those that extend the points that it calls.
pub struct Module {
    pub name: String,
    pub version: String,
    pub code: GuestPre<State>,
    /// Its operations, each with the codes of the extensions that it may reach.
    pub operations: Vec<Arc<Operation>>,
    /// The names of these extensions, by operation.
    pub extended_by: BTreeMap<String, Vec<String>>,
    /// The modules that extend the points that it calls, by interface, in sequence.
    pub points: BTreeMap<String, Vec<Arc<Module>>>,
    /// Its function for events, if it receives any.
    pub receives: Option<listener::GuestIndices>,
    /// Its function for timers, if it has any.
    pub timer: Option<timer::GuestIndices>,
    /// The same module compiled into the process, which takes requests in the component's place: how the benchmark measures
    /// what the sandbox costs.
    #[cfg(feature = "native-modules")]
    pub native: Option<Arc<dyn Native>>,
    /// The vetted module that it was linked from.
    pub vetted: Arc<Vetted>,
}

impl Deref for Module {
    type Target = Vetted;

    fn deref(&self) -> &Vetted {
        &self.vetted
    }
}

impl Module {
    /// The names of the extensions that an operation may reach.
    pub fn find_extensions(&self, operation: &str) -> &[String] {
        self.extended_by.get(operation).map_or(&[], Vec::as_slice)
    }

    /// The attributes of a trace's span in which it runs.
    pub fn describe(&self) -> Attributes {
        vec![("stoa.module", self.name.clone().into()), ("stoa.module.version", self.version.clone().into())]
    }
}

/// A module without a sandbox, only for the benchmark. It calls the host's interfaces on `State`, as a component does
/// through the linker.
#[cfg(feature = "native-modules")]
pub trait Native: Send + Sync {
    fn handle<'a>(
        &'a self,
        state: &'a mut State,
        call: &'a Call,
    ) -> BoxFuture<'a, wasmtime::Result<Result<Reply, Problem>>>;
}
