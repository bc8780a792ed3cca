//! A component as it comes: its bytes, its digest, the word of who vetted it, and what it imports. Refused here: what is too
//! large, and what asks for anything outside the contract.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use http::StatusCode;
use sha2::{Digest as _, Sha256};
use stoa_descriptor::extension::{PACKAGE, POINTS};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use super::admission::Admission;
use super::refusal::Refusal;
use crate::sandbox::interface::{InterfaceName, points_extended};

/// Largest component.
pub const LARGEST: usize = 64 << 20;
/// The platform interfaces that the host offers, all at this version.
const OFFERED: [&str; 7] = ["store", "context", "events", "arguments", "log", "ids", "problems"];
pub const PLATFORM: semver::Version = semver::Version::new(0, 1, 0);
/// The version of the interfaces by which modules extend others.
const EXTENSION: semver::Version = semver::Version::new(0, 1, 0);

#[derive(Debug, Clone)]
pub struct Artifact {
    /// SHA-256 of the bytes.
    pub digest: [u8; 32],
    pub bytes: Bytes,
    pub admission: Option<Admission>,
}

impl Artifact {
    pub fn new(bytes: Bytes, admission: Option<Admission>) -> Result<Artifact, Refusal> {
        if bytes.len() > LARGEST {
            let what = format!("{} bytes, at most {LARGEST}", bytes.len());
            return Err(Refusal::new("MODULE_TOO_LARGE", what).with_status(StatusCode::PAYLOAD_TOO_LARGE));
        }
        Ok(Artifact { digest: Sha256::digest(&bytes).into(), bytes, admission })
    }

    /// A component file with the admission next to it, where there is one.
    pub fn read(file: &Path) -> anyhow::Result<Artifact> {
        let shown = file.display();
        let cannot = |error| anyhow::anyhow!("cannot read {shown}: {error}");
        let size = std::fs::metadata(file).map_err(cannot)?.len();
        anyhow::ensure!(size <= LARGEST as u64, "{shown}: MODULE_TOO_LARGE: {size} bytes, at most {LARGEST}");
        let bytes = std::fs::read(file).map_err(cannot)?;
        let admission = match std::fs::read(admission_file(file)) {
            Ok(text) => Some(
                serde_json::from_slice(&text).map_err(|_| anyhow::anyhow!("{shown}: its admission cannot be read"))?,
            ),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(cannot(error)),
        };
        Artifact::new(bytes.into(), admission).map_err(|refusal| anyhow::anyhow!("{shown}: {refusal}"))
    }
}

/// Where `stoa module sign` leaves the admission of a component file.
pub fn admission_file(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".admission.json");
    name.into()
}

/// Every `*.wasm` of a folder, in the order of their names, each with the file that it came from.
pub fn read_folder(folder: &Path) -> anyhow::Result<Vec<(String, Artifact)>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| anyhow::anyhow!("cannot read the modules folder {}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension() == Some("wasm".as_ref()))
        .collect();
    files.sort();
    files.into_iter().map(|file| Ok((file.display().to_string(), Artifact::read(&file)?))).collect()
}

/// The capability list: `commerce:platform/*` and `commerce:extension/*` at a version the host has, services of other modules, nothing
/// else.
pub fn check_imports(engine: &Engine, component: &Component) -> Result<(), Refusal> {
    let forbidden = |what: String| Refusal::new("IMPORT_FORBIDDEN", what);
    for (name, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(_) = item.ty else {
            return Err(forbidden(format!("`{name}` is no interface")));
        };
        let wanted = InterfaceName::parse(name).ok_or_else(|| forbidden(format!("`{name}`")))?;
        if let Some(interface) = wanted.path.strip_prefix("commerce:platform/") {
            let offer = InterfaceName { path: wanted.path.clone(), version: PLATFORM };
            if !OFFERED.contains(&interface) || !wanted.accepts(&offer) {
                return Err(forbidden(format!("`{name}`; this host offers version {PLATFORM}")));
            }
        } else if wanted.path.starts_with(PACKAGE) {
            check_extension(&wanted)?;
        } else if !wanted.path.starts_with("commerce:") {
            return Err(forbidden(format!("`{name}`")));
        }
    }
    points_extended(engine, component).iter().try_for_each(|(_, exported, _)| check_extension(exported))
}

/// An interface of `commerce:extension`, imported or exported, is of a version that this host supports. The host serves
/// `points` itself, so nothing newer is there; two modules may have other versions of a point.
fn check_extension(interface: &InterfaceName) -> Result<(), Refusal> {
    let host = InterfaceName { path: interface.path.clone(), version: EXTENSION };
    let is_known = interface.accepts(&host) || (interface.path != POINTS && host.accepts(interface));
    let what = || format!("`{interface}`; this host offers version {EXTENSION}");
    if is_known { Ok(()) } else { Err(Refusal::new("IMPORT_FORBIDDEN", what())) }
}
