//! A generation: an immutable set of modules, linked to each other. A request keeps the one it began on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arc_swap::ArcSwap;
use stoa_descriptor::{Access, Audience, Descriptor, Named, Route, ServiceAccess};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};

use super::clashes::clashes;
use super::module::{Module, Vetted};
use super::services::{self, Unresolved};
use super::state::State;
use super::trial::Trial;
use crate::operations::HostNames;
use crate::problem;
use crate::wit::{Guest, GuestPre};

pub struct Generation {
    /// As the database counts them.
    pub number: u64,
    pub engine: Engine,
    /// Providers before those that use them.
    pub modules: Vec<Arc<Module>>,
    /// Every permission of the catalog with the module that owns it.
    pub permissions: BTreeMap<String, Permission>,
    /// Every scope that an API client may hold, likewise.
    pub scopes: BTreeMap<String, Permission>,
    /// Status and detail of the problem codes that modules declare beside the host's.
    pub problems: BTreeMap<String, (u16, String)>,
    /// Trials of its new modules, for a while.
    pub trials: ArcSwap<Vec<Arc<Trial>>>,
}

pub struct Permission {
    pub description: String,
    pub module: String,
}

/// Why modules make no generation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unlinked {
    /// Their declarations do not go together.
    #[error("{0}")]
    Descriptors(String),
    /// Two of them would keep their rows in one table.
    #[error("{0}")]
    Tables(String),
    /// A service that they need of each other is not there.
    #[error("{0}")]
    Services(String),
}

impl From<Unresolved> for Unlinked {
    fn from(unresolved: Unresolved) -> Unlinked {
        Unlinked::Services(unresolved.to_string())
    }
}

impl Generation {
    /// Links modules that were vetted. `host`: what they may build on. Nothing is written: tables come afterwards.
    pub fn link(
        engine: &Engine,
        host: &HostNames,
        number: u64,
        vetted: &[Arc<Vetted>],
    ) -> Result<Generation, Unlinked> {
        // Whoever comes first holds a name that two of them claim.
        let (partners, others): (Vec<&Arc<Vetted>>, Vec<_>) = vetted.iter().partition(|vetted| vetted.by_partner);
        let clashes = clashes(host, others.into_iter().chain(partners).map(|vetted| &*vetted.descriptor));
        if !clashes.is_empty() {
            return Err(Unlinked::Descriptors(clashes.join("; ")));
        }
        expect_tables_apart(vetted)?;
        let modules = link_services(engine, vetted)?;
        let descriptors = modules.iter().map(|module| &*module.descriptor);
        let permissions = compose_grants(host, host.permissions, descriptors.clone(), |it| &it.permissions);
        let scopes = compose_grants(host, host.scopes, descriptors, |it| &it.scopes);
        let problems = modules
            .iter()
            .flat_map(|module| &module.descriptor.problems)
            .map(|problem| (problem.code.clone(), (problem.status, problem.detail.clone())))
            .collect();
        let (engine, trials) = (engine.clone(), ArcSwap::default());
        let generation = Generation { number, engine, modules, permissions, scopes, problems, trials };
        generation.expect_catalogued()?;
        Ok(generation)
    }

    /// Every permission and scope that an operation or a service needs is in the catalog.
    fn expect_catalogued(&self) -> Result<(), Unlinked> {
        let unknown =
            self.modules.iter().find_map(|it| find_uncatalogued(&it.descriptor, &self.permissions, &self.scopes));
        unknown.map_or(Ok(()), |what| Err(Unlinked::Descriptors(what)))
    }

    /// Names of the modules that need something that none of these and not the host has: a service, a permission, a scope or a
    /// problem code.
    pub fn find_incomplete(engine: &Engine, host: &HostNames, vetted: &[Arc<Vetted>]) -> BTreeSet<String> {
        let all = components(vetted.iter());
        let descriptors = vetted.iter().map(|vetted| &*vetted.descriptor);
        let permissions = compose_grants(host, host.permissions, descriptors.clone(), |it| &it.permissions);
        let scopes = compose_grants(host, host.scopes, descriptors.clone(), |it| &it.scopes);
        let declared = descriptors.clone().flat_map(|it| &it.problems).map(|problem| problem.code.as_str());
        let problems: BTreeSet<&str> = problem::CODES.iter().map(|(code, ..)| *code).chain(declared).collect();
        let is_incomplete = |(index, descriptor): &(usize, &Descriptor)| {
            let mut codes = descriptor.routes.iter().flat_map(|route| &route.problems);
            services::resolve(engine, *index, &all).is_err()
                || find_uncatalogued(descriptor, &permissions, &scopes).is_some()
                || codes.any(|code| !problems.contains(code.as_str()))
        };
        let incomplete = descriptors.enumerate().filter(is_incomplete);
        incomplete.map(|(_, descriptor)| descriptor.name.clone()).collect()
    }

    /// A module of this generation by its digest.
    pub fn find_vetted(&self, digest: &[u8; 32]) -> Option<Arc<Vetted>> {
        self.modules.iter().find(|module| module.digest == *digest).map(|module| module.vetted.clone())
    }

