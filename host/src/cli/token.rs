//! `stoa token`: a token of the development issuer, whose key lies in the data folder.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use crate::identity::{DEV_AUDIENCE, DEV_ISSUER, DevIssuer};
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    /// The user's email address.
    #[arg(long)]
    #[serde(skip)]
    user: String,
    /// Lifetime of the token, for example `1h` or `30m`.
    #[arg(long, default_value = "1h", value_parser = humantime_serde::re::humantime::parse_duration)]
    #[serde(skip)]
    ttl: Duration,
    /// Data folder of the host, which contains the issuer's key.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
}

pub fn run(flags: &Flags) -> anyhow::Result<()> {
    let settings = Settings::load(flags)?;
    let issuer = DevIssuer::load(&settings.data_dir)?;
    println!("{}", issuer.mint(&flags.user, flags.ttl, DEV_AUDIENCE, DEV_ISSUER)?);
    Ok(())
}
