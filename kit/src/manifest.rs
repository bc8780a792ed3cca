//! The manifest of a module outside the workspace: the template's, with what it takes from the workspace spelt out, so that there
//! is one list of versions.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The workspace's manifest, whose entries are one line each.
const WORKSPACE: &str = include_str!("../../Cargo.toml");

/// Where the SDK comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Sdk {
    Folder {
        /// The folder of the crate, from the root.
        path: PathBuf,
        /// The author named it from the working folder: the module and the SDK move together.
        is_relative: bool,
    },
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
                let path = folder.canonicalize().context("the SDK's folder has no path")?;
                return Ok(Sdk::Folder { path, is_relative: Path::new(text).is_relative() });
            }
        }
        bail!("{text} is neither the folder of stoa-sdk nor a git address")
    }

    /// The SDK itself, or a library whose folder is next to the SDK's, as the manifest in `module` names it: from
    /// there where both lie in one folder or the author named the SDK so, else from the root.
    fn dependency(&self, library: Option<&str>, module: &Path) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Sdk::Folder { path, is_relative } => {
                let mut folder = library.map_or_else(|| path.clone(), |library| path.with_file_name(library));
                if *is_relative || module.parent().is_some_and(|beside| folder.starts_with(beside)) {
                    folder = lead(module, &folder);
                }
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
        let Sdk::Folder { path, .. } = self else { return None };
        path.ancestors().map(|folder| folder.join("Cargo.lock")).find(|file| file.is_file())
    }
}

/// The way from one folder to another, both from the root.
fn lead(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(ours, theirs)| ours == theirs).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

/// The manifest of a member of the workspace as that of a crate of its own. `module`: the folder of that crate, from
/// the root.
pub fn alone(member: &str, sdk: &Sdk, module: &Path) -> String {
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
            Some("stoa-sdk") => text.push_str(&format!("stoa-sdk = {}", sdk.dependency(None, module))),
            Some("stoa-trade") => text.push_str(&format!("stoa-trade = {}", sdk.dependency(Some("trade"), module))),
            Some(name) => text.push_str(workspace_line(section, name)),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text.push_str(profile());
    text.push_str("\n# A workspace of its own, wherever it lies.\n[workspace]\n");
    text
}

/// The line of the workspace that a member's entry inherits.
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

/// `[profile.module]` with the comment above it, without what it says of packages, of which an author has none.
fn profile() -> &'static str {
    let start = WORKSPACE.find("[profile.module]").unwrap_or(WORKSPACE.len());
    let above = WORKSPACE.get(..start).and_then(|text| text.rfind("\n\n")).map_or(start, |blank| blank + 2);
    let end = WORKSPACE.get(start..).and_then(|text| text.find("\n\n")).map_or(WORKSPACE.len(), |end| start + end + 1);
    WORKSPACE.get(above..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBER: &str = "[package]\nname = \"gift-cards\"\nversion.workspace = true\nlicense.workspace = true\n\n\
        [dependencies]\nstoa-sdk.workspace = true\nstoa-trade.workspace = true\nserde.workspace = true\n\n[lints]\nworkspace = true\n";

    #[test]
    fn nothing_of_the_workspace_is_left() {
        let sdk = Sdk::Git { url: "https://host.example/stoa".to_owned(), revision: None };
        let manifest = alone(MEMBER, &sdk, Path::new("/modules/gift-cards"));
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
        for absent in ["workspace = true", "license", "[profile.module.package"] {
            assert!(!manifest.contains(absent), "{absent} in\n{manifest}");
        }
    }

    #[test]
    fn the_sdk_is_a_folder_or_an_address() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let sdk = Sdk::read(&here.to_string_lossy()).expect("the repository holds it");
        assert_eq!(Some(sdk.clone()), Sdk::read(&here.join("components/sdk").to_string_lossy()).ok());
        assert!(sdk.lock_file().is_some());
        assert!(sdk.dependency(Some("trade"), Path::new("/")).ends_with("components/trade\" }"));
        assert!(Sdk::read(env!("CARGO_MANIFEST_DIR")).is_err());
        let tagged = Sdk::read("https://host.example/stoa#v1").expect("an address");
        assert_eq!(tagged.dependency(None, Path::new("/")), "{ git = \"https://host.example/stoa\", rev = \"v1\" }");
    }

    #[test]
    fn an_sdk_beside_the_module_is_named_from_there() {
        let sdk = |is_relative| Sdk::Folder { path: "/src/stoa/components/sdk".into(), is_relative };
        let path = |is_relative, module: &str| sdk(is_relative).dependency(None, Path::new(module));
        assert_eq!(path(false, "/src/loyalty"), "{ path = \"../stoa/components/sdk\" }");
        assert_eq!(path(false, "/opt/acme/loyalty"), "{ path = \"/src/stoa/components/sdk\" }");
        assert_eq!(path(true, "/opt/acme/loyalty"), "{ path = \"../../../src/stoa/components/sdk\" }");
    }
}
