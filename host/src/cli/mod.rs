//! The binary's verbs, one file each.

mod migrate;
mod module;
mod openapi;
mod serve;
mod tenant;
mod token;
mod verify;

use clap::{Parser, Subcommand};

/// Stoa: a commerce platform whose every domain is a sandboxed WebAssembly component.
#[derive(Parser)]
#[command(name = "stoa", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Serve the API.
    Serve(serve::Flags),
    /// Bring the host's own tables up to date.
    Migrate(migrate::Flags),
    /// Make, list, suspend, resume and entitle companies.
    Tenant(tenant::Flags),
    /// Print a user's token of the development issuer.
    Token(token::Flags),
    /// Print the contract of the modules in STOA_MODULES_DIR.
    Openapi(openapi::Flags),
    /// Look at modules.
    Module(module::Flags),
    Import(stoa_importer::Args),
    /// Check every module's invariants over every company; 1 and a list where one fails.
    Verify(verify::Flags),
    /// Print a shell's completions.
    Completions {
        shell: clap_complete::Shell,
    },
}

/// Runs the verb that the command line names.
pub fn run() -> anyhow::Result<()> {
    match Cli::parse().verb {
        Verb::Serve(flags) => serve::run(flags),
        Verb::Migrate(flags) => migrate::run(flags),
        Verb::Tenant(flags) => tenant::run(flags),
        Verb::Token(flags) => token::run(&flags),
        Verb::Openapi(flags) => openapi::run(flags),
        Verb::Module(flags) => module::run(flags),
        Verb::Import(args) => stoa_importer::run(&args),
        Verb::Verify(flags) => verify::run(flags),
        Verb::Completions { shell } => {
            use clap::CommandFactory as _;
            clap_complete::generate(shell, &mut Cli::command(), "stoa", &mut std::io::stdout());
            Ok(())
        }
    }
}
