//! An OCI registry of the test's own, over plain HTTP on this machine. It keeps what it is sent in memory, writes
//! down who asked for what, and lies if the test asks for it. And Debian's, where it is installed.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use crate::{Folder, eventually, host, modules};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Credentials of the one user of a registry that asks for them.
pub const PASSWORD: &str = "registry-password";
pub const TOKEN: &str = "registry-token";

/// Habits of a registry.
#[derive(Clone, Copy, Default)]
pub struct Habits {
    /// It lists itself what refers to a manifest.
    pub lists_referrers: bool,
    /// It asks for a token, and gives one for the user's password.
    pub wants_token: bool,
    /// It redirects requests for a blob there.
    pub blobs_at: Option<SocketAddr>,
}

/// A request to a registry.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    /// With its query.
    pub path: String,
    /// By name in lower case.
    pub headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

/// Type and bytes, by path.
type Contents = Arc<Mutex<BTreeMap<String, (String, Vec<u8>)>>>;

pub struct Registry {
    pub address: SocketAddr,
    contents: Contents,
    asked: Arc<Mutex<Vec<Asked>>>,
}

struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Registry {
    pub fn start(habits: Habits) -> Registry {
        Registry::serve(habits, Contents::default())
    }

    /// Another server with the same contents.
    pub fn start_mirror(&self) -> Registry {
        Registry::serve(Habits::default(), self.contents.clone())
    }

    /// The same contents behind other habits.
    pub fn start_again(&self, habits: Habits) -> Registry {
        Registry::serve(habits, self.contents.clone())
    }

    fn serve(habits: Habits, contents: Contents) -> Registry {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (kept, shared) = (asked.clone(), contents.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, shared) = (kept.clone(), shared.clone());
                thread::spawn(move || {
                    let mut stream = stream;
                    let Some(request) = read(&mut stream) else { return };
                    lock(&kept).push(request.clone());
                    let reply = answer(address, habits, &shared, &request);
                    let _ = stream.write_all(&write(&request, &reply));
                });
            }
        });
        Registry { address, contents, asked }
    }

    /// `oci://ADDRESS/acme/NAME`.
    pub fn reference(&self, name: &str) -> String {
        format!("oci://{}/acme/{name}", self.address)
    }

    /// Publishes the suite's modules, signed by this key, and pins them in this lock file, as `cargo xtask
    /// release-modules` does.
    pub fn publish_modules(&self, key: &Path, lock: &Path) {
        for entry in std::fs::read_dir(modules::folder()).expect("the modules") {
            let file = entry.expect("a file").path();
            let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
            if file.extension().is_some_and(|kind| kind == "wasm") {
                let mut publish = host::program();
                publish.args(["module", "publish"]).arg(&file).arg(self.reference(name));
                let output = publish.arg("--key").arg(key).arg("--lock").arg(lock).output().expect("cannot run stoa");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }

    pub fn list_asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }

    /// From now on it sends these bytes for the one content whose path ends so; answers those that it had.
    #[track_caller]
    pub fn replace(&self, path: &str, bytes: &[u8]) -> Vec<u8> {
        let mut contents = lock(&self.contents);
        let found: Vec<_> = contents.iter_mut().filter(|(name, _)| name.ends_with(path)).collect();
        let [(_, (_, kept))] = <[_; 1]>::try_from(found).unwrap_or_else(|found| panic!("{path}: {found:?}"));
        std::mem::replace(kept, bytes.to_vec())
    }

    /// From now on a tag of a path names the manifest of another tag.
    #[track_caller]
    pub fn move_tag(&self, name: &str, tag: &str, to: &str) {
        let path = |tag: &str| format!("/v2/acme/{name}/manifests/{tag}");
        let mut contents = lock(&self.contents);
        let content = contents.get(&path(to)).unwrap_or_else(|| panic!("no tag {to}")).clone();
        contents.insert(path(tag), content);
    }

    /// The JSON of a manifest.
    #[track_caller]
    pub fn manifest(&self, name: &str, tag: &str) -> Json {
        let path = format!("/v2/acme/{name}/manifests/{tag}");
        let contents = lock(&self.contents);
        let (_, bytes) = contents.get(&path).unwrap_or_else(|| panic!("no {path}"));
        serde_json::from_slice(bytes).expect("a manifest of JSON")
    }
}

