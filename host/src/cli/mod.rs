//! The binary's verbs, one file each.

mod backup;
mod data_flags;
mod doctor;
mod export;
mod import;
mod import_company;
mod json_flag;
mod keys;
mod logging;
mod migrate;
mod module;
mod observing;
mod openapi;
mod restore;
mod running_host;
mod serve;
mod tenant;
mod tenant_move;
mod token;
mod verify;
mod webhook;

use std::path::PathBuf;
use std::time::Duration;

use arc_swap::ArcSwap;
use clap::{Parser, Subcommand};

use crate::database;
use crate::deployment::development;
use crate::gate::cache::Cache;
use crate::gate::compiler::{self, Compiler};
use crate::gate::vetting::Gate;
use crate::platform;
use crate::sandbox::engine::{self, Sandbox};
use crate::settings::Settings;

/// Stoa: a commerce platform in which every domain is a sandboxed WebAssembly component.
#[derive(Parser)]
#[command(
    name = "stoa",
    version,
    after_help = "Example: stoa serve --dev --data-dir data\n`stoa COMMAND --help` has an example of each command."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Serve the API.
    #[command(after_help = "Example: stoa serve --dev --data-dir data")]
    Serve(serve::Flags),
    /// Update the host's own tables.
    #[command(after_help = "Example: stoa migrate --database-url postgres://stoa@db/stoa")]
    Migrate(migrate::Flags),
    /// Create, list, suspend, resume and entitle companies.
    #[command(after_help = "Example: stoa tenant entitle COMPANY PUBLIC_API")]
    Tenant(tenant::Flags),
    /// Manage the keys that encrypt stored secrets.
    #[command(after_help = "Example: stoa keys rotate")]
    Keys(keys::Args),
    /// Print a user token of the --dev identity provider, or check any user token.
    #[command(after_help = "Example: stoa token --user alice@example.com --ttl 1h")]
    Token(token::Flags),
    /// Print the OpenAPI document of the modules in STOA_MODULES_DIR.
    #[command(after_help = "Example: stoa openapi > openapi.json")]
    Openapi(openapi::Flags),
    /// Import a CSV file through the public API, with the program `stoa-import`.
    #[command(after_help = "Example: stoa import --help")]
    Import,
    /// Check all module invariants for every company. Lists violations and exits with 1; exits with 2 if a check did not finish.
    #[command(after_help = "Example: stoa verify --json")]
    Verify(verify::Flags),
    /// Check settings, database and deployment, and print a remedy for each fault. Exits with 1 if a check fails.
    #[command(after_help = "Example: stoa doctor --json")]
    Doctor(doctor::Flags),
    /// Write a copy of the whole deployment to a new file, also while hosts serve.
    #[command(after_help = "Example: stoa backup stoa.backup")]
    Backup(backup::Flags),
    /// Fill an empty database from a backup.
    #[command(after_help = "Example: stoa restore stoa.backup --verify")]
    Restore(restore::Flags),
    /// Write everything that one company has as lines of JSON.
    #[command(after_help = "Example: stoa export COMPANY --output company.ndjson")]
    Export(export::Flags),
    /// Add the company of a file that `stoa export` wrote.
    #[command(after_help = "Example: stoa import-company company.ndjson")]
    ImportCompany(import_company::Flags),
    /// Receive webhooks on this machine.
    #[command(after_help = "Example: stoa webhook listen --secret whsec_...")]
    Webhook(webhook::Args),
    /// Inspect, sign, push, activate and roll back modules.
    #[command(after_help = "Example: stoa module push widgets.wasm --key acme.key --activate")]
    Module(module::Args),
    /// How the host compiles: a component on stdin, its compiled form on stdout.
    #[command(hide = true)]
    CompileModule {
        #[arg(long)]
        sandbox: Sandbox,
        #[arg(long)]
        memory: usize,
        /// For every processor of this architecture.
        #[arg(long)]
        portable: bool,
    },
    /// How the host judges a descriptor before it compiles its schemas: a descriptor on stdin, its faults on stdout.
    #[command(hide = true)]
    JudgeDescriptor,
    /// Print completions for a shell.
    #[command(after_help = "Example: stoa completions bash")]
    Completions {
        /// Shell whose completions to print.
        shell: clap_complete::Shell,
    },
}

/// A check that found nothing wrong, but did not come to its end: status 2, where one that found something ends with 1.
#[derive(Debug, thiserror::Error)]
#[error("the check did not finish")]
pub struct Unfinished;

