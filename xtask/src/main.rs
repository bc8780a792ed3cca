//! `cargo xtask VERB`: every chore of the project as a verb, one file each. This file only names them.

use std::process::ExitCode;

use clap::Parser;

mod api;
mod bench;
mod browser;
mod build_modules;
mod check;
mod clock;
mod demo;
mod new_module;
mod postgres;
mod program;
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
    Run(run::Args),
    /// The whole suite, on SQLite and on PostgreSQL
    Test(test::Args),
    /// Format, lints, documentation, licences, advisories and the rules of the house
    Check(check::Args),
    /// The fault harness: kills, cuts, full disks and wrong clocks under load, on both databases; 25 rounds of each
    Soak(soak::Args),
    /// Read the reference in Chromium, on a desk and on a phone; pictures go to target/browser
    Browser,
    /// Generate SDKs from the contract by five generators, compile them and take them on a tour of a host
    Sdks,
    /// The benchmark: prints a table and writes target/bench.json
    Bench(bench::Args),
    /// Build every module to target/modules/NAME.wasm, or the examples to target/examples
    BuildModules(build_modules::Args),
    /// Write a module that builds, tests and activates as it stands to components/NAME
    NewModule(new_module::Args),
    /// List a WIT package in wit/released.txt: from then on it does not change
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
        Verb::Sdks => sdks::run(&workspace),
        Verb::Bench(args) => bench::run(&workspace, args),
        Verb::BuildModules(args) => build_modules::run(&workspace, args),
        Verb::NewModule(args) => new_module::run(&workspace, args),
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
