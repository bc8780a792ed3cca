//! `release-modules`: the deployment's own modules as signed artifacts of a registry, and the lock file that pins
//! them. A deployment starts from that file: `stoa module pull --locked`.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::build_modules::{self, modules_folder};
use crate::program;
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// The vendor's key, as `stoa module keygen --role deployment` makes it
    #[arg(long)]
    key: PathBuf,
    /// Where the modules are published, each under its name: oci://HOST/PATH
    #[arg(long)]
    to: String,
    /// Write an OCI layout to target/dist/oci instead: `oras copy -r` carries it to the registry
    #[arg(long)]
    layout: bool,
    /// Credentials for the registry: the file config.json that `docker login` writes
    #[arg(long, env = "STOA_REGISTRY_AUTH")]
    registry_auth: Option<PathBuf>,
}

pub fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let modules = build_modules::modules(workspace)?;
    let host = workspace.build_host(workspace.cargo(), &[])?;
    build_modules::precompile(workspace, &host)?;
    let release = make_folder(workspace)?;
    for module in modules {
        let file = modules_folder(workspace).join(format!("{}.wasm", module.name));
        let mut command = Command::new(&host);
        command.args(["module", "publish"]).arg(&file).arg(name_reference(&args.to, &module.name));
        command.arg("--key").arg(&args.key).arg("--lock").arg(release.join("stoa-modules.lock"));
        if args.layout {
            command.arg("--layout").arg(release.join("oci"));
        }
        if let Some(credentials) = &args.registry_auth {
            command.arg("--registry-auth").arg(credentials);
        }
        // The modules that are signed were compiled a moment ago.
        command.env("STOA_MODULE_CACHE_DIR", build_modules::compiled_folder(workspace));
        program::run(&mut command)?;
    }
    println!("{}", release.join("stoa-modules.lock").display());
    Ok(())
}

/// The lock file and the layout of the release before go; other files of the folder stay.
fn make_folder(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("dist");
    let (lock, layout) = (folder.join("stoa-modules.lock"), folder.join("oci"));
    for (path, removed) in [(&lock, std::fs::remove_file(&lock)), (&layout, std::fs::remove_dir_all(&layout))] {
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// Without a tag: each version is its own.
fn name_reference(to: &str, module: &str) -> String {
    format!("{}/{module}", to.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::name_reference;

    #[test]
    fn each_module_has_a_path_of_its_own() {
        for to in ["oci://registry.example/stoa", "oci://registry.example/stoa/"] {
            assert_eq!(name_reference(to, "catalog"), "oci://registry.example/stoa/catalog");
        }
    }
}
