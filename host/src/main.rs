//! The binary `stoa`.

use std::io::Write as _;

use stoa::cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    cli::end_when_nobody_reads();
    let ended = cli::run();
    let is_log_written = stoa::log_writer::finish();
    if let Err(error) = ended {
        // The exit status counts even where stderr cannot be written, and a stderr that takes no line of the log is not
        // waited for.
        if is_log_written {
            let _ = writeln!(std::io::stderr(), "stoa: {error:#}");
            if let Some(help) = cli::explain_database_error(&error) {
                let _ = writeln!(std::io::stderr(), "{help}");
            }
        }
        std::process::exit(if error.is::<cli::Unfinished>() { 2 } else { 1 });
    }
}
