//! `stoa token`: a token of the development issuer, whose key lies in the data folder. `stoa token check` says whether a host with these
//! settings takes a token.

use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::running_host::build_verifier;
use crate::identity::{DEV_AUDIENCE, DEV_ISSUER, DevIssuer, MAX_TOKEN_BYTES, TokenStep, TokenVerdict};
use crate::settings::Settings;

#[derive(Args, Serialize)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Flags {
    /// The user's email address.
    #[arg(long, required = true)]
    #[serde(skip)]
    user: Option<String>,
    /// Lifetime of the token, for example `1h` or `30m`.
    #[arg(long, default_value = "1h", value_parser = humantime_serde::re::humantime::parse_duration)]
    #[serde(skip)]
    ttl: Duration,
    /// Data folder of the host, which contains the issuer's key.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    #[serde(skip)]
    verb: Option<Verb>,
}

#[derive(Subcommand)]
enum Verb {
    /// Check step by step whether a host with these settings accepts a user token, and print the remedy if not. Exits with 1
    /// if not.
    #[command(after_help = "Example: stoa token check < token.txt")]
    Check(CheckFlags),
}

#[derive(Args, Serialize)]
struct CheckFlags {
    /// The token. Without this flag it is read from stdin, which keeps it out of the list of processes.
    #[arg(long)]
    #[serde(skip)]
    token: Option<String>,
    /// Data folder of the host. If no identity provider is configured, the key of the --dev issuer is read there.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
}

pub fn run(flags: &Flags) -> anyhow::Result<()> {
    if let Some(Verb::Check(flags)) = &flags.verb {
        return check(flags);
    }
    let settings = Settings::load(flags)?;
    let issuer = DevIssuer::load(&settings.data_dir)?;
    let user = flags.user.as_deref().unwrap_or_default();
    println!("{}", issuer.mint(user, flags.ttl, DEV_AUDIENCE, DEV_ISSUER)?);
    Ok(())
}

fn check(flags: &CheckFlags) -> anyhow::Result<()> {
    let settings = Settings::load(flags)?;
    let token = match &flags.token {
        Some(token) => token.clone(),
        None => read_token()?,
    };
    // A --dev host trusts its own issuer next to the configured ones.
    let is_dev = settings.dev || settings.issuers()?.is_empty();
    let dev_issuer = if is_dev { DevIssuer::load(&settings.data_dir).ok() } else { None };
    let verifier = build_verifier(&settings, dev_issuer.as_ref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    print(&runtime.block_on(verifier.explain(without_scheme(&token))))
}

/// The token on stdin, with a limit above the longest that a host looks at.
fn read_token() -> anyhow::Result<String> {
    let mut text = String::new();
    let limit = u64::try_from(2 * MAX_TOKEN_BYTES)?;
    std::io::stdin().lock().take(limit).read_to_string(&mut text)?;
    Ok(text)
}

/// The token as a request's header has it after `Bearer `, which may be pasted with it.
fn without_scheme(text: &str) -> &str {
    let text = text.trim();
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => text,
    }
}

fn print(steps: &[TokenStep]) -> anyhow::Result<()> {
    for TokenStep { name, verdict, says, remedy } in steps {
        let verdict = match verdict {
            TokenVerdict::Pass => "pass",
            TokenVerdict::Note => "note",
            TokenVerdict::Fail => "FAIL",
        };
        let remedy = remedy.map(|remedy| format!(". Remedy: {remedy}")).unwrap_or_default();
        println!("{verdict:<5} {name:<10} {says}{remedy}");
    }
    match steps.iter().find(|step| step.verdict == TokenVerdict::Fail) {
        Some(step) => anyhow::bail!("a host with these settings rejects the token: {}: {}", step.name, step.says),
        None => {
            println!("a host with these settings takes the token");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_scheme_is_no_part_of_the_token() {
        for text in ["a.b.c", " a.b.c\n", "Bearer a.b.c\n", "bearer  a.b.c"] {
            assert_eq!(without_scheme(text), "a.b.c", "{text:?}");
        }
        assert_eq!(without_scheme("Basic abc"), "Basic abc");
    }
}
