//! No other user of the machine can read the host's files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, modules, on_one_database};

on_one_database![the_database_is_its_owners_alone];

fn the_database_is_its_owners_alone(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    host.company();
    let mode = |path: &std::path::Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode(&host.data_folder()), 0o700);
    let files = || {
        let entries = fs::read_dir(host.data_folder()).expect("the data folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.to_string_lossy().contains(".sqlite")).collect::<Vec<_>>()
    };
    assert!(files().len() >= 2, "{:?}", files());
    for file in files() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    // One that an older host left open is closed at the next start.
    for file in files() {
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("a mode");
    }
    host.restart();
    for file in files() {
        assert_eq!(mode(&file) & 0o007, 0, "{}", file.display());
    }
}
