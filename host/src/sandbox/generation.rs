//! A generation: an immutable set of modules, linked to each other. A request keeps the one it began on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arc_swap::ArcSwap;
use stoa_descriptor::{Access, Audience, Descriptor, Named, Route, ServiceAccess};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};

use super::arrangement::{self, Arrangement, name_point};
use super::circles::{self, Need};
use super::clashes::clashes;
use super::interface::{self, InterfaceName};
use super::listeners::TransactionListeners;
use super::module::{Module, Vetted};
use super::points;
use super::reached::ReachedExtensions;
use super::services::{self, Link, Unresolved};
use super::state::State;
use super::trial::Trial;
use crate::operations::HostNames;
use crate::problem;
use crate::wit::{Guest, GuestPre, extension};

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
    /// The sequence of the extensions of each point.
    pub arrangement: Arrangement,
    /// The modules that receive events in the transaction.
    pub listeners: Arc<TransactionListeners>,
    /// Status and detail of the problem codes that modules declare in addition to the host's.
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
    /// An extension does not fit the point that it extends, or there are too many at one.
    #[error("{0}")]
    Points(String),
    /// Modules need each other in a circle that leads through a point or an event.
    #[error("{0}")]
    Circle(String),
}

impl From<Unresolved> for Unlinked {
    fn from(unresolved: Unresolved) -> Unlinked {
        Unlinked::Services(unresolved.to_string())
    }
}

impl Generation {
    /// Links modules that were vetted. `host`: what they may build on. `wanted`: the arrangement to keep, as far as the
    /// modules extend its points. Nothing is written: tables come afterwards.
    pub fn link(
        engine: &Engine,
        host: &HostNames,
        number: u64,
        vetted: &[Arc<Vetted>],
        wanted: &Arrangement,
    ) -> Result<Generation, Unlinked> {
        // The first module holds a name that two of them claim.
        let (partners, others): (Vec<&Arc<Vetted>>, Vec<_>) = vetted.iter().partition(|vetted| vetted.by_partner);
        let clashes = clashes(host, others.into_iter().chain(partners).map(|vetted| &*vetted.descriptor));
        if !clashes.is_empty() {
            return Err(Unlinked::Descriptors(clashes.join("; ")));
        }
        expect_tables_apart(vetted)?;
        let arrangement = arrangement::fit(wanted, vetted.iter().map(|vetted| &*vetted.descriptor))?;
        circles::check_events(vetted.iter().map(|vetted| &*vetted.descriptor))?;
        let modules = link_services(engine, vetted, &arrangement)?;
        let listeners = Arc::new(TransactionListeners::new(&modules, &arrangement));
        let descriptors = modules.iter().map(|module| &*module.descriptor);
        let permissions = compose_grants(host, host.permissions, descriptors.clone(), |it| &it.permissions);
        let scopes = compose_grants(host, host.scopes, descriptors, |it| &it.scopes);
        let problems = modules
            .iter()
            .flat_map(|module| &module.descriptor.problems)
            .map(|problem| (problem.code.clone(), (problem.status, problem.detail.clone())))
            .collect();
        let (engine, trials) = (engine.clone(), ArcSwap::default());
        let generation =
            Generation { number, engine, modules, permissions, scopes, arrangement, listeners, problems, trials };
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

/// Links services and points, and sorts those first that others call. A circle is refused: re-entering a module would
/// show it its own half-done state.
fn link_services(
    engine: &Engine,
    vetted: &[Arc<Vetted>],
    arrangement: &Arrangement,
) -> Result<Vec<Arc<Module>>, Unlinked> {
    let sorted: Vec<&Arc<Vetted>> =
        providers_first(engine, vetted)?.into_iter().filter_map(|index| vetted.get(index)).collect();
    let components = components(sorted.iter().copied());
    let reached = ReachedExtensions::new(vetted.iter().map(|vetted| &*vetted.descriptor));
    let mut modules: Vec<Arc<Module>> = Vec::with_capacity(sorted.len());
    for vetted in sorted {
        let links = services::resolve(engine, modules.len(), &components)?;
        let module = link_module(engine, vetted, &links, &modules, arrangement)?;
        modules.push(Arc::new(reached.complete(module)));
    }
    Ok(modules)
}

/// Links one module to those before it.
fn link_module(
    engine: &Engine,
    vetted: &Arc<Vetted>,
    links: &[Link],
    modules: &[Arc<Module>],
    arrangement: &Arrangement,
) -> Result<Module, Unlinked> {
    let Descriptor { name, version, receives, timers, .. } = &*vetted.descriptor;
    let failed = |error: wasmtime::Error| Unlinked::Services(format!("{name}: {error:#}"));
    let invalid = |error: wasmtime::Error| Unlinked::Descriptors(format!("{name}: {error:#}"));
    let mut linker = Linker::<State>::new(engine);
    Guest::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state).map_err(failed)?;
    extension::points::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state).map_err(failed)?;
    for wanted in links {
        let provider = modules.get(wanted.provider);
        let provider = provider.ok_or_else(|| Unlinked::Services(format!("{name} is linked before its provider")))?;
        services::link(&mut linker, wanted, provider, vetted).map_err(failed)?;
    }
    let places = arrangement::list_places(&vetted.descriptor);
    let extensions = |interface: &str| -> Vec<Arc<Module>> {
        let names = arrangement.get(name_point(interface)).into_iter().flatten();
        let linked = names.filter_map(|name| modules.iter().find(|module| module.name == *name));
        linked.filter(|module| arrangement::is_called(&module.descriptor, interface, &places)).cloned().collect()
    };
    let points = points::link(&mut linker, engine, vetted, extensions)?;
    let pre = linker.instantiate_pre(&vetted.component).map_err(invalid)?;
    let receives = (!receives.is_empty()).then(|| extension::listener::GuestIndices::new(&pre)).transpose();
    let timer = (!timers.is_empty()).then(|| extension::timer::GuestIndices::new(&pre)).transpose();
    Ok(Module {
        name: name.clone(),
        version: version.clone(),
        code: GuestPre::new(pre).map_err(invalid)?,
        operations: vetted.operations.clone(),
        extended_by: BTreeMap::new(),
        points,
        receives: receives.map_err(invalid)?,
        timer: timer.map_err(invalid)?,
        #[cfg(feature = "native-modules")]
        native: None,
        vetted: vetted.clone(),
    })
}

