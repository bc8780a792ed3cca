//! `stoa module logs`: the lines that a module writes, and its failures.

use clap::Subcommand;

#[derive(Subcommand)]
pub enum LogsVerb {}

pub fn run(verb: LogsVerb) -> anyhow::Result<()> {
    match verb {}
}
