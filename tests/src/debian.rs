//! A Debian system without anything of this machine, and programs of Debian's that are not installed. Both come from
//! the mirror that this machine uses, once for all runs of a clone. An `Err` says why there is none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::host::workspace;
use crate::npm::may_fetch;

/// Two tests of a run want the same.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The smallest system with the tools that pages name, made by `debootstrap`. Its folder is for root.
pub fn system() -> Result<PathBuf, String> {
    let programs = programs(&["debootstrap"])?;
    make("system", &|folder| {
        let script = r#"
            [ "$(id -u)" = 0 ] || { echo "only root makes a system"; exit 1; }
            . /etc/os-release
            mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources | head -n 1)
            "$PROGRAMS/usr/sbin/debootstrap" --variant=minbase \
                --include=ca-certificates,curl,openssl,postgresql-client "$VERSION_CODENAME" . "$mirror"
        "#;
        let mut shell = shell(script, folder);
        shell.env("PROGRAMS", &programs).env("DEBOOTSTRAP_DIR", programs.join("usr/share/debootstrap"));
        run(&mut shell)
    })
}

/// The files of packages, unpacked but not installed: programs are in `usr/bin` and `usr/sbin` of the folder.
pub fn programs(packages: &[&str]) -> Result<PathBuf, String> {
    make(&format!("programs-{}", packages.join("-")), &|folder| {
        let script = "apt-get download -qq $PACKAGES; for file in *.deb; do dpkg -x \"$file\" .; done; rm -- *.deb";
        run(shell(script, folder).env("PACKAGES", packages.join(" ")))
    })
}

/// A folder in `target`, which is there only when it is complete.
fn make(name: &str, fill: &dyn Fn(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    let place = workspace().join("target/debian").join(name);
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if place.is_dir() {
        return Ok(place);
    }
    may_fetch()?;
    let part = place.with_extension(format!("part-{}", std::process::id()));
    fs::create_dir_all(&part).expect("cannot make a folder in target");
    let filled = fill(&part);
    if filled.is_err() {
        let _ = fs::remove_dir_all(&part);
        return filled.map(|()| place);
    }
    fs::rename(&part, &place).expect("cannot move a folder in target");
    Ok(place)
}

fn shell(script: &str, folder: &Path) -> Command {
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("set -euo pipefail\n{script}")]).current_dir(folder);
    shell
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("bash cannot be run: {error}"))?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).trim().lines().last().unwrap_or_default().to_owned();
    if output.status.success() { Ok(()) } else { Err(said) }
}
