//! The settings that a host of the suite is started with.

use std::path::{Path, PathBuf};

use crate::folder::Folder;
use crate::installed::Installed;

/// Leads to a database by another address than its own.
type Way = Box<dyn Fn(&str) -> String>;
/// Writes the data of a host: into its data folder, or into the database at this address.
type Fill = Box<dyn FnOnce(&Path, Option<&str>)>;

/// The settings that a host is started with; `Settings::default()` is what the shared hosts have.
#[derive(Default)]
pub struct Settings {
    pub(crate) modules: Option<PathBuf>,
    pub(crate) folder: Option<Folder>,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) absent: Vec<String>,
    pub(crate) file: Option<String>,
    pub(crate) without_dev: bool,
    pub(crate) server: Option<String>,
    pub(crate) way: Option<Way>,
    pub(crate) shell: Option<String>,
    pub(crate) installed: Option<Installed>,
    pub(crate) data: Option<Fill>,
    pub(crate) places: Option<usize>,
    pub(crate) standby: Option<String>,
    pub(crate) is_movable: bool,
}

impl Settings {
    /// A folder of modules other than the suite's.
    pub fn modules(mut self, folder: &Path) -> Settings {
        self.modules = Some(folder.to_path_buf());
        self
    }

    /// The same, with the folder kept as long as the host: it may start again.
    pub fn modules_in(mut self, folder: Folder) -> Settings {
        self.modules = Some(folder.path().to_path_buf());
        self.folder = Some(folder);
        self
    }

    pub fn set(mut self, name: &str, value: impl ToString) -> Settings {
        self.variables.push((name.to_string(), value.to_string()));
        self
    }

    /// Without a variable that the suite sets for every host.
    pub fn unset(mut self, name: &str) -> Settings {
        self.absent.push(name.to_string());
        self
    }

    /// The text of its `stoa.toml`.
    pub fn file(mut self, text: impl Into<String>) -> Settings {
        self.file = Some(text.into());
        self
    }

    /// Its database (PostgreSQL) is made on another server than the suite's.
    pub fn at(mut self, server: String) -> Settings {
        self.server = Some(server);
        self
    }

    /// Its database (PostgreSQL) is reached by another address.
    pub fn by(mut self, way: impl Fn(&str) -> String + 'static) -> Settings {
        self.way = Some(Box::new(way));
        self
    }

    /// A shell in the host's folder runs these commands and then becomes the host: `exec 2>&-` closes its stderr. If
    /// they redirect stdout, the log names the address.
    pub fn shell(mut self, commands: &str) -> Settings {
        self.shell = Some(commands.to_string());
        self
    }

    /// Companies are distributed over this many databases (PostgreSQL), the home database among them: `place-1` and on are the others.
    pub fn places(mut self, count: usize) -> Settings {
        self.places = Some(count);
        self
    }

    /// Companies can move between the databases: their server is one of [`Cluster::start_for_moves`](stoa_cluster::Cluster).
    pub fn movable(mut self) -> Settings {
        self.is_movable = true;
        self
    }

    /// The server of a standby, which runs the reports.
    pub fn standby(mut self, server: String) -> Settings {
        self.standby = Some(server);
        self
    }

    /// The number of databases: as stated, or as the suite is run with. Another version of the host, another server or another way to it
    /// has one.
    pub(crate) fn count_places(&self) -> usize {
        let is_plain = self.installed.is_none() && self.server.is_none() && self.way.is_none() && self.data.is_none();
        let usual = || std::env::var("STOA_TEST_PLACES").ok().filter(|_| is_plain)?.parse().ok();
        self.places.or_else(usual).unwrap_or(1)
    }

    /// A host of another version.
    pub fn run_by(mut self, installed: Installed) -> Settings {
        self.installed = Some(installed);
        self
    }

    /// Its data folder or its database is filled before its first start.
    pub fn data(mut self, fill: impl FnOnce(&Path, Option<&str>) + 'static) -> Settings {
        self.data = Some(Box::new(fill));
        self
    }

    /// As a deployment runs: without `--dev`, on a database that `stoa migrate` has prepared. There is no dev issuer: people
    /// come by `STOA_OIDC_*` or `[[oidc]]`.
    pub fn without_dev(mut self) -> Settings {
        self.without_dev = true;
        self
    }
}