fn components<'a>(vetted: impl Iterator<Item = &'a Arc<Vetted>>) -> Vec<(String, &'a Component)> {
    vetted.map(|vetted| (vetted.descriptor.name.clone(), &vetted.component)).collect()
}

/// The modules in a sequence in which each comes after those that it calls: the providers of its services, and every module that
/// extends one of its points.
fn providers_first(engine: &Engine, vetted: &[Arc<Vetted>]) -> Result<Vec<usize>, Unlinked> {
    let all = components(vetted.iter());
    let mut needs: Vec<Vec<Need>> = Vec::with_capacity(all.len());
    for (index, module) in vetted.iter().enumerate() {
        let services = services::resolve(engine, index, &all)?.into_iter().map(|link| {
            let service = InterfaceName::parse(&link.import).map_or(link.import, |name| name.path);
            Need::service(link.provider, service)
        });
        let mut of_module: Vec<Need> = services.collect();
        let places = arrangement::list_places(&module.descriptor);
        for (_, point, _) in interface::points_called(engine, &module.component) {
            let is_called = |vetted: &Arc<Vetted>| arrangement::is_called(&vetted.descriptor, &point.path, &places);
            let extensions = vetted.iter().enumerate().filter(|(_, vetted)| is_called(vetted));
            of_module.extend(extensions.map(|(index, _)| Need::point(index, name_point(&point.path))));
        }
        needs.push(of_module);
    }
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    circles::sort(&names, &needs)
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
