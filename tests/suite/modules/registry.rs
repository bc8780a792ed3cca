//! Modules that come from a registry: by a reference that names their bytes, from a registry that the settings name,
//! by the word of a signer whom the host trusts. The registry itself is believed nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value as Json, json};
use stoa_tests::host::{Settings, binary, compiled_modules};
use stoa_tests::name_server::NameServer;
use stoa_tests::registry::{DebianRegistry, Habits, PASSWORD, Registry, TOKEN, digest, write_credentials};
use stoa_tests::{Database, Folder, Stoa, modules, on_one_database, puppet, record};

use super::vetter::{Vetter, sha256};

// None of these claims depends on the database.
on_one_database![
    a_module_comes_by_reference,
    what_is_not_pinned_is_refused,
    another_digest_is_refused,
    an_admission_is_found_by_tag_where_there_is_no_referrers_api,
    of_two_admissions_the_trusted_counts,
    a_registry_that_is_not_listed_is_refused,
    a_registry_at_a_private_address_is_listed_as_such,
    a_published_version_stays,
    the_lock_file_pins_what_is_pulled,
    a_redirect_gets_no_credentials,
    an_image_is_as_wkg_writes_it,
    the_eight_are_released,
    debians_registry_serves_the_same
];

const LISTING: Habits = Habits { lists_referrers: true, wants_token: false, blobs_at: None };
const SILENT: Habits = Habits { lists_referrers: false, wants_token: false, blobs_at: None };

/// A host that takes modules from these registries of this machine, and starts at once.
fn host(database: Database, registries: &str) -> Stoa {
    Stoa::start_with(database, settings(registries))
}

fn settings(registries: &str) -> Settings {
    Settings::default().modules(modules::none()).set("STOA_PRIVATE_REGISTRIES", registries)
}

/// The key that a `--dev` host trusts.
fn dev_key(host: &Stoa) -> PathBuf {
    host.data_folder().join("dev-signer.key")
}

/// `stoa module ...` as a user types it on a machine without a host.
fn stoa(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("STOA_")) {
        command.env_remove(name);
    }
    command.env("STOA_MODULE_CACHE_DIR", compiled_modules()).arg("module").args(words).current_dir(folder);
    command.output().expect("cannot run stoa")
}

#[track_caller]
fn expect_done(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[track_caller]
fn expect_refusal(output: &Output, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(words), "{said}");
}

fn puppet_of(version: &str) -> Vec<u8> {
    let mut descriptor = puppet::descriptor("puppet");
    descriptor["version"] = json!(version);
    puppet::puppet(&descriptor)
}

/// Publishes bytes; answers the pinned reference.
#[track_caller]
fn publish(key: &Path, bytes: &[u8], reference: &str, more: &[&str]) -> String {
    expect_done(&try_publish(key, bytes, reference, more))
}

fn try_publish(key: &Path, bytes: &[u8], reference: &str, more: &[&str]) -> Output {
    let folder = Folder::new("publish");
    std::fs::write(folder.path().join("module.wasm"), bytes).expect("cannot write a module");
    let words = ["publish", "module.wasm", reference, "--key", key.to_str().expect("a path of text")];
    stoa(folder.path(), &[&words[..], more].concat())
}

/// The digest of the image that a pinned reference names, and of the component in it.
fn digests(registry: &Registry, pinned: &str) -> (String, String) {
    let (_, image) = pinned.split_once('@').expect("a pinned reference");
    let manifest = registry.manifest("puppet", image);
    (image.to_owned(), manifest["layers"][0]["digest"].as_str().expect("a digest").to_owned())
}

fn by_reference(reference: &str) -> Json {
    json!({ "reference": reference })
}

fn a_module_comes_by_reference(database: Database) {
    let registry = Registry::start(LISTING);
    let host = host(database, &registry.address.to_string());
    let (console, module) = (host.console(), puppet_of("1.0.0"));
    let pinned = publish(&dev_key(&host), &module, &registry.reference("puppet"), &[]);
    assert!(pinned.starts_with(&format!("{}:1.0.0@sha256:", registry.reference("puppet"))), "{pinned}");
    let pushed = console.post("modules", by_reference(&pinned)).is(201);
    assert_eq!((pushed.text("name"), pushed.text("digest")), ("puppet".to_owned(), sha256(&module)));
    console.activate(&sha256(&module), json!({})).is(200);
    assert_eq!(console.version("puppet").as_deref(), Some("1.0.0"));

    let address = format!("http://{}", host.private_address());
    let words = ["push", &pinned, "--operator-url", &address, "--operator-token", &console.token, "--json"];
    let folder = Folder::new("push");
    let again: Json = serde_json::from_str(&expect_done(&stoa(folder.path(), &words))).expect("a result of JSON");
    assert_eq!(again["digest"], sha256(&module), "{again}");
}

