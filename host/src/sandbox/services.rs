//! Services between modules: an import of one is linked to the export of another by reflection. The host has no compiled-in
//! knowledge of any of them.
//!
//! wasmtime's linker takes any version of the same major and, for untyped functions, checks no types; so both are checked here,
//! before a generation exists.

use std::fmt;
use std::sync::Arc;

use semver::Version;
use serde::Serialize;
use stoa_descriptor::ServiceAccess;
use wasmtime::component::types::{ComponentFunc, ComponentInstance, ComponentItem};
use wasmtime::component::{Component, ComponentExportIndex, Instance, Linker, Val};
use wasmtime::{Engine, StoreContextMut};

use super::failure::Failure;
use super::interface::{InterfaceName, fits, services_offered, services_wanted};
use super::module::{Module, Vetted};
use super::signature::signature;
use super::state::{RefusedService, State};
use crate::wit::context::ActorKind;

/// A service that a module needs of another.
#[derive(Debug, Clone)]
pub struct Link {
    /// Import name, as the importing component spells it.
    pub import: String,
    /// Index of the module that serves it.
    pub provider: usize,
    functions: Vec<(String, ComponentExportIndex)>,
}

/// Something that a module imports and no module serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// The importing module.
    pub module: String,
    /// `commerce:area/service@1.0.0`, with `#function` where only that is missing.
    pub item: String,
    pub wanted: Version,
    /// The modules that offer the interface, and at which version.
    pub offered: Vec<Offer>,
    /// The fault, for a person.
    pub detail: String,
}

/// A version of a service that a module offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offer {
    pub module: String,
    pub version: Version,
}

/// Every import of a module that no other module can serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved(pub Vec<Missing>);

impl fmt::Display for Unresolved {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, missing) in self.0.iter().enumerate() {
            let Missing { module, item, detail, .. } = missing;
            out.write_str(if index == 0 { "" } else { "; " })?;
            write!(out, "{module} needs `{item}`: {detail}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Unresolved {}

/// Finds a provider for every service that a module imports: the highest version that fits, of whichever module. `modules`:
/// all of them with their names; `importer`: whose imports. Everything that is missing is reported at once.
pub fn resolve(engine: &Engine, importer: usize, modules: &[(String, &Component)]) -> Result<Vec<Link>, Unresolved> {
    let Some((module, component)) = modules.get(importer) else { return Ok(Vec::new()) };
    let mut links = Vec::new();
    let mut missing = Vec::new();
    for (import, wanted, instance) in services_wanted(engine, component) {
        let offers = offers(engine, &wanted, modules);
        let missing_item = |item: String, detail: String| Missing {
            module: module.clone(),
            item,
            wanted: wanted.version.clone(),
            offered: offers.iter().map(|found| found.offer.clone()).collect(),
            detail,
        };
        match choose(&wanted, &offers) {
            Err(why) => missing.push(missing_item(import, why)),
            Ok(found) => {
                let mut functions = Vec::new();
                let faults = bind(engine, &instance, found, modules, &mut functions);
                missing.extend(
                    faults.into_iter().map(|(function, why)| missing_item(format!("{import}#{function}"), why)),
                );
                links.push(Link { import, provider: found.provider, functions });
            }
        }
    }
    if missing.is_empty() { Ok(links) } else { Err(Unresolved(missing)) }
}

struct Found {
    provider: usize,
    /// As the provider spells it.
    export: String,
    offer: Offer,
}

/// Every version of the interface that a module offers.
fn offers(engine: &Engine, wanted: &InterfaceName, modules: &[(String, &Component)]) -> Vec<Found> {
    let mut found = Vec::new();
    for (provider, (module, component)) in modules.iter().enumerate() {
        for (export, offered) in services_offered(engine, component) {
            if offered.path == wanted.path {
                found.push(Found {
                    provider,
                    export,
                    offer: Offer { module: module.clone(), version: offered.version },
                });
            }
        }
    }
    found
}

fn choose<'a>(wanted: &InterfaceName, offers: &'a [Found]) -> Result<&'a Found, String> {
    let fitting = || offers.iter().filter(|found| fits(&wanted.version, &found.offer.version));
    let Some(best) = fitting().max_by(|a, b| a.offer.version.cmp_precedence(&b.offer.version)) else {
        let found: Vec<String> =
            offers.iter().map(|found| format!("{} offers {}", found.offer.module, found.offer.version)).collect();
        return Err(if found.is_empty() {
            format!("no module offers any version of it, {} is wanted", wanted.version)
        } else {
            format!("{} is wanted, {}", wanted.version, found.join(", "))
        });
    };
    let same: Vec<&str> = fitting()
        .filter(|found| found.offer.version.cmp_precedence(&best.offer.version).is_eq())
        .map(|found| found.offer.module.as_str())
        .collect();
    if same.len() > 1 {
        return Err(format!("more than one module offers {}: {}", best.offer.version, same.join(", ")));
    }
    Ok(best)
}

