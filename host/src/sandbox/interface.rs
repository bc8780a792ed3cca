//! The names of interfaces, which components have which, and when one version of an interface serves in another's place.

use semver::Version;
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentInstance, ComponentItem};

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

/// Returns whether a module that was built for one version of a service can be served by another: the same major, at least as high;
/// before 1.0 the same minor; before 0.1 and among prereleases the same alone.
pub fn fits(wanted: &Version, offered: &Version) -> bool {
    let exact = !wanted.pre.is_empty() || !offered.pre.is_empty() || (wanted.major == 0 && wanted.minor == 0);
    let line = |version: &Version| (version.major, if version.major == 0 { version.minor } else { 0 });
    let precedence = offered.cmp_precedence(wanted);
    if exact { precedence.is_eq() } else { line(wanted) == line(offered) && precedence.is_ge() }
}

/// Services that a component imports: name as written, parsed name, its functions.
pub fn services_wanted(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName, ComponentInstance)> {
    let mut wanted = Vec::new();
    for (name, item) in component.component_type().imports(engine) {
        let (Some(parsed), ComponentItem::ComponentInstance(instance)) = (InterfaceName::parse(name), item.ty) else {
            continue;
        };
        if !parsed.path.starts_with("commerce:platform/") {
            wanted.push((name.to_string(), parsed, instance));
        }
    }
    wanted
}

/// Interfaces that a component exports.
pub fn services_offered(engine: &Engine, component: &Component) -> Vec<(String, InterfaceName)> {
    component
        .component_type()
        .exports(engine)
        .filter_map(|(name, item)| match item.ty {
            ComponentItem::ComponentInstance(_) => Some((name.to_string(), InterfaceName::parse(name)?)),
            _ => None,
        })
        .collect()
}
