//! The guide for authors of modules is followed as it is printed: a module made from nothing, changed, built with cargo, pushed
//! to a host that serves, seen in its API, and taken back.

use stoa_tests::folder::Folder;
use stoa_tests::tour::{blocks, follow, mark};
use stoa_tests::{Database, Stoa, host, on_one_database};

// Its commands know no database.
on_one_database![every_line_works];

fn every_line_works(database: Database) {
    let workspace = host::workspace();
    let page = workspace.join("components/README.md");
    let blocks = blocks(&std::fs::read_to_string(&page).expect("no components/README.md"));
    // The promise of the page: from nothing to the API in at most four commands.
    let commands = blocks.iter().find(|block| block.contains("stoa module new")).expect("the worked example");
    assert!(commands.lines().count() <= 4 && commands.contains("--activate"), "{commands}");
    let marks = blocks.iter().flat_map(|block| block.lines()).filter_map(mark).count();
    assert!(marks >= 6, "{marks} marks");

    let stoa = Stoa::start(database);
    let company = stoa.company();
    let place = Folder::new("guide");
    let console = stoa.console();
    let search = format!("{}:{}", program_folder(), std::env::var("PATH").unwrap_or_default());
    let built = workspace.join("target/guide");
    follow(
        &blocks,
        place.path(),
        &[
            ("PATH", &search),
            // One build of the dependencies for every run in this clone; their sources are on this machine already.
            ("CARGO_TARGET_DIR", &built.display().to_string()),
            ("CARGO_NET_OFFLINE", "true"),
            ("STOA", &workspace.display().to_string()),
            ("DATA", &stoa.data_folder().display().to_string()),
            ("STOA_OPERATOR_URL", &format!("http://{}", stoa.private_address())),
            ("STOA_OPERATOR_TOKEN", &console.token),
            ("URL", &stoa.url()),
            ("TOKEN", &company.token),
            ("TENANT", &company.tenant),
        ],
    );
}

/// The folder of the binary that is tested.
fn program_folder() -> String {
    let folder = host::binary().parent().map(std::path::Path::to_path_buf);
    folder.expect("the binary lies in a folder").display().to_string()
}
