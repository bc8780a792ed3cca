//! `stoa import`: runs the program `stoa-import`, a client of the public API on which the host does not depend.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

/// In the folder of this program, or in a folder of PATH.
const PROGRAM: &str = "stoa-import";

/// Replaces this process by the program, whose exit status and signals are then this one's. Returns only where it
/// cannot start.
pub fn run(arguments: impl Iterator<Item = OsString>) -> anyhow::Result<()> {
    let beside = std::env::current_exe().ok().map(|program| program.with_file_name(PROGRAM));
    let program = beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(PROGRAM));
    let error = Command::new(program).args(arguments).exec();
    if error.kind() == ErrorKind::NotFound {
        anyhow::bail!("the program {PROGRAM} is missing: put it into the folder of `stoa` or into a folder of PATH");
    }
    anyhow::bail!("cannot start {PROGRAM}: {error}")
}