fn what_is_not_pinned_is_refused(database: Database) {
    let registry = Registry::start(LISTING);
    let host = host(database, &registry.address.to_string());
    let console = host.console();
    let reference = format!("{}:1.0.0", registry.reference("puppet"));
    let answer = console.post("modules", by_reference(&reference)).refused(400, "REFERENCE_INVALID");
    assert!(answer.text("detail").contains(&format!("pin it: {reference}@sha256:")), "{answer}");
    for garbage in ["", "puppet.wasm", "https://registry.example/puppet", "oci://registry.example/a@sha256:00"] {
        console.post("modules", by_reference(garbage)).refused(400, "REFERENCE_INVALID");
    }
    console.post("modules", json!({ "references": [] })).refused(400, "VALIDATION_FAILED");
    assert_eq!(registry.list_asked().len(), 0, "the registry was asked");
}

/// Whatever the registry sends for a digest is that digest's content, or nothing.
fn another_digest_is_refused(database: Database) {
    let registry = Registry::start(LISTING);
    let host = host(database, &registry.address.to_string());
    let console = host.console();
    let (key, place) = (dev_key(&host), registry.reference("puppet"));
    let pinned = publish(&key, &puppet_of("1.0.0"), &place, &[]);
    let other = publish(&key, &puppet_of("1.1.0"), &place, &[]);
    let ((image, component), (_, other_component)) = (digests(&registry, &pinned), digests(&registry, &other));
    let other_manifest = registry.manifest("puppet", "1.1.0").to_string();
    let before = registry.replace(&format!("/manifests/{image}"), other_manifest.as_bytes());
    console.post("modules", by_reference(&pinned)).refused(400, "DIGEST_MISMATCH");
    registry.replace(&format!("/manifests/{image}"), &before);

    let content = registry.replace(&format!("/blobs/{component}"), &puppet_of("1.1.0"));
    assert_eq!(digest(&puppet_of("1.1.0")), other_component);
    console.post("modules", by_reference(&pinned)).refused(400, "DIGEST_MISMATCH");
    registry.replace(&format!("/blobs/{component}"), &[content.as_slice(), b"more"].concat());
    console.post("modules", by_reference(&pinned)).refused(413, "MODULE_TOO_LARGE");
    registry.replace(&format!("/blobs/{component}"), &content);
    console.post("modules", by_reference(&pinned)).is(201);
}

fn an_admission_is_found_by_tag_where_there_is_no_referrers_api(database: Database) {
    let registry = Registry::start(SILENT);
    let host = host(database, &registry.address.to_string());
    let pinned = publish(&dev_key(&host), &puppet_of("1.0.0"), &registry.reference("puppet"), &[]);
    let (image, _) = digests(&registry, &pinned);
    let index = registry.manifest("puppet", &image.replace(':', "-"));
    assert_eq!(index["manifests"][0]["artifactType"], "application/vnd.stoa.admission.v1+json", "{index}");
    host.console().post("modules", by_reference(&pinned)).is(201);
}

fn of_two_admissions_the_trusted_counts(database: Database) {
    for habits in [LISTING, SILENT] {
        let registry = Registry::start(habits);
        let host = host(database, &registry.address.to_string());
        let (console, stranger) = (host.console(), Vetter::make("stranger", "deployment"));
        let (module, place) = (puppet_of("1.0.0"), registry.reference("puppet"));
        let pinned = publish(stranger.key(), &module, &place, &[]);
        console.post("modules", by_reference(&pinned)).refused(403, "SIGNER_UNTRUSTED");
        assert_eq!(publish(&dev_key(&host), &module, &place, &[]), pinned, "one component is one image for any signer");
        let pushed = console.post("modules", by_reference(&pinned)).is(201);
        assert_ne!(pushed["report"]["signer"], "stranger", "{pushed}");

        let folder = Folder::new("pull");
        expect_refusal(&stoa(folder.path(), &["pull", &pinned]), "2 keys signed it");
        assert!(!folder.path().join("puppet.wasm").exists());
        std::fs::write(folder.path().join("stoa.toml"), format!("trusted_signers = [{:?}]\n", stranger.entry("")))
            .expect("cannot write stoa.toml");
        expect_done(&stoa(folder.path(), &["pull", &pinned]));
        let admission =
            std::fs::read_to_string(folder.path().join("puppet.wasm.admission.json")).expect("an admission");
        assert!(admission.contains("stranger"), "{admission}");
    }
}

