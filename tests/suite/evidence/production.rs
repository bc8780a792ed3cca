//! The commands of `docs/operate/production.md` are run as they are printed: from nothing to a host that serves users of an identity
//! provider, on PostgreSQL over TLS.

use std::net::TcpListener;

use stoa_tests::door::Door;
use stoa_tests::folder::Folder;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::tour::{blocks_of, follow};
use stoa_tests::{Issuer, Signer, host, modules, postgres};

stoa_tests::tests![six_commands_lead_to_production];

const AUDIENCE: &str = "https://shop.example";

/// What stands after the last command: the host that it started is asked, and ended.
const ASK: &str = r#"
trap 'kill %1; wait || true' EXIT
for _ in $(seq 300); do curl -fsS "$URL/v1/ready" 2> /dev/null && break; sleep 0.1; done  # => "database":"ready"
api() { curl -sS -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" "$@"; }
api "$URL/v1/auth/me"  # => alice
KEY=$(cat /proc/sys/kernel/random/uuid)
api -H "Idempotency-Key: $KEY" -d '{"name": "First", "currencyCode": "EUR"}' "$URL/v1/onboarding/companies"  # => "tenantId"
"#;

fn six_commands_lead_to_production() {
    let page =
        std::fs::read_to_string(host::workspace().join("docs/operate/production.md")).expect("the page of production");
    let blocks = blocks_of("bash", &page);
    let [block] = blocks.as_slice() else { panic!("{} ways to production", blocks.len()) };
    let commands = (1..=9).take_while(|nth| block.contains(&format!("# {nth} "))).count();
    assert_eq!(commands, 6, "{block}");
    let (before, serve) = block.trim_end().rsplit_once('\n').expect("several lines");
    assert!(serve.starts_with("stoa serve "), "{serve}");

    let place = Folder::new("production");
    std::fs::create_dir(place.path().join("modules")).expect("a folder");
    for entry in std::fs::read_dir(modules::folder()).expect("the suite's modules").flatten() {
        if entry.path().extension().is_some_and(|kind| kind == "wasm") {
            std::fs::copy(entry.path(), place.path().join("modules").join(entry.file_name())).expect("a copy");
        }
    }
    let signer = Signer::es256("provider");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let token = signer.sign(&signer.header(), &claims(&issuer.url, AUDIENCE, "alice"));
    let server = postgres::server().expect(postgres::MISSING);
    let (door, _folder, ca) = Door::with_tls();
    let database = door.lead_to(&server.replace("/postgres", "/stoa_production"));
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let address = format!("127.0.0.1:{port}");
    let again = "psql -q \"$SERVER\" -c 'drop database if exists stoa_production with (force)'";
    let script = format!("{again}\n{before}\nstoa serve > log 2>&1 &\n{ASK}");
    follow(
        &[script],
        place.path(),
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
            // Beside the binary lie the suite's own, which nobody has signed; what was compiled of them serves here too.
            ("STOA_MODULES_DIR", &place.path().join("modules").display().to_string()),
            ("STOA_MODULE_CACHE_DIR", &host::compiled_modules().display().to_string()),
        ],
    );
}

/// Where `stoa` is found, before everything else.
fn search_path() -> String {
    let programs = host::binary().parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    format!("{programs}:{}", std::env::var("PATH").unwrap_or_default())
}
