//! Released WIT packages are frozen: modules that others built against them are linked by their names and types.

use std::path::Path;

use anyhow::{Result, bail};

use crate::wit_package::{self, FOLDER, RELEASED};
use crate::workspace::Workspace;

pub fn check(workspace: &Workspace) -> Result<()> {
    let faults = faults(&workspace.root.join(FOLDER))?;
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

fn faults(folder: &Path) -> Result<Vec<String>> {
    let packages = wit_package::packages(folder)?;
    let list = wit_package::read_released(folder)?;
    let mut faults = Vec::new();
    for released in &list {
        match packages.iter().find(|package| package.id() == released.id) {
            None => faults.push(format!("{} is released, but its package is gone", released.id)),
            Some(package) if package.digest != released.digest => {
                faults.push(format!(
                    "{} is released and was changed: give it a new version in a new folder",
                    released.id
                ));
            }
            Some(_) => {}
        }
    }
    // Before 1.0 a package promises nothing, unless it is listed.
    let promised = |package: &&wit_package::WitPackage| package.version.major > 0 && package.version.pre.is_empty();
    for package in packages.iter().filter(promised) {
        let id = package.id();
        if !list.iter().any(|released| released.id == id) {
            faults.push(format!(
                "{id} is not in {FOLDER}/{RELEASED}: `cargo xtask release-wit {id}`, or make it a prerelease"
            ));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// A folder of packages that goes with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Folder {
            let folder = std::env::temp_dir().join(format!("stoa-wit-{}", uuid::Uuid::new_v4().simple()));
            fs::create_dir_all(&folder).expect("a folder");
            Folder(folder)
        }

        fn write(&self, file: &str, text: &str) {
            let file = self.0.join(file);
            fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            fs::write(file, text).expect("written");
        }

        fn release_all(&self) {
            let lines = wit_package::packages(&self.0).expect("packages");
            let lines: Vec<String> =
                lines.iter().map(|package| format!("{} {}\n", package.id(), package.digest)).collect();
            self.write(RELEASED, &format!("# A comment.\n{}", lines.concat()));
        }

        #[track_caller]
        fn expect_faults(&self, words: &[&str]) {
            let faults = faults(&self.0).expect("a verdict");
            assert_eq!(faults.len(), words.len(), "{faults:?}");
            for word in words {
                assert!(faults.iter().any(|fault| fault.contains(word)), "{faults:?} does not name {word}");
            }
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const TEXT: &str = "package commerce:a@1.0.0;\ninterface i { f: func() -> u32; }\n";

    #[test]
    fn a_released_package_neither_changes_nor_goes() {
        let folder = Folder::new();
        folder.write("a/a.wit", TEXT);
        folder.write("b/b.wit", "package commerce:b@0.2.0;\ninterface i { f: func(); }\n");
        folder.expect_faults(&["commerce:a@1.0.0 is not in"]);
        folder.release_all();
        folder.expect_faults(&[]);
        // Words for people are not part of it.
        folder.write("a/a.wit", &format!("/// What it is.\n{}", TEXT.replace("; }", ";\n}")));
        folder.expect_faults(&[]);
        folder.write("a/a.wit", &TEXT.replace("u32", "u64"));
        folder.expect_faults(&["commerce:a@1.0.0 is released and was changed"]);
        // Another file of the package counts too.
        folder.write("a/a.wit", TEXT);
        folder.write("a/more.wit", "interface j {}\n");
        folder.expect_faults(&["commerce:a@1.0.0 is released and was changed"]);
        fs::remove_file(folder.0.join("a/more.wit")).expect("removed");
        fs::remove_dir_all(folder.0.join("b")).expect("removed");
        folder.expect_faults(&["commerce:b@0.2.0 is released, but its package is gone"]);
    }

    #[test]
    fn before_1_0_a_package_may_change_unless_it_is_listed() {
        let folder = Folder::new();
        let early = TEXT.replace("1.0.0", "0.1.0");
        folder.write("a/a.wit", &early);
        folder.expect_faults(&[]);
        folder.write("a/a.wit", &early.replace("u32", "u64"));
        folder.expect_faults(&[]);
        folder.release_all();
        folder.write("a/a.wit", &early);
        folder.expect_faults(&["commerce:a@0.1.0 is released and was changed"]);
    }

    #[test]
    fn a_new_version_lies_beside_the_old_one() {
        let folder = Folder::new();
        folder.write("a/a.wit", TEXT);
        folder.release_all();
        folder.write("a-next/a.wit", &TEXT.replace("1.0.0", "1.1.0-rc.1"));
        folder.expect_faults(&[]);
        folder.write("a-next/a.wit", &TEXT.replace("1.0.0", "1.1.0"));
        folder.expect_faults(&["commerce:a@1.1.0 is not in"]);
        // In the place of the old one it takes it away.
        fs::remove_dir_all(folder.0.join("a")).expect("removed");
        folder.expect_faults(&["commerce:a@1.1.0 is not in", "commerce:a@1.0.0 is released, but its package is gone"]);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (file, text) in [
            ("a/a.wit", "interface i {}\n"),
            ("a/a.wit", "package commerce:a;\n"),
            ("a/a.wit", "package commerce:a@one;\n"),
            (RELEASED, "commerce:a@1.0.0\n"),
            (RELEASED, "commerce:a@1.0.0 00\ncommerce:a@1.0.0 01\n"),
        ] {
            let folder = Folder::new();
            folder.write(file, text);
            assert!(faults(&folder.0).is_err(), "{text}");
        }
        let folder = Folder::new();
        folder.write("a/a.wit", TEXT);
        folder.write("b/a.wit", TEXT);
        assert!(faults(&folder.0).is_err(), "one package in two folders");
    }
}
