//! The commands of the page about extensions: a module that rejects a confirmation, from an empty folder on.

use stoa_tests::folder::Folder;
use stoa_tests::selling::Counter;
use stoa_tests::tour::{blocks, mark};
use stoa_tests::{Database, Stoa, host, on_one_database};

use crate::modules::guide::{Reader, follow_as};

// It compiles a module, in processes that give way to every other.
on_one_database![timed: every_line_of_the_page_works];

fn every_line_of_the_page_works(database: Database) {
    let page = host::workspace().join("components/EXTENSIONS.md");
    let blocks = blocks(&std::fs::read_to_string(&page).expect("no components/EXTENSIONS.md"));
    // The promise of the page: from an empty folder to a rejected confirmation in at most eight commands.
    let commands = blocks.iter().find(|block| block.contains("stoa module new")).expect("the worked example");
    assert!(count_commands(commands) <= 8 && commands.contains("/confirm"), "{commands}");
    assert_eq!(blocks.iter().flat_map(|block| block.lines()).filter_map(mark).count(), 3);

    let stoa = Stoa::start(database);
    let counter = Counter::new(stoa.company());
    let order = counter.draft_of(&counter.service("1500"), "1");
    let place = Folder::new("extension");
    let data = stoa.data_folder().display().to_string();
    let shop = &counter.shop;
    let reader = Reader { host: &stoa, operator: &stoa.console().token, user: &shop.token, tenant: &shop.tenant };
    follow_as(&reader, &blocks, &place, &[("DATA", &data), ("ORDER", &order)]);
    assert_eq!(counter.read(&order)["status"], "DRAFT");
    stoa.console().post("modules/big-orders/deactivate", serde_json::json!({})).is(200);
    counter.confirm(&order).is(200);
}

/// Lines of a block without the file that a command writes.
fn count_commands(block: &str) -> usize {
    let mut is_file = false;
    let is_command = |line: &&str| {
        let is_inside = is_file;
        is_file = if is_inside { *line != "RUST" } else { line.ends_with("<<'RUST'") };
        !is_inside
    };
    block.lines().filter(is_command).count()
}
