//! A generation: an immutable set of modules, linked to each other, with the router and the contract composed from them. A
//! request keeps the one it began on.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use stoa_descriptor::{Descriptor, Named};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};

use super::artifact::{self, Artifact};
use super::cache::Cache;
use super::state::State;
use super::{call, describe, services};
use crate::http::routes::RouteTable;
use crate::platform;
use crate::store::Schema;
use crate::wit::{Guest, GuestPre};

pub struct Generation {
    pub engine: Engine,
    /// Providers before those that use them.
    pub modules: Vec<Module>,
    pub routes: RouteTable,
    /// Every permission of the catalog with the module that owns it.
    pub permissions: BTreeMap<String, Permission>,
    /// Every scope that an API client may hold, likewise.
    pub scopes: BTreeMap<String, Permission>,
    /// Status and detail of the problem codes that modules add.
    pub problems: BTreeMap<String, (u16, String)>,
}

pub struct Permission {
    pub description: String,
    pub module: String,
}

pub struct Module {
    pub name: String,
    pub version: String,
    pub digest: [u8; 32],
    pub descriptor: Arc<Descriptor>,
    pub schema: Arc<Schema>,
    pub code: Code,
}

/// What runs when a module is called.
#[derive(Clone)]
pub enum Code {
    Component(GuestPre<State>),
    /// The same module compiled into the process: how the benchmark measures what the sandbox costs.
    Native(Arc<dyn call::Native>),
}

struct Candidate {
    artifact: Artifact,
    descriptor: Arc<Descriptor>,
    schema: Schema,
}

impl Generation {
    /// The generation of every component in a folder. `cache`: where compiled ones are kept. Nothing is written: tables come afterwards, by `store::migrate`.
    pub fn from_folder(engine: &Engine, folder: &Path, cache: Option<&Cache>) -> anyhow::Result<Generation> {
        let artifacts = artifact::load_folder(engine, folder, cache)?;
        let files: Vec<(String, &Component)> =
            artifacts.iter().map(|artifact| (artifact.file.display().to_string(), &artifact.component)).collect();
        for at in 0..files.len() {
            services::resolve(engine, at, &files)?;
        }
        let candidates: Vec<Candidate> =
            artifacts.into_iter().map(|artifact| vet(engine, artifact)).collect::<Result<_, _>>()?;
        let descriptors: Vec<_> = candidates.iter().map(|candidate| candidate.descriptor.clone()).collect();
        let clashes = describe::clashes(&descriptors);
        anyhow::ensure!(clashes.is_empty(), "DESCRIPTOR_INVALID: {}", clashes.join("; "));
        let modules = link(engine, candidates)?;
        let permissions = known(platform::PERMISSIONS, &modules, |descriptor| &descriptor.permissions);
        let scopes = known(&[], &modules, |descriptor| &descriptor.scopes);
        let problems = modules
            .iter()
            .flat_map(|module| &module.descriptor.problems)
            .map(|problem| (problem.code.clone(), (problem.status, problem.detail.clone())))
            .collect();
        let routes = RouteTable::compose(&modules, &permissions, &scopes)?;
        Ok(Generation { engine: engine.clone(), modules, routes, permissions, scopes, problems })
    }

    pub fn module(&self, name: &str) -> Option<(usize, &Module)> {
        self.modules.iter().enumerate().find(|(_, module)| module.name == name)
    }
}

fn vet(engine: &Engine, artifact: Artifact) -> anyhow::Result<Candidate> {
    let file = artifact.file.display().to_string();
    let descriptor = describe::describe(engine, &artifact.component).map_err(|why| anyhow::anyhow!("{file}: {why}"))?;
    let faults = describe::faults(&descriptor);
    anyhow::ensure!(faults.is_empty(), "{file}: DESCRIPTOR_INVALID: {}", faults.join("; "));
    let schema = Schema::new(&descriptor.name, &descriptor.collections)
        .map_err(|faults| anyhow::anyhow!("{file}: DESCRIPTOR_INVALID: {}", faults.join("; ")))?;
    Ok(Candidate { artifact, descriptor: Arc::new(descriptor), schema })
}

/// Links services and sorts providers first. A cycle is refused: re-entering a module would show it its own half-done state.
fn link(engine: &Engine, candidates: Vec<Candidate>) -> anyhow::Result<Vec<Module>> {
    let named: Vec<(String, Component)> = candidates
        .iter()
        .map(|candidate| (candidate.descriptor.name.clone(), candidate.artifact.component.clone()))
        .collect();
    let order = order(engine, &named)?;
    let sorted: Vec<(String, &Component)> =
        order.iter().map(|&index| (named[index].0.clone(), &named[index].1)).collect();
    let mut waiting: Vec<Option<Candidate>> = candidates.into_iter().map(Some).collect();
    let mut modules = Vec::with_capacity(order.len());
    for &index in &order {
        let Some(candidate) = waiting[index].take() else { continue };
        let Candidate { artifact, descriptor, schema } = candidate;
        let mut linker = Linker::<State>::new(engine);
        Guest::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)
            .map_err(|error| anyhow::anyhow!("{error:#}"))?;
        let links = services::resolve(engine, modules.len(), &sorted)?;
        for wanted in &links {
            services::link(&mut linker, wanted).map_err(|error| anyhow::anyhow!("{}: {error:#}", descriptor.name))?;
        }
        let code = linker
            .instantiate_pre(&artifact.component)
            .and_then(GuestPre::new)
            .map_err(|error| anyhow::anyhow!("{}: {error:#}", descriptor.name))?;
        modules.push(Module {
            name: descriptor.name.clone(),
            version: descriptor.version.clone(),
            digest: artifact.digest,
            descriptor,
            schema: Arc::new(schema),
            code: Code::Component(code),
        });
    }
    Ok(modules)
}

fn order(engine: &Engine, named: &[(String, Component)]) -> anyhow::Result<Vec<usize>> {
    let all: Vec<(String, &Component)> = named.iter().map(|(name, component)| (name.clone(), component)).collect();
    let mut needs = Vec::with_capacity(named.len());
    for at in 0..named.len() {
        let links = services::resolve(engine, at, &all)?;
        needs.push(links.into_iter().map(|link| link.provider).collect::<Vec<_>>());
    }
    let mut order = Vec::with_capacity(named.len());
    while order.len() < named.len() {
        let ready: Vec<usize> = (0..named.len())
            .filter(|index| !order.contains(index) && needs[*index].iter().all(|provider| order.contains(provider)))
            .collect();
        if ready.is_empty() {
            let cycle: Vec<&str> =
                (0..named.len()).filter(|index| !order.contains(index)).map(|index| named[index].0.as_str()).collect();
            anyhow::bail!("SERVICE_UNRESOLVED: modules need each other in a circle: {}", cycle.join(", "));
        }
        order.extend(ready);
    }
    Ok(order)
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
