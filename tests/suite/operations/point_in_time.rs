//! The page's way back to a point in time, on a PostgreSQL of its own with pgBackRest: writes before the instant are there, later
//! ones are not.

use std::fs::File;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use stoa_cluster::program;
use stoa_tests::cuts::rounds;
use stoa_tests::host::Settings;
use stoa_tests::tour::blocks_of;
use stoa_tests::{Database, Folder, Stoa, company, host, record, tests};

tests![a_deployment_returns_to_a_point_in_time];

const MISSING: &str = "no pgbackrest here: install it (Debian: apt-get install pgbackrest)";

fn a_deployment_returns_to_a_point_in_time() {
    let place = Folder::new("point");
    let Some(programs) = find_pgbackrest(place.path()) else {
        // A whole run without `--all` fetches no packages.
        assert_eq!(rounds(0, 1), 0, "{MISSING}");
        return record::tell_not_run("operations::point_in_time", MISSING);
    };
    let page = std::fs::read_to_string(host::workspace().join("docs/operate/backup.md")).expect("the page of backups");
    let blocks = blocks_of("bash", &page);
    let [set_up, go_back] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    let server = Server::start(place.path(), &programs);
    server.run(set_up, &[]);

    let host = Stoa::start_with(Database::Postgres, Settings::default().at(server.url()));
    let shop = host.company();
    let kept = shop.brand(&company::fresh("KEPT"));
    let time = server.run("psql -Atq postgres -c 'select clock_timestamp()'", &[]);
    let later = shop.brand(&company::fresh("LATER"));
    server.run("psql -Atq postgres -c 'select pg_switch_wal()'", &[]);
    host.kill9();
    server.run(go_back, &[("TIME", time.trim())]);
    host.restart();
    assert_eq!(host.verify(&[&shop.tenant])["findings"], serde_json::json!([]));
    let brands = shop.all("catalog/lookups/brands", &[]);
    let has = |id: &str| brands.iter().any(|brand| brand["id"] == id);
    assert!(has(&kept) && !has(&later), "{brands:?}");
    // The database is dropped while its server runs.
    drop((shop, host));
}

/// The folder of `pgbackrest`, unpacked from Debian's package where `--all` may fetch it and it is not installed.
fn find_pgbackrest(place: &Path) -> Option<PathBuf> {
    if let Some(program) = program::in_path("pgbackrest") {
        return program.parent().map(Path::to_path_buf);
    }
    if rounds(0, 1) == 0 {
        return None;
    }
    let fetch = "apt-get download -qq pgbackrest && dpkg -x pgbackrest_*.deb unpacked";
    let mut command = Command::new("bash");
    command.args(["-c", fetch]).current_dir(place).stdin(Stdio::null());
    program::output_quietly(&mut command)?;
    Some(place.join("unpacked/usr/bin"))
}

/// A server with a socket in its own folder, run by the user that PostgreSQL runs as.
struct Server {
    folder: PathBuf,
    path: String,
    port: u16,
}

impl Server {
    fn start(place: &Path, programs: &Path) -> Server {
        let folder = place.join("server");
        std::fs::create_dir(&folder).expect("a folder");
        if is_root() {
            let id = |flag: &str| program::output_quietly(Command::new("id").args([flag, "postgres"]));
            let number = |flag: &str| id(flag).and_then(|id| id.trim().parse().ok());
            chown(&folder, number("-u"), number("-g")).expect("a user `postgres`");
        }
        let servers = stoa_cluster::find().expect(stoa_cluster::MISSING);
        let others = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{others}", servers.display(), programs.display());
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let server = Server { folder, path, port: free.expect("a port").port() };
        server.run(
            "initdb --auth=trust --username=postgres --encoding=UTF8 --locale=C --no-sync > /dev/null
             echo \"listen_addresses = '127.0.0.1'
             port = $PGPORT
             unix_socket_directories = '$PGHOST'\" >> \"$PGDATA/postgresql.conf\"
             pg_ctl -w start --log \"$PGHOST/log\" > /dev/null
             psql -q postgres -c 'create role stoa login createdb nosuperuser nobypassrls'",
            &[],
        );
        server
    }

    fn url(&self) -> String {
        format!("postgres://stoa@127.0.0.1:{}/postgres", self.port)
    }

    /// Runs commands as the server's user; their output.
    #[track_caller]
    fn run(&self, commands: &str, variables: &[(&str, &str)]) -> String {
        // Files, not pipes: a server that was started has them for as long as it runs.
        let [printed, said] = ["printed", "said"].map(|name| self.folder.with_file_name(name));
        let create = |path: &Path| File::create(path).expect("a file");
        let mut command = self.command(commands, variables);
        let status = command.stdout(create(&printed)).stderr(create(&said)).status().expect("cannot run bash");
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        assert!(status.success(), "{commands}\n{}\n{}", read(&said), read(&printed));
        read(&printed)
    }

    fn command(&self, commands: &str, variables: &[(&str, &str)]) -> Command {
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "bash"]);
            command
        } else {
            Command::new("bash")
        };
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        command.args(["-euo", "pipefail", "-c", commands]).current_dir(&self.folder).stdin(Stdio::null());
        command
            .env("PATH", &self.path)
            .env("PGDATA", self.folder.join("data"))
            .env("PGHOST", &self.folder)
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", "postgres")
            .env("REPOSITORY", self.folder.join("repository"))
            .env("PGBACKREST_CONFIG", self.folder.join("pgbackrest.conf"))
            .envs(variables.iter().copied());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.command("pg_ctl -w -m immediate stop > /dev/null", &[]).status();
    }
}

fn is_root() -> bool {
    program::output_quietly(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}