    /// Returns whether a module declares collections that it did not declare in `before`.
    pub fn has_other_tables(&self, before: &Generation) -> bool {
        let declared = |generation: &Generation, name: &str| {
            generation.module(name).map(|module| module.descriptor.collections.clone()).unwrap_or_default()
        };
        self.modules.iter().any(|module| module.descriptor.collections != declared(before, &module.name))
    }

    pub fn module(&self, name: &str) -> Option<&Arc<Module>> {
        self.modules.iter().find(|module| module.name == name)
    }
}

/// A permission or scope that a module's operations and services need and the catalog has not.
fn find_uncatalogued(
    descriptor: &Descriptor,
    permissions: &BTreeMap<String, Permission>,
    scopes: &BTreeMap<String, Permission>,
) -> Option<String> {
    let unknown = |codes: &[String], known: &BTreeMap<String, Permission>, what: &str| {
        let unknown = codes.iter().find(|code| !known.contains_key(*code))?;
        Some(format!("{what}: unknown permission or scope `{unknown}`"))
    };
    let of_route = |route: &Route| {
        let (Access::All(codes) | Access::Any(codes)) = &route.access;
        let known = match route.audience {
            Audience::User => permissions,
            Audience::ApiClient => scopes,
        };
        unknown(codes, known, &route.operation)
    };
    let of_service = |access: &ServiceAccess| {
        let name = access.name();
        unknown(&access.permissions, permissions, &name).or_else(|| unknown(&access.scopes, scopes, &name))
    };
    descriptor.routes.iter().find_map(of_route).or_else(|| descriptor.services.iter().find_map(of_service))
}

/// `a-b` with a collection `c` and `a` with `b_c` would have one table.
fn expect_tables_apart(vetted: &[Arc<Vetted>]) -> Result<(), Unlinked> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for vetted in vetted {
        let name = vetted.descriptor.name.as_str();
        for table in vetted.schema.tables() {
            if let Some(other) = owners.insert(table, name) {
                return Err(Unlinked::Tables(format!("{other} and {name} would both have the table `{table}`")));
            }
        }
    }
    Ok(())
}

/// Links services and sorts providers first. A cycle is refused: re-entering a module would show it its own half-done state.
fn link_services(engine: &Engine, vetted: &[Arc<Vetted>]) -> Result<Vec<Arc<Module>>, Unlinked> {
    let failed = |name: &str, error: wasmtime::Error| Unlinked::Services(format!("{name}: {error:#}"));
    let sorted: Vec<&Arc<Vetted>> =
        providers_first(engine, vetted)?.into_iter().filter_map(|index| vetted.get(index)).collect();
    let components = components(sorted.iter().copied());
    let mut modules: Vec<Arc<Module>> = Vec::with_capacity(sorted.len());
    for vetted in sorted {
        let Descriptor { name, version, .. } = &*vetted.descriptor;
        let mut linker = Linker::<State>::new(engine);
        Guest::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state).map_err(|error| failed(name, error))?;
        for wanted in services::resolve(engine, modules.len(), &components)? {
            let provider = modules.get(wanted.provider).ok_or_else(|| circle(&[name]))?;
            services::link(&mut linker, &wanted, provider, vetted).map_err(|error| failed(name, error))?;
        }
        let code = linker
            .instantiate_pre(&vetted.component)
            .and_then(GuestPre::new)
            .map_err(|error| Unlinked::Descriptors(format!("{name}: {error:#}")))?;
        modules.push(Arc::new(Module {
            name: name.clone(),
            version: version.clone(),
            code,
            #[cfg(feature = "native-modules")]
            native: None,
            vetted: vetted.clone(),
        }));
    }
    Ok(modules)
}

fn circle(names: &[&str]) -> Unlinked {
    Unlinked::Services(format!("modules need each other in a circle: {}", names.join(", ")))
}

fn components<'a>(vetted: impl Iterator<Item = &'a Arc<Vetted>>) -> Vec<(String, &'a Component)> {
    vetted.map(|vetted| (vetted.descriptor.name.clone(), &vetted.component)).collect()
}

fn providers_first(engine: &Engine, vetted: &[Arc<Vetted>]) -> Result<Vec<usize>, Unlinked> {
    let all = components(vetted.iter());
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
            return Err(circle(&cycle));
        }
        sorted.extend(ready);
    }
    Ok(sorted)
}

/// The catalog of permissions or scopes: the host's own, then what each module declares.
fn compose_grants<'a>(
    host: &HostNames,
    host_grants: &[(&str, &str)],
    descriptors: impl Iterator<Item = &'a Descriptor>,
    declared: fn(&Descriptor) -> &Vec<Named>,
) -> BTreeMap<String, Permission> {
    let mut grants = BTreeMap::new();
    for (code, description) in host_grants {
        let module = host.module.to_owned();
        grants.insert(code.to_string(), Permission { description: description.to_string(), module });
    }
    for descriptor in descriptors {
        for Named { code, description } in declared(descriptor) {
            let (description, module) = (description.clone(), descriptor.name.clone());
            grants.insert(code.clone(), Permission { description, module });
        }
    }
    grants
}
