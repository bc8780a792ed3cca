//! A running host: the real binary, its own data folder and database, killed when its owner goes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

pub use crate::host_settings::Settings;
pub use crate::shared_hosts::shared;

use crate::contract::Contract;
use crate::folder::Folder;
use crate::installed::{Installed, Version};
use crate::looks::Looks;
use crate::postgres::Disposable;
use crate::{Database, Request, modules};

/// How long a start may take on a machine that is busy with the rest of the suite.
const START: Duration = Duration::from_secs(90);

/// The one runtime of the suite: tests are plain functions, and only the client is asynchronous.
pub(crate) static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Runtime::new().expect("the client's runtime cannot start"));

/// A host with its database. Clones name the same host; the last one stops it.
#[derive(Clone)]
pub struct Stoa(Arc<Inner>);

struct Inner {
    database: Database,
    postgres: Option<Disposable>,
    /// Databases besides it, over which companies are distributed.
    places: Vec<Disposable>,
    /// Where it runs: its log and its `stoa.toml`.
    place: Folder,
    /// Its modules, where they are its own.
    _modules: Option<Folder>,
    dev: bool,
    /// Commands of the shell that becomes the host.
    shell: Option<String>,
    settings: Vec<(String, String)>,
    version: Version,
    process: Mutex<Option<Process>>,
    address: RwLock<String>,
    /// The address of the private listener, once a test asked.
    private_address: Mutex<Option<String>>,
    /// Where the log of the running process begins.
    launched: AtomicU64,
    client: reqwest::Client,
    contract: Mutex<Option<Arc<Contract>>>,
    tokens: Mutex<HashMap<String, String>>,
    looks: Looks,
}

struct Process {
    child: Child,
    minder: Option<(Child, ChildStdin)>,
}

impl Stoa {
    /// Starts a host on a fresh database; a failure to start fails the test with what the host said.
    pub fn start(database: Database) -> Stoa {
        Stoa::start_with(database, Settings::default())
    }

    pub fn start_with(database: Database, settings: Settings) -> Stoa {
        Stoa::try_start(database, settings).unwrap_or_else(|said| panic!("the host did not start: {said}"))
    }

