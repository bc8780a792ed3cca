//! A log line that cannot be written is lost, and nothing else: the thread that logs goes on.

use std::io::Read as _;
use std::time::Duration;

use stoa_tests::company::onboarding;
use stoa_tests::host::Settings;
use stoa_tests::preload::Preload;
use stoa_tests::{Database, Stoa, eventually, modules, on_both_databases, on_one_database};

use crate::modules::hostile::commit;

on_both_databases![a_host_without_a_log_serves, a_full_log_stops_nothing_and_goes_on_with_room];

on_one_database![a_log_that_is_not_read_holds_up_nobody, an_exit_status_counts_where_stderr_is_full];

/// A pipe without a reader, called `unread`: it is opened for both sides, so that its opening does not wait.
const PIPE: &str = "mkfifo unread && exec 3<>unread";

fn settings() -> Settings {
    Settings::default().modules(modules::none())
}

/// Each start logs, so that a line that ends its thread ends the start.
fn a_host_without_a_log_serves(database: Database) {
    let streams = [
        ("a full device", "exec 2>/dev/full".to_string()),
        ("closed", "exec 2>&-".to_string()),
        ("a pipe without a reader", format!("{PIPE} && exec 2>unread && exec 3>&-")),
        ("stdout is a pipe without a reader", format!("{PIPE} && exec >unread && exec 3>&-")),
    ];
    for (name, commands) in streams {
        let host = Stoa::try_start(database, settings().shell(&commands));
        let host = host.unwrap_or_else(|said| panic!("{name}: {said}"));
        // Founding a company is a write.
        host.company();
        assert!(host.is_running(), "{name}");
    }
}

fn count_lost(host: &Stoa) -> u64 {
    let metrics = host.metrics();
    let count = metrics.lines().find_map(|line| line.strip_prefix("stoa_log_lines_lost_total "));
    count.map_or(0, |count| count.trim().parse().expect("a count"))
}

fn a_full_log_stops_nothing_and_goes_on_with_room(database: Database) {
    const UNREADABLE: &str = "the settings cannot be read again";
    let preload = Preload::build();
    let variables = preload.variables().into_iter();
    let host =
        Stoa::start_with(database, variables.fold(settings(), |settings, (name, value)| settings.set(&name, value)));
    host.company();
    assert_eq!(count_lost(&host), 0);
    preload.fill_streams(true);
    if database == Database::Sqlite {
        // The data is on the same disk, and the writer logs what it loses.
        preload.fill_disk(true);
        let request = host.request("POST", "/v1/onboarding/companies").token(&host.token("owner@example.test"));
        request.json(&onboarding("Lost")).unchecked().send().refused(503, "UNAVAILABLE");
        preload.fill_disk(false);
        eventually(|| (count_lost(&host) > 0).then_some(()));
    }
    // Settings that cannot be read are logged by a task of the background.
    let lost = count_lost(&host);
    host.rewrite_file("no settings");
    host.hang_up();
    eventually(|| (count_lost(&host) > lost).then_some(()));
    host.company();
    assert!(!host.log().contains(UNREADABLE), "the log was full");
    preload.fill_streams(false);
    eventually(|| {
        host.hang_up();
        host.log().contains(UNREADABLE).then_some(())
    });
    host.company();
    assert!(host.is_running());
}

/// The pipe is full before the host logs its first line, and its reader reads once only.
fn a_log_that_is_not_read_holds_up_nobody(database: Database) {
    // The host has the side of the reader itself.
    let full = format!("{PIPE} && {{ dd if=/dev/zero of=unread bs=4096 oflag=nonblock 2>/dev/null; exec 2>unread; }}");
    let folder = modules::with(&[("hostile.wasm", &modules::guest("hostile"))]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()).shell(&full));
    let shop = host.company();
    let flood = || {
        // 64 KiB of a request, the most that is logged of one.
        for _ in 0..40 {
            assert_eq!(commit(&shop, "log-wide", "").status, 201);
        }
    };
    flood();
    // The lines that waited are written as soon as stderr is read. The tools of the suite look for the host's private
    // address in its log.
    let place = host.data_folder().with_file_name("stderr.log");
    let mut reader = std::fs::File::open(place.with_file_name("unread")).expect("the pipe");
    let (mut log, mut part) = (Vec::new(), [0; 16 << 10]);
    while !String::from_utf8_lossy(&log).contains("connections at once") {
        let count = reader.read(&mut part).expect("the pipe has a writer");
        log.extend_from_slice(&part[..count]);
    }
    log.retain(|byte| *byte != 0);
    std::fs::write(&place, log).expect("cannot write the log");
    assert!(count_lost(&host) > 0, "what found no room is counted");
    flood();
    shop.brand("MEANWHILE");
    // The end waits for no reader.
    assert_eq!(host.terminate(Duration::from_secs(10)), Some(0));
}

fn an_exit_status_counts_where_stderr_is_full(database: Database) {
    let host = Stoa::start_with(database, settings());
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let unknown = uuid::Uuid::now_v7().to_string();
    let status = host.command().args(["verify", "--tenant", &unknown]).stderr(full).status().expect("cannot run stoa");
    assert_eq!(status.code(), Some(2), "nothing was checked");
}
