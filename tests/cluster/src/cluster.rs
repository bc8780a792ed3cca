//! A PostgreSQL cluster in a folder of its own, on loopback and a free port, gone when its owner drops it.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::program;

/// A free port may be taken between the look and the start.
const TRIES: u32 = 3;
/// Looks at a server that was killed, with a pause before each.
const PATIENT_TRIES: u32 = 40;
/// In how many looks, one after the other, a server is ready that will not fall.
const STEADY: u32 = 3;
const PAUSE: Duration = Duration::from_millis(250);

/// Durable as in production (a suite that kills hosts must not owe its green to a lax database); room for parallel tests, each
/// with hosts that have a pool for each of their places.
const SETTINGS: &str = "\
listen_addresses = '127.0.0.1'
fsync = on
synchronous_commit = on
max_connections = 600
shared_buffers = 128MB
";

/// The suite's role has what a deployment's has: it owns its databases, and row-level security binds it.
const ROLE: &str = "CREATE ROLE stoa LOGIN CREATEDB NOSUPERUSER NOBYPASSRLS\n";

/// Settings that a server needs so that companies can move to and from its databases.
const MOVES: Extra = Extra {
    settings: "wal_level = logical\n",
    authentication: "host all stoa_move 127.0.0.1/32 scram-sha-256\n",
    statements: "CREATE ROLE stoa_move LOGIN REPLICATION BYPASSRLS PASSWORD 'move'\n\
        GRANT stoa, pg_create_subscription TO stoa_move\n\
        GRANT SET ON PARAMETER session_replication_role TO stoa_move\n",
};

/// Settings of a cluster in addition to the usual.
#[derive(Default)]
struct Extra {
    settings: &'static str,
    /// Lines of `pg_hba.conf` that come first.
    authentication: &'static str,
    /// One in a line.
    statements: &'static str,
}

pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    owner: Owner,
    port: u16,
    /// Variables of its server, in addition to those of this program.
    variables: Vec<(String, String)>,
    extra: Extra,
}

impl Cluster {
    /// Makes and starts a cluster with the role `stoa`, in a folder of its own under this one.
    pub fn start(programs: &Path, under: &Path) -> Result<Cluster> {
        Cluster::start_with(programs, under, Vec::new())
    }

    /// The same, whose server has these variables.
    pub fn start_with(programs: &Path, under: &Path, variables: Vec<(String, String)>) -> Result<Cluster> {
        Cluster::make(programs, under, variables, Extra::default())
    }

    /// The same for companies that move: with logical replication, and the role `stoa_move` whose password is `move`. PostgreSQL 16 or
    /// later.
    pub fn start_for_moves(programs: &Path, under: &Path) -> Result<Cluster> {
        Cluster::make(programs, under, Vec::new(), MOVES)
    }

    /// A standby of this cluster, which replays what this one writes.
    pub fn start_standby(&self) -> Result<Cluster> {
        let folder = make_folder(self.folder.parent().context("a folder")?)?;
        let owner = Owner::find_owner()?;
        owner.give(&folder)?;
        let programs = self.programs.clone();
        let (variables, extra) = (self.variables.clone(), Extra::default());
        let mut standby = Cluster { programs, folder, owner, port: 0, variables, extra };
        let mut copy = standby.program("pg_basebackup");
        copy.args(["--host=127.0.0.1", &format!("--port={}", self.port), "--username=postgres", "--checkpoint=fast"]);
        copy.args(["--write-recovery-conf", "--wal-method=stream", "--pgdata"]).arg(standby.data());
        let output = copy.output().context("cannot start pg_basebackup")?;
        if !output.status.success() {
            bail!("no standby: {}", String::from_utf8_lossy(&output.stderr));
        }
        // The later one counts: the copy has the folder of the original.
        let mut settings = fs::OpenOptions::new().append(true).open(standby.data().join("postgresql.conf"))?;
        writeln!(settings, "unix_socket_directories = '{}'", standby.folder.display())?;
        standby.launch_on_a_free_port()?;
        Ok(standby)
    }

    /// The superuser at the maintenance database.
    pub fn superuser_url(&self) -> String {
        self.url().replacen("stoa@", "postgres@", 1)
    }

    fn make(programs: &Path, under: &Path, variables: Vec<(String, String)>, extra: Extra) -> Result<Cluster> {
        let owner = Owner::find_owner()?;
        let folder = make_folder(under)?;
        let mut cluster = Cluster { programs: programs.to_path_buf(), folder, owner, port: 0, variables, extra };
        cluster.owner.give(&cluster.folder)?;
        cluster.create()?;
        cluster.launch_on_a_free_port()?;
        Ok(cluster)
    }

