//! An edition, a generation as callers see it: with the table of its modules' operations and the host's own, and the contract composed from
//! both. A request takes what it needs of it at its beginning.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use stoa_descriptor::Route;

use crate::contract::parameters::template_shape;
use crate::contract::{Judged, openapi};
use crate::gate::refusal::Refusal;
use crate::gate::vetting::Gate;
use crate::operations::{Callable, Document, Operation, Table};
use crate::pipeline::Runner;
use crate::platform;
use crate::sandbox::clashes::clashes;
use crate::sandbox::{Arrangement, Generation, Vetted};

pub struct Edition {
    pub generation: Arc<Generation>,
    pub operations: Table<Runner<&'static platform::PlatformOperation>>,
    pub contract: Document,
    /// Held by the edition and by each request that began on it: the last of them lets go of it.
    pub presence: Arc<()>,
}

impl Deref for Edition {
    type Target = Generation;

    fn deref(&self) -> &Generation {
        &self.generation
    }
}

impl Edition {
    /// Links modules that were vetted, with this sequence of their extensions, and composes what they and the host declare.
    pub fn link(
        gate: &Gate,
        number: u64,
        vetted: &[Arc<Vetted>],
        arrangement: &Arrangement,
    ) -> Result<Edition, Refusal> {
        Edition::new(gate.link(number, vetted, arrangement)?)
    }

    /// The edition of every component in a folder, whichever signer signed it.
    pub fn from_folder(gate: &Gate, folder: &Path) -> anyhow::Result<Edition> {
        let vetted = gate.vet_folder(folder)?;
        Ok(Edition::link(gate, 1, &vetted, &Arrangement::new())?)
    }

    /// The edition of a generation: all that it and the host offer.
    pub fn new(generation: Generation) -> Result<Edition, Refusal> {
        Edition::compose(generation).map_err(|what| Refusal::new("DESCRIPTOR_INVALID", what))
    }

    /// Claims of a candidate that would prevent its activation here: names that another module or the host has.
    pub fn find_conflicts(&self, candidate: &Vetted) -> Vec<String> {
        let name = candidate.descriptor.name.as_str();
        let others = self.modules.iter().filter(|module| module.name != name).map(|module| &*module.descriptor);
        let mut conflicts = clashes(&platform::NAMES, others.chain(std::iter::once(&*candidate.descriptor)));
        let mut callables = Vec::new();
        for Callable { operation, runner } in &self.operations.callables {
            match runner {
                Runner::Module(module) if module.name == name => continue,
                Runner::Host(_) => conflicts.extend(find_host_claims(candidate, &operation.route)),
                Runner::Module(_) => {}
            }
            callables.push(operation);
        }
        // Paths that the router cannot distinguish.
        if conflicts.is_empty() {
            let all = callables.into_iter().chain(&candidate.operations);
            let all = all.map(|operation| Callable { operation: operation.clone(), runner: () });
            conflicts.extend(Table::compose(all.collect()).err().map(|why| format!("{name}: {why}")));
        }
        conflicts
    }

    fn compose(generation: Generation) -> Result<Edition, String> {
        let platform::Description { routes, schemas: own_schemas } = platform::describe(&generation.modules)?;
        let mut callables = Vec::new();
        for (route, operation) in routes {
            // A unit test judges them.
            let compiled = Operation::compile(Judged::Before, route, &own_schemas)?;
            let compiled = Operation { news: operation.runner().is_news(), ..compiled };
            callables.push(Callable { operation: Arc::new(compiled), runner: Runner::Host(operation) });
        }
        for module in &generation.modules {
            let theirs = module.operations.iter();
            callables.extend(
                theirs
                    .map(|operation| Callable { operation: operation.clone(), runner: Runner::Module(module.clone()) }),
            );
        }
        let operations = Table::compose(callables)?;
        let contract = contract(&generation, &operations, &own_schemas)?;
        Ok(Edition { generation: Arc::new(generation), operations, contract, presence: Arc::default() })
    }
}

/// Routes of a candidate that claim the id or the path of one of the host's.
fn find_host_claims(candidate: &Vetted, taken: &Route) -> Vec<String> {
    let name = &candidate.descriptor.name;
    let shape = template_shape(&taken.path);
    let claims = candidate.descriptor.routes.iter().filter_map(|route| {
        let is_same_route = route.method == taken.method && template_shape(&route.path) == shape;
        if route.operation == taken.operation {
            Some(format!("{name}: operation `{}` is the host's own", taken.operation))
        } else {
            is_same_route.then(|| format!("{name}: route `{} {}` is the host's own", route.method, route.path))
        }
    });
    claims.collect()
}

fn contract(
    generation: &Generation,
    operations: &Table<Runner<&'static platform::PlatformOperation>>,
    own_schemas: &serde_json::Map<String, serde_json::Value>,
) -> Result<Document, String> {
    let public = platform::public::routes();
    let own_kinds = platform::webhooks::event_kinds();
    let own_item_codes = platform::item_codes();
    let host = openapi::DocumentedModule {
        name: platform::NAME,
        description: "Identity, companies and the service itself.",
        schemas: own_schemas,
        problems: &[],
        item_codes: &own_item_codes,
        events: &own_kinds,
        words: &[],
        shows: &[],
        console: None,
        by_partner: false,
    };
    let modules: Vec<_> = std::iter::once(host)
        .chain(generation.modules.iter().map(|module| openapi::DocumentedModule {
            name: &module.name,
            description: &module.descriptor.description,
            schemas: &module.descriptor.schemas,
            problems: &module.descriptor.problems,
            item_codes: &module.descriptor.item_codes,
            events: &module.descriptor.events,
            words: &module.descriptor.words,
            shows: &module.descriptor.shows,
            console: module.descriptor.console.as_ref(),
            by_partner: module.by_partner,
        }))
        .collect();
    let operations: Vec<_> = public
        .iter()
        .map(|route| openapi::DocumentedOperation { route, module: platform::NAME, extensions: &[], public: true })
        .chain(operations.callables.iter().map(|callable| openapi::DocumentedOperation {
            route: &callable.operation.route,
            module: match &callable.runner {
                Runner::Host(_) => platform::NAME,
                Runner::Module(module) => &module.name,
            },
            extensions: match &callable.runner {
                Runner::Host(_) => &[],
                Runner::Module(module) => module.find_extensions(&callable.operation.route.operation),
            },
            public: false,
        }))
        .collect();
    Document::compose(generation.number, &operations, &modules)
}
