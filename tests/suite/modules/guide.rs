//! The guide for authors of modules is followed as it is printed: a module made from nothing, changed, built with cargo, pushed
//! to a host that serves, seen in its API, and taken back.

use serde_json::json;
use stoa_tests::company::onboarding;
use stoa_tests::folder::Folder;
use stoa_tests::issuer::Manner;
use stoa_tests::registry::{Habits, Registry};
use stoa_tests::signer::{claims, jwks};
use stoa_tests::tour::{blocks, blocks_of, follow, mark};
use stoa_tests::{Database, Issuer, Signer, Stoa, eventually, host, modules, on_one_database};

use super::vetter::{Vetter, trust_file};

// Its commands use no database.
// It compiles modules, in processes that give way to every other.
on_one_database![timed: every_line_works];
on_one_database![a_partner_on_a_production_host];

fn every_line_works(database: Database) {
    let page = host::workspace().join("components/README.md");
    let blocks = blocks(&std::fs::read_to_string(&page).expect("no components/README.md"));
    // The promise of the page: from nothing to the API in at most four commands.
    let commands = blocks.iter().find(|block| block.contains("stoa module new")).expect("the worked example");
    assert!(commands.lines().count() <= 4 && commands.contains("--activate"), "{commands}");
    let marks = blocks.iter().flat_map(|block| block.lines()).filter_map(mark).count();
    assert!(marks >= 6, "{marks} marks");

    let stoa = Stoa::start(database);
    let company = stoa.company();
    let place = Folder::new("guide");
    let data = stoa.data_folder().display().to_string();
    let reader = Reader { host: &stoa, operator: &stoa.console().token, user: &company.token, tenant: &company.tenant };
    follow_as(&reader, &blocks, &place, &[("DATA", &data)]);
}

/// A reader of a page: where the host is, and who they are there.
pub struct Reader<'a> {
    pub host: &'a Stoa,
    pub operator: &'a str,
    pub user: &'a str,
    pub tenant: &'a str,
}

pub fn follow_as(reader: &Reader<'_>, blocks: &[String], place: &Folder, more: &[(&str, &str)]) {
    let (workspace, search) = (host::workspace(), search_path());
    let built = workspace.join("target/guide").display().to_string();
    let compiled = host::compiled_modules().display().to_string();
    let (root, private) = (workspace.display().to_string(), format!("http://{}", reader.host.private_address()));
    let url = reader.host.url();
    let variables = [
        ("PATH", &*search),
        // One build of the dependencies for every run in this clone; their sources are on this machine already.
        ("CARGO_TARGET_DIR", &built),
        ("CARGO_NET_OFFLINE", "true"),
        ("STOA_MODULE_CACHE_DIR", &compiled),
        ("STOA", &root),
        ("STOA_OPERATOR_URL", &private),
        ("STOA_OPERATOR_TOKEN", reader.operator),
        ("URL", &url),
        ("TOKEN", reader.user),
        ("TENANT", reader.tenant),
    ];
    follow(blocks, place.path(), &[&variables, more].concat());
}

/// The page's `bash` blocks: a partner, whose entry names nothing, on a host without `--dev` that knows people by an
/// identity provider, and whose modules came by the lock file of the page of production.
fn a_partner_on_a_production_host(database: Database) {
    let page =
        std::fs::read_to_string(host::workspace().join("components/README.md")).expect("no components/README.md");
    let blocks = blocks_of("bash", &page);
    let [made, sent] = &blocks[..] else { panic!("{} blocks of a partner", blocks.len()) };
    let marks = sent.lines().filter_map(mark).count();
    assert!(made.contains("stoa module keygen") && marks >= 4, "{made}{sent}");

    let (vendor, people) = (Vetter::new(), Signer::es256("a"));
    let issuer = Issuer::start(Manner::Keys(jwks([&people])));
    let release = pull_release(&vendor);
    let settings = Vetter::settings_with(&[vendor.entry("")], modules::empty_with(&[]));
    let settings = settings.modules(&release.path().join("modules")).set("STOA_OIDC_ISSUER", &issuer.url);
    let stoa = Stoa::start_with(database, settings);
    let user = people.sign(&people.header(), &claims(&issuer.url, "stoa", "ann"));
    let company =
        stoa.request("POST", "/v1/onboarding/companies").token(&user).json(&onboarding("Ann's")).send().is(201);
    let tenant = company.text("tenantId");
    let reader = Reader { host: &stoa, operator: "alices-token", user: &user, tenant: &tenant };
    let place = Folder::new("partner");
    follow_as(&reader, std::slice::from_ref(made), &place, &[]);

    // The operator takes the partner's line into the settings.
    let entry = std::fs::read_to_string(place.path().join("signer")).expect("the partner's entry").trim().to_owned();
    assert!(entry.starts_with("acme:partner:") && entry.matches(':').count() == 2, "an entry without names: {entry}");
    stoa.rewrite_file(&trust_file(&[vendor.entry(""), entry.clone()]));
    stoa.hang_up();
    let console = stoa.console_with("alices-token");
    eventually(|| (console.post("signers", json!({ "signer": entry })).status == 200).then_some(()));
    follow_as(&reader, std::slice::from_ref(sent), &place, &[]);
}

/// A folder with the modules of a release, by the command of the page of production.
fn pull_release(vendor: &Vetter) -> Folder {
    let page =
        std::fs::read_to_string(host::workspace().join("docs/operate/production.md")).expect("the page of production");
    let blocks = blocks_of("bash", &page);
    let mut lines = blocks.iter().flat_map(|block| block.lines());
    let pull = lines.find(|line| line.starts_with("stoa module pull --locked ")).expect("the modules of a release");
    let (registry, release) = (Registry::start(Habits::default()), Folder::new("release"));
    registry.publish_modules(vendor.key(), &release.path().join("stoa-modules.lock"));
    follow(&[pull.to_owned()], release.path(), &[("PATH", &search_path())]);
    release
}

/// Where `stoa` is found, before everything else.
fn search_path() -> String {
    let folder = host::binary().parent().map(|folder| folder.display().to_string());
    format!("{}:{}", folder.expect("the binary lies in a folder"), std::env::var("PATH").unwrap_or_default())
}