fn a_registry_that_is_not_listed_is_refused(database: Database) {
    let registry = Registry::start(LISTING);
    let host = host(database, "registry.example:5000");
    let pinned = format!("{}@{}", registry.reference("puppet"), digest(b""));
    let answer = host.console().post("modules", by_reference(&pinned)).refused(403, "REGISTRY_FORBIDDEN");
    assert!(answer.text("detail").contains("STOA_REGISTRIES"), "{answer}");
    assert_eq!(registry.list_asked().len(), 0, "the registry was asked");
    let refused = host.rows("select result from stoa_operator_audit where operation = 'pushModule'");
    assert_eq!(refused, [["REGISTRY_FORBIDDEN"]]);
}

/// A listed name is not a way to a private address: of this machine, or of what it leads to.
fn a_registry_at_a_private_address_is_listed_as_such(database: Database) {
    let registry = Registry::start(LISTING);
    let names = NameServer::start(&["127.0.0.1"]);
    let listed = format!("registry.example:{},{}", registry.address.port(), registry.address);
    let settings = Settings::default().modules(modules::none()).set("STOA_REGISTRIES", listed);
    let host = Stoa::start_with(database, settings.set("STOA_WEBHOOK_RESOLVER", names.address));
    let console = host.console();
    let by_name = format!("oci://registry.example:{}/acme/puppet@{}", registry.address.port(), digest(b""));
    let answer = console.post("modules", by_reference(&by_name)).refused(503, "UNAVAILABLE");
    assert!(answer.text("detail").contains("not public"), "{answer}");
    let by_address = format!("{}@{}", registry.reference("puppet"), digest(b""));
    console.post("modules", by_reference(&by_address)).refused(403, "REGISTRY_FORBIDDEN");
    assert_eq!(registry.list_asked().len(), 0, "the registry was asked");
}

fn a_published_version_stays(_: Database) {
    let (registry, vetter) = (Registry::start(LISTING), Vetter::new());
    let place = format!("{}:stable", registry.reference("puppet"));
    let pinned = publish(vetter.key(), &puppet_of("1.0.0"), &place, &[]);
    expect_refusal(&try_publish(vetter.key(), &puppet_of("1.1.0"), &place, &[]), "the tag stable is that of sha256:");
    assert_eq!(publish(vetter.key(), &puppet_of("1.0.0"), &place, &[]), pinned, "the same bytes again");
}

/// A tag that moves changes nothing of what the lock file names.
fn the_lock_file_pins_what_is_pulled(_: Database) {
    let (registry, vetter, folder) = (Registry::start(SILENT), Vetter::new(), Folder::new("pull"));
    let (place, old) = (registry.reference("puppet"), puppet_of("1.0.0"));
    publish(vetter.key(), &old, &place, &[]);
    publish(vetter.key(), &puppet_of("1.1.0"), &place, &[]);
    let (tag, pull) =
        (format!("{place}:1.0.0"), |words: &[&str]| stoa(folder.path(), &[&["pull"][..], words].concat()));
    expect_refusal(&pull(&[&tag, "--locked"]), "is not as stoa-modules.lock pins it");
    expect_done(&pull(&[&tag, "--into", "modules"]));
    let lock = std::fs::read_to_string(folder.path().join("stoa-modules.lock")).expect("a lock file");
    assert!(
        lock.contains(&format!("digest = \"{}\"", sha256(&old))) && lock.contains(&format!("{tag}@sha256:")),
        "{lock}"
    );
    let file = folder.path().join("modules/puppet.wasm");
    assert_eq!(std::fs::read(&file).expect("a component"), old);

    registry.move_tag("puppet", "1.0.0", "1.1.0");
    expect_refusal(&pull(&[&tag, "--locked", "--into", "modules"]), "is not as stoa-modules.lock pins it");
    std::fs::remove_file(&file).expect("a component that goes");
    expect_done(&pull(&["--locked", "--into", "modules"]));
    assert_eq!(std::fs::read(&file).expect("a component"), old);
    assert_eq!(std::fs::read_to_string(folder.path().join("stoa-modules.lock")).expect("a lock file"), lock);
    // A file that says more than the registry has.
    std::fs::write(folder.path().join("stoa-modules.lock"), lock.replace("\"1.0.0\"", "\"1.0.1\""))
        .expect("a lock file");
    expect_refusal(&pull(&[]), "is not as stoa-modules.lock pins it");
}

