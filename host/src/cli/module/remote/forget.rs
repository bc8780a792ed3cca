//! `stoa module forget`: the end of a module with its data.

use clap::Subcommand;

#[derive(Subcommand)]
pub enum ForgetVerb {}

pub fn run(verb: ForgetVerb) -> anyhow::Result<()> {
    match verb {}
}