/// A `config.json` with the password for a registry.
pub fn write_credentials(folder: &Path, registry: SocketAddr) -> std::path::PathBuf {
    let file = folder.join("config.json");
    let auth = BASE64_STANDARD.encode(format!("stoa:{PASSWORD}"));
    let text = json!({ "auths": { registry.to_string(): { "auth": auth } } });
    std::fs::write(&file, text.to_string()).expect("cannot write config.json");
    file
}

/// The digest as registries write it.
pub fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn reply(status: u16, headers: Vec<(&'static str, String)>, body: impl Into<Vec<u8>>) -> Reply {
    Reply { status, headers, body: body.into() }
}

fn answer(address: SocketAddr, habits: Habits, contents: &Contents, request: &Asked) -> Reply {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let authorization = request.headers.get("authorization").map_or("", String::as_str);
    if path == "/token" {
        let expected = format!("Basic {}", BASE64_STANDARD.encode(format!("stoa:{PASSWORD}")));
        let is_known = authorization == expected;
        return if is_known {
            reply(200, vec![], json!({ "token": TOKEN }).to_string())
        } else {
            reply(401, vec![], "")
        };
    }
    if habits.wants_token && authorization != format!("Bearer {TOKEN}") {
        let challenge =
            format!("Bearer realm=\"http://{address}/token\",service=\"test\",scope=\"repository:acme:pull\"");
        return reply(401, vec![("www-authenticate", challenge)], "");
    }
    match (request.method.as_str(), path) {
        ("GET", path) if path.contains("/blobs/") && habits.blobs_at.is_some() => {
            let elsewhere = habits.blobs_at.map(|there| format!("http://{there}{path}?signature=s3cret"));
            reply(307, vec![("location", elsewhere.unwrap_or_default())], "")
        }
        ("GET", path) if path.contains("/referrers/") && habits.lists_referrers => {
            let index = lock(contents).get(path).map(|(_, index)| index.clone());
            let none = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [] }).to_string();
            reply(200, vec![("content-type", INDEX.into())], index.unwrap_or_else(|| none.into()))
        }
        ("GET" | "HEAD", path) => match lock(contents).get(path) {
            Some((kind, bytes)) if !path.contains("/referrers/") => {
                reply(200, vec![("content-type", kind.clone())], bytes.clone())
            }
            _ => reply(404, vec![], "404 page not found\n"),
        },
        // Relative, with a query of its own.
        ("POST", path) if path.ends_with("/blobs/uploads/") => {
            reply(202, vec![("location", format!("{path}1?_state=x"))], "")
        }
        ("PUT", path) if path.ends_with("/blobs/uploads/1") => {
            let stated = query.split('&').find_map(|pair| pair.strip_prefix("digest=")).unwrap_or_default();
            let stated = stated.replace("%3A", ":");
            if digest(&request.body) != stated || !query.contains("_state=x") {
                return reply(400, vec![], "");
            }
            let path = format!("{}{stated}", path.trim_end_matches("uploads/1"));
            lock(contents).insert(path, ("application/octet-stream".into(), request.body.clone()));
            reply(201, vec![], "")
        }
        ("PUT", path) if path.contains("/manifests/") => take_manifest(habits, contents, request, path),
        _ => reply(404, vec![], ""),
    }
}

