//! A real OpenID provider, `oidc-provider` of the npm registry, run by Node: a rule that the suite's own issuer and the host
//! misunderstand alike would show here. Without Node, or without a registry to get it from, it says why it is not there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

use crate::host::{RUNTIME, workspace};
use crate::npm;

/// The audience of its tokens.
pub const AUDIENCE: &str = "stoa-suite";

/// How long it may take to start or to make keys on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Lines of its stderr that a failure shows.
const MOST_COMPLAINTS: usize = 50;

/// A running provider; it ends with its owner.
pub struct Provider {
    /// Its issuer.
    pub url: String,
    child: Child,
    pipes: Mutex<(ChildStdin, mpsc::Receiver<String>)>,
}

impl Provider {
    /// Starts a provider with the keys `first`. `Err` holds why there is none on this machine.
    pub fn start() -> Result<Provider, String> {
        static INSTALLED: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        let folder = INSTALLED.get_or_init(install).clone()?;
        let mut child = Command::new("node")
            .arg("provider.mjs")
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot run node: {error}"));
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        let complaints: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = complaints.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut complaints = noted.lock().unwrap_or_else(PoisonError::into_inner);
                if complaints.len() < MOST_COMPLAINTS {
                    complaints.push(line);
                }
            }
        });
        let (tell, reported) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // The provider itself writes notices there.
                if line == "done" || line.starts_with("http://") {
                    let _ = tell.send(line);
                }
            }
        });
        let url = reported.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            let complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
            let state = child.try_wait();
            panic!("the provider in {} does not start: {state:?}\n{complaints}", folder.display())
        });
        Ok(Provider { url, child, pipes: Mutex::new((stdin, reported)) })
    }

    /// Publishes these keys from now on, and signs with the first.
    pub fn keys(&self, names: &[&str]) {
        self.tell(&format!("keys {}", names.join(" ")));
    }

    /// An outage, until `open`.
    pub fn close(&self) {
        self.tell("close");
    }

    pub fn open(&self) {
        self.tell("open");
    }

    fn tell(&self, command: &str) {
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(pipes.0, "{command}").unwrap_or_else(|error| panic!("the provider is gone: {error}"));
        let reported = pipes.1.recv_timeout(PATIENCE);
        assert_eq!(reported.as_deref(), Ok("done"), "the provider does not {command}");
    }

    /// An access token for an account; `unverified...` is one without a verified address.
    pub fn token(&self, account: &str, alg: &str) -> String {
        let form = format!("grant_type=urn:stoa:test:account&account={account}&resource=urn:stoa:{alg}");
        let url = format!("{}/token", self.url);
        let answer: Json = RUNTIME
            .block_on(async {
                let client = reqwest::Client::builder().no_proxy().build()?;
                let request = client
                    .post(url)
                    .basic_auth("suite", Some("not-a-secret"))
                    .header("content-type", "application/x-www-form-urlencoded")
                    .body(form);
                request.send().await?.json().await
            })
            .unwrap_or_else(|error: reqwest::Error| panic!("the provider gave no token: {error:?}"));
        let token = answer["access_token"].as_str().unwrap_or_else(|| panic!("the provider gave no token: {answer}"));
        token.to_string()
    }
}

impl Provider {
    /// Follows a user from this address through the provider, as a browser does. Returns the path below `console` at the end.
    pub fn sign_in(&self, from: &str, console: &str) -> String {
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        let client = client.expect("the client cannot be built");
        let (mut address, mut cookies) = (from.to_owned(), BTreeMap::new());
        for _ in 0..10 {
            if let Some(path) = address.strip_prefix(console) {
                return path.to_owned();
            }
            let kept: Vec<String> =
                cookies.iter().map(|(name, value): (&String, &String)| format!("{name}={value}")).collect();
            let request = client.get(&address).header("cookie", kept.join("; "));
            let answer = RUNTIME.block_on(request.send()).unwrap_or_else(|error| panic!("the provider: {error:?}"));
            let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap_or_default().to_owned();
            for cookie in answer.headers().get_all("set-cookie").iter().map(text) {
                let pair = cookie.split(';').next().and_then(|pair| pair.split_once('='));
                let (name, value) = pair.expect("a cookie has a name");
                cookies.insert(name.to_owned(), value.to_owned());
            }
            let location = answer.headers().get("location").map(text);
            let location = location.unwrap_or_else(|| panic!("{address} leads nowhere: {answer:?}"));
            address = if location.starts_with('/') { format!("{}{location}", self.url) } else { location };
        }
        panic!("the provider leads in a circle: {address}")
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder that holds the provider with what it needs, installed once for each lock file.
fn install() -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("oidc");
    let files = ["package.json", "package-lock.json", "provider.mjs"];
    let folder = workspace().join("target/oidc").join(npm::digest(&source, &files));
    if !folder.is_dir() {
        npm::install("identity::oidc_provider", &source, &files)?.keep(&folder);
    }
    Ok(folder)
}