    fn launch_on_a_free_port(&mut self) -> Result<()> {
        for _ in 0..TRIES {
            self.port = free_port()?;
            if self.launch()? {
                eprintln!("PostgreSQL for this run at {}", self.url());
                return Ok(());
            }
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        bail!("the PostgreSQL cluster does not start:\n{log}")
    }

    /// The role `stoa` at the maintenance database.
    pub fn url(&self) -> String {
        format!("postgres://stoa@127.0.0.1:{}/postgres", self.port)
    }

    fn create(&self) -> Result<()> {
        // macOS and small systems lack C.UTF-8.
        if !self.initialize("C.UTF-8")? && !self.initialize("C")? {
            bail!("initdb failed");
        }
        let data = self.data();
        let mut settings = fs::OpenOptions::new().append(true).open(data.join("postgresql.conf"))?;
        writeln!(settings, "{SETTINGS}{}unix_socket_directories = '{}'", self.extra.settings, self.folder.display())?;
        let rules = data.join("pg_hba.conf");
        let usual = fs::read_to_string(&rules)?;
        fs::write(&rules, format!("{}{usual}", self.extra.authentication))?;
        self.run_alone(&format!("{ROLE}{}", self.extra.statements))
    }

    fn initialize(&self, locale: &str) -> Result<bool> {
        let mut command = self.program("initdb");
        command.args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "--no-instructions"]);
        command.arg(format!("--locale={locale}")).arg("--pgdata").arg(self.data());
        Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status().context("cannot start initdb")?.success())
    }

    /// Runs a statement without a server (so that no client program is needed).
    fn run_alone(&self, statement: &str) -> Result<()> {
        let mut command = self.program("postgres");
        command.args(["--single", "-D"]).arg(self.data()).arg("postgres");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start postgres")?;
        child.stdin.take().context("postgres takes no input")?.write_all(statement.as_bytes())?;
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || said.contains("ERROR") || said.contains("FATAL") {
            bail!("the PostgreSQL cluster cannot be prepared:\n{said}");
        }
        Ok(())
    }

    fn launch(&self) -> Result<bool> {
        let mut command = self.program("pg_ctl");
        command.arg("--pgdata").arg(self.data()).arg("--log").arg(self.folder.join("log"));
        command.args(["--options", &format!("-p {}", self.port), "--wait", "start"]);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status().context("cannot start pg_ctl")?.success())
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Kills the server and all that it started, as a power cut would.
    pub fn kill9(&self) -> Result<()> {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).context("the server does not run")?;
        let leader = file.lines().next().context("no process in postmaster.pid")?.trim();
        // The children end when they see that their parent is gone, and some sooner.
        let children = program::output_quietly(Command::new("pgrep").args(["-P", leader])).unwrap_or_default();
        let mut kill = Command::new("kill");
        kill.arg("-KILL").arg(leader).args(children.split_whitespace());
        // One of them may have ended by itself.
        let _ = kill.stderr(Stdio::null()).status();
        Ok(())
    }

    /// Starts the server again unless it serves; one that crashed may come back by itself, or end while it tries.
    pub fn start_again(&self) -> Result<()> {
        let mut served = 0;
        for _ in 0..PATIENT_TRIES {
            // A killed server may hold its port or its memory for a moment yet.
            std::thread::sleep(PAUSE);
            served = if self.is_ready()? { served + 1 } else { 0 };
            if served == STEADY || served == 0 && self.launch()? {
                return Ok(());
            }
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        bail!("the PostgreSQL cluster does not start again:\n{log}")
    }

    fn is_ready(&self) -> Result<bool> {
        let mut command = self.program("pg_isready");
        command.args(["--host=127.0.0.1", "--quiet", &format!("--port={}", self.port)]);
        Ok(command.status().context("cannot start pg_isready")?.success())
    }

    /// One of the server's programs, as the cluster's owner.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(&self.folder).stdin(Stdio::null());
        // A person's PG* variables are about other servers.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        self.owner.act(&mut command);
        command
    }
}

/// A folder for a cluster of this process.
fn make_folder(under: &Path) -> Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = under.join(format!("stoa-postgres-{}-{number}", std::process::id()));
    fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.port != 0 {
            // Its data is thrown away: nothing is worth a checkpoint.
            let mut stop = self.program("pg_ctl");
            stop.arg("--pgdata").arg(self.data()).args(["--mode=immediate", "--wait", "stop"]);
            let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("cannot remove {}: {error}", self.folder.display());
        }
    }
}

/// The user that the server runs as. PostgreSQL refuses root.
struct Owner(Option<(u32, u32)>);

impl Owner {
    /// `postgres`, else `nobody`, where this program is root; else the user of this program.
    fn find_owner() -> Result<Owner> {
        if !is_root()? {
            return Ok(Owner(None));
        }
        let ids = ["postgres", "nobody"].iter().find_map(|name| Some((id("-u", Some(name))?, id("-g", Some(name))?)));
        Ok(Owner(Some(ids.context("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`")?)))
    }

    fn give(&self, folder: &Path) -> Result<()> {
        if let Some((user, group)) = self.0 {
            chown(folder, Some(user), Some(group))?;
        }
        Ok(())
    }

    fn act(&self, command: &mut Command) {
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
    }
}

/// Returns whether this program runs as root.
pub fn is_root() -> Result<bool> {
    Ok(id("-u", None).context("cannot find which user this is: `id -u` failed")? == 0)
}

fn id(kind: &str, user: Option<&str>) -> Option<u32> {
    let mut command = Command::new("id");
    command.arg(kind).args(user);
    program::output_quietly(&mut command)?.trim().parse().ok()
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
