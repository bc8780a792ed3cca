//! The verbs of `stoa module` that exchange modules with a registry.

use clap::Subcommand;

#[derive(Subcommand)]
pub enum RegistryVerb {}

pub fn run(verb: RegistryVerb) -> anyhow::Result<()> {
    match verb {}
}
