//! The direction of the house: imports lead down. The host's folders have one order from ground to roof, the files of the SDK
//! and the parts of a module in others; a file that imports a part above or next to its own is a fault. Tests may import
//! anything.
//!
//! Read from the text: every path that begins with `crate` or `super`, in a `use` or in the code.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::tidy::{File, files};
use crate::workspace::Workspace;

/// From ground to roof. Parts of one line are next to each other and do not import each other.
type Order = &'static [&'static [&'static str]];

const HOST: Order = &[
    &["log_writer"],
    &["calendar", "ids", "keyring", "problem", "secret_file", "watchdog", "wit"],
    &["observe"],
    &["database"],
    &["contract"],
    &["store"],
    &["identity"],
    &["operations"],
    &["sandbox"],
    &["gate"],
    &["pipeline"],
    &["events", "governance", "purge"],
    &["oci"],
    &["platform"],
    &["deployment"],
    &["backup", "export", "tenant_move"],
    &["http"],
    &["settings"],
    &["doctor"],
    &["cli"],
    &["lib", "main"],
];

/// `bindings` is what a module's WIT makes of itself.
const MODULE: Order = &[
    &["bindings", "examples", "item_codes"],
    &["records"],
    &["rules"],
    &["work"],
    &["operations", "services", "verify", "upkeep"],
    &["lib"],
];

/// The order of the crate that modules are written against. `plain` is macros, which every file below it may use by name.
const SDK: Order = &[
    &["bindings", "hint", "plain", "service_access", "sets"],
    &["decimal", "extension", "instant", "json", "text"],
    &["date", "id"],
    &["collection", "field"],
    &["host"],
    &["event", "filter", "kept", "page", "problem", "reply", "service"],
    &["call", "extending", "operation", "store"],
    &["module"],
    &["scripted"],
    &["lib"],
];

/// The console: the seam and what needs nothing at the ground, pages of commerce and of operators at the roof.
const CONSOLE: Order = &[
    &["clock", "host", "pairs"],
    &["files", "site"],
    &["call"],
    &["commerce"],
    &["page"],
    &["session"],
    &["form"],
    &["show"],
    &["shop"],
    &["route"],
    &["operator"],
    &["lib"],
];

/// Faults of a crate that are known and accepted for now. Lower the number as they go; an entry that is too generous is itself a
/// fault.
const DEBTS: &[(&str, usize)] = &[];

pub fn check(workspace: &Workspace) -> Result<()> {
    let files = files(workspace)?;
    let mut crates =
        vec![("host".to_owned(), HOST), ("components/sdk".to_owned(), SDK), ("console".to_owned(), CONSOLE)];
    crates.extend(modules(&files).into_iter().map(|module| (module, MODULE)));
    let mut faults = Vec::new();
    let mut debts: BTreeMap<&str, usize> = DEBTS.iter().copied().collect();
    for (name, order) in crates {
        let found: Vec<String> = files.iter().flat_map(|file| judge(order, &name, file)).collect();
        let debt = debts.remove(name.as_str()).unwrap_or(0);
        if found.len() > debt {
            faults.push(format!("{name}: {} imports run back, {debt} are known:", found.len()));
            faults.extend(found);
        } else if found.len() < debt {
            faults.push(format!("{name}: {} imports run back, not {debt}: lower the debt", found.len()));
        }
    }
    faults.extend(debts.keys().map(|name| format!("{name}: a debt of a crate that is gone")));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// Folders of the packages that become components, but for the suite's guests.
fn modules(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path.starts_with("components/") && file.text.contains("cdylib"))
        .filter_map(|file| Some(file.path.strip_suffix("/Cargo.toml")?.to_owned()))
        .collect()
}

/// Lists the faults of a file of a crate.
fn judge(order: Order, folder: &str, file: &File) -> Vec<String> {
    let Some(place) = place(folder, &file.path) else { return Vec::new() };
    let part = place.first().map_or("lib", String::as_str);
    if place.iter().any(|step| step == "tests") {
        return Vec::new();
    }
    let Some(own_floor) = floor(order, part) else {
        return vec![format!("{}: `{part}` is no part of the plan", file.path)];
    };
    let mut faults = Vec::new();
    for (line, imported) in imports(&place, &file.text) {
        if imported == part || floor(order, &imported).is_some_and(|theirs| theirs < own_floor) {
            continue;
        }
        // Items that `lib.rs` itself declares belong to the roof.
        let imported = if floor(order, &imported).is_some() {
            imported
        } else {
            format!("{imported} (of lib, or no part of the plan)")
        };
        if part != "lib" {
            faults.push(format!("{}:{line}: `{part}` imports `{imported}`", file.path));
        }
    }
    faults
}

fn floor(order: Order, part: &str) -> Option<usize> {
    order.iter().position(|parts| parts.contains(&part))
}

/// The module path of a file within its crate: `src/a/b.rs` and `src/a/b/mod.rs` are `a::b`; `lib.rs` is the root.
fn place(folder: &str, path: &str) -> Option<Vec<String>> {
    let inside = path.strip_prefix(folder)?.strip_prefix("/src/")?.strip_suffix(".rs")?;
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    Some(if inside == "lib" { Vec::new() } else { inside.split('/').map(str::to_owned).collect() })
}

/// The parts of its crate that a file names, each with its line.
fn imports(place: &[String], text: &str) -> Vec<(usize, String)> {
    let code = code(text);
    let mut found = Vec::new();
    let mut offset = 0;
    while let Some(next) = code[offset..].find(['c', 's']).map(|next| offset + next) {
        offset = next + 1;
        // `$crate` is written where a macro is used, in another crate.
        let within = |before: char| before.is_alphanumeric() || matches!(before, '_' | ':' | '$');
        let fresh = !code[..next].ends_with(within);
        if !fresh {
            continue;
        }
        let Some((base, rest)) = begin(place, &code[next..]) else { continue };
        let line = code[..next].matches('\n').count() + 1;
        match base.first() {
            Some(part) => found.push((line, part.clone())),
            None => found.extend(heads(rest).into_iter().map(|part| (line, part))),
        }
    }
    found
}

/// Where a path begins that starts with `crate` or `super`, and what follows that beginning.
fn begin<'t>(place: &[String], path: &'t str) -> Option<(Vec<String>, &'t str)> {
    if let Some(rest) = path.strip_prefix("crate::") {
        return Some((Vec::new(), rest));
    }
    let mut base = place.to_vec();
    let mut rest = path.strip_prefix("super::")?;
    base.pop();
    while let Some(tail) = rest.strip_prefix("super::") {
        base.pop();
        rest = tail;
    }
    Some((base, rest))
}

