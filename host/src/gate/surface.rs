//! Surface of a component, as plain data: its own description, its imports, and the services it offers and imports, by
//! reflection on its types. Two of them can be compared without the components.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use stoa_descriptor::Descriptor;
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentInstance, ComponentItem};

use crate::sandbox::interface::{self, InterfaceName, is_service, points_called, points_extended, services_wanted};
use crate::sandbox::module::Vetted;
use crate::sandbox::signature::signature;

/// Signatures by function, by `package/interface@version`.
pub type Services = BTreeMap<String, BTreeMap<String, String>>;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Surface {
    /// SHA-256 of the component, hexadecimal.
    pub digest: String,
    /// In bytes.
    pub size: u64,
    /// Signer of the component, where known to a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    pub descriptor: Descriptor,
    /// Names of everything that is imported, sorted.
    pub imports: Vec<String>,
    pub offers: Services,
    /// Services of other modules; the platform's own interfaces are among the imports only.
    pub wants: Services,
    /// Interfaces of `commerce:extension` that it exports, and points that it calls.
    #[serde(default, skip_serializing_if = "Services::is_empty")]
    pub extends: Services,
    #[serde(default, skip_serializing_if = "Services::is_empty")]
    pub calls: Services,
}

impl Surface {
    /// Surface of a vetted module.
    pub fn from_vetted(engine: &Engine, vetted: &Vetted) -> Surface {
        let descriptor = (*vetted.descriptor).clone();
        let shown = Surface::new(engine, &vetted.component, descriptor, &vetted.digest, vetted.size as u64);
        Surface { signer: vetted.signer.clone(), ..shown }
    }

    /// `digest` and `size` are of the component's file.
    pub fn new(
        engine: &Engine,
        component: &Component,
        descriptor: Descriptor,
        digest: &[u8; 32],
        size: u64,
    ) -> Surface {
        let component_type = component.component_type();
        let mut imports: Vec<String> = component_type.imports(engine).map(|(name, _)| name.to_owned()).collect();
        imports.sort();
        let list = |interfaces: Vec<(String, InterfaceName, ComponentInstance)>| -> Services {
            interfaces.into_iter().map(|(name, _, instance)| (name, functions(engine, &instance))).collect()
        };
        Surface {
            digest: hex::encode(digest),
            size,
            signer: None,
            descriptor,
            imports,
            offers: services(engine, component_type.exports(engine).map(|(name, item)| (name, item.ty))),
            wants: services(engine, component_type.imports(engine).map(|(name, item)| (name, item.ty))),
            extends: list(points_extended(engine, component)),
            calls: list(points_called(engine, component)),
        }
    }

    /// The surface of a module that is not there, under a candidate's name and version.
    pub fn nothing(candidate: &Descriptor) -> Surface {
        let descriptor = Descriptor {
            name: candidate.name.clone(),
            version: candidate.version.clone(),
            description: String::new(),
            routes: Vec::new(),
            collections: Vec::new(),
            permissions: Vec::new(),
            scopes: Vec::new(),
            events: Vec::new(),
            problems: Vec::new(),
            item_codes: Vec::new(),
            onboarding: None,
            audit_filters: Vec::new(),
            words: Vec::new(),
            services: Vec::new(),
            points: Vec::new(),
            extends: Vec::new(),
            receives: Vec::new(),
            timers: Vec::new(),
            shows: Vec::new(),
            console: None,
            schemas: serde_json::Map::new(),
        };
        let (imports, offers, wants, extends, calls) = Default::default();
        Surface { digest: String::new(), size: 0, signer: None, descriptor, imports, offers, wants, extends, calls }
    }
}

/// Services that a component offers to other modules: `commerce:area/interface`, without versions.
pub fn names_of_services(engine: &Engine, component: &Component) -> Vec<String> {
    list_offers(engine, component).into_iter().map(|(interface, _)| interface).collect()
}

/// The same with the functions of each.
pub fn list_offers(engine: &Engine, component: &Component) -> Vec<(String, BTreeSet<String>)> {
    let services = services(engine, component.component_type().exports(engine).map(|(name, item)| (name, item.ty)));
    let named =
        services.into_iter().filter_map(|(name, functions)| Some((InterfaceName::parse(&name)?.path, functions)));
    named.map(|(interface, functions)| (interface, functions.into_keys().collect())).collect()
}

/// Services of other modules that a component imports, likewise.
pub fn names_of_wanted(engine: &Engine, component: &Component) -> Vec<String> {
    services_wanted(engine, component).into_iter().map(|(_, name, _)| name.path).collect()
}

/// The interfaces that are services: no part of the platform, and no points.
fn services<'a>(engine: &'a Engine, items: impl Iterator<Item = (&'a str, ComponentItem)>) -> Services {
    items
        .filter_map(|(name, item)| match item {
            ComponentItem::ComponentInstance(instance) => Some((name, InterfaceName::parse(name)?, instance)),
            _ => None,
        })
        .filter(|(_, parsed, _)| is_service(&parsed.path))
        .map(|(name, _, instance)| (name.to_owned(), functions(engine, &instance)))
        .collect()
}

fn functions(engine: &Engine, instance: &ComponentInstance) -> BTreeMap<String, String> {
    interface::functions(engine, instance).map(|(name, function)| (name.to_owned(), signature(&function))).collect()
}
