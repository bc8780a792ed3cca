//! `stoa backup`, `stoa restore`, and the loss in between.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::host::Settings;
use crate::{Database, Stoa};

/// A host with these settings on one server, as a backup is of one.
pub fn start_to_back_up(database: Database, settings: Settings) -> Stoa {
    Stoa::start_with(database, settings.places(1))
}

impl Stoa {
    /// Writes a backup of this host's database; its report.
    #[track_caller]
    pub fn back_up(&self, file: &Path) -> Json {
        self.try_back_up(file).unwrap_or_else(|said| panic!("`stoa backup` failed: {said}"))
    }

    /// The same; `Err` holds what it wrote to stderr.
    pub fn try_back_up(&self, file: &Path) -> Result<Json, String> {
        run(self.command().args(["backup", "--json"]).arg(file)).map(|mut reports| reports.remove(0))
    }

    /// Restores into this host's database, which must not serve: a report of each step.
    pub fn try_restore(&self, file: &Path, flags: &[&str]) -> Result<Vec<Json>, String> {
        run(self.command().args(["restore", "--json"]).args(flags).arg(file))
    }

    #[track_caller]
    pub fn restore(&self, file: &Path, flags: &[&str]) -> Vec<Json> {
        self.try_restore(file, flags).unwrap_or_else(|said| panic!("`stoa restore` failed: {said}"))
    }

    /// Kills the host and loses its database. Its data folder has its keys still.
    pub fn wipe(&self) {
        self.kill9();
        match self.database() {
            Database::Sqlite => {
                for suffix in ["", "-wal", "-shm"] {
                    let _ = std::fs::remove_file(self.data_folder().join(format!("stoa.sqlite{suffix}")));
                }
            }
            Database::Postgres => {
                self.change("drop schema public cascade");
                self.change("create schema public");
            }
        }
    }
}

/// Runs a verb that prints a JSON object in each line.
fn run(command: &mut Command) -> Result<Vec<Json>, String> {
    let output = command.output().expect("cannot run stoa");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(said);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}{said}")))
        .collect())
}
