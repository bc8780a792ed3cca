//! `stoa module ...`: a component on its way from its author to a running host.

mod check;
mod inspect;
mod new;
mod offline;
mod precompile;
mod remote;
mod schema;
mod sign;
mod test;

use clap::Subcommand;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Write a module of your own that builds, tests and activates as it stands.
    New(new::New),
    /// Build a module's folder to a component.
    Build(new::Build),
    /// Find everything that a host would refuse a component for, and what it would change.
    Check(check::Flags),
    /// Run fixtures against a component: calls in, answers out, on a store in a temporary folder, without a host.
    Test(test::Flags),
    /// Print what a component file is and shows to the world; neither host nor database is needed.
    Inspect(inspect::Flags),
    /// Print the JSON Schema of the descriptor, for modules that are not written in Rust.
    Schema,
    /// Make a signing key: the secret into a file, what deployments trust on stdout.
    Keygen(sign::Keygen),
    /// Sign a component: its admission is written beside it.
    Sign(sign::Sign),
    /// Compile the modules folder before a host starts: into its cache, or for a release.
    Precompile(precompile::Flags),
    /// What runs on the hosts, and how it fares.
    List(remote::ListModules),
    /// Send a component to a running host, which vets and keeps it.
    Push(remote::Push),
    /// What a pushed module would change.
    Diff(remote::Diff),
    /// Make a pushed module the active one of its name.
    Activate(remote::Activate),
    /// Take a module out of what runs: refused while others need it, its data stays.
    Deactivate(remote::Deactivate),
    /// Go back to an earlier generation: by default the one before.
    Rollback(remote::Rollback),
    /// Every generation: who, when, what.
    History(remote::History),
}

pub fn run(args: Args) -> anyhow::Result<()> {
    match args.verb {
        Verb::New(args) => new::new(&args),
        Verb::Build(args) => new::build(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Test(args) => test::run(&args),
        Verb::Inspect(args) => inspect::run(&args),
        Verb::Schema => schema::print(),
        Verb::Keygen(args) => sign::keygen(&args),
        Verb::Sign(args) => sign::sign(&args),
        Verb::Precompile(flags) => precompile::run(flags),
        Verb::List(args) => remote::list(args),
        Verb::Push(args) => remote::push(args),
        Verb::Diff(args) => remote::diff(args),
        Verb::Activate(args) => remote::activate(args),
        Verb::Deactivate(args) => remote::deactivate(args),
        Verb::Rollback(args) => remote::rollback(args),
        Verb::History(args) => remote::history(args),
    }
}