/// Keeps a manifest by its name and by its digest, if its contents are there.
fn take_manifest(habits: Habits, contents: &Contents, request: &Asked, path: &str) -> Reply {
    let Ok(manifest) = serde_json::from_slice::<Json>(&request.body) else { return reply(400, vec![], "") };
    let (repository, name) = path.split_once("/manifests/").unwrap_or((path, ""));
    let mut contents = lock(contents);
    let named = manifest["layers"].as_array().into_iter().flatten().chain(manifest.get("config"));
    for blob in named {
        if !contents.contains_key(&format!("{repository}/blobs/{}", blob["digest"].as_str().unwrap_or_default())) {
            return reply(400, vec![], "");
        }
    }
    let digest = digest(&request.body);
    if name.starts_with("sha256:") && name != digest {
        return reply(400, vec![], "");
    }
    let kind = request.headers.get("content-type").cloned().unwrap_or_default();
    for name in [name, &digest] {
        contents.insert(format!("{repository}/manifests/{name}"), (kind.clone(), request.body.clone()));
    }
    let Some(subject) = manifest["subject"]["digest"].as_str().filter(|_| habits.lists_referrers) else {
        return reply(201, vec![], "");
    };
    let path = format!("{repository}/referrers/{subject}");
    let before = contents.get(&path).and_then(|(_, index)| serde_json::from_slice::<Json>(index).ok());
    let mut listed = before.and_then(|index| index["manifests"].as_array().cloned()).unwrap_or_default();
    listed.push(json!({
        "mediaType": MANIFEST,
        "digest": digest,
        "size": request.body.len(),
        "artifactType": manifest["artifactType"],
    }));
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": listed });
    contents.insert(path, (INDEX.into(), index.to_string().into_bytes()));
    reply(201, vec![("oci-subject", subject.to_owned())], "")
}

fn read(stream: &mut TcpStream) -> Option<Asked> {
    let (mut bytes, mut part) = (Vec::new(), [0; 8192]);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut part) {
            Ok(length @ 1..) => bytes.extend_from_slice(&part[..length]),
            _ => return None,
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut body = bytes[end + 4..].to_vec();
    let missing = length.checked_sub(body.len())?;
    std::io::Read::take(stream, missing as u64).read_to_end(&mut body).ok()?;
    Some(Asked { method, path, headers, body })
}

/// One request per connection.
fn write(request: &Asked, reply: &Reply) -> Vec<u8> {
    let mut text =
        format!("HTTP/1.1 {} X\r\nConnection: close\r\nContent-Length: {}\r\n", reply.status, reply.body.len());
    for (name, value) in &reply.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    let body: &[u8] = if request.method == "HEAD" { b"" } else { &reply.body };
    [text.as_bytes(), body].concat()
}

/// Debian's `docker-registry`, stopped when its owner goes.
pub struct DebianRegistry {
    pub address: SocketAddr,
    child: Child,
    _folder: Folder,
}

impl DebianRegistry {
    /// `None`: it is not installed. `STOA_TEST_DOCKER_REGISTRY` may say where it is.
    pub fn start() -> Option<DebianRegistry> {
        let stated = std::env::var_os("STOA_TEST_DOCKER_REGISTRY");
        let program = stated.unwrap_or_else(|| "/usr/bin/docker-registry".into());
        if !Path::new(&program).is_file() {
            return None;
        }
        let folder = Folder::new("docker-registry");
        // It is free for a moment: the registry takes no listener of another process.
        let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
        let settings = json!({
            "version": "0.1",
            "log": { "level": "error" },
            "storage": { "filesystem": { "rootdirectory": folder.path().join("data") } },
            "http": { "addr": address.to_string() },
        });
        // YAML takes JSON.
        let file = folder.path().join("config.yml");
        std::fs::write(&file, settings.to_string()).expect("cannot write the registry's settings");
        let mut command = Command::new(program);
        let child = command.arg("serve").arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let registry = DebianRegistry { address, child: child.expect("docker-registry starts"), _folder: folder };
        eventually(|| TcpStream::connect(address).ok());
        Some(registry)
    }
}

impl Drop for DebianRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
