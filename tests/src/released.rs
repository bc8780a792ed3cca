//! Released hosts, and the data that they left behind.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::host::{RUNTIME, Settings, workspace};
use crate::installed::Installed;
use crate::{Company, Database, Stoa};

/// A line of `tests/releases.txt`.
pub struct Release {
    pub version: String,
}

/// Data that a released host stored, and its responses.
pub struct Fixture {
    release: PathBuf,
    database: Database,
    /// `reads`: path and body. `apiKey`, `webhook`, `secret`, `replay`, `order`.
    pub expected: Json,
}

/// The data was made some time ago: responses are stored for a day, and keys expire.
const YOUNG_SQLITE: &[&str] = &[
    "update stoa_idempotency set created_at = unixepoch() * 1000",
    "update stoa_api_key set expires_at = (unixepoch() + 86400) * 1000",
];
const YOUNG_POSTGRES: &[&str] = &[
    "update stoa_idempotency set created_at = now()",
    "update stoa_api_key set expires_at = now() + interval '1 day'",
];

/// Every release, oldest first.
pub fn list() -> Vec<Release> {
    let text = fs::read_to_string(workspace().join("tests/releases.txt")).expect("the list of releases");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(Release { version: line.split_once(' ')?.0.to_string() })).collect()
}

impl Release {
    pub fn read_fixture(&self, database: Database) -> Fixture {
        let release = workspace().join("tests/releases").join(&self.version);
        let file = match database {
            Database::Sqlite => "sqlite.json",
            Database::Postgres => "postgres.json",
        };
        let expected = serde_json::from_slice(&read(&release.join(file))).expect("JSON");
        Fixture { release, database, expected }
    }

    /// The host that `cargo xtask test --all` built from the release's commit.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn find_host(&self) -> Result<Installed, String> {
        let folder =
            std::env::var_os("STOA_TEST_RELEASES").ok_or("`cargo xtask test --all` builds the released hosts")?;
        let folder = PathBuf::from(folder).join(&self.version);
        // The mark that the build was finished.
        if !folder.join("commit").is_file() {
            return Err(format!("git lacks the commit of {} in this clone: fetch the whole history", self.version));
        }
        Ok(Installed { binary: folder.join("stoa"), modules: folder.join("modules"), migrates: true })
    }
}

impl Fixture {
    /// Starts a host of this version on the data, and shows the company.
    pub fn take_over(&self, settings: Settings) -> Company {
        let settings = settings.set("STOA_ENCRYPTION_KEY", "5a".repeat(32));
        let (database, release) = (self.database, self.release.clone());
        let fill = move |data: &Path, url: Option<&str>| match url {
            None => fill_sqlite(&read(&release.join("sqlite.zst")), data),
            Some(url) => fill_postgres(&read(&release.join("postgres.sql.zst")), url),
        };
        let host = Stoa::start_with(database, settings.data(fill));
        let (tenant, token) = (self.text("tenant"), host.token("owner@example.test"));
        Company { host, tenant, token, created: Vec::new() }
    }

    #[track_caller]
    pub fn text(&self, member: &str) -> String {
        self.expected[member].as_str().unwrap_or_else(|| panic!("no {member}")).to_string()
    }
}

fn read(file: &Path) -> Vec<u8> {
    fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn fill_sqlite(packed: &[u8], data: &Path) {
    let file = data.join("stoa.sqlite");
    fs::create_dir_all(data).expect("a data folder");
    fs::write(&file, zstd::decode_all(packed).expect("a packed database")).expect("cannot write the database");
    let connection = rusqlite::Connection::open(file).expect("a database");
    for statement in YOUNG_SQLITE {
        connection.execute(statement, []).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

fn fill_postgres(packed: &[u8], url: &str) {
    let dump = String::from_utf8(zstd::decode_all(packed).expect("a packed dump")).expect("a dump is text");
    let filled = RUNTIME.block_on(async {
        // The dump changes the settings of its session.
        let mut connection = PgConnection::connect(url).await?;
        connection.execute(AssertSqlSafe(dump)).await?;
        connection.close().await?;
        let mut connection = PgConnection::connect(url).await?;
        for statement in YOUNG_POSTGRES {
            connection.execute(*statement).await?;
        }
        connection.close().await
    });
    filled.unwrap_or_else(|error: sqlx::Error| panic!("the dump cannot be read in: {error}"));
}

/// The first member that `found` lacks or has otherwise than `expected`. Further members are additions.
pub fn find_difference(expected: &Json, found: &Json, pointer: &str) -> Option<String> {
    match (expected, found) {
        (Json::Object(members), Json::Object(_)) => members
            .iter()
            .find_map(|(name, value)| find_difference(value, &found[name.as_str()], &format!("{pointer}/{name}"))),
        (Json::Array(one), Json::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(nth, (one, other))| find_difference(one, other, &format!("{pointer}/{nth}"))),
        _ => (expected != found).then(|| format!("{pointer}: expected {expected}, found {found}")),
    }
}