    /// Starts a host; `Err` holds what it wrote to stderr before it gave up.
    pub fn try_start(database: Database, settings: Settings) -> Result<Stoa, String> {
        let place = Folder::new("host");
        let count = settings.count_places();
        let postgres = match database {
            Database::Sqlite => None,
            Database::Postgres => Some(settings.server.clone().map_or_else(Disposable::create, Disposable::create_at)),
        };
        let create = |_| settings.server.clone().map_or_else(Disposable::create, Disposable::create_at);
        let places: Vec<Disposable> = (1..count).filter(|_| postgres.is_some()).map(create).collect();
        if let Some(fill) = settings.data {
            fill(&place.path().join("data"), postgres.as_ref().map(Disposable::url));
        }
        if settings.file.is_some() || settings.standby.is_some() || !places.is_empty() {
            let movable = postgres.as_ref().filter(|_| settings.is_movable);
            let named = |server: &String| postgres.as_ref().map(|home| home.url_at(server));
            let standby = settings.standby.as_ref().and_then(named);
            let mut text = settings.file.unwrap_or_default() + &list_places(&places, movable, standby.as_deref());
            if let Some(way) = &settings.way {
                text = places.iter().fold(text, |text, place| text.replace(place.url(), &way(place.url())));
            }
            fs::write(place.path().join("stoa.toml"), text).expect("cannot write stoa.toml");
        }
        let mut variables = vec![
            ("STOA_DATA_DIR".to_string(), place.path().join("data").display().to_string()),
            ("STOA_PRIVATE_LISTEN".into(), "127.0.0.1:0".into()),
            ("STOA_MODULES_DIR".into(), settings.modules.unwrap_or_else(modules::folder).display().to_string()),
            ("STOA_MODULE_CACHE_DIR".into(), compiled_modules().display().to_string()),
            // A module that breaks its own word fails the test, with --dev and without.
            ("STOA_CONTRACT_BREACHES".into(), "refuse".into()),
            ("STOA_USER_REQUESTS_PER_MINUTE".into(), "1000000".into()),
            ("STOA_TENANT_REQUESTS_PER_MINUTE".into(), "1000000".into()),
            ("STOA_USER_REQUESTS_PER_MINUTE_TOTAL".into(), "1000000".into()),
            ("STOA_COMPANIES_PER_USER_AND_DAY".into(), "1000000".into()),
            // Tests that run at once on a host do not wait for each other's imports and searches.
            ("STOA_HEAVY_READS".into(), "16".into()),
        ];
        if settings.without_dev {
            variables.push(("STOA_ENCRYPTION_KEY".into(), "5a".repeat(32)));
        } else {
            // No server responds there: a name that a test makes up resolves to nothing, at once.
            variables.push(("STOA_WEBHOOK_RESOLVER".into(), "127.0.0.1:9".into()));
        }
        if let Some(postgres) = &postgres {
            let url = settings.way.map_or(postgres.url().to_string(), |way| way(postgres.url()));
            variables.push(("STOA_DATABASE_URL".into(), url));
        }
        variables.retain(|(name, _)| !settings.absent.contains(name));
        variables.extend(settings.variables);
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(60))
            .build()
            .expect("the client cannot be built");
        let inner = Inner {
            database,
            postgres,
            places,
            place,
            _modules: settings.folder,
            dev: !settings.without_dev,
            shell: settings.shell,
            settings: variables,
            version: Version::new(settings.installed),
            process: Mutex::new(None),
            address: RwLock::new(String::new()),
            private_address: Mutex::new(None),
            launched: AtomicU64::new(0),
            client,
            contract: Mutex::new(None),
            tokens: Mutex::new(HashMap::new()),
            looks: Looks::default(),
        };
        inner.launch()?;
        Ok(Stoa(Arc::new(inner)))
    }

    /// One more host on this one's database (PostgreSQL) and issuer key.
    pub fn beside(&self) -> Stoa {
        assert_eq!(self.0.database, Database::Postgres, "an embedded database has one host");
        let place = Folder::new("beside");
        if !self.0.places.is_empty() {
            fs::write(place.path().join("stoa.toml"), list_places(&self.0.places, None, None))
                .expect("cannot write stoa.toml");
        }
        let inner = Inner {
            database: self.0.database,
            postgres: None,
            places: Vec::new(),
            place,
            _modules: None,
            dev: self.0.dev,
            shell: self.0.shell.clone(),
            settings: self.0.settings.clone(),
            version: Version::new(self.0.version.get()),
            process: Mutex::new(None),
            address: RwLock::new(String::new()),
            private_address: Mutex::new(None),
            launched: AtomicU64::new(0),
            client: self.0.client.clone(),
            contract: Mutex::new(None),
            tokens: Mutex::new(HashMap::new()),
            looks: Looks::default(),
        };
        inner.launch().unwrap_or_else(|said| panic!("the second host did not start: {said}"));
        Stoa(Arc::new(inner))
    }

    pub fn database(&self) -> Database {
        self.0.database
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        self.0.address.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// `127.0.0.1:PORT` of the private listener, from the host's log.
    pub fn private_address(&self) -> String {
        // The log's line comes after the first line of stdout, which says that the host serves.
        let mut known = lock(&self.0.private_address);
        let read = || {
            crate::eventually(|| {
                let log = self.0.log_since(self.0.launched.load(Ordering::Acquire));
                let reported = log.rfind("private=").map(|offset| &log[offset + "private=".len()..]);
                reported.and_then(|rest| rest.split_once(char::is_whitespace)).map(|(address, _)| address.to_string())
            })
        };
        known.get_or_insert_with(read).clone()
    }

    /// The text of `/metrics` on the private listener.
    pub fn metrics(&self) -> String {
        let url = format!("http://{}/metrics", self.private_address());
        let text = RUNTIME.block_on(async { self.0.client.get(url).send().await?.text().await });
        text.unwrap_or_else(|error| panic!("the private listener: {error}"))
    }

    /// Writes files into this host's modules folder, for its next start.
    pub fn replace_modules(&self, files: &[(&str, &[u8])]) {
        let folder = self.0.settings.iter().find(|(name, _)| name == "STOA_MODULES_DIR").map(|(_, folder)| folder);
        let folder = Path::new(folder.expect("a modules folder"));
        for (name, bytes) in files {
            fs::write(folder.join(name), bytes).expect("cannot write a module");
        }
    }

    /// Reads the contract again at the next answer: another generation may run.
    pub fn forget_contract(&self) {
        *lock(&self.0.contract) = None;
    }

    /// The host's own data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.0.place.path().join("data")
    }

    /// The database's address, on PostgreSQL.
    pub fn postgres_url(&self) -> Option<&str> {
        self.0.postgres.as_ref().map(Disposable::url)
    }

    /// The address of another database than the home database, by the place's name (`place-1`).
    pub fn place_url(&self, name: &str) -> Option<&str> {
        let number: usize = name.strip_prefix("place-")?.parse().ok()?;
        self.0.places.get(number.checked_sub(1)?).map(Disposable::url)
    }

    /// The number of databases over which companies are distributed.
    pub fn count_places(&self) -> usize {
        self.0.places.len() + 1
    }

    /// The length of the host's stderr so far.
    pub(crate) fn log_length(&self) -> usize {
        usize::try_from(self.0.log_length()).unwrap_or_default()
    }

    /// The host's stderr so far.
    pub fn log(&self) -> String {
        self.0.log_since(0)
    }

    /// A request to this host; `path` begins with `/`.
    pub fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.clone(), method, path)
    }

    /// A read with a bearer token.
    pub fn get_with(&self, path: &str, token: &str) -> crate::Answer {
        self.request("GET", path).token(token).send()
    }

    pub fn get(&self, path: &str) -> crate::Answer {
        self.request("GET", path).send()
    }

    /// A token of the dev issuer, made once per address by `stoa token`.
    pub fn token(&self, email: &str) -> String {
        let mut tokens = lock(&self.0.tokens);
        if let Some(token) = tokens.get(email) {
            return token.clone();
        }
        let output = self
            .command()
            .args(["token", "--user", email, "--ttl", "2h"])
            .output()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", binary().display()));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`stoa token` failed: {said}");
        let token = String::from_utf8_lossy(&output.stdout).trim().to_string();
        assert_eq!(token.split('.').count(), 3, "`stoa token` printed no token on stdout: {said}");
        tokens.insert(email.to_string(), token.clone());
        token
    }

    /// The binary with this host's settings: `stoa token`, `stoa verify`, ...
    pub fn command(&self) -> Command {
        self.0.command()
    }

    /// The contract that this host publishes, read once (again after a restart).
    pub fn contract(&self) -> Arc<Contract> {
        let mut contract = lock(&self.0.contract);
        contract
            .get_or_insert_with(|| {
                let answer = self.request("GET", "/v1/openapi.json").anonymous().unchecked().send();
                assert_eq!(answer.status, 200, "GET /v1/openapi.json answered {}: {}", answer.status, answer.body);
                Arc::new(Contract::new(answer.body))
            })
            .clone()
    }

    /// Kills the host as a power cut would.
    pub fn kill9(&self) {
        self.0.looks.leave_sqlite();
        if let Some(mut process) = lock(&self.0.process).take() {
            process.stop();
        }
    }

    /// Asks the host to end (SIGTERM) and answers its exit code, or none if it is still there after `patience`.
    pub fn terminate(&self, patience: Duration) -> Option<i32> {
        self.0.looks.leave_sqlite();
        let mut guard = lock(&self.0.process);
        let process = guard.as_mut()?;
        let pid = process.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(sent.is_ok_and(|status| status.success()), "cannot send SIGTERM to the host");
        let status = process.await_end(patience)?;
        if let Some(mut process) = guard.take() {
            process.stop();
        }
        status.code()
    }

    /// Another `stoa.toml`, which the host reads at its next start or when it is asked to.
    pub fn rewrite_file(&self, text: &str) {
        fs::write(self.0.place.path().join("stoa.toml"), text).expect("cannot write stoa.toml");
    }

    /// Has the host read again what it reads while it runs (SIGHUP).
    pub fn hang_up(&self) {
        let pid = lock(&self.0.process).as_ref().map(|process| process.child.id().to_string()).expect("a running host");
        let sent = Command::new("kill").args(["-HUP", &pid]).status();
        assert!(sent.is_ok_and(|status| status.success()), "cannot send SIGHUP to the host");
    }

    /// Its next start, its verbs and further hosts are of this version.
    pub fn install(&self, installed: Installed) {
        self.0.version.set(installed);
    }

    /// Starts the host again on the same data folder and database.
    pub fn restart(&self) {
        self.try_restart().unwrap_or_else(|said| panic!("the host did not start again: {said}"));
    }

    /// The same; `Err` holds what it wrote to stderr before it gave up.
    pub fn try_restart(&self) -> Result<(), String> {
        self.kill9();
        *lock(&self.0.contract) = None;
        self.0.launch()
    }

    /// Ways into its database.
    pub(crate) fn looks(&self) -> &Looks {
        &self.0.looks
    }

    /// The running process.
    pub fn process(&self) -> u32 {
        lock(&self.0.process).as_ref().map(|process| process.child.id()).expect("a running host")
    }

    pub fn is_running(&self) -> bool {
        lock(&self.0.process).as_mut().is_some_and(|process| matches!(process.child.try_wait(), Ok(None)))
    }

    /// Resident memory of the host in bytes: by /proc, and by `ps` where the system has none.
    pub fn resident(&self) -> u64 {
        let pid = lock(&self.0.process).as_ref().map(|process| process.child.id().to_string()).expect("a running host");
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let by_proc = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next());
        let kib = by_proc.map(str::to_string).unwrap_or_else(|| {
            let output = Command::new("ps").args(["-o", "rss=", "-p", &pid]).output().expect("cannot run ps");
            String::from_utf8_lossy(&output.stdout).trim().to_string()
        });
        kib.parse::<u64>().unwrap_or_else(|_| panic!("the system does not report the memory of {pid}: {kib:?}")) * 1024
    }

    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.0.client
    }
}

