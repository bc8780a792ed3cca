//! `stoa migrate`: the host's own tables. `serve` does it by itself on SQLite and with `--dev`.

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::data_flags::DataFlags;
use crate::database::servers::HOME;
use crate::database::{Database, DatabaseSettings};
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    /// Only this server: the name of a place in `stoa.toml`, or `home`. Default: the home server and every place.
    #[arg(long)]
    #[serde(skip)]
    place: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let wanted = flags.place.clone();
    let settings = Settings::load(flags)?.database();
    let servers: Vec<(String, DatabaseSettings)> = list_servers(settings)
        .into_iter()
        .filter(|(name, _)| wanted.as_ref().is_none_or(|wanted| wanted == name))
        .collect();
    anyhow::ensure!(!servers.is_empty(), "the settings name no place {}", wanted.unwrap_or_default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let has_places = servers.len() > 1 || wanted.is_some();
        // A place that cannot be migrated keeps no other from it.
        let mut failed = None;
        for (name, settings) in servers {
            match Database::open(&settings, true).await {
                Ok(database) => {
                    database.close();
                    let at = if has_places { format!("{name}: ") } else { String::new() };
                    println!("{at}the host's tables are up to date");
                }
                Err(error) if has_places => {
                    eprintln!("{name}: {error:#}");
                    failed.get_or_insert(Err(error).context(format!("the place {name} was not migrated")));
                }
                Err(error) => return Err(error),
            }
        }
        failed.unwrap_or(Ok(()))
    })
}

/// The home server and every place, each as a database of its own.
fn list_servers(settings: DatabaseSettings) -> Vec<(String, DatabaseSettings)> {
    let places = settings.places.iter().map(|place| (place.name.clone(), settings.of_place(place)));
    let mut servers: Vec<(String, DatabaseSettings)> = places.collect();
    servers.insert(0, (HOME.to_owned(), DatabaseSettings { places: Vec::new(), ..settings }));
    servers
}
