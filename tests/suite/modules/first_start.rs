//! A first start compiles nothing that was compiled before: into the deployment's own cache, as `cargo xtask run` has it done, or
//! by a release that the settings allow. The host ignores a file that was modified or built for another engine, and compiles the
//! module again.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use stoa_tests::host::{Settings, binary};
use stoa_tests::{Database, Folder, Stoa, modules, on_one_database};

on_one_database![
    a_cache_that_was_filled_before_spares_the_first_start,
    a_release_spares_the_first_start,
    a_module_is_asked_once_what_it_is,
    code_of_a_release_that_was_touched_is_compiled_anew,
    a_release_that_the_settings_do_not_vouch_for_is_compiled_anew,
    a_release_for_another_engine_is_compiled_anew,
    a_host_that_starts_says_so,
];

/// A folder with the changeling as the only module, and room for what is compiled.
struct Place(Folder);

impl Place {
    fn make() -> Place {
        let place = Folder::new("first-start");
        fs::create_dir(place.path().join("modules")).expect("a folder");
        fs::write(place.path().join("modules/changeling.wasm"), modules::changeling(1)).expect("a module");
        Place(place)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `stoa module precompile` over the modules; `cache` is the folder of what is compiled.
    fn precompile(&self, words: &[&str]) -> Output {
        let mut command = Command::new(binary());
        command.args(["module", "precompile"]).args(words).current_dir(self.0.path());
        command.env("STOA_MODULES_DIR", self.at("modules")).env("STOA_MODULE_CACHE_DIR", self.at("cache"));
        let output = command.output().expect("cannot run stoa");
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// A release in `release`; answers what its settings name.
    fn release(&self) -> String {
        let reported = self.precompile(&["--out", "release"]);
        String::from_utf8(reported.stdout).expect("text").trim().to_string()
    }

    /// A host that never ran, with this cache.
    fn start(&self, cache: &str, settings: Settings) -> Stoa {
        let settings = settings.modules(&self.at("modules")).set("STOA_MODULE_CACHE_DIR", self.at(cache).display());
        Stoa::start_with(Database::Sqlite, settings)
    }

    /// The same with a release, and nothing in its cache.
    fn start_released(&self, cache: &str, sha256: &str) -> Stoa {
        self.start(cache, self.release_settings(sha256))
    }

    fn release_settings(&self, sha256: &str) -> Settings {
        let settings = Settings::default().set("STOA_PRECOMPILED_DIR", self.at("release").display());
        settings.set("STOA_PRECOMPILED_SHA256", sha256)
    }
}

/// How many modules came from the cache, the release and the compiler.
fn count_loads(host: &Stoa) -> [u64; 3] {
    let metrics = host.metrics();
    ["cache", "release", "compiler"].map(|from| {
        let name = format!("stoa_modules_loaded_total{{from=\"{from}\"}} ");
        let count = metrics.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok());
        count.unwrap_or(0)
    })
}

/// The module does its work.
fn serves(host: &Stoa) {
    host.company().get("changeling").is(200);
}

/// The only file of a folder with machine code.
fn find_code(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let is_code = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "code");
    let [file] = <[PathBuf; 1]>::try_from(files.filter(is_code).collect::<Vec<_>>()).expect("one file");
    file
}

