//! `env.sh` in the data folder: a shell that reads it has the values of the running service, and `stoa` on its path.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Started;

/// Writes the file, which only its owner may read: it has a token and a key. Returns its path. `programs`: the folder of `stoa`.
pub fn write(started: &Started, programs: &Path, data: &Path) -> Result<PathBuf> {
    let file = data.join("env.sh");
    let text = make_script(started, &programs.display().to_string());
    let mut options = std::fs::File::options();
    let opened = options.create(true).write(true).truncate(true).mode(0o600).open(&file);
    let written = opened.and_then(|mut opened| opened.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

fn make_script(started: &Started, programs: &str) -> String {
    let shop = started.tenant_id.as_ref().map(|tenant| format!("{}/v1/tenants/{tenant}", started.url));
    let values = [
        ("URL", Some(&started.url)),
        ("TOKEN", Some(&started.user_token)),
        ("TENANT", started.tenant_id.as_ref()),
        ("SHOP", shop.as_ref()),
        ("API_KEY", started.api_key.as_ref()),
        ("RECEIVER", Some(&started.webhook_receiver)),
    ];
    let known = values.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let mut text: String = known.map(|(name, value)| format!("{name}={}\n", quote(value))).collect();
    text.push_str(&format!("PATH={}:$PATH\n", quote(programs)));
    text
}

/// The text as one word of a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_values() {
        let mut started = Started {
            url: "http://127.0.0.1:1".to_owned(),
            docs_url: None,
            private_url: None,
            user_token: "a.b.c".to_owned(),
            tenant_id: Some("7".to_owned()),
            api_key: None,
            operator_token: None,
            webhook_receiver: "127.0.0.1:2".to_owned(),
        };
        let text = make_script(&started, "/it's here");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&"SHOP='http://127.0.0.1:1/v1/tenants/7'"), "{text}");
        assert!(lines.contains(&"RECEIVER='127.0.0.1:2'") && lines.contains(&r"PATH='/it'\''s here':$PATH"), "{text}");
        assert!(!text.contains("API_KEY"), "{text}");
        started.tenant_id = None;
        assert!(!make_script(&started, "").contains("SHOP"));
    }
}
