//! `cargo xtask VERB`: every chore of the project as a verb, one file each. This file only names them.

use std::process::ExitCode;

use clap::Parser;

mod api;
mod bench;
mod browser;
mod build_modules;
mod check;
mod clock;
mod contract;
mod demo;
mod new_module;
mod postgres;
mod program;
mod release;
mod release_modules;
mod release_wit;
mod run;
mod scratch;
mod sdks;
mod soak;
mod test;
mod wit_package;
mod workspace;

use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The chores of the project", version)]
enum Verb {
    /// Build modules and host, start `stoa serve --dev` and, on first start, load the demo company
    #[command(after_help = "Example: cargo xtask run --no-demo --print json")]
    Run(run::Args),
    /// Run unit tests and the suite on SQLite and on PostgreSQL
    #[command(after_help = "Example: cargo xtask test evidence::readme")]
    Test(test::Args),
    /// Check format, lints, documentation, licences, advisories and the rules of this repository
    #[command(after_help = "Example: cargo xtask check format rules words")]
    Check(check::Args),
    /// Run the fault injector: kills, lost connections, full disks and wrong clocks under load, on both databases
    #[command(after_help = "Example: cargo xtask soak --quick")]
    Soak(soak::Args),
    /// Read the reference in Chromium, on desktop and on mobile; screenshots go to target/browser
    #[command(after_help = "Example: cargo xtask browser")]
    Browser,
    /// Judge the served contract with Redocly, Spectral and Schemathesis; findings outside tests/gates/allowed.json fail
    #[command(after_help = "Example: cargo xtask contract redocly spectral --strict")]
    Contract(contract::Args),
    /// Generate SDKs from the contract with five generators, compile them and run them against a host
    #[command(after_help = "Example: cargo xtask sdks")]
    Sdks,
    /// Run the benchmark: prints a table and writes target/bench.json
    #[command(after_help = "Example: cargo xtask bench --quick")]
    Bench(bench::Args),
    /// Build every module to target/modules/NAME.wasm, or the examples to target/examples
    #[command(after_help = "Example: cargo xtask build-modules --examples")]
    BuildModules(build_modules::Args),
    /// Create components/NAME, a module that builds, tests and activates without changes
    #[command(after_help = "Example: cargo xtask new-module warranties")]
    NewModule(new_module::Args),
    /// Make a release in target/dist: programs, signed modules, compiled code, SBOM, licences, checksums
    #[command(after_help = "Example: cargo xtask release --key deployment.key")]
    Release(release::Args),
    /// Build, sign and publish the eight modules to an OCI registry, or to a folder that any tool copies to one
    #[command(after_help = "Example: cargo xtask release-modules --key vendor.key --to oci://registry.example/stoa")]
    ReleaseModules(release_modules::Args),
    /// Freeze a WIT package: lists it in wit/released.txt
    #[command(after_help = "Example: cargo xtask release-wit commerce:pricing@1.0.0")]
    ReleaseWit(release_wit::Args),
}

fn main() -> ExitCode {
    let verb = Verb::parse();
    let done = Workspace::find().and_then(|workspace| match verb {
        Verb::Run(args) => run::run(&workspace, args),
        Verb::Test(args) => test::run(&workspace, args),
        Verb::Check(args) => check::run(&workspace, args),
        Verb::Soak(args) => soak::run(&workspace, &args),
        Verb::Browser => browser::run(&workspace),
        Verb::Contract(args) => contract::run(&workspace, &args),
        Verb::Sdks => sdks::run(&workspace),
        Verb::Bench(args) => bench::run(&workspace, args),
        Verb::BuildModules(args) => build_modules::run(&workspace, args),
        Verb::NewModule(args) => new_module::run(&workspace, args),
        Verb::Release(args) => release::run(&workspace, &args),
        Verb::ReleaseModules(args) => release_modules::run(&workspace, &args),
        Verb::ReleaseWit(args) => release_wit::run(&workspace, args),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn every_verb_has_an_example() {
        for verb in super::Verb::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("Example: cargo xtask {}", verb.get_name())), "{}", verb.get_name());
        }
    }
}
