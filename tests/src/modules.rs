//! Folders of modules: the real ones, and the real ones with guests that mean harm.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::folder::Folder;
use crate::host::workspace;

/// `STOA_TEST_MODULES`, by default `target/modules` of the workspace.
pub fn folder() -> PathBuf {
    std::env::var_os("STOA_TEST_MODULES").map_or_else(|| workspace().join("target/modules"), PathBuf::from)
}

/// A guest of `tests/guests`, as `cargo xtask build-modules` leaves it beside the modules.
pub fn guest(name: &str) -> Vec<u8> {
    let beside = folder().parent().map(|parent| parent.join("test-modules")).unwrap_or_default();
    let path = beside.join(format!("{name}.wasm"));
    fs::read(&path).unwrap_or_else(|error| panic!("no guest {}: {error}; run cargo xtask test", path.display()))
}

/// Where the example modules and the template lie, as `cargo xtask build-modules --examples` leaves them beside the modules.
pub fn example(name: &str) -> PathBuf {
    let beside = folder().parent().map(|parent| parent.join("examples")).unwrap_or_default();
    let path = beside.join(format!("{name}.wasm"));
    assert!(path.is_file(), "no example {}; run cargo xtask test", path.display());
    path
}

/// A folder of its own with the suite's modules and these files.
pub fn with(files: &[(&str, &[u8])]) -> Folder {
    let made = empty_with(files);
    for entry in fs::read_dir(folder()).unwrap_or_else(|error| panic!("no modules: {error}")) {
        let path = entry.expect("a file of the modules' folder").path();
        if path.extension().is_some_and(|kind| kind == "wasm") {
            copy(&path, made.path());
        }
    }
    made
}

/// A folder without any module: a host of it has its own operations alone, and starts at once.
pub fn none() -> &'static Path {
    static NONE: LazyLock<Folder> = LazyLock::new(|| empty_with(&[]));
    NONE.path()
}

/// A folder of its own with these files alone.
pub fn empty_with(files: &[(&str, &[u8])]) -> Folder {
    let made = Folder::new("modules");
    for (name, bytes) in files {
        fs::write(made.path().join(name), bytes).expect("cannot write a module");
    }
    made
}

fn copy(file: &Path, into: &Path) {
    let name = file.file_name().expect("a file has a name");
    fs::copy(file, into.join(name)).expect("cannot copy a module");
}

/// The changeling guest in one of its forms: `tests/guests/changeling/src/lib.rs` lists them.
pub fn changeling(form: u8) -> Vec<u8> {
    const FORM: &[u8] = b"the changeling's form: 1";
    let mut bytes = guest("changeling");
    let found: Vec<usize> =
        bytes.windows(FORM.len()).enumerate().filter(|(_, window)| *window == FORM).map(|(offset, _)| offset).collect();
    let [offset] = found[..] else { panic!("the changeling has its mark at {found:?}") };
    bytes[offset + FORM.len() - 1] = b'0' + form;
    bytes
}
