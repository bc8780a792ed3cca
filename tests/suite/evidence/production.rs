//! The commands of `docs/operate/production.md` are run as they are printed: from nothing to a host that serves users of an identity
//! provider, on PostgreSQL over TLS.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use stoa_tests::faulty_link::FaultyLink;
use stoa_tests::folder::Folder;
use stoa_tests::issuer::Manner;
use stoa_tests::registry::{Habits, Registry};
use stoa_tests::signer::{claims, jwks};
use stoa_tests::tour::{blocks_of, follow};
use stoa_tests::{Issuer, Signer, host, postgres};

stoa_tests::tests![five_commands_lead_to_production];

const AUDIENCE: &str = "https://shop.example";

/// The text after the last command: the host that it started is asked, and ended.
const ASK: &str = r#"
trap 'kill %1; wait || true' EXIT
for _ in $(seq 300); do curl -fsS "$URL/v1/ready" 2> /dev/null && break; sleep 0.1; done  # => "database":"ready"
api() { curl -sS -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" "$@"; }
api "$URL/v1/auth/me"  # => alice
KEY=$(cat /proc/sys/kernel/random/uuid)
api -H "Idempotency-Key: $KEY" -d '{"name": "First", "currencyCode": "EUR"}' "$URL/v1/onboarding/companies"  # => "tenantId"
"#;

fn five_commands_lead_to_production() {
    let page =
        std::fs::read_to_string(host::workspace().join("docs/operate/production.md")).expect("the page of production");
    let blocks = blocks_of("bash", &page);
    let [block] = blocks.as_slice() else { panic!("{} ways to production", blocks.len()) };
    let commands = (1..=9).take_while(|nth| block.contains(&format!("# {nth} "))).count();
    assert_eq!(commands, 5, "{block}");
    let (before, serve) = block.trim_end().rsplit_once('\n').expect("several lines");
    assert!(serve.starts_with("stoa serve "), "{serve}");

    let place = Folder::new("production");
    let registry = Registry::start(Habits::default());
    let release = make_release(&page, place.path(), &registry);
    let signer = Signer::es256("provider");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let token = signer.sign(&signer.header(), &claims(&issuer.url, AUDIENCE, "alice"));
    let server = postgres::server().expect(postgres::MISSING);
    let (link, _folder, ca) = FaultyLink::with_tls();
    let database = link.route_to(&server.replace("/postgres", "/stoa_production"));
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let address = format!("127.0.0.1:{port}");
    let again = "psql -q \"$SERVER\" -c 'drop database if exists stoa_production with (force)'";
    let script = format!("{again}\n{before}\nstoa serve > log 2>&1 &\n{ASK}");
    follow(
        &[script],
        &release,
        &[
            ("PATH", &search_path()),
            ("SERVER", &server),
            ("DATABASE", &database),
            ("ISSUER", &issuer.url),
            ("AUDIENCE", AUDIENCE),
            ("TOKEN", &token),
            ("URL", &format!("http://{address}")),
            ("STOA_LISTEN", &address),
            ("STOA_PRIVATE_LISTEN", "127.0.0.1:0"),
            ("STOA_DATABASE_TLS_CA", &ca.display().to_string()),
            // The modules next to the tested binary have no signature. The suite's compiled code is used, to save time.
            ("STOA_MODULES_DIR", &release.join("modules").display().to_string()),
            ("STOA_MODULE_CACHE_DIR", &host::compiled_modules().display().to_string()),
        ],
    );
}

/// The release folder, made by the page's own commands from what `cargo` has built already.
fn make_release(page: &str, place: &Path, registry: &Registry) -> PathBuf {
    let blocks = blocks_of("sh", page);
    let [block] = blocks.as_slice() else { panic!("{} ways to a release folder", blocks.len()) };
    let lines: Vec<&str> = block.lines().collect();
    let [build, make_key, publish, make_folder, copy] = lines[..] else { panic!("{block}") };
    assert!(build.starts_with("cargo build ") && publish.starts_with("cargo xtask release-modules "), "{block}");
    let target = place.join("target");
    std::fs::create_dir_all(target.join("release")).expect("a folder");
    for (program, path) in [("stoa", host::binary()), ("stoa-import", host::binary().with_file_name("stoa-import"))] {
        std::os::unix::fs::symlink(path, target.join("release").join(program)).expect("a link");
    }
    follow(&[make_key.to_owned()], place, &[("PATH", &search_path())]);
    std::fs::create_dir(target.join("dist")).expect("a folder");
    registry.publish_modules(&place.join("deployment.key"), &target.join("dist/stoa-modules.lock"));
    follow(&[make_folder.to_owned(), copy.to_owned()], place, &[]);
    let release = place.join("release");
    assert!(["stoa", "stoa-import"].iter().all(|program| release.join(program).is_file()), "{block}");
    release
}

/// Where `stoa` is found, before everything else.
fn search_path() -> String {
    let programs = host::binary().parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    format!("{programs}:{}", std::env::var("PATH").unwrap_or_default())
}