fn a_redirect_gets_no_credentials(database: Database) {
    let (plain, folder) = (Registry::start(LISTING), Folder::new("credentials"));
    let elsewhere = plain.start_mirror();
    let registry = plain.start_again(Habits { wants_token: true, blobs_at: Some(elsewhere.address), ..LISTING });
    let credentials = write_credentials(folder.path(), registry.address);
    let known = settings(&registry.address.to_string()).set("STOA_REGISTRY_AUTH", credentials.display());
    let host = Stoa::start_with(database, known.set("STOA_LOG", "debug"));
    let login = ["--registry-auth", credentials.to_str().expect("a path of text")];
    let pinned = publish(&dev_key(&host), &puppet_of("1.0.0"), &registry.reference("puppet"), &login);
    host.console().post("modules", by_reference(&pinned)).is(201);
    let (asked, redirected) = (registry.list_asked(), elsewhere.list_asked());
    assert!(asked.iter().any(|asked| asked.headers.contains_key("authorization")), "{asked:?}");
    assert!(redirected.len() >= 2, "the component and its admission lie elsewhere: {redirected:?}");
    assert!(redirected.iter().all(|asked| !asked.headers.contains_key("authorization")), "{redirected:?}");
    let log = host.log();
    for secret in [PASSWORD, TOKEN, "signature=s3cret"] {
        assert!(!log.contains(secret), "the log holds {secret}");
    }
}

/// By the constants of `wkg`'s own crates, which this suite does not share code with.
fn an_image_is_as_wkg_writes_it(_: Database) {
    let (registry, vetter) = (Registry::start(LISTING), Vetter::new());
    publish(vetter.key(), &puppet_of("1.0.0"), &registry.reference("puppet"), &[]);
    let manifest = registry.manifest("puppet", "1.0.0");
    let types = ["/mediaType", "/config/mediaType", "/layers/0/mediaType"].map(|pointer| manifest.pointer(pointer));
    let expected =
        ["application/vnd.oci.image.manifest.v1+json", "application/vnd.wasm.config.v0+json", "application/wasm"];
    assert_eq!(types, expected.map(|kind| json!(kind)).each_ref().map(Some));
    assert_eq!(manifest["layers"][0]["size"], puppet_of("1.0.0").len());
}

/// As `cargo xtask release-modules` publishes them: a deployment starts only from the lock file.
fn the_eight_are_released(database: Database) {
    let (registry, vetter, folder) = (Registry::start(SILENT), Vetter::new(), Folder::new("release"));
    registry.publish_modules(vetter.key(), &folder.path().join("stoa-modules.lock"));
    expect_done(&stoa(folder.path(), &["pull", "--into", "modules"]));
    let pulled = modules::empty_with(&[]);
    for entry in std::fs::read_dir(folder.path().join("modules")).expect("the modules") {
        let file = entry.expect("a file").path();
        std::fs::copy(&file, pulled.path().join(file.file_name().expect("a name"))).expect("cannot copy a module");
    }
    let host = Stoa::start_with(database, vetter.settings(pulled));
    let shown = host.console_with("alices-token").shown();
    let running = shown["modules"].as_array().expect("modules");
    assert_eq!(running.len(), 8, "{shown}");
    assert!(running.iter().all(|module| module["signer"] == "vetter"), "{shown}");
}

fn debians_registry_serves_the_same(database: Database) {
    let Some(registry) = DebianRegistry::start() else {
        return record::tell_not_run("modules::registry with Debian's", "docker-registry is not installed");
    };
    let host = host(database, &registry.address.to_string());
    let (place, stranger) = (format!("oci://{}/acme/puppet", registry.address), Vetter::make("stranger", "deployment"));
    let module = puppet_of("1.0.0");
    let pinned = publish(stranger.key(), &module, &place, &[]);
    assert_eq!(publish(&dev_key(&host), &module, &place, &[]), pinned);
    let pushed = host.console().post("modules", by_reference(&pinned)).is(201);
    assert_eq!(pushed.text("digest"), sha256(&module));
    expect_refusal(
        &try_publish(stranger.key(), &puppet_of("1.1.0"), &format!("{place}:1.0.0"), &[]),
        "the tag 1.0.0 is that of",
    );
    let folder = Folder::new("pull");
    expect_refusal(&stoa(folder.path(), &["pull", &format!("{place}:1.0.0")]), "2 keys signed it");
}
