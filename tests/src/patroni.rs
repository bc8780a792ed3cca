//! A primary and its synchronous standby, by Patroni, etcd and haproxy, as the page `docs/operate/failover.md` sets them up. All of it is
//! on this machine and ends with its owner.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value as Json;
use stoa_cluster::program;

use crate::folder::Folder;
use crate::host::{RUNTIME, workspace};
use crate::tour::blocks_of;
use crate::{debian, eventually_within};

/// Programs, by the package of Debian that has each.
const PROGRAMS: &[&str] = &["patroni", "etcd", "haproxy"];
/// The packages and those that they need beyond a system with Python and PostgreSQL.
const PACKAGES: &[&str] = &[
    "patroni",
    "etcd-server",
    "haproxy",
    "liblua5.3-0",
    "libopentracing-c-wrapper0",
    "libopentracing1",
    "python3-dateutil",
    "python3-dnspython",
    "python3-etcd",
    "python3-psutil",
    "python3-psycopg2",
    "python3-six",
    "python3-urllib3",
    "python3-yaml",
];
const NAMES: [&str; 2] = ["one", "two"];
/// Longest wait until both members are in service.
const PATIENCE: Duration = Duration::from_secs(180);

/// The environment that the programs need to run from where they are.
#[derive(Clone)]
struct Programs {
    variables: Vec<(&'static str, String)>,
}

pub struct Pair {
    // Ends before the folder goes.
    running: Mutex<Vec<(&'static str, Child)>>,
    folder: Folder,
    programs: Programs,
    servers: [u16; 2],
    monitors: [u16; 2],
    proxy: u16,
    etcd: [u16; 2],
    client: reqwest::Client,
}

impl Programs {
    fn find() -> Result<Programs, String> {
        let servers = stoa_cluster::find().ok_or(stoa_cluster::MISSING)?;
        let others = std::env::var("PATH").unwrap_or_default();
        let path = |more: &str| format!("{}:{more}{others}:/usr/sbin", servers.display());
        if PROGRAMS.iter().all(|name| is_installed(name)) {
            return Ok(Programs { variables: vec![("PATH", path(""))] });
        }
        let folder = debian::programs(PACKAGES)?;
        let folder = folder.display();
        Ok(Programs {
            variables: vec![
                ("PATH", path(&format!("{folder}/usr/bin:{folder}/usr/sbin:"))),
                ("PYTHONPATH", format!("{folder}/usr/lib/python3/dist-packages")),
                ("LD_LIBRARY_PATH", format!("{folder}/usr/lib/x86_64-linux-gnu:{folder}/usr/lib/aarch64-linux-gnu")),
            ],
        })
    }
}

fn is_installed(name: &str) -> bool {
    program::in_path(name).is_some() || Path::new("/usr/sbin").join(name).is_file()
}

impl Pair {
    /// Starts both members and waits until the second one is the synchronous standby. `Err` says what this machine lacks.
    pub fn start() -> Result<Pair, String> {
        let programs = Programs::find()?;
        let [one, two, first, second, proxy, clients, peers] = free_ports();
        let pair = Pair {
            running: Mutex::default(),
            folder: Folder::new("pair"),
            programs,
            servers: [one, two],
            monitors: [first, second],
            proxy,
            etcd: [clients, peers],
            client: reqwest::Client::builder()
                .no_proxy()
                .timeout(Duration::from_secs(2))
                .build()
                .expect("the client cannot be built"),
        };
        let place = pair.folder.path();
        if is_root() {
            let id = |flag: &str| program::output_quietly(Command::new("id").args([flag, "postgres"]));
            let number = |flag: &str| id(flag).and_then(|id| id.trim().parse().ok());
            chown(place, number("-u"), number("-g")).expect("a user `postgres`");
        }
        let page = fs::read_to_string(workspace().join("docs/operate/failover.md")).expect("the page of failovers");
        let blocks = blocks_of("bash", &page);
        let [member, haproxy] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
        let (client, peer) = (format!("http://{}", local(clients)), format!("http://{}", local(peers)));
        let etcd = format!(
            "exec etcd --name one --data-dir etcd --listen-client-urls {client} --advertise-client-urls {client} \
             --listen-peer-urls {peer} --initial-advertise-peer-urls {peer} --initial-cluster one={peer}"
        );
        pair.launch("etcd", &etcd);
        for nth in [0, 1] {
            pair.run(member, &pair.member_variables(nth));
            pair.start_member(NAMES[nth]);
        }
        let [one, two] = pair.servers.map(local);
        let [first, second] = pair.monitors.map(|port| port.to_string());
        let variables = [("PROXY", local(proxy)), ("ONE", one), ("TWO", two), ("ONE_API", first), ("TWO_API", second)];
        pair.run(haproxy, &variables);
        pair.launch("haproxy", "exec haproxy -q -db -f haproxy.cfg");
        pair.await_both();
        // Tests make databases of their own.
        let make_role = "create role stoa login password 's3cret' createdb nosuperuser nobypassrls";
        let superuser =
            format!("postgres://postgres:super@{}/postgres", local(pair.servers[pair.leader().unwrap_or(0)]));
        pair.run(&format!("psql -q '{superuser}' -c \"{make_role}\""), &[]);
        Ok(pair)
    }

