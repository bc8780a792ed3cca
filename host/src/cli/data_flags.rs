//! Where the data of a deployment is, as every verb takes it that opens its database.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

#[derive(Args, Serialize)]
pub struct DataFlags {
    /// Data folder of the host: the SQLite database, keys and the cache of compiled modules.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
    /// Database of the host: `sqlite:PATH` or `postgres://...`.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    database_url: Option<String>,
}

/// The same for verbs that also run modules.
#[derive(Args, Serialize)]
pub struct ModuleDataFlags {
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
    /// Folder of the modules of the hosts.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    modules_dir: Option<PathBuf>,
}