/// The first names of a path, or of a braced list of paths.
fn heads(path: &str) -> Vec<String> {
    let name = |text: &str| {
        let text = text.trim_start();
        let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
        text.get(..end).filter(|name| !name.is_empty()).map(str::to_owned)
    };
    let Some(list) = path.strip_prefix('{') else { return name(path).into_iter().collect() };
    let mut names = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (offset, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            ',' if depth == 0 => {
                names.extend(name(&list[start..offset]));
                start = offset + 1;
            }
            '}' if depth == 0 => {
                names.extend(name(&list[start..offset]));
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names
}

/// The text without comments and without the text behind `#[cfg(test)]`, line by line as it was.
pub(super) fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    // The open braces of an item for tests, once it has begun.
    let mut test: Option<Option<usize>> = None;
    for line in text.lines() {
        let line = line.split_once("//").map_or(line, |(code, _)| code);
        if test.is_none() && line.trim_start().starts_with("#[cfg(test)]") {
            test = Some(None);
        }
        match &mut test {
            None => code.push_str(line),
            Some(open) => {
                let depth = open.unwrap_or(0) + line.matches('{').count();
                let left = depth.saturating_sub(line.matches('}').count());
                let begun = open.is_some() || depth > 0;
                let over = if begun { left == 0 } else { line.trim_end().ends_with(';') };
                *open = begun.then_some(left);
                if over {
                    test = None;
                }
            }
        }
        code.push('\n');
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge_text(order: Order, folder: &str, path: &str, text: &str) -> Vec<String> {
        let file = File { path: format!("{folder}/src/{path}"), text: text.to_owned() };
        judge(order, folder, &file).into_iter().map(|fault| fault.replace(&file.path, "")).collect()
    }

    #[test]
    fn an_import_that_runs_back_is_found_in_the_host() {
        let host = |path: &str, text: &str| judge_text(HOST, "host", path, text);
        for forward in ["use crate::{problem::Problem, database::Error};\n", "use crate::store::Schema;\n", ""] {
            assert_eq!(host("pipeline/run.rs", forward), [""; 0], "{forward}");
        }
        for (text, expected) in [
            ("//! Head.\nuse crate::http::routes;\n", ":2: `pipeline` imports `http`"),
            ("use crate::{store::Schema, platform::{self, Platform}};\n", ":1: `pipeline` imports `platform`"),
            ("fn f() {\n    crate::cli::run();\n}\n", ":2: `pipeline` imports `cli`"),
            ("use super::super::governance::Governor;\n", ":1: `pipeline` imports `governance`"),
            ("use super::{run, request};\nuse crate::settings::Settings;\n", ":2: `pipeline` imports `settings`"),
            ("#[cfg(test)]\nuse crate::cli::x;\n\nuse crate::http::y;\n", ":4: `pipeline` imports `http`"),
            (
                "#[cfg(test)]\nmod tests {\n    use crate::cli::x;\n}\nuse crate::http::y;\n",
                ":5: `pipeline` imports `http`",
            ),
        ] {
            assert_eq!(host("pipeline/run.rs", text), [expected], "{text}");
        }
        // Parts of one floor are next to each other.
        assert_eq!(host("ids.rs", "use crate::problem::Problem;\n"), [":1: `ids` imports `problem`"]);
        assert_eq!(host("cellar.rs", ""), [": `cellar` is no part of the plan"]);
        for text in [
            "// use crate::http::x;\n",
            "use stoa_crate::http::x;\n",
            "#[cfg(test)]\nmod tests {\n use crate::cli::x;\n}\n",
        ] {
            assert_eq!(host("pipeline/run.rs", text), [""; 0], "{text}");
        }
        assert_eq!(host("identity/tests/tokens.rs", "use crate::cli::x;\n"), [""; 0]);
        assert_eq!(host("lib.rs", "pub use crate::cli::x;\n"), [""; 0]);
    }

    #[test]
    fn an_import_that_runs_back_is_found_in_the_sdk() {
        let sdk = |path: &str, text: &str| judge_text(SDK, "components/sdk", path, text);
        for (path, text) in [
            ("store/read.rs", "use super::{Batch, names};\nuse crate::filter::Filter;\n"),
            ("text.rs", "macro_rules! text_enum { () => { $crate::store::Value::Null } }\n"),
        ] {
            assert_eq!(sdk(path, text), [""; 0], "{path}");
        }
        for (path, text, expected) in [
            ("filter.rs", "use crate::store::Value;\n", ":1: `filter` imports `store`"),
            ("field.rs", "use crate::Id;\n", ":1: `field` imports `Id (of lib, or no part of the plan)`"),
        ] {
            assert_eq!(sdk(path, text), [expected], "{path}");
        }
    }

    #[test]
    fn an_import_that_runs_back_is_found_in_the_console() {
        let console = |path: &str, text: &str| judge_text(CONSOLE, "console", path, text);
        for (path, text) in
            [("show/list.rs", "use crate::form::field::Field;\n"), ("call.rs", "use crate::host::UserHost;\n")]
        {
            assert_eq!(console(path, text), [""; 0], "{path}");
        }
        let expected = [":1: `call` imports `session`"];
        assert_eq!(console("call.rs", "use crate::session::Session;\n"), expected);
    }

    #[test]
    fn an_import_that_runs_back_is_found_in_a_module() {
        let module = |path: &str, text: &str| judge_text(MODULE, "components/x", path, text);
        for (path, text) in [
            ("operations/list.rs", "use crate::records::list::ListRow;\nuse super::item;\n"),
            ("work/journal/entry.rs", "use crate::{bindings::Articles, rules::period};\nuse super::leg;\n"),
            ("services/prices.rs", "use super::super::work::quote;\n"),
            ("lib.rs", "use crate::operations::OPERATIONS;\nmod operations;\n"),
            ("tests/list.rs", "use crate::operations::list;\n"),
        ] {
            assert_eq!(module(path, text), [""; 0], "{path}");
        }
        for (path, text, expected) in [
            ("records/list.rs", "use crate::rules::period::Period;\n", ":1: `records` imports `rules`"),
            ("rules/period.rs", "use super::super::operations::list;\n", ":1: `rules` imports `operations`"),
            ("operations/list.rs", "use crate::services::prices;\n", ":1: `operations` imports `services`"),
            ("upkeep.rs", "use super::verify;\n", ":1: `upkeep` imports `verify`"),
            ("work/goods.rs", "use crate::MODULE;\n", ":1: `work` imports `MODULE (of lib, or no part of the plan)`"),
            ("articles.rs", "", ": `articles` is no part of the plan"),
        ] {
            assert_eq!(module(path, text), [expected], "{path}");
        }
    }
}
