//! The binary `stoa`.

use std::io::Write as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    if let Err(error) = stoa::cli::run() {
        // The exit status counts even where stderr cannot be written.
        let _ = writeln!(std::io::stderr(), "stoa: {error:#}");
        std::process::exit(if error.is::<stoa::cli::Unfinished>() { 2 } else { 1 });
    }
}