/// Flips one bit in the middle, where the code is. A host that runs keeps the file that it mapped.
fn touch(file: &Path) {
    let mut bytes = fs::read(file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::remove_file(file).expect("removed");
    fs::write(file, bytes).expect("written");
}

fn a_cache_that_was_filled_before_spares_the_first_start(_: Database) {
    let place = Place::make();
    place.precompile(&[]);
    let host = place.start("cache", Settings::default());
    assert_eq!(count_loads(&host), [1, 0, 0]);
    serves(&host);
    // Once is enough.
    let again = place.precompile(&[]);
    assert!(!String::from_utf8_lossy(&again.stderr).contains("compiling"), "{again:?}");
    // Touched, it is compiled, and kept again.
    touch(&find_code(&place.at("cache")));
    let host = place.start("cache", Settings::default());
    assert_eq!(count_loads(&host), [0, 0, 1]);
    assert!(host.log().contains("was modified"), "{}", host.log());
    serves(&host);
    assert_eq!(count_loads(&place.start("cache", Settings::default())), [1, 0, 0]);
}

fn a_release_spares_the_first_start(_: Database) {
    let place = Place::make();
    let host = place.start_released("own", &place.release());
    assert_eq!(count_loads(&host), [0, 1, 0]);
    serves(&host);
    // It is kept, and the next start maps it.
    let released = fs::read(find_code(&place.at("release"))).expect("the code");
    assert!(fs::read(find_code(&place.at("own"))).is_ok_and(|kept| kept.starts_with(&released)));
    assert_eq!(count_loads(&place.start("own", Settings::default())), [1, 0, 0]);
}

fn a_module_is_asked_once_what_it_is(_: Database) {
    let place = Place::make();
    place.precompile(&[]);
    serves(&place.start("cache", Settings::default()));
    let descriptions = || {
        let files = fs::read_dir(place.at("cache")).expect("a folder").map(|entry| entry.expect("a file").path());
        files.filter(|file| file.extension().is_some_and(|extension| extension == "json")).collect::<Vec<_>>()
    };
    let kept = descriptions();
    assert_eq!(kept.len(), 1);
    let written = fs::metadata(&kept[0]).and_then(|file| file.modified()).expect("a time");
    serves(&place.start("cache", Settings::default()));
    assert_eq!(fs::metadata(&kept[0]).and_then(|file| file.modified()).expect("a time"), written);
    // A description that was modified is asked for again.
    touch(&kept[0]);
    let host = place.start("cache", Settings::default());
    assert!(host.log().contains("was modified"), "{}", host.log());
    serves(&host);
}

fn code_of_a_release_that_was_touched_is_compiled_anew(_: Database) {
    let place = Place::make();
    let sha256 = place.release();
    touch(&find_code(&place.at("release")));
    let host = place.start_released("own", &sha256);
    assert_eq!(count_loads(&host), [0, 0, 1]);
    assert!(host.log().contains("was modified"), "{}", host.log());
    serves(&host);
}

fn a_release_that_the_settings_do_not_vouch_for_is_compiled_anew(_: Database) {
    let place = Place::make();
    let sha256 = place.release();
    let without = Settings::default().set("STOA_PRECOMPILED_DIR", place.at("release").display());
    assert_eq!(count_loads(&place.start("none", without)), [0, 0, 1], "the settings name no list");
    let host = place.start_released("other", &"0".repeat(64));
    assert_eq!(count_loads(&host), [0, 0, 1], "the settings name another list");
    assert!(host.log().contains("is not the one of the settings"), "{}", host.log());
    // An attacker who writes code and list cannot write the settings.
    touch(&place.at("release/precompiled.json"));
    assert_eq!(count_loads(&place.start_released("touched", &sha256)), [0, 0, 1]);
    let said = Stoa::try_start(Database::Sqlite, place.release_settings("garbage")).err();
    assert!(said.is_some_and(|said| said.contains("STOA_PRECOMPILED_SHA256")), "no digest is no start");
}

fn a_release_for_another_engine_is_compiled_anew(_: Database) {
    let place = Place::make();
    let hardened = place.release_settings(&place.release()).set("STOA_SANDBOX", "hardened");
    let host = place.start("own", hardened);
    assert_eq!(count_loads(&host), [0, 0, 1]);
    assert!(host.log().contains("was made for another engine"), "{}", host.log());
    serves(&host);
}

/// At the port from the first moment on, and in words at the terminal.
fn a_host_that_starts_says_so(_: Database) {
    let place = Place::make();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
    let log = place.at("log");
    let mut command = Command::new(binary());
    command.args(["serve", "--dev", "--listen", &format!("127.0.0.1:{port}"), "--private-listen", "127.0.0.1:0"]);
    command.args(["--data-dir".as_ref(), place.at("data").as_os_str()]).current_dir(place.0.path());
    command.env("STOA_MODULES_DIR", place.at("modules")).env("STOA_MODULE_CACHE_DIR", place.at("cache"));
    let mut host = command.stdout(Stdio::null()).stderr(fs::File::create(&log).expect("a log")).spawn().expect("stoa");
    let mut reported = Vec::new();
    let begin = Instant::now();
    while reported.last().is_none_or(|text: &String| !text.starts_with("HTTP/1.1 200")) {
        assert!(begin.elapsed() < Duration::from_secs(120), "it never serves: {reported:?}");
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
            stream
                .write_all(b"GET /v1/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .expect("written");
            let mut text = String::new();
            let _ = stream.read_to_string(&mut text);
            reported.push(text);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = host.kill();
    let _ = host.wait();
    let first = &reported[0];
    assert!(first.starts_with("HTTP/1.1 503") && first.contains("\"UNAVAILABLE\""), "{first}");
    assert!(first.to_ascii_lowercase().contains("\r\nretry-after: 1\r\n"), "{first}");
    let said = fs::read_to_string(&log).expect("a log");
    assert!(
        said.contains("module 1 of 1: ") && said.contains("changeling.wasm\n") && said.contains("compiling"),
        "{said}"
    );
}
