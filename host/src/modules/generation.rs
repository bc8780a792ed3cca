//! A generation: an immutable set of modules, linked to each other, with the router and the contract composed from them. A
//! request keeps the one it began on.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use stoa_descriptor::{Descriptor, Named};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};

use super::artifact;
use super::refusal::Refusal;
use super::state::State;
use super::vetting::{Gate, Vetted};
use super::{call, describe, services};
use crate::http::routes::RouteTable;
use crate::platform;
use crate::wit::{Guest, GuestPre};

pub struct Generation {
    /// As the database counts them.
    pub number: u64,
    pub engine: Engine,
    /// Providers before those that use them.
    pub modules: Vec<Module>,
    pub routes: RouteTable,
    /// Every permission of the catalog with the module that owns it.
    pub permissions: BTreeMap<String, Permission>,
    /// Every scope that an API client may hold, likewise.
    pub scopes: BTreeMap<String, Permission>,
    /// Status and detail of the problem codes that modules declare beside the host's.
    pub problems: BTreeMap<String, (u16, String)>,
}

pub struct Permission {
    pub description: String,
    pub module: String,
}

pub struct Module {
    pub name: String,
    pub version: String,
    pub code: Code,
    /// What it was linked from.
    pub vetted: Arc<Vetted>,
}

impl Deref for Module {
    type Target = Vetted;

    fn deref(&self) -> &Vetted {
        &self.vetted
    }
}

/// What runs when a module is called.
#[derive(Clone)]
pub enum Code {
    Component(GuestPre<State>),
    /// The same module compiled into the process: how the benchmark measures what the sandbox costs.
    Native(Arc<dyn call::Native>),
}

impl Generation {
    /// Links modules that were vetted. Nothing is written: tables come afterwards, by `tables`.
    pub fn link(engine: &Engine, number: u64, vetted: &[Arc<Vetted>]) -> Result<Generation, Refusal> {
        let invalid = |what: String| Refusal::new("DESCRIPTOR_INVALID", what);
        let clashes = describe::clashes(vetted.iter().map(|vetted| &*vetted.descriptor));
        if !clashes.is_empty() {
            return Err(invalid(clashes.join("; ")));
        }
        let modules = linked(engine, vetted)?;
        let permissions = known(platform::PERMISSIONS, &modules, |descriptor| &descriptor.permissions);
        let scopes = known(&[], &modules, |descriptor| &descriptor.scopes);
        let problems = modules
            .iter()
            .flat_map(|module| &module.descriptor.problems)
            .map(|problem| (problem.code.clone(), (problem.status, problem.detail.clone())))
            .collect();
        let routes = RouteTable::compose(number, &modules, &permissions, &scopes).map_err(invalid)?;
        Ok(Generation { number, engine: engine.clone(), modules, routes, permissions, scopes, problems })
    }

    /// The generation of every component in a folder, whoever signed it.
    pub fn from_folder(gate: &Gate, folder: &Path) -> anyhow::Result<Generation> {
        let vetted = artifact::read_folder(folder)?
            .into_iter()
            .map(|(file, artifact)| {
                let vetted = gate.vet(&artifact).map_err(|refusal| anyhow::anyhow!("{file}: {refusal}"))?;
                Ok(Arc::new(vetted))
            })
            .collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Generation::link(&gate.engine, 1, &vetted)?)
    }

    /// A module of this generation by its digest.
    pub fn vetted(&self, digest: &[u8; 32]) -> Option<Arc<Vetted>> {
        self.modules.iter().find(|module| module.digest == *digest).map(|module| module.vetted.clone())
    }

    /// Whether a module declares collections that it did not declare in `before`.
    pub fn has_other_tables(&self, before: &Generation) -> bool {
        let declared = |generation: &Generation, name: &str| {
            generation.module(name).map(|(_, module)| module.descriptor.collections.clone()).unwrap_or_default()
        };
        self.modules.iter().any(|module| module.descriptor.collections != declared(before, &module.name))
    }

    pub fn module(&self, name: &str) -> Option<(usize, &Module)> {
        self.modules.iter().enumerate().find(|(_, module)| module.name == name)
    }
}

/// Links services and sorts providers first. A cycle is refused: re-entering a module would show it its own half-done state.
fn linked(engine: &Engine, vetted: &[Arc<Vetted>]) -> Result<Vec<Module>, Refusal> {
    let failed = |name: &str, error: wasmtime::Error| Refusal::new("SERVICE_UNRESOLVED", format!("{name}: {error:#}"));
    let sorted: Vec<&Arc<Vetted>> =
        providers_first(engine, vetted)?.into_iter().filter_map(|index| vetted.get(index)).collect();
    let components = named(sorted.iter().copied());
    let mut modules = Vec::with_capacity(sorted.len());
    for vetted in sorted {
        let Descriptor { name, version, .. } = &*vetted.descriptor;
        let mut linker = Linker::<State>::new(engine);
        Guest::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state).map_err(|error| failed(name, error))?;
        let links = services::resolve(engine, modules.len(), &components)?;
        for wanted in &links {
            services::link(&mut linker, wanted).map_err(|error| failed(name, error))?;
        }
        let code = linker
            .instantiate_pre(&vetted.component)
            .and_then(GuestPre::new)
            .map_err(|error| Refusal::new("DESCRIPTOR_INVALID", format!("{name}: {error:#}")))?;
        modules.push(Module {
            name: name.clone(),
            version: version.clone(),
            code: Code::Component(code),
            vetted: vetted.clone(),
        });
    }
    Ok(modules)
}

fn named<'a>(vetted: impl Iterator<Item = &'a Arc<Vetted>>) -> Vec<(String, &'a Component)> {
    vetted.map(|vetted| (vetted.descriptor.name.clone(), &vetted.component)).collect()
}

fn providers_first(engine: &Engine, vetted: &[Arc<Vetted>]) -> Result<Vec<usize>, Refusal> {
    let all = named(vetted.iter());
    let mut needs = Vec::with_capacity(all.len());
    for index in 0..all.len() {
        let links = services::resolve(engine, index, &all)?;
        needs.push(links.into_iter().map(|link| link.provider).collect::<Vec<_>>());
    }
    let mut sorted = Vec::with_capacity(all.len());
    while sorted.len() < all.len() {
        let ready: Vec<usize> = (0..all.len())
            .filter(|index| !sorted.contains(index) && needs[*index].iter().all(|provider| sorted.contains(provider)))
            .collect();
        if ready.is_empty() {
            let waiting = (0..all.len()).filter(|index| !sorted.contains(index));
            let cycle: Vec<&str> = waiting.map(|index| all[index].0.as_str()).collect();
            let what = format!("modules need each other in a circle: {}", cycle.join(", "));
            return Err(Refusal::new("SERVICE_UNRESOLVED", what));
        }
        sorted.extend(ready);
    }
    Ok(sorted)
}

/// The catalog of permissions or scopes: the host's own, then what each module declares.
fn known(
    own: &[(&str, &str)],
    modules: &[Module],
    declared: fn(&Descriptor) -> &Vec<Named>,
) -> BTreeMap<String, Permission> {
    let host = own.iter().map(|(code, description)| {
        (code.to_string(), Permission { description: description.to_string(), module: platform::NAME.into() })
    });
    let theirs = modules.iter().flat_map(|module| {
        declared(&module.descriptor).iter().map(|named| {
            (named.code.clone(), Permission { description: named.description.clone(), module: module.name.clone() })
        })
    });
    host.chain(theirs).collect()
}
