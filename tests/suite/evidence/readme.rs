//! The README's tour is run as it is printed.

use stoa_tests::tour::{blocks, follow, mark};
use stoa_tests::{Database, Stoa, host, on_one_database};

// Judged before a database is asked, or of what no database knows.
on_one_database![every_line_works];

fn every_line_works(database: Database) {
    let path = host::workspace().join("README.md");
    let blocks = blocks(&std::fs::read_to_string(&path).expect("no README.md"));
    let marks = blocks.iter().flat_map(|block| block.lines()).filter_map(mark).count();
    assert!(blocks.len() >= 3 && marks >= 5, "a tour of {} blocks and {marks} marks", blocks.len());
    let stoa: Stoa = host::shared(database);
    let shop = stoa.company();
    let place = stoa_tests::folder::Folder::new("tour");
    follow(&blocks, place.path(), &[("URL", &stoa.url()), ("TOKEN", &shop.token), ("TENANT", &shop.tenant)]);
}