    /// The address of a database that leads through haproxy: the maintenance database, as a role that may make others.
    pub fn url_by_proxy(&self) -> String {
        format!("postgres://stoa:s3cret@{}/postgres?target_session_attrs=read-write", local(self.proxy))
    }

    /// Changes the address of a database by haproxy to one that lists both servers, the standby first.
    pub fn list_servers(&self) -> impl Fn(&str) -> String + use<> {
        let proxy = local(self.proxy);
        let standby = 1 - self.leader().unwrap_or(0);
        let list = format!("{},{}", local(self.servers[standby]), local(self.servers[1 - standby]));
        move |url| url.replace(&proxy, &list).replace("?target_session_attrs=read-write", "")
    }

    /// Kills the primary with its Patroni, as the loss of its machine would. Returns its name.
    pub fn kill_primary(&self) -> &'static str {
        let name = NAMES[self.leader().expect("a primary")];
        let mut processes = self.processes_of(name);
        let mut running = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let patroni = running.iter().position(|(other, _)| *other == name).expect("a running member");
        let (_, mut patroni) = running.swap_remove(patroni);
        // Patroni is first: it would see that its server ends.
        processes.insert(0, patroni.id().to_string());
        kill(&processes);
        let _ = patroni.wait();
        name
    }

    /// Starts a member again. It becomes the standby.
    pub fn start_member(&self, name: &'static str) {
        self.launch(name, &format!("exec patroni {name}.yml"));
    }

    /// Waits until there is a primary and a standby that has all that is acknowledged.
    #[track_caller]
    pub fn await_both(&self) {
        eventually_within(PATIENCE, || self.has_both().then_some(()));
    }

    fn has_both(&self) -> bool {
        let members = self.members();
        let has = |role: &str| members.iter().any(|one| one["role"] == role && is_running(one));
        has("leader") && has("sync_standby")
    }

    /// Which of the two has the lock.
    fn leader(&self) -> Option<usize> {
        let members = self.members();
        let leader = members.iter().find(|one| one["role"] == "leader" && is_running(one))?;
        NAMES.iter().position(|name| leader["name"] == *name)
    }

    /// The members as one of them lists them.
    fn members(&self) -> Vec<Json> {
        let ask = async |port: &u16| {
            let url = format!("http://{}/cluster", local(*port));
            self.client.get(url).send().await.ok()?.json::<Json>().await.ok()
        };
        let answers = self.monitors.iter().filter_map(|port| RUNTIME.block_on(ask(port)));
        let mut lists = answers.filter_map(|mut answer| answer["members"].as_array_mut().map(std::mem::take));
        lists.next().unwrap_or_default()
    }

