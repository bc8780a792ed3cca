//! A component file: its bytes, its digest, and what it imports. Refused here: what is no component of this contract, and what
//! asks for anything outside it.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;
use wasmtime::{Engine, component};

use super::cache::Cache;
use super::services;

/// Largest component file.
pub const LARGEST: u64 = 64 << 20;
/// The platform interfaces that the host offers, all at this version.
const OFFERED: [&str; 6] = ["store", "context", "events", "log", "ids", "problems"];
pub const PLATFORM: semver::Version = semver::Version::new(1, 0, 0);

pub struct Artifact {
    pub file: PathBuf,
    pub digest: [u8; 32],
    pub component: Component,
}

/// `package/interface@version`, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceName {
    /// `commerce:catalog/articles`.
    pub path: String,
    pub version: semver::Version,
}

impl std::fmt::Display for InterfaceName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}@{}", self.path, self.version)
    }
}

impl InterfaceName {
    pub fn parse(name: &str) -> Option<InterfaceName> {
        let (path, version) = name.rsplit_once('@')?;
        Some(InterfaceName { path: path.to_string(), version: semver::Version::parse(version).ok()? })
    }

    /// Whether an offer of this name and version serves a module built for `self`.
    pub fn accepts(&self, offered: &InterfaceName) -> bool {
        self.path == offered.path && services::fits(&self.version, &offered.version)
    }
}

/// Every `*.wasm` of a folder, compiled, in the order of their names.
pub fn load_folder(engine: &Engine, folder: &Path, cache: Option<&Cache>) -> anyhow::Result<Vec<Artifact>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| anyhow::anyhow!("cannot read the modules folder {}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension() == Some("wasm".as_ref()))
        .collect();
    files.sort();
    files.into_iter().map(|file| load(engine, file, cache)).collect()
}

fn load(engine: &Engine, file: PathBuf, cache: Option<&Cache>) -> anyhow::Result<Artifact> {
    let name = file.display().to_string();
    let size = std::fs::metadata(&file)?.len();
    anyhow::ensure!(size <= LARGEST, "{name}: MODULE_TOO_LARGE: {size} bytes, at most {LARGEST}");
    let bytes = std::fs::read(&file)?;
    let digest = Sha256::digest(&bytes).into();
    let compiled = match cache {
        Some(cache) => cache.component(engine, &digest, &bytes),
        None => Component::from_binary(engine, &bytes),
    };
    let component =
        compiled.map_err(|error| anyhow::anyhow!("{name}: not a component that this host can run: {error:#}"))?;
    check_imports(engine, &component).map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
    Ok(Artifact { digest, file, component })
}

/// The capability list: `commerce:platform/*` at a version the host has, services of other modules, nothing else.
fn check_imports(engine: &Engine, component: &Component) -> Result<(), String> {
    for (name, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(_) = item.ty else {
            return Err(format!("IMPORT_FORBIDDEN: `{name}` is no interface"));
        };
        let wanted = InterfaceName::parse(name).ok_or_else(|| format!("IMPORT_FORBIDDEN: `{name}`"))?;
        if let Some(interface) = wanted.path.strip_prefix("commerce:platform/") {
            let offer = InterfaceName { path: wanted.path.clone(), version: PLATFORM };
            if !OFFERED.contains(&interface) || !wanted.accepts(&offer) {
                return Err(format!("IMPORT_FORBIDDEN: `{name}`; this host offers version {PLATFORM}"));
            }
        } else if !wanted.path.starts_with("commerce:") {
            return Err(format!("IMPORT_FORBIDDEN: `{name}`"));
        }
    }
    Ok(())
}

/// Services that a component imports: name as written, parsed name, its functions.
pub fn services_wanted(
    engine: &Engine,
    component: &Component,
) -> Vec<(String, InterfaceName, component::types::ComponentInstance)> {
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