impl Inner {
    fn command(&self) -> Command {
        self.prepare(Command::new(self.version.binary()))
    }

    /// The command that becomes the host.
    fn serving(&self) -> Command {
        let Some(commands) = &self.shell else { return self.command() };
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{commands}; exec \"$0\" \"$@\"")]).arg(self.version.binary());
        self.prepare(command)
    }

    /// With this host's settings and folder.
    fn prepare(&self, mut command: Command) -> Command {
        for (name, _) in std::env::vars() {
            if name.starts_with("STOA_") || name.starts_with("RUST_") {
                command.env_remove(name);
            }
        }
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        if let Some(installed) = self.version.get() {
            command.env("STOA_MODULES_DIR", installed.modules);
        }
        command.current_dir(self.place.path());
        command
    }

    /// Starts the process and waits for its first line on stdout.
    fn launch(&self) -> Result<(), String> {
        if !self.dev && self.database == Database::Postgres && self.version.migrates() {
            let migrated = self.command().arg("migrate").output().map_err(|error| error.to_string())?;
            if !migrated.status.success() {
                return Err(String::from_utf8_lossy(&migrated.stderr).into_owned());
            }
        }
        let from = self.log_length();
        *lock(&self.private_address) = None;
        self.launched.store(from, Ordering::Release);
        let log = File::options().create(true).append(true).open(self.log_path()).expect("cannot open the host's log");
        let mut child = self
            .serving()
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(self.dev.then_some("--dev"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", self.version.binary().display()))?;
        let minder = mind(child.id(), self.place.path());
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut process = Process { child, minder };
        let (tell, first) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        let line = first.recv_timeout(START);
        let stdout = line.as_deref().ok().and_then(|line| line.strip_prefix("stoa listening on http://"));
        let address = match (stdout, &line) {
            (None, Err(mpsc::RecvTimeoutError::Disconnected)) => self.address_in_log(from, &mut process.child),
            (address, _) => address.map(str::to_string),
        };
        match address {
            Some(address) => {
                *self.address.write().unwrap_or_else(PoisonError::into_inner) = address.trim().to_string();
                *lock(&self.process) = Some(process);
                Ok(())
            }
            None => {
                let status = process.exit();
                Err(format!("{status}; first line on stdout: {line:?}; stderr:\n{}", self.log_since(from)))
            }
        }
    }

    /// The address by the log of a process without stdout; none if the process ends first.
    fn address_in_log(&self, from: u64, child: &mut Child) -> Option<String> {
        let begin = Instant::now();
        while begin.elapsed() < START && matches!(child.try_wait(), Ok(None)) {
            let log = self.log_since(from);
            let address = log.split_once("listening address=").and_then(|(_, rest)| rest.split_whitespace().next());
            // The line is whole once it names the private listener.
            if let (Some(address), true) = (address, log.contains("private=")) {
                return Some(address.to_string());
            }
            thread::sleep(Duration::from_millis(20));
        }
        None
    }

    fn log_path(&self) -> PathBuf {
        self.place.path().join("stderr.log")
    }

    fn log_length(&self) -> u64 {
        fs::metadata(self.log_path()).map(|file| file.len()).unwrap_or(0)
    }

    fn log_since(&self, offset: u64) -> String {
        let mut bytes = Vec::new();
        if let Ok(mut file) = File::open(self.log_path()) {
            let _ = file.seek(SeekFrom::Start(offset));
            let _ = file.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(mut process) = lock(&self.process).take() {
            process.stop();
        }
        if thread::panicking() {
            eprintln!("--- {:?} host, end of its stderr ---\n{}", self.database, tail(&self.log_since(0), 60));
        }
    }
}

impl Process {
    /// Waits for a process that is about to end, and says how it did.
    fn exit(&mut self) -> String {
        let status = self.await_end(Duration::from_secs(5));
        self.stop();
        status.map_or_else(|| "still running".to_string(), |status| status.to_string())
    }

    fn await_end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        while begin.elapsed() < patience {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some((mut minder, mut stdin)) = self.minder.take() {
            let _ = stdin.write_all(b"done\n");
            drop(stdin);
            let _ = minder.wait();
        }
    }
}

/// The databases as `stoa.toml` lists them. `home`: the home database, where companies can move. `standby`: the same of a standby.
fn list_places(places: &[Disposable], home: Option<&Disposable>, standby: Option<&str>) -> String {
    let entry = |name: &str, url: Option<&str>, move_url: Option<String>, standby: Option<&str>| {
        let members = [("url", url), ("move_url", move_url.as_deref()), ("standby_url", standby)];
        let members = members.iter().filter_map(|(name, value)| Some(format!("{name} = \"{}\"\n", (*value)?)));
        format!("\n[[places]]\nname = \"{name}\"\n{}", members.collect::<String>())
    };
    let move_url = |place: &Disposable| home.is_some().then(|| place.url_for_moves());
    let first = (home.is_some() || standby.is_some()).then(|| entry("home", None, home.and_then(move_url), standby));
    let others = places.iter().zip(1..);
    let others =
        others.map(|(place, number)| entry(&format!("place-{number}"), Some(place.url()), move_url(place), None));
    first.into_iter().chain(others).collect()
}

/// A shell that kills the host and removes its folder if the test process ends without doing so itself: hosts that the
/// whole suite shares have no owner, and a test process may be killed.
fn mind(host: u32, folder: &Path) -> Option<(Child, ChildStdin)> {
    let mut shell = Command::new("sh")
        .args(["-c", "read -r line || { kill -9 \"$1\"; sleep 0.2; rm -rf \"$2\"; }", "minder", &host.to_string()])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdin = shell.stdin.take()?;
    Some((shell, stdin))
}

/// `STOA_TEST_BINARY`, by default the workspace's release build.
pub fn binary() -> PathBuf {
    match std::env::var_os("STOA_TEST_BINARY") {
        Some(path) => PathBuf::from(path),
        None => workspace().join("target/release/stoa"),
    }
}

/// The binary, for a verb that needs no host. It keeps what it compiles for the next one.
pub fn program() -> Command {
    let mut command = Command::new(binary());
    command.env("STOA_MODULE_CACHE_DIR", compiled_modules());
    command
}

/// The binary as an operator runs it in a folder, without the suite's own settings.
pub fn program_in(folder: &Folder) -> Command {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("STOA_")) {
        command.env_remove(name);
    }
    command.current_dir(folder.path()).env("STOA_DATA_DIR", "data");
    command
}

/// Where `cargo xtask test` leaves the modules compiled, so that no process of the suite does it again:
/// `STOA_TEST_MODULE_CACHE`.
pub fn compiled_modules() -> PathBuf {
    std::env::var_os("STOA_TEST_MODULE_CACHE").map_or_else(|| workspace().join("target/compiled"), PathBuf::from)
}

pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the suite lies in the workspace").to_path_buf()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}
