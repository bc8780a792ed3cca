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

/// A guest of `tests/guests`, as `cargo xtask build-modules` leaves it next to the modules.
pub fn guest(name: &str) -> Vec<u8> {
    let beside = folder().parent().map(|parent| parent.join("test-modules")).unwrap_or_default();
    let path = beside.join(format!("{name}.wasm"));
    fs::read(&path).unwrap_or_else(|error| panic!("no guest {}: {error}; run cargo xtask test", path.display()))
}

/// Changes that an operator consents to for an extension.
pub const CONSENT: &[&str] = &["POINT_EXTENDED", "EVENT_RECEIVED", "TIMER_ADDED", "SERVICE_WANTED"];

/// Where the example modules and the template lie, as `cargo xtask build-modules --examples` leaves them next to the modules.
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

/// A folder without any module: a host of it has only its own operations, and starts at once.
pub fn none() -> &'static Path {
    static NONE: LazyLock<Folder> = LazyLock::new(|| empty_with(&[]));
    NONE.path()
}

/// A folder of its own with only these files.
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
    with_form(guest("changeling"), b"the changeling's form: 1", form)
}

/// The extender guest in one of its forms, and with a letter in its names: `extender-a`. It receives the events of
/// `extender-b`, as every other one receives those of `extender-a`. `tests/guests/extender/src/lib.rs` lists the forms.
pub fn extender(letter: char, form: u8) -> Vec<u8> {
    let other = if letter == 'a' { 'b' } else { 'a' };
    let upper = letter.to_ascii_uppercase();
    [
        ("extender-a", format!("extender-{letter}")),
        ("EXTENDER_A", format!("EXTENDER_{upper}")),
        ("ExtenderA", format!("Extender{upper}")),
        ("extender-x", format!("extender-{other}")),
    ]
    .iter()
    .fold(with_form(guest("extender"), b"the extender's form: 1", form), |bytes, (name, by)| {
        replace_name(&bytes, name, by)
    })
}

/// The guest with the digit of a form at the end of its mark.
fn with_form(mut bytes: Vec<u8>, mark: &[u8], form: u8) -> Vec<u8> {
    let found: Vec<usize> =
        bytes.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark).map(|(offset, _)| offset).collect();
    let [offset] = found[..] else { panic!("the guest has its mark at {found:?}") };
    bytes[offset + mark.len() - 1] = b'0' + form;
    bytes
}

/// A component with every occurrence of a name replaced by another of the same length.
pub fn replace_name(component: &[u8], name: &str, by: &str) -> Vec<u8> {
    assert_eq!(name.len(), by.len());
    let mut bytes = component.to_vec();
    let is_name = |offset: &usize| bytes[*offset..].starts_with(name.as_bytes());
    let offsets: Vec<usize> = (0..bytes.len() - name.len()).filter(is_name).collect();
    assert!(!offsets.is_empty(), "no {name} in the component");
    offsets.into_iter().for_each(|offset| bytes[offset..offset + by.len()].copy_from_slice(by.as_bytes()));
    bytes
}
