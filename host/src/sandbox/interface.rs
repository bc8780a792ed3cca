//! The names of interfaces, which components have which, and when one version of an interface serves in another's place.

use semver::Version;
use stoa_descriptor::extension::{PACKAGE, POINTS};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentFunc, ComponentInstance, ComponentItem};

/// The package of the interfaces between the host and modules.
const PLATFORM: &str = "commerce:platform/";

/// `package/interface@version`, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceName {
    /// `commerce:catalog/articles`.
    pub path: String,
    pub version: Version,
}

impl std::fmt::Display for InterfaceName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}@{}", self.path, self.version)
    }
}

impl InterfaceName {
    pub fn parse(name: &str) -> Option<InterfaceName> {
        let (path, version) = name.rsplit_once('@')?;
        Some(InterfaceName { path: path.to_string(), version: Version::parse(version).ok()? })
    }

    /// Returns whether an offer of this name and version serves a module built for `self`.
    pub fn accepts(&self, offered: &InterfaceName) -> bool {
        self.path == offered.path && fits(&self.version, &offered.version)
    }
}

/// Returns whether a module that was built for one version of a service can be served by another: the same major, at
/// least as high; before 1.0 the same minor; before 0.1 and among prereleases only the same version.
pub fn fits(wanted: &Version, offered: &Version) -> bool {
    let exact = !wanted.pre.is_empty() || !offered.pre.is_empty() || (wanted.major == 0 && wanted.minor == 0);
    let line = |version: &Version| (version.major, if version.major == 0 { version.minor } else { 0 });
    let precedence = offered.cmp_precedence(wanted);
    if exact { precedence.is_eq() } else { line(wanted) == line(offered) && precedence.is_ge() }
}

/// Services that a component imports: name as written, parsed name, its functions.
pub fn services_wanted(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName, ComponentInstance)> {
    list_imports(engine, component).into_iter().filter(|(_, name, _)| is_service(&name.path)).collect()
}

/// Services that a component exports.
pub fn services_offered(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName)> {
    let exports = list_exports(engine, component).into_iter().filter(|(_, name, _)| is_service(&name.path));
    exports.map(|(written, name, _)| (written, name)).collect()
}

/// The points that a component calls, likewise. Interfaces without a function have types only.
pub fn points_called(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName, ComponentInstance)> {
    let is_point = |path: &str| path.starts_with(PACKAGE) && path != POINTS;
    let imports = list_imports(engine, component).into_iter();
    imports.filter(|(_, name, instance)| is_point(&name.path) && has_functions(engine, instance)).collect()
}

/// The interfaces of `commerce:extension` that a component exports: points, `listener`, `timer` and `views`.
pub fn points_extended(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName, ComponentInstance)> {
    let exports = list_exports(engine, component).into_iter();
    exports.filter(|(_, name, instance)| name.path.starts_with(PACKAGE) && has_functions(engine, instance)).collect()
}

/// Returns whether an interface is a service: neither of the platform nor of extensions.
pub fn is_service(path: &str) -> bool {
    !path.starts_with(PLATFORM) && !path.starts_with(PACKAGE)
}

/// The functions of an interface by their names.
pub fn functions<'a>(
    engine: &'a Engine,
    instance: &'a ComponentInstance,
) -> impl Iterator<Item = (&'a str, ComponentFunc)> + 'a {
    instance.exports(engine).filter_map(|(name, item)| match item.ty {
        ComponentItem::ComponentFunc(function) => Some((name, function)),
        _ => None,
    })
}

fn has_functions(engine: &Engine, instance: &ComponentInstance) -> bool {
    functions(engine, instance).next().is_some()
}

fn list_imports(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName, ComponentInstance)> {
    let types = component.component_type();
    types.imports(engine).filter_map(|(name, item)| read_interface(name, item.ty)).collect()
}

fn list_exports(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName, ComponentInstance)> {
    let types = component.component_type();
    types.exports(engine).filter_map(|(name, item)| read_interface(name, item.ty)).collect()
}

fn read_interface(name: &str, item: ComponentItem) -> Option<(String, InterfaceName, ComponentInstance)> {
    match item {
        ComponentItem::ComponentInstance(instance) => Some((name.to_owned(), InterfaceName::parse(name)?, instance)),
        _ => None,
    }
}
