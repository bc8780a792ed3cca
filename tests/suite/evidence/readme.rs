//! The README's commands are run as they are printed: the way from a clone to a verified webhook, and the tour.

use std::fs::{self, File, Permissions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use stoa_tests::folder::Folder;
use stoa_tests::tour::{blocks, blocks_of, follow, follow_in, mark};
use stoa_tests::{Database, Stoa, host, on_one_database};

stoa_tests::tests![a_clone_leads_to_a_verified_webhook];

// Checked before a request reaches the database, or independent of it.
on_one_database![every_line_works];

/// Commands from a clone to a verified webhook, one a line.
const MOST_COMMANDS: usize = 10;
/// Seconds for those after the first: a delivery that finds no listener yet is sent again after 30.
const PATIENCE: &str = "150";

fn read_readme() -> String {
    fs::read_to_string(host::workspace().join("README.md")).expect("no README.md")
}

fn every_line_works(database: Database) {
    let blocks = blocks(&read_readme());
    let marks = blocks.iter().flat_map(|block| block.lines()).filter_map(mark).count();
    assert!(blocks.len() >= 3 && marks >= 5, "a tour of {} blocks and {marks} marks", blocks.len());
    let stoa: Stoa = host::shared(database);
    let shop = stoa.company();
    let place = Folder::new("tour");
    follow(&blocks, place.path(), &[("URL", &stoa.url()), ("TOKEN", &shop.token), ("TENANT", &shop.tenant)]);
}

fn a_clone_leads_to_a_verified_webhook() {
    let blocks = blocks_of("bash", &read_readme());
    let [block] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert!(block.lines().count() <= MOST_COMMANDS && !block.contains("\\\n"), "{block}");
    let (serve, rest) = block.split_once('\n').expect("several commands");
    let place = Folder::new("first-webhook");
    let _serving = Serving::start(serve, place.path());
    // A listener that outlived its shell would keep the output open.
    let ends_all = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT".to_owned();
    let mut shell = Command::new("timeout");
    follow_in(shell.args([PATIENCE, "bash"]).current_dir(place.path()), &[ends_all, rest.to_owned()]);
}

/// `cargo xtask run` in a terminal of its own, until the test ends.
struct Serving {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Serving {
    /// Runs the command until the service is up. Ports and folder are those of this test, and cargo builds nothing: the
    /// suite has.
    fn start(command: &str, place: &Path) -> Serving {
        let xtask = std::env::var("STOA_TEST_XTASK").expect("run the suite by `cargo xtask test`");
        let path = std::env::var("PATH").unwrap_or_default();
        let cargo = place.join("bin/cargo");
        fs::create_dir(place.join("bin")).expect("a folder");
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = xtask ]; then shift; exec '{xtask}' \"$@\" --built; fi\nPATH='{path}'\nexec cargo \"$@\"\n"
        );
        fs::write(&cargo, script).expect("a script");
        fs::set_permissions(&cargo, Permissions::from_mode(0o755)).expect("a program");
        let receiver = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port");

        let mut shell = Command::new("bash");
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("STOA_")) {
            shell.env_remove(name);
        }
        shell.args(["-c", command]).current_dir(place).process_group(0);
        shell.env("PATH", format!("{}:{path}", place.join("bin").display())).env("STOA_DATA_DIR", place.join("data"));
        shell.env("STOA_LISTEN", "127.0.0.1:0").env("STOA_PRIVATE_LISTEN", "127.0.0.1:0");
        shell.env("STOA_WEBHOOK_DEV_TARGETS", receiver.to_string());
        let log = place.join("run.log");
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&log).expect("a log"));
        let mut child = shell.spawn().expect("cannot run bash");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut serving = Serving { child, output };
        let mut lines = serving.output.by_ref().lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("Stoa is up")), "{}", fs::read_to_string(&log).unwrap_or_default());
        serving
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let _ = self.child.wait();
    }
}
