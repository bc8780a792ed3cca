//! The manifest of a module that stands alone: the template's, with what it takes from the workspace spelt out, so that there
//! is one list of versions.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The workspace's manifest, whose entries are one line each.
const WORKSPACE: &str = include_str!("../../Cargo.toml");

/// Where the SDK comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Sdk {
    /// The folder of the crate.
    Path(PathBuf),
    Git {
        url: String,
        /// A commit or a tag.
        revision: Option<String>,
    },
}

impl Sdk {
    /// Reads a folder (of the SDK, or of the repository that holds it) or a git address, `URL` or `URL#REVISION`.
    ///
    /// # Errors
    /// There is no SDK in the folder.
    pub fn read(text: &str) -> Result<Sdk> {
        if text.contains("://") || text.starts_with("git@") {
            let (url, revision) = text.split_once('#').map_or((text, None), |(url, revision)| (url, Some(revision)));
            return Ok(Sdk::Git { url: url.to_owned(), revision: revision.map(str::to_owned) });
        }
        let folder = Path::new(text);
        for folder in [folder.to_path_buf(), folder.join("components/sdk")] {
            let named = std::fs::read_to_string(folder.join("Cargo.toml"));
            if named.is_ok_and(|manifest| manifest.contains("name = \"stoa-sdk\"")) {
                return Ok(Sdk::Path(folder.canonicalize().context("the SDK's folder has no path")?));
            }
        }
        bail!("{text} is neither the folder of stoa-sdk nor a git address")
    }

    /// The SDK itself, or a library whose folder lies beside the SDK's.
    fn dependency(&self, library: Option<&str>) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Sdk::Path(sdk) => {
                let folder = library.map_or_else(|| sdk.clone(), |library| sdk.with_file_name(library));
                format!("{{ path = {} }}", quoted(&folder.to_string_lossy()))
            }
            Sdk::Git { url, revision: None } => format!("{{ git = {} }}", quoted(url)),
            Sdk::Git { url, revision: Some(revision) } => {
                format!("{{ git = {}, rev = {} }}", quoted(url), quoted(revision))
            }
        }
    }

    /// The versions that the SDK was built with, where it lies on this machine.
    pub fn lock_file(&self) -> Option<PathBuf> {
        let Sdk::Path(folder) = self else { return None };
        folder.ancestors().map(|folder| folder.join("Cargo.lock")).find(|file| file.is_file())
    }
}

/// The manifest of a member of the workspace as that of a crate of its own.
pub fn alone(member: &str, sdk: &Sdk) -> String {
    let mut text = String::new();
    let mut section = "";
    for line in member.lines() {
        if line.starts_with('[') {
            section = line;
        }
        // Lints are the workspace's, the licence is the author's to choose.
        if section == "[lints]" || line.starts_with("license") {
            continue;
        }
        match line.strip_suffix(".workspace = true") {
            Some("stoa-sdk") => text.push_str(&format!("stoa-sdk = {}", sdk.dependency(None))),
            Some("stoa-trade") => text.push_str(&format!("stoa-trade = {}", sdk.dependency(Some("trade")))),
            Some(name) => text.push_str(workspace_line(section, name)),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text.push_str(profile());
    text.push_str("\n# A workspace of its own, wherever it lies.\n[workspace]\n");
    text
}

/// The line of the workspace that a member's entry stands for.
fn workspace_line(section: &str, name: &str) -> &'static str {
    let heading = match section {
        "[package]" => "[workspace.package]",
        _ => "[workspace.dependencies]",
    };
    let entry = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='));
    lines_of(heading).find(entry).unwrap_or_default()
}

fn lines_of(heading: &str) -> impl Iterator<Item = &'static str> {
    WORKSPACE.lines().skip_while(move |line| *line != heading).skip(1).take_while(|line| !line.starts_with('['))
}

/// `[profile.module]` with the comment above it.
fn profile() -> &'static str {
    let start = WORKSPACE.find("[profile.module]").unwrap_or(WORKSPACE.len());
    let above = WORKSPACE.get(..start).and_then(|text| text.rfind("\n\n")).map_or(start, |blank| blank + 2);
    WORKSPACE.get(above..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBER: &str = "[package]\nname = \"gift-cards\"\nversion.workspace = true\nlicense.workspace = true\n\n\
        [dependencies]\nstoa-sdk.workspace = true\nstoa-trade.workspace = true\nserde.workspace = true\n\n[lints]\nworkspace = true\n";

    #[test]
    fn nothing_of_the_workspace_is_left() {
        let manifest = alone(MEMBER, &Sdk::Git { url: "https://host.example/stoa".to_owned(), revision: None });
        for line in [
            "version = \"0.1.0\"",
            "stoa-sdk = { git = \"https://host.example/stoa\" }",
            "stoa-trade = { git = \"https://host.example/stoa\" }",
            "serde = { version = \"1\", features = [\"derive\"] }",
            "[profile.module]",
            "panic = \"abort\"",
            "[workspace]",
        ] {
            assert!(manifest.lines().any(|other| other == line), "{line} in\n{manifest}");
        }
        assert!(!manifest.contains("workspace = true") && !manifest.contains("license"), "{manifest}");
    }

    #[test]
    fn the_sdk_is_a_folder_or_an_address() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let sdk = Sdk::read(&here.to_string_lossy()).expect("the repository holds it");
        assert_eq!(Some(sdk.clone()), Sdk::read(&here.join("components/sdk").to_string_lossy()).ok());
        assert!(sdk.lock_file().is_some());
        assert!(sdk.dependency(Some("trade")).ends_with("components/trade\" }"));
        assert!(Sdk::read(env!("CARGO_MANIFEST_DIR")).is_err());
        let tagged = Sdk::read("https://host.example/stoa#v1").expect("an address");
        assert_eq!(tagged.dependency(None), "{ git = \"https://host.example/stoa\", rev = \"v1\" }");
    }
}
