//! The binary `stoa`.

use std::io::Write as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let ended = stoa::cli::run();
    let is_log_written = stoa::log_writer::finish();
    if let Err(error) = ended {
        // The exit status counts even where stderr cannot be written, and a stderr that takes no line of the log is not waited for.
        if is_log_written {
            let _ = writeln!(std::io::stderr(), "stoa: {error:#}");
        }
        std::process::exit(if error.is::<stoa::cli::Unfinished>() { 2 } else { 1 });
    }
}
