//! The binary `stoa`.

use std::io::Write as _;

use stoa::cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// In huge pages the heap takes 20 MiB more, which the kernel clears at each start. Reads are no slower without them.
fn disable_huge_pages() {
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code, reason = "no library of the workspace sets flags of a process")]
    // SAFETY: prctl takes five numbers, of this type but for the first, and sets a flag.
    unsafe {
        let [no, yes] = [0_u8, 1].map(libc::c_ulong::from);
        // A kernel that refuses keeps huge pages.
        libc::prctl(libc::PR_SET_THP_DISABLE, yes, no, no, no);
    }
}

fn main() {
    disable_huge_pages();
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
