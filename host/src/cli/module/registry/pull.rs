//! `stoa module pull`: components and their admissions come from registries, as files that a host starts with or
//! takes by a push, pinned by a lock file.

use std::path::PathBuf;

use anyhow::Context as _;
use bytes::Bytes;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::lock::{LockFile, LockedModule};
use super::{RegistryLogin, read_statement, wait};
use crate::gate::admission::Admission;
use crate::gate::artifact::admission_file;
use crate::gate::trust::Trust;
use crate::oci::digest::OciDigest;
use crate::oci::reference::ModuleReference;
use crate::oci::registry::PulledModule;
use crate::settings::Settings;

#[derive(clap::Args)]
pub struct Pull {
    /// Modules, oci://HOST/PATH:TAG or oci://HOST/PATH@sha256:HEX. Without any: all of the lock file, as it pins them.
    references: Vec<ModuleReference>,
    /// The lock file.
    #[arg(long, default_value = "stoa-modules.lock")]
    lock: PathBuf,
    /// The folder that NAME.wasm and NAME.wasm.admission.json go to.
    #[arg(long, default_value = ".")]
    into: PathBuf,
    /// Fail if a module is not as the lock file pins it, and write nothing.
    #[arg(long)]
    locked: bool,
    #[command(flatten)]
    login: RegistryLogin,
}

/// A module that is ready to be written.
struct CheckedModule {
    entry: LockedModule,
    component: Bytes,
    admission: Admission,
}

pub fn pull(args: &Pull) -> anyhow::Result<()> {
    let mut lock = LockFile::read(&args.lock)?;
    let is_by_lock = args.references.is_empty();
    let references = match is_by_lock {
        true => lock.modules.iter().map(|module| module.reference.clone()).collect(),
        false => args.references.clone(),
    };
    anyhow::ensure!(!references.is_empty(), "no module is named, and {} has none", args.lock.display());
    let signers = Settings::load(json!({}))?.trusted_signers;
    let trust = (!signers.is_empty()).then_some(Trust::Signed { by: signers, unsigned: false });
    let mut modules = Vec::new();
    for reference in &references {
        let pulled = wait(args.login.open(reference)?.pull()).with_context(|| reference.to_string())?;
        let locked = lock.find(pulled.image).cloned();
        let module =
            check(reference, pulled, locked.as_ref(), trust.as_ref()).with_context(|| reference.to_string())?;
        if is_by_lock || args.locked {
            // The same image by another tag is the same module.
            let locked = locked.map(|locked| LockedModule { reference: module.entry.reference.clone(), ..locked });
            anyhow::ensure!(
                locked.as_ref() == Some(&module.entry),
                "{reference} is not as {} pins it: it is {}",
                args.lock.display(),
                module.entry.reference
            );
        }
        modules.push(module);
    }
    std::fs::create_dir_all(&args.into).with_context(|| format!("cannot create {}", args.into.display()))?;
    for module in modules {
        write(args, &module)?;
        lock.put(module.entry);
    }
    if is_by_lock || args.locked { Ok(()) } else { lock.write(&args.lock) }
}

fn check(
    reference: &ModuleReference,
    pulled: PulledModule,
    locked: Option<&LockedModule>,
    trust: Option<&Trust>,
) -> anyhow::Result<CheckedModule> {
    let digest: [u8; 32] = Sha256::digest(&pulled.component).into();
    let (manifest, admission) = choose_admission(&pulled.admissions, &digest, locked, trust)?;
    let statement = read_statement(&admission, &digest)?;
    let entry = LockedModule {
        name: statement.name,
        version: statement.version,
        reference: reference.pin(pulled.image),
        digest: statement.artifact,
        admission: manifest,
    };
    Ok(CheckedModule { entry, component: pulled.component, admission })
}

/// The admission that the lock file pins; else the first by a signer of the settings; else the only one.
fn choose_admission(
    admissions: &[(OciDigest, Admission)],
    digest: &[u8; 32],
    locked: Option<&LockedModule>,
    trust: Option<&Trust>,
) -> anyhow::Result<(OciDigest, Admission)> {
    if let Some(pinned) =
        locked.and_then(|locked| admissions.iter().find(|(manifest, _)| *manifest == locked.admission))
    {
        return Ok(pinned.clone());
    }
    if let Some(trust) = trust {
        let trusted = admissions.iter().find(|(_, admission)| trust.admit(digest, Some(admission)).is_ok());
        return trusted.cloned().context("no signer of STOA_TRUSTED_SIGNERS signed it");
    }
    match admissions {
        [only] => Ok(only.clone()),
        [] => anyhow::bail!("it has no signature"),
        several => anyhow::bail!("{} keys signed it: STOA_TRUSTED_SIGNERS says which one counts", several.len()),
    }
}

fn write(args: &Pull, module: &CheckedModule) -> anyhow::Result<()> {
    let file = args.into.join(format!("{}.wasm", module.entry.name));
    let beside = admission_file(&file);
    std::fs::write(&beside, serde_json::to_vec_pretty(&module.admission)?)
        .with_context(|| format!("cannot write {}", beside.display()))?;
    std::fs::write(&file, &module.component).with_context(|| format!("cannot write {}", file.display()))?;
    println!("{} {} {}", module.entry.name, module.entry.version, module.entry.reference);
    Ok(())
}
