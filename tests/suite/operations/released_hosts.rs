//! A host of this version takes over from the program of each release, and that program takes over again.
//! `cargo xtask test --all` builds those programs.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::books::day;
use stoa_tests::company::{onboarding, with};
use stoa_tests::host::{Settings, binary, compiled_modules};
use stoa_tests::installed::Installed;
use stoa_tests::issuer::Manner;
use stoa_tests::released::{self, Release, find_difference};
use stoa_tests::selling::Counter;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::{Company, Database, Folder, Issuer, Signer, Stoa, modules, on_both_databases, record};

use crate::modules::vetter::Vetter;

on_both_databases![a_released_host_hands_over_and_takes_over_again];
stoa_tests::tests![hosts_of_both_versions_serve_at_once];

const AUDIENCE: &str = "stoa-suite";
const PATIENCE: Duration = Duration::from_secs(20);
/// This release cannot open a SQLite database that a newer host migrated.
const BACK_BY_COPY: &str = "0.1.0";

/// A deployment that began with a release, as an operator has it: without `--dev`.
struct Deployment {
    version: String,
    shop: Company,
    old: Installed,
    new: Installed,
    _folders: [Folder; 2],
    _issuer: Issuer,
}

/// One for each release that is built here.
fn deployments(database: Database) -> Vec<Deployment> {
    let deploy_release = |release: Release| match release.find_host() {
        Ok(old) => Some(deploy(database, release.version, old)),
        Err(why) => {
            record::tell_not_run(&format!("operations::released_hosts of {}", release.version), &why);
            None
        }
    };
    released::list().into_iter().filter_map(deploy_release).collect()
}

fn deploy(database: Database, version: String, old: Installed) -> Deployment {
    let vetter = Vetter::new();
    let folders = [copy(&old.modules), copy(&modules::folder())];
    let new = Installed { binary: binary(), modules: folders[1].path().to_path_buf(), migrates: true };
    let old = Installed { modules: folders[0].path().to_path_buf(), ..old };
    [&old, &new].into_iter().for_each(|installed| sign(installed, vetter.key()));
    let signer = Signer::es256("provider");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let settings = Settings::default()
        .without_dev()
        .set("STOA_OIDC_ISSUER", &issuer.url)
        .set("STOA_OIDC_AUDIENCE", AUDIENCE)
        .set("STOA_TRUSTED_SIGNERS", vetter.entry(""))
        .run_by(old.clone());
    let host = Stoa::start_with(database, settings);
    let token = signer.sign(&signer.header(), &claims(&issuer.url, AUDIENCE, "owner"));
    let body = with(&onboarding("Released"), json!({ "keepsBooks": true }));
    let made = host.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send().is(201);
    let created = made["created"].as_array().cloned().unwrap_or_default();
    let shop = Company { host, tenant: made.text("tenantId"), token, created };
    let counter = Counter::new(shop.clone());
    let good = counter.good("9.9", "10");
    counter.deliver(json!([{ "variantId": good, "quantity": "3" }]));
    Deployment { version, shop, old, new, _folders: folders, _issuer: issuer }
}

/// A folder of its own with these modules, to sign them.
fn copy(folder: &Path) -> Folder {
    let made = Folder::new("modules");
    for entry in fs::read_dir(folder).expect("a folder of modules").flatten() {
        if entry.path().extension().is_some_and(|kind| kind == "wasm") {
            fs::copy(entry.path(), made.path().join(entry.file_name())).expect("cannot copy a module");
        }
    }
    made
}

/// Each version signs its own modules.
fn sign(installed: &Installed, key: &Path) {
    let files: Vec<_> = fs::read_dir(&installed.modules).expect("modules").flatten().map(|file| file.path()).collect();
    for file in files {
        let mut command = Command::new(&installed.binary);
        command.args(["module", "sign", "--key"]).arg(key).arg(&file).env("STOA_MODULE_CACHE_DIR", compiled_modules());
        assert!(command.output().expect("cannot run stoa").status.success(), "{} is not signed", file.display());
    }
}

fn read_all(shop: &Company) -> Vec<(String, Json)> {
    let balance = format!("ledger/trial-balance?legalEntityId={}&from={}&to={}", shop.entity(), day(-1), day(1));
    let paths = [&balance, "catalog/products", "inventory/stock", "inventory/valuation", "sales/orders"];
    paths.map(|path| (path.to_string(), shop.get(path).is(200).body)).into()
}

#[track_caller]
fn assert_kept(before: &[(String, Json)], shop: &Company) {
    for ((path, expected), (_, found)) in before.iter().zip(read_all(shop)) {
        assert_eq!(find_difference(expected, &found, ""), None, "{path}");
    }
    shop.verified();
}

fn a_released_host_hands_over_and_takes_over_again(database: Database) {
    for Deployment { version, shop, old, new, .. } in &deployments(database) {
        let (host, before) = (&shop.host, read_all(shop));
        assert_eq!(host.terminate(PATIENCE), Some(0));
        let copied = (database == Database::Sqlite).then(|| copy_database(&host.data_folder(), Folder::new("copy")));
        host.install(new.clone());
        host.restart();
        assert_kept(&before, shop);
        let brand = shop.brand("NEW");
        assert_eq!(host.terminate(PATIENCE), Some(0));
        host.install(Installed { migrates: false, ..old.clone() });
        match (host.try_restart(), copied) {
            (Ok(()), _) => assert_eq!(shop.get(&format!("catalog/lookups/brands/{brand}")).is(200).id(), brand),
            (Err(said), Some(copied)) if version == BACK_BY_COPY => {
                assert!(said.contains("migration"), "{said}");
                restore_database(copied.path(), &host.data_folder());
                host.restart();
            }
            (Err(said), _) => panic!("{version} does not start again: {said}"),
        }
        assert_kept(&before, shop);
    }
}

/// Copies the database of a host that does not run.
fn copy_database(data: &Path, into: Folder) -> Folder {
    for file in database_files(data) {
        fs::copy(data.join(&file), into.path().join(&file)).expect("cannot copy the database");
    }
    into
}

fn restore_database(copied: &Path, data: &Path) {
    database_files(data).iter().for_each(|file| fs::remove_file(data.join(file)).expect("cannot remove the database"));
    for file in database_files(copied) {
        fs::copy(copied.join(&file), data.join(&file)).expect("cannot restore the database");
    }
}

fn database_files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name().display().to_string());
    names.filter(|name| name.starts_with("stoa.sqlite")).collect()
}

/// A rolling upgrade: the newer host migrates and serves while the released one goes on.
fn hosts_of_both_versions_serve_at_once() {
    for Deployment { shop, new, .. } in &deployments(Database::Postgres) {
        let before = read_all(shop);
        shop.host.install(new.clone());
        let other = Company { host: shop.host.beside(), ..shop.clone() };
        let brands = [shop.brand("OLD"), other.brand("NEW")];
        for (company, brand) in [(&other, &brands[0]), (shop, &brands[1])] {
            company.get(&format!("catalog/lookups/brands/{brand}")).is(200);
        }
        [shop, &other].into_iter().for_each(|company| assert_kept(&before, company));
    }
}
