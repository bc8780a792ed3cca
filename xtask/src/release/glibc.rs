//! The oldest C library that a program runs with.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use semver::Version;

use crate::program;

/// The newest version of glibc of which the program uses a function: `2.34`.
pub fn find_newest(file: &Path) -> Result<String> {
    let symbols = program::output(Command::new("objdump").arg("--dynamic-syms").arg(file))?;
    let newest = list_versions(&symbols).max();
    Ok(newest.map_or_else(|| "of any version".to_owned(), |version| format!("{}.{}", version.major, version.minor)))
}

/// Versions in `(GLIBC_2.34)`, with a patch of zero where there is none.
fn list_versions(symbols: &str) -> impl Iterator<Item = Version> {
    let marks = symbols.split("GLIBC_").skip(1);
    marks.filter_map(|rest| {
        let text = rest.split(|letter: char| !letter.is_ascii_digit() && letter != '.').next()?;
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        Some(Version::new(numbers.next()??, numbers.next().flatten()?, numbers.next().flatten().unwrap_or(0)))
    })
}

#[cfg(test)]
mod tests {
    use super::list_versions;

    #[test]
    fn the_newest_version_is_compared_by_number() {
        let symbols =
            "0 DF *UND* 0 (GLIBC_2.9) poll\n0 DF *UND* 0 (GLIBC_2.34) write\n0 (GLIBC_2.2.5) read\n0 (GLIBC_PRIVATE) x";
        let newest = list_versions(symbols).max().unwrap();
        assert_eq!((newest.major, newest.minor), (2, 34));
    }
}
