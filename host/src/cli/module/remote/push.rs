//! `stoa module push`: a component file goes to a running host.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::change::{self, ActivationOptions, describe_changes};
use super::{Host, text};
use crate::cli::module::sign;
use crate::gate::artifact::{Artifact, admission_file};
use crate::http::operator::{ADMISSION, COMPILING};

/// The pause between two questions whether a push is done.
const POLL: Duration = Duration::from_secs(1);

#[derive(Subcommand)]
pub enum PushVerb {
    /// Send a component to a running host, which vets and stores it.
    #[command(after_help = "Example: stoa module push loyalty.wasm --key acme.key")]
    Push(Push),
}

#[derive(clap::Args)]
pub struct Push {
    /// A component.
    file: PathBuf,
    /// Sign it with this key first. Without a key, FILE.admission.json must be next to it.
    #[arg(long)]
    key: Option<PathBuf>,
    /// Activate it as well.
    #[arg(long)]
    activate: bool,
    #[command(flatten)]
    options: ActivationOptions,
    #[command(flatten)]
    host: Host,
}

pub fn run(verb: PushVerb) -> anyhow::Result<()> {
    match verb {
        PushVerb::Push(args) => push(args),
    }
}

fn push(args: Push) -> anyhow::Result<()> {
    let artifact = Artifact::read(&args.file)?;
    let admission = match &args.key {
        Some(key) => {
            // Before the component is compiled, where it must be, and sent.
            ask_about(&args.host, &json!({ "signer": sign::read_key(key)?.signer() }))?;
            sign::admit(&artifact.bytes, key)?
        }
        None => {
            let beside = admission_file(&args.file);
            let missing = || format!("{} is missing: `stoa module sign` writes it, or give --key", beside.display());
            let admission = artifact.admission.with_context(missing)?;
            ask_about(&args.host, &json!({ "admission": admission }))?;
            admission
        }
    };
    let admission = BASE64_STANDARD.encode(serde_json::to_vec(&admission)?);
    let mut pushed = args.host.ask(Method::POST, "modules", |request| {
        let request = request.header("content-type", "application/wasm").header("prefer", "respond-async");
        request.header(ADMISSION, admission).body(artifact.bytes)
    })?;
    if is_compiling(&pushed) {
        eprintln!("the host is compiling the module");
    }
    while is_compiling(&pushed) {
        std::thread::sleep(POLL);
        let path = format!("modules/{}", text(&pushed["digest"]));
        pushed = args.host.ask(Method::GET, &path, |request| request)?;
    }
    args.host.show(&pushed, |pushed| {
        let digest = text(&pushed["digest"]);
        format!("{} {} {digest}\n{}", text(&pushed["name"]), text(&pushed["version"]), describe_changes(pushed))
    })?;
    match args.activate {
        true => change::activate_digest(&args.host, text(&pushed["digest"]), &args.options),
        false => Ok(()),
    }
}

/// Asks the host whether it trusts a signer; an error says why not.
fn ask_about(host: &Host, signer: &Json) -> anyhow::Result<()> {
    host.ask(Method::POST, "signers", |request| request.json(signer)).map(drop)
}

fn is_compiling(pushed: &Json) -> bool {
    pushed["status"] == COMPILING
}