/// Looks every function up in the provider; returns the names of functions that it lacks or has with other types.
fn bind(
    engine: &Engine,
    wanted: &ComponentInstance,
    found: &Found,
    modules: &[(String, &Component)],
    functions: &mut Vec<(String, ComponentExportIndex)>,
) -> Vec<(String, String)> {
    let Offer { module, version } = &found.offer;
    let serving = modules.get(found.provider).map(|(_, component)| component);
    let interface = serving.and_then(|serving| Some(serving.get_export(None, found.export.as_str())?.1));
    let mut faults = Vec::new();
    for (function, item) in wanted.exports(engine) {
        let ComponentItem::ComponentFunc(want) = item.ty else { continue };
        let have =
            serving.zip(interface.as_ref()).and_then(|(serving, export)| serving.get_export(Some(export), function));
        let why = match have {
            Some((ComponentItem::ComponentFunc(have), index)) if same_types(&want, &have) => {
                functions.push((function.to_owned(), index));
                continue;
            }
            Some((ComponentItem::ComponentFunc(have), _)) => {
                format!("wanted is {}, {module} {version} has {}", signature(&want), signature(&have))
            }
            _ => format!("{module} {version} does not have it"),
        };
        faults.push((function.to_owned(), why));
    }
    faults
}

pub(super) fn same_types(want: &ComponentFunc, have: &ComponentFunc) -> bool {
    want.async_() == have.async_() && want.params().eq(have.params()) && want.results().eq(have.results())
}

/// A function of a service, as one module calls it.
struct Function {
    provider: Arc<Module>,
    index: ComponentExportIndex,
    /// `commerce:sales/orders#sell`.
    name: Arc<str>,
    /// Permissions and scopes that the request's caller must hold; none if the module states nothing.
    access: Option<ServiceAccess>,
    importer: Arc<Vetted>,
}

/// Defines the import: a call instantiates the provider at first use, in the same store and hence the same transaction.
pub fn link(
    linker: &mut Linker<State>,
    link: &Link,
    provider: &Arc<Module>,
    importer: &Arc<Vetted>,
) -> wasmtime::Result<()> {
    let mut instance = linker.instance(&link.import)?;
    let interface = InterfaceName::parse(&link.import).map(|name| name.path).unwrap_or_default();
    for (name, index) in &link.functions {
        let function = Arc::new(Function {
            provider: provider.clone(),
            index: *index,
            name: format!("{interface}#{name}").into(),
            access: provider.descriptor.service_access(&interface, name).cloned(),
            importer: importer.clone(),
        });
        instance.func_new_async(name, move |store, _type, arguments, results| {
            let function = function.clone();
            Box::new(async move { call(store, &function, arguments, results).await })
        })?;
    }
    Ok(())
}

impl Function {
    /// Returns whether the module may call it in this request: it acts for any caller, or the caller holds what the
    /// function needs.
    fn allows(&self, state: &State) -> bool {
        let Some(access) = &self.access else { return true };
        let needs = match state.facts.actor_kind {
            ActorKind::User => &access.permissions,
            ActorKind::ApiClient => &access.scopes,
            ActorKind::System => return true,
        };
        let holds = !needs.is_empty() && needs.iter().all(|code| state.facts.permissions.holds(code));
        holds || self.importer.acts_in.load().contains(&access.interface)
    }
}

/// A trap leaves the provider as the one that runs: it is the module that failed. Where it rejected an argument, the caller is.
///
/// A refusal after a change is remembered. The request can then only end in a problem (`check_success`), so that no
/// module commits half of what a service did.
async fn call(
    mut store: StoreContextMut<'_, State>,
    function: &Function,
    arguments: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    let state = store.data_mut();
    if !function.allows(state) {
        let is_client = state.facts.actor_kind == ActorKind::ApiClient;
        let code = if is_client { "SCOPE_DENIED" } else { "PERMISSION_DENIED" };
        return Err(state.stop(Failure::Denied(code)));
    }
    let _span = state.facts.trail.enter(|| (format!("call {}", function.name), function.provider.describe()));
    let changes = state.changes;
    let caller = std::mem::replace(&mut state.running, function.provider.clone());
    let called = call_function(&mut store, &function.provider, function.index, arguments, results).await;
    let state = store.data_mut();
    if called.is_ok() || std::mem::take(&mut state.arguments_rejected) {
        state.running = caller.clone();
    }
    if called.is_ok() && matches!(results, [Val::Result(Err(_))]) && state.changes > changes {
        state.refused = Some(RefusedService { service: function.name.clone(), caller });
    }
    called
}

/// Calls an exported function of a module in the store of the request.
pub(super) async fn call_function(
    store: &mut StoreContextMut<'_, State>,
    module: &Arc<Module>,
    index: ComponentExportIndex,
    arguments: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    let instance = instantiate(store, module).await?;
    let exported = instance.get_func(&mut *store, index);
    let exported = exported.ok_or_else(|| wasmtime::format_err!("the provider lost a function"))?;
    exported.call_async(&mut *store, arguments, results).await
}

/// The instance of a module in the store of the request: it is made at first use.
pub(super) async fn instantiate(
    store: &mut StoreContextMut<'_, State>,
    module: &Arc<Module>,
) -> wasmtime::Result<Instance> {
    let made = store.data().instances.iter().find(|(other, _)| Arc::ptr_eq(other, module)).map(|(_, made)| *made);
    if let Some(instance) = made {
        return Ok(instance);
    }
    let instance = module.code.instance_pre().instantiate_async(&mut *store).await?;
    store.data_mut().instances.push((module.clone(), instance));
    Ok(instance)
}

#[cfg(test)]
mod tests;
