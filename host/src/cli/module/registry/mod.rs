//! The verbs of `stoa module` that exchange modules with a registry. They call the registry that the user names, at
//! any address; a host has its own rules.

mod lock;
mod publish;
mod pull;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Subcommand;

use crate::gate::admission::{Admission, Statement};
use crate::gate::describe;
use crate::oci::connection::AddressRule;
use crate::oci::credentials::find_credentials;
use crate::oci::fault::RegistryFault;
use crate::oci::reference::ModuleReference;
use crate::oci::registry::Registry;

#[derive(Subcommand)]
pub enum RegistryVerb {
    /// Send a signed component to a registry and print its pinned reference.
    #[command(
        after_help = "Example: stoa module publish loyalty.wasm oci://registry.example/acme/loyalty --key acme.key"
    )]
    Publish(publish::Publish),
    /// Fetch signed components from registries, and pin them in a lock file.
    #[command(after_help = "Example: stoa module pull oci://registry.example/acme/loyalty:1.0.0 --into modules")]
    Pull(pull::Pull),
}

pub fn run(verb: RegistryVerb) -> anyhow::Result<()> {
    match verb {
        RegistryVerb::Publish(args) => publish::publish(&args),
        RegistryVerb::Pull(args) => pull::pull(&args),
    }
}

#[derive(clap::Args)]
struct RegistryLogin {
    /// Credentials for registries: the file config.json that `docker login` writes.
    #[arg(long, env = "STOA_REGISTRY_AUTH")]
    registry_auth: Option<PathBuf>,
}

impl RegistryLogin {
    fn open(&self, reference: &ModuleReference) -> Result<Registry, RegistryFault> {
        let credentials = match &self.registry_auth {
            Some(file) => find_credentials(file, &reference.registry)?,
            None => None,
        };
        Registry::open(reference, AddressRule::Any, credentials)
    }
}

/// Waits for a conversation with a registry.
fn wait<T>(work: impl Future<Output = Result<T, RegistryFault>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(work)?)
}

/// The statement of an admission about a component of this digest, whose name may become a file's. The signature is
/// judged by hosts: they know whom to trust.
fn read_statement(admission: &Admission, digest: &[u8; 32]) -> anyhow::Result<Statement> {
    let statement: Statement =
        serde_json::from_str(&admission.statement).context("the admission holds no statement")?;
    anyhow::ensure!(statement.artifact == hex::encode(digest), "the admission is about another component");
    let is_name = describe::is_name(&statement.name, 64, b"-");
    anyhow::ensure!(is_name, "the admission is about `{}`, which is no module's name", statement.name);
    Ok(statement)
}