/// The status of a program that the kernel ends because its output has no reader.
const NOBODY_READS: i32 = 128 + libc::SIGPIPE;

/// Ends the process without a message where its output has no reader any more, as in `stoa module list | head -1`. The
/// signal stays ignored: a host outlives the reader of its log.
#[allow(clippy::exit, reason = "a hook has no other way to end the process")]
pub fn end_when_nobody_reads() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload_as_str().unwrap_or_default();
        if said.starts_with("failed printing to stdout") && said.contains("Broken pipe") {
            std::process::exit(NOBODY_READS);
        }
        hook(panic);
    }));
}

/// Runs the verb that the command line names.
pub fn run() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    // The arguments that follow are read by another program.
    if arguments.next().is_some_and(|verb| verb == "import") {
        return import::run(arguments);
    }
    match Cli::parse().verb {
        Verb::Serve(flags) => serve::run(flags),
        Verb::Migrate(flags) => migrate::run(flags),
        Verb::Tenant(flags) => tenant::run(flags),
        Verb::Keys(args) => keys::run(args),
        Verb::Token(flags) => token::run(&flags),
        Verb::Openapi(flags) => openapi::run(flags),
        Verb::Import => import::run(arguments),
        Verb::Verify(flags) => verify::run(flags),
        Verb::Doctor(flags) => doctor::run(flags),
        Verb::Backup(flags) => backup::run(flags),
        Verb::Restore(flags) => restore::run(flags),
        Verb::Export(flags) => export::run(flags),
        Verb::ImportCompany(flags) => import_company::run(flags),
        Verb::Webhook(args) => webhook::run(args),
        Verb::Module(args) => module::run(args),
        Verb::CompileModule { sandbox, memory, portable } => compiler::run(sandbox, memory, portable),
        Verb::JudgeDescriptor => compiler::run_judge(&platform::NAMES),
        Verb::Completions { shell } => {
            use clap::CommandFactory as _;
            clap_complete::generate(shell, &mut Cli::command(), "stoa", &mut std::io::stdout());
            Ok(())
        }
    }
}

/// The sentence and the remedy for a code of the database's server, if the error has one.
pub fn explain_database_error(error: &anyhow::Error) -> Option<String> {
    let explanation = database::find_explanation(error)?;
    Some(format!("stoa: {}. {}", explanation.says, explanation.remedy))
}

/// The gate of verbs on the database of hosts: it takes what these hosts take.
pub(crate) fn gate_of_hosts(settings: &Settings) -> anyhow::Result<Gate> {
    // The data folder of a --dev host has the key that the host trusts.
    let dev = settings.dev || development::signing_key_file(&settings.data_dir).exists();
    let trust = Settings { dev, ..settings.clone() }.trust()?;
    Ok(Gate { trust: ArcSwap::from_pointee(trust), ..gate(settings)? })
}

/// The gate of verbs that serve no requests: it takes every component, and compiles it where it can do no harm.
pub(crate) fn gate(settings: &Settings) -> anyhow::Result<Gate> {
    let engine = engine::engine(settings.sandbox(), 1, settings.limits().large_memory)
        .map_err(|error| anyhow::anyhow!("the sandbox cannot be set up: {error:#}"))?;
    let gate = Gate::open(&engine, platform::NAMES, settings.module_cache());
    let compiler = Compiler::apart(settings.sandbox(), settings.limits().large_memory)?;
    Ok(Gate { judge: settings.judge()?, precompiled: settings.read_precompiled()?, compiler, ..gate })
}

/// How long the compiled code of a component is kept for the verbs of its author.
const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The gate of verbs that look at a component of any author: with the hardened engine. Compiled code is kept where
/// `STOA_MODULE_CACHE_DIR` says, else in the user's cache folder, so that the next verb on the same file does not
/// compile it again.
pub(crate) fn gate_of_strangers(requests: u32) -> anyhow::Result<Gate> {
    let engine = engine::build_hardened(requests)?;
    let compiler = Compiler::apart(Sandbox::Hardened, engine::Pool::default().memory)?;
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = match variable("STOA_MODULE_CACHE_DIR") {
        Some(folder) => Cache::open_if_usable(&folder),
        None => {
            let user = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
            let cache = user.and_then(|user| Cache::open_if_usable(&user.join("stoa/modules")));
            cache.inspect(|cache| cache.drop_older(KEPT))
        }
    };
    Ok(Gate { compiler, ..Gate::open(&engine, platform::NAMES, cache) })
}
