//! `stoa module new` and `build`: a module outside this repository, from the one template, and the component that it builds to.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};
use stoa_kit::manifest::Sdk;
use stoa_kit::{component, name, section, template};

use crate::cli;
use crate::gate::artifact::Artifact;

#[derive(clap::Args)]
pub struct New {
    /// Lower-case letters, digits and hyphens: `gift-cards`
    name: String,
    /// Source of the SDK: its folder, a folder of this repository, or a git URL, `URL` or `URL#REVISION`
    #[arg(long)]
    sdk: String,
    /// The folder to create; by default the module's name
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct Build {
    /// The module's folder
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The component; by default NAME.wasm in cargo's target folder
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn new(args: &New) -> anyhow::Result<()> {
    name::check(&args.name).map_err(anyhow::Error::msg)?;
    let folder = args.path.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    anyhow::ensure!(!folder.exists(), "{} is there already", folder.display());
    template::write_alone(&args.name, &folder, &Sdk::read(&args.sdk)?)?;
    // Longer or shorter names move line breaks and the order of imports. Without a formatter the files stay as they are.
    let mut format = cargo(&folder);
    let _ = format.args(["fmt"]).stderr(std::process::Stdio::null()).status();
    let shown = folder.display();
    println!("{shown} is a module with one collection and three operations. Now:");
    println!("  (cd {shown} && cargo test)");
    println!("  stoa module build {shown} --output {}.wasm", args.name);
    println!("  stoa module check {}.wasm", args.name);
    println!("  stoa module test {}.wasm --fixtures {shown}/fixtures", args.name);
    Ok(())
}

pub fn build(args: &Build) -> anyhow::Result<()> {
    let shown = args.folder.display();
    let folder = args.folder.canonicalize().with_context(|| format!("there is no folder {shown}"))?;
    let cores = component::compile(cargo(&folder), &[], &folder)?;
    let core = cores.iter().find(|core| core.manifest == folder.join("Cargo.toml"));
    let core = core.with_context(|| format!("{shown} is no package whose library is a cdylib"))?;
    let component = component::encode(&core.file).with_context(|| format!("{shown} is no module"))?;
    let component = describe(component)?;
    let output = args.output.clone().map_or_else(|| beside(&core.file), Ok)?;
    component::write(&component, &output)?;
    println!("{} {} bytes sha256 {}", output.display(), component.len(), hex::encode(Sha256::digest(&component)));
    Ok(())
}

/// The component with its own description in a section, compiled for the verbs that follow. One that no host would take
/// stays as it is: `stoa module check` says why.
fn describe(component: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let gate = cli::gate_of_strangers(1)?;
    let bare = Artifact::new(component.into(), None)?;
    let described = gate.load(&bare).and_then(|loaded| {
        let text = gate.describe(&bare.digest, &loaded)?;
        loaded.judged?;
        Ok((text, loaded.component))
    });
    let (text, compiled) = match described {
        Ok(described) => described,
        Err(refusal) => {
            eprintln!("a host would refuse it: {refusal}");
            return Ok(bare.bytes.into());
        }
    };
    let whole = section::append(&bare.bytes, &text)?;
    if let Some(cache) = &gate.cache {
        // The machine code of the component without the section: a section of this name has none.
        cache.write(&gate.engine, &Sha256::digest(&whole).into(), &compiled)?;
    }
    Ok(whole)
}

/// `gift-cards.wasm` in the target folder, for `TARGET/wasm32-unknown-unknown/module/gift_cards.wasm`.
fn beside(core: &Path) -> anyhow::Result<PathBuf> {
    let name = core.file_stem().and_then(|stem| stem.to_str()).context("a library has a name")?;
    let target = core.ancestors().nth(3).context("a library lies in a target folder")?;
    Ok(target.join(format!("{}.wasm", name.replace('_', "-"))))
}

fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder);
    cargo
}