    fn member_variables(&self, nth: usize) -> [(&'static str, String); 9] {
        let servers = stoa_cluster::find().expect(stoa_cluster::MISSING);
        [
            ("NAME", NAMES[nth].to_owned()),
            ("ADDRESS", "127.0.0.1".to_owned()),
            ("PORT", self.servers[nth].to_string()),
            ("API_PORT", self.monitors[nth].to_string()),
            ("ETCD", local(self.etcd[0])),
            ("NETWORK", "127.0.0.0/8".to_owned()),
            ("PROGRAMS", servers.display().to_string()),
            ("SUPER_PASSWORD", "super".to_owned()),
            ("REPLICATION_PASSWORD", "copy".to_owned()),
        ]
    }

    /// The processes of a member's server.
    fn processes_of(&self, name: &str) -> Vec<String> {
        let file = fs::read_to_string(self.folder.path().join(name).join("postmaster.pid")).unwrap_or_default();
        let Some(leader) = file.lines().next().map(str::trim) else { return Vec::new() };
        let children = program::output_quietly(Command::new("pgrep").args(["-P", leader])).unwrap_or_default();
        std::iter::once(leader).chain(children.split_whitespace()).map(str::to_owned).collect()
    }

    /// Starts a program that ends with this one; its output goes to a file.
    fn launch(&self, name: &'static str, commands: &str) {
        let log = || File::options().create(true).append(true).open(self.log(name)).expect("a log");
        let mut command = self.command(commands, &[]);
        let child = command.stdout(log()).stderr(log()).spawn().expect("cannot run setpriv");
        self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((name, child));
    }

    /// Runs commands to their end.
    #[track_caller]
    fn run(&self, commands: &str, variables: &[(&str, String)]) {
        let output = self.command(commands, variables).output().expect("cannot run setpriv");
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{commands}\n{}", String::from_utf8_lossy(&said));
    }

    /// Commands for bash, as the user that PostgreSQL runs as. The program gets a signal when its parent ends.
    fn command(&self, commands: &str, variables: &[(&str, String)]) -> Command {
        let mut command = Command::new("setpriv");
        if is_root() {
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
        }
        command.args(["--pdeathsig", "KILL", "bash", "-euo", "pipefail", "-c", commands]);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null()).env("FOLDER", self.folder.path());
        command.envs(self.programs.variables.iter().map(|(name, value)| (name, value)));
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
    }

    /// The ends of all logs.
    fn logs(&self) -> String {
        let names = ["etcd", "haproxy"].into_iter().chain(NAMES);
        let end = |name: &str| {
            let text = fs::read_to_string(self.log(name)).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            format!("--- {name} ---\n{}\n", lines[lines.len().saturating_sub(15)..].join("\n"))
        };
        names.map(end).collect()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
        let mut running = std::mem::take(self.running.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner));
        for (_, child) in &mut running {
            let _ = child.kill();
            let _ = child.wait();
        }
        // Patroni starts servers that outlive it.
        kill(&NAMES.iter().flat_map(|name| self.processes_of(name)).collect::<Vec<_>>());
    }
}

fn is_running(member: &Json) -> bool {
    ["running", "streaming"].iter().any(|state| member["state"] == *state)
}

fn kill(processes: &[String]) {
    if !processes.is_empty() {
        // Some may have ended by themselves.
        let _ = Command::new("kill").arg("-KILL").args(processes).stderr(Stdio::null()).status();
    }
}

fn local(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Free ports, all different.
fn free_ports<const COUNT: usize>() -> [u16; COUNT] {
    let listeners = [(); COUNT].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.each_ref().map(|listener| listener.local_addr().expect("a port").port())
}

fn is_root() -> bool {
    program::output_quietly(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}
