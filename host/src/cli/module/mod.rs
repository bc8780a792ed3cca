//! `stoa module ...`: what operators and authors do with modules, one file each.

mod inspect;

use clap::{Args, Subcommand};

#[derive(Args)]
pub struct Flags {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Print what a component file is and shows to the world; neither host nor database is needed.
    Inspect(inspect::Flags),
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    match flags.verb {
        Verb::Inspect(flags) => inspect::run(&flags),
    }
}
