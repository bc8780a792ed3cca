//! Services between modules: an import of one is linked to the export of another by reflection. The host has no compiled-in
//! knowledge of any of them.
//!
//! wasmtime's linker takes any version of the same major and, for untyped functions, checks no types; so both are checked here,
//! before a generation exists.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, ComponentExportIndex, Linker, Val};
use wasmtime::{Engine, StoreContextMut};

use super::artifact::{InterfaceName, services_offered, services_wanted};
use super::generation::Code;
use super::state::State;

/// What a module needs of another.
#[derive(Debug, Clone)]
pub struct Link {
    /// Import name, as the importing component spells it.
    pub import: String,
    /// Index of the module that serves it.
    pub provider: usize,
    functions: Vec<(String, ComponentExportIndex)>,
}

/// Finds a provider for every service that `component` imports. `others`: all modules by index, with their names.
pub fn resolve(engine: &Engine, component: &Component, others: &[(String, &Component)]) -> Result<Vec<Link>, String> {
    services_wanted(engine, component)
        .into_iter()
        .map(|(import, wanted, instance)| {
            let (provider, export, offered) = find(engine, &wanted, others)?;
            let (name, serving) = &others[provider];
            let mut functions = Vec::new();
            let (_, interface) = serving
                .get_export(None, export.as_str())
                .ok_or_else(|| format!("{name} does not export `{export}`"))?;
            for (function, item) in instance.exports(engine) {
                let ComponentItem::ComponentFunc(want) = item.ty else { continue };
                let Some((ComponentItem::ComponentFunc(have), index)) = serving.get_export(Some(&interface), function)
                else {
                    return Err(format!("`{import}` needs `{function}`, which {name} {} lacks", offered.version));
                };
                if !(want.params().eq(have.params()) && want.results().eq(have.results())) {
                    return Err(format!("`{function}` of `{import}` has other types in {name}"));
                }
                functions.push((function.to_string(), index));
            }
            Ok(Link { import, provider, functions })
        })
        .collect()
}

fn find(
    engine: &Engine,
    wanted: &InterfaceName,
    others: &[(String, &Component)],
) -> Result<(usize, String, InterfaceName), String> {
    let mut other_versions = Vec::new();
    let mut found: Vec<(usize, String, InterfaceName)> = Vec::new();
    for (index, (module, component)) in others.iter().enumerate() {
        for (export, offered) in services_offered(engine, component) {
            if wanted.accepts(&offered) {
                found.push((index, export, offered));
            } else if wanted.path == offered.path {
                other_versions.push(format!("{module} offers {}", offered.version));
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 if other_versions.is_empty() => Err(format!("no module offers `{wanted}`")),
        0 => Err(format!("no module offers `{wanted}`; {}", other_versions.join(", "))),
        _ => Err(format!("more than one module offers `{wanted}`")),
    }
}

/// Defines the import: a call instantiates the provider at first use, in the same store and hence the same transaction.
pub fn link(linker: &mut Linker<State>, link: &Link) -> wasmtime::Result<()> {
    let provider = link.provider;
    let mut instance = linker.instance(&link.import)?;
    for (name, index) in &link.functions {
        let index = *index;
        instance.func_new_async(name, move |store, _type, arguments, results| {
            Box::new(async move { call(store, provider, &index, arguments, results).await })
        })?;
    }
    Ok(())
}

async fn call(
    mut store: StoreContextMut<'_, State>,
    provider: usize,
    function: &ComponentExportIndex,
    arguments: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    let instance = match store.data().instances.get(provider).copied().flatten() {
        Some(instance) => instance,
        None => {
            let generation = store.data().generation.clone();
            let module = generation.modules.get(provider).ok_or_else(|| wasmtime::format_err!("no such module"))?;
            store.data_mut().stack.push(provider);
            let Code::Component(code) = &module.code else {
                wasmtime::bail!("a native module offers no services by reflection");
            };
            let instance = code.instance_pre().instantiate_async(&mut store).await?;
            store.data_mut().stack.pop();
            if let Some(slot) = store.data_mut().instances.get_mut(provider) {
                *slot = Some(instance);
            }
            instance
        }
    };
    let function =
        instance.get_func(&mut store, function).ok_or_else(|| wasmtime::format_err!("the provider lost a function"))?;
    store.data_mut().stack.push(provider);
    // A trap leaves the stack as it is: the module on top is the one that failed.
    function.call_async(&mut store, arguments, results).await?;
    store.data_mut().stack.pop();
    Ok(())
}
