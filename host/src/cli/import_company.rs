//! `stoa import-company`: adds the company of a file that `stoa export` wrote, and checks it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::data_flags::ModuleDataFlags;
use super::json_flag::JsonFlag;
use super::{Unfinished, verify};
use crate::export::{Imported, import};

#[derive(Args, Serialize)]
pub struct Flags {
    /// File that `stoa export` wrote; `-` reads the standard input.
    #[serde(skip)]
    file: PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    data: ModuleDataFlags,
    #[command(flatten)]
    #[serde(skip)]
    output: JsonFlag,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let (file, as_json) = (flags.file.clone(), flags.output.json);
    let settings = super::logging::load_settings(flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut input: Box<dyn BufRead> = match file.to_str() {
        Some("-") => Box::new(std::io::stdin().lock()),
        _ => Box::new(BufReader::new(File::open(&file).with_context(|| format!("{}", file.display()))?)),
    };
    let holds_key = |id: &str| settings.key_ring().is_ok_and(|keys| keys.holds(id));
    let imported = runtime.block_on(import(&settings.database(), &holds_key, &mut *input));
    let Imported { company, name, rows, users } = imported.context("nothing was imported")?;
    match as_json {
        true => println!("{}", json!({ "company": company, "name": name, "rows": rows, "users": users })),
        false => {
            println!("{company}: {rows} rows of {name:?}");
            for (old, new) in users {
                println!("user {old} of the file is {new} here");
            }
        }
    }
    let report = runtime.block_on(verify::verify(&settings, &[company])).map_err(|error| error.context(Unfinished))?;
    verify::print(report, as_json)
}
