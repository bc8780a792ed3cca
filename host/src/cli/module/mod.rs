//! `stoa module ...`: a component on its way from its author to a running host.

mod check;
mod inspect;
mod new;
mod offline;
mod precompile;
mod registry;
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
    /// Create a module that builds, tests and activates without changes.
    #[command(after_help = "Example: stoa module new loyalty --sdk PATH")]
    New(new::New),
    /// Build the component of a module's folder.
    #[command(after_help = "Example: stoa module build loyalty --output loyalty.wasm")]
    Build(new::Build),
    /// Report every reason for which a host would reject a component, and the changes that it would bring.
    #[command(after_help = "Example: stoa module check loyalty.wasm --against old.wasm")]
    Check(check::Flags),
    /// Run fixtures against a component, on a store in a temporary folder, without a host.
    #[command(after_help = "Example: stoa module test loyalty.wasm --fixtures loyalty/fixtures")]
    Test(test::Flags),
    /// Print the description of a component file. Needs neither a host nor a database.
    #[command(after_help = "Example: stoa module inspect loyalty.wasm --json")]
    Inspect(inspect::Flags),
    /// Print the JSON Schema of the descriptor, for modules that are not written in Rust.
    #[command(after_help = "Example: stoa module schema > descriptor.schema.json")]
    Schema,
    /// Create a signing key: writes the secret to a file and prints the entry for STOA_TRUSTED_SIGNERS.
    #[command(after_help = "Example: stoa module keygen --name acme --out acme.key")]
    Keygen(sign::Keygen),
    /// Sign a component: writes FILE.admission.json next to it.
    #[command(after_help = "Example: stoa module sign loyalty.wasm --key acme.key")]
    Sign(sign::Sign),
    /// Compile the modules folder before a host starts, into its cache or for a release.
    #[command(after_help = "Example: stoa module precompile --out release/precompiled")]
    Precompile(precompile::Flags),
    #[command(flatten)]
    Remote(remote::RemoteVerb),
    #[command(flatten)]
    Registry(registry::RegistryVerb),
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
        Verb::Remote(verb) => remote::run(verb),
        Verb::Registry(verb) => registry::run(verb),
    }
}
