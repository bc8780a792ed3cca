//! A release, made by the commands of the page of production, and that page's commands in its folder.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::faulty_link::FaultyLink;
use crate::issuer::Manner;
use crate::signer::{claims, jwks};
use crate::tour::{blocks_of, follow, follow_in};
use crate::{Issuer, Signer, host, postgres};

const AUDIENCE: &str = "https://shop.example";

/// The text after the last command: the host that it started is asked, and ended.
const ASK: &str = r#"
trap 'kill %1; wait || true' EXIT
for _ in $(seq 300); do curl -fsS "$URL/v1/ready" 2> /dev/null && break; sleep 0.1; done  # => "database":"ready"
api() { curl -sS -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" "$@"; }
api "$URL/v1/auth/me"  # => alice
KEY=$(cat /proc/sys/kernel/random/uuid)
BODY='{"name": "First", "currencyCode": "EUR"}'
api -H "Idempotency-Key: $KEY" -d "$BODY" "$URL/v1/onboarding/companies"  # => "tenantId"
STOA_OPERATOR_TOKEN=$(cat operator.token) stoa module list  # => catalog
stoa doctor  # => checks, 0 failed
curl -sS "$STOA_OPERATOR_URL/metrics" | grep '^stoa_modules_loaded_total'  # => {from="release"} 8
curl -sS "$STOA_OPERATOR_URL/metrics" | grep -c 'from="compiler"} [1-9]' || echo none  # => none
"#;

/// The folder that `cargo xtask release` made.
pub struct Release {
    pub folder: PathBuf,
    pub archive: PathBuf,
    /// The deployment's key.
    pub key: PathBuf,
    /// The signer's line.
    pub signer: String,
}

/// A page for operators.
pub fn page(name: &str) -> String {
    let file = host::workspace().join("docs/operate").join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()))
}

/// The release of what `cargo xtask test` built, made once by a run.
pub fn release() -> &'static Release {
    static MADE: OnceLock<Release> = OnceLock::new();
    MADE.get_or_init(|| make(&host::workspace().join("target/test-release")))
}

/// Makes a release in an empty folder by the page's own commands; only cargo's build exists before.
pub fn make(place: &Path) -> Release {
    let page = page("production.md");
    let blocks = blocks_of("sh", &page);
    let lines: Vec<&str> = blocks.first().expect("the way to a release").lines().collect();
    let [build, make_key, release] = lines[..] else { panic!("{lines:?}") };
    assert!(build.starts_with("cargo build ") && release.starts_with("cargo xtask release "), "{lines:?}");
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place.join("target/release")).expect("a folder");
    std::os::unix::fs::symlink(host::binary(), place.join("target/release/stoa")).expect("a link");
    follow(&[make_key.to_owned()], place, &[]);
    make_again(place, place.join("target/dist"), release)
}

impl Release {
    /// The same once more, in another folder.
    pub fn make_again(&self, out: PathBuf) -> Release {
        let place = self.key.parent().expect("a folder");
        make_again(place, out, "cargo xtask release --key deployment.key")
    }

    /// A copy for one test, from the archive.
    pub fn unpack(&self, into: &Path) -> PathBuf {
        fs::create_dir_all(into).expect("a folder");
        let mut tar = Command::new("tar");
        tar.arg("--extract").arg("--file").arg(&self.archive).arg("--directory").arg(into);
        assert!(tar.status().expect("cannot run tar").success());
        into.join(file_name(&self.archive).trim_end_matches(".tar.gz"))
    }
}

fn make_again(place: &Path, folder: PathBuf, line: &str) -> Release {
    let words = line.split('#').next().and_then(|line| line.trim().strip_prefix("cargo xtask ")).expect("a verb");
    let xtask = std::env::var_os("STOA_TEST_XTASK").expect("run the suite by `cargo xtask test`");
    let mut command = Command::new(xtask);
    command.args(words.split_whitespace()).args(["--built", "--out"]).arg(&folder).current_dir(place);
    let output = command.output().expect("cannot run xtask");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let archive = fs::read_dir(folder.parent().expect("a folder")).expect("a folder");
    let archive = archive.map(|entry| entry.expect("a file").path()).find(|path| file_name(path).ends_with(".tar.gz"));
    let signer = fs::read_to_string(place.join("signer")).expect("the signer").trim().to_owned();
    Release { folder, archive: archive.expect("an archive"), key: place.join("deployment.key"), signer }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Follows the six commands of the page of production by a shell in `release`, the folder of a release, to a host that
/// serves users of an identity provider, on PostgreSQL over TLS. `database` is new.
pub fn follow_six_commands(release: &Path, shell: &mut Command, database: &str) {
    let page = page("production.md");
    let blocks = blocks_of("bash", &page);
    let block = blocks.first().expect("the way to production");
    let commands = (1..=9).take_while(|nth| block.contains(&format!("# {nth} "))).count();
    assert_eq!(commands, 6, "{block}");
    let block = block.replace("stoa_production", database);
    let (before, serve) = block.trim_end().rsplit_once('\n').expect("several lines");
    assert!(serve.starts_with("stoa serve "), "{serve}");
    let again = format!("psql -q \"$SERVER\" -c 'drop database if exists {database} with (force)'");
    let script = format!("{again} 2> /dev/null\n{before}\nstoa serve > log 2>&1 &\n{ASK}\n");

    let signer = Signer::es256("provider");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let server = postgres::server().expect(postgres::MISSING);
    let (link, _folder, ca) = FaultyLink::with_tls();
    fs::copy(ca, release.join("ca.pem")).expect("the authority");
    let address = link.route_to(&server.replace("/postgres", &format!("/{database}")));
    let [public, private] = [free_address(), free_address()];
    shell.envs([
        ("SIGNER", self::release().signer.clone()),
        ("SERVER", server),
        ("DATABASE", format!("{address}&sslrootcert=ca.pem")),
        ("ISSUER", issuer.url.clone()),
        ("AUDIENCE", AUDIENCE.to_owned()),
        ("TOKEN", signer.sign(&signer.header(), &claims(&issuer.url, AUDIENCE, "alice"))),
        ("URL", format!("http://{public}")),
        ("STOA_LISTEN", public),
        ("STOA_OPERATOR_URL", format!("http://{private}")),
        ("STOA_PRIVATE_LISTEN", private),
    ]);
    follow_in(shell, &[script]);
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}
