//! The rules of the repository that no linter has, each with the debts it still has: a debt may shrink, never grow.

use anyhow::{Result, bail};

use crate::program;
use crate::workspace::Workspace;

/// A file of the repository, by its path from the root.
pub(super) struct File {
    pub path: String,
    pub text: String,
}

/// A rule: its name, and the faults of one file as line numbers and what is wrong.
type Rule = (&'static str, fn(&File) -> Vec<(usize, String)>);

const RULES: &[Rule] = &[
    ("length", length),
    ("head sentence", head_sentence),
    ("lint table", lint_table),
    ("unfinished", unfinished_code),
    ("absolute path", absolute_paths),
    ("word of commerce in the host", commerce),
    ("sleep in a test", sleeps),
];

/// Faults that are known and accepted for now: rule, file, how many. Lower the number as they go; an entry that is too
/// generous is itself a fault.
#[rustfmt::skip]
const DEBTS: &[(&str, &str, usize)] = &[
    ("sleep in a test", "tests/cluster/src/cluster.rs", 1),
    ("sleep in a test", "tests/src/cuts.rs", 1),
    ("sleep in a test", "tests/src/host.rs", 2),
    ("sleep in a test", "tests/src/issuer.rs", 1),
    ("sleep in a test", "tests/src/parallel.rs", 1),
    ("sleep in a test", "tests/src/proxy.rs", 2),
    ("sleep in a test", "tests/src/receiver.rs", 2),
    ("sleep in a test", "tests/src/retries.rs", 1),
    ("sleep in a test", "tests/src/round_trips.rs", 4),
    ("sleep in a test", "tests/src/slow_reads.rs", 1),
    ("sleep in a test", "tests/suite/bounds/admission.rs", 1),
    ("sleep in a test", "tests/suite/catalog/machine.rs", 1),
    ("sleep in a test", "tests/suite/catalog/products.rs", 1),
    ("sleep in a test", "tests/suite/catalog/variants.rs", 1),
    ("sleep in a test", "tests/suite/durability/crash.rs", 2),
    ("sleep in a test", "tests/suite/durability/far_database.rs", 1),
    ("sleep in a test", "tests/suite/evidence/watermark.rs", 1),
    ("sleep in a test", "tests/suite/evidence/tenancy.rs", 1),
    ("sleep in a test", "tests/suite/http/connections.rs", 4),
    ("sleep in a test", "tests/suite/http/late_commits.rs", 1),
    ("sleep in a test", "tests/suite/identity/issuers.rs", 1),
    ("sleep in a test", "tests/suite/inventory/model.rs", 2),
    ("sleep in a test", "tests/suite/modules/first_start.rs", 1),
    ("sleep in a test", "tests/suite/modules/swap.rs", 1),
    ("sleep in a test", "tests/suite/modules/swap_hosts.rs", 2),
    ("sleep in a test", "tests/suite/platform/api_clients.rs", 1),
    ("sleep in a test", "tests/suite/platform/audit_list.rs", 1),
    ("sleep in a test", "tests/suite/platform/heavy_reads.rs", 1),
    ("sleep in a test", "tests/suite/platform/revocation.rs", 7),
    ("sleep in a test", "tests/suite/pricing/lists.rs", 1),
    ("sleep in a test", "tests/suite/pricing/machine.rs", 1),
    ("sleep in a test", "tests/suite/pricing/prices.rs", 1),
    ("sleep in a test", "tests/suite/sales/quotations.rs", 3),
    ("sleep in a test", "tests/suite/soak/failover.rs", 2),
    ("sleep in a test", "tests/suite/soak/faults.rs", 6),
    ("sleep in a test", "tests/suite/soak/load.rs", 3),
    ("sleep in a test", "tests/suite/webhooks/catching_up.rs", 1),
    ("sleep in a test", "tests/suite/webhooks/crash.rs", 2),
    ("sleep in a test", "tests/suite/webhooks/deliveries.rs", 5),
    ("sleep in a test", "tests/postgres-proxy/src/proxy.rs", 1),
];

const LONGEST: usize = 700;

/// Lines of `console/`, style and script included: code beyond it belongs into the contract or out of the console.
const CONSOLE_LINES: usize = 7_814;

/// The host contains nothing of commerce: no word of it in the host's code, in names as in texts, whole or as a part of a name
/// (`price_list`, `PriceList`), one or many. Comments and tests may speak of examples.
#[rustfmt::skip]
const COMMERCE: &[&str] = &[
    "price", "product", "variant", "sku", "stock", "catalog", "invoice", "warehouse", "unit", "order", "customer", "supplier",
    "cash", "tender", "payment", "accounting", "fulfilment", "custody", "valuation",
];

/// Words next to another one that are of another trade: word and neighbour, as they follow each other.
const BESIDE: &[(&str, &str)] = &[
    // SQL, and how the store's lists are sorted and its rows locked.
    ("order", "by"),
    ("lock", "order"),
];

/// Words that mean something else in a file, or in all files of a folder.
const OTHERWISE: &[(&str, &str)] = &[
    // The contract of the store calls the sorting of rows so.
    ("host/src/store/", "order"),
    // The variant of a UUID (RFC 9562).
    ("host/src/contract/idempotency_key.rs", "variant"),
    // A kind of type of the component model.
    ("host/src/sandbox/signature.rs", "variant"),
    ("host/src/gate/extensions.rs", "variant"),
    // A kind of value of a Rust enumeration, as serde names it.
    ("host/src/gate/describe.rs", "variant"),
    // The product of a User-Agent header (RFC 9110).
    ("host/src/pipeline/user_agent.rs", "product"),
    // The interface asks for this scope, of a module, on an operation of the host.
    ("host/src/platform/client_context.rs", "catalog"),
];

pub fn check(workspace: &Workspace) -> Result<()> {
    let files = files(workspace)?;
    let mut faults = Vec::new();
    for (rule, find) in RULES {
        let mut debts: Vec<(&str, usize)> =
            DEBTS.iter().filter(|(debt_rule, ..)| debt_rule == rule).map(|(_, path, count)| (*path, *count)).collect();
        for file in &files {
            let found = find(file);
            let position = debts.iter().position(|(path, _)| *path == file.path);
            let debt = position.map_or(0, |index| debts.swap_remove(index).1);
            if found.len() > debt {
                faults.extend(found.iter().map(|(line, what)| format!("{}:{line}: {rule}: {what}", file.path)));
            } else if found.len() < debt {
                faults.push(format!("{}: {rule}: the debt is {}, not {debt}: lower it", file.path, found.len()));
            }
        }
        faults.extend(debts.iter().map(|(path, _)| format!("{path}: {rule}: a debt of a file that is gone")));
    }
    faults.extend(console_size(&files, CONSOLE_LINES));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// The whole console is bounded, not each of its files.
fn console_size(files: &[File], most: usize) -> Option<String> {
    let texts = files.iter().filter(|file| file.path.starts_with("console/"));
    let lines: usize = texts.map(|file| file.text.lines().count()).sum();
    (lines > most).then(|| format!("console size: {lines} lines, {most} are allowed"))
}

/// Text files that git tracks or would: a file not yet added is judged too.
pub(super) fn files(workspace: &Workspace) -> Result<Vec<File>> {
    let mut git = std::process::Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(&workspace.root);
    let mut files = Vec::new();
    for path in program::output(&mut git)?.split_terminator('\0') {
        // Deleted but still tracked, or no text.
        if let Ok(text) = std::fs::read_to_string(workspace.root.join(path)) {
            files.push(File { path: path.to_string(), text });
        }
    }
    Ok(files)
}

fn is_rust(file: &File) -> bool {
    file.path.ends_with(".rs")
}

/// Lines in which `find` reports a fault.
fn lines(file: &File, find: impl Fn(&str) -> Option<String>) -> Vec<(usize, String)> {
    file.text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, find(line)?))).collect()
}

fn length(file: &File) -> Vec<(usize, String)> {
    let count = file.text.lines().count();
    if is_rust(file) && count > LONGEST {
        vec![(LONGEST, format!("{count} lines: is it still one idea?"))]
    } else {
        vec![]
    }
}

fn head_sentence(file: &File) -> Vec<(usize, String)> {
    if is_rust(file) && !file.text.starts_with("//! ") {
        return vec![(1, "begins without a `//!` sentence that says what it is and why".to_string())];
    }
    vec![]
}

/// `[workspace.lints]` holds for the crates that say so.
fn lint_table(file: &File) -> Vec<(usize, String)> {
    // The guests of the suite mean harm: they need what the lints forbid.
    let guest = file.path.starts_with("tests/guests/");
    let is_package = file.path.ends_with("Cargo.toml") && file.text.contains("[package]") && !guest;
    if is_package && !file.text.contains("[lints]\nworkspace = true\n") {
        return vec![(1, "does not take part in the workspace's lints".to_string())];
    }
    vec![]
}

fn unfinished_code(file: &File) -> Vec<(usize, String)> {
    if !is_rust(file) {
        return vec![];
    }
    lines(file, |line| {
        let names = ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!("));
        names.into_iter().find(|name| line.contains(name.as_str()))
    })
}

/// Folders of one contributor's machine.
fn absolute_paths(file: &File) -> Vec<(usize, String)> {
    lines(file, |line| {
        ["/home", "/root", "/work"].into_iter().find_map(|folder| {
            let folder = format!("{folder}/");
            // Within an address or a relative path it is a folder of something else.
            let begins = |offset: usize| {
                let before = line.get(..offset).and_then(|text| text.chars().next_back());
                !before.is_some_and(|before| before.is_alphanumeric() || "._-~$}*".contains(before))
            };
            line.match_indices(&folder).any(|(offset, _)| begins(offset)).then_some(folder)
        })
    })
}

/// A race is forced, never slept for, and a wait that is too short on a busy machine fails by chance: each new one
/// needs a reason.
fn sleeps(file: &File) -> Vec<(usize, String)> {
    if !is_rust(file) || !file.path.starts_with("tests/") {
        return vec![];
    }
    lines(file, |line| line.contains("sleep(").then(|| "waits for a time instead of for what happens".to_string()))
}

fn commerce(file: &File) -> Vec<(usize, String)> {
    let tests = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    if !is_rust(file) || !file.path.starts_with("host/src/") || tests {
        return vec![];
    }
    let last = file.text.lines().position(|line| line.trim() == "#[cfg(test)]").unwrap_or(usize::MAX);
    let otherwise = |word: &str| OTHERWISE.iter().any(|(path, other)| *other == word && file.path.starts_with(path));
    let mut found = lines(file, |line| {
        let words = words(line.split_once("//").map_or(line, |(code, _)| code));
        let beside = |index: usize| {
            let pair = |first: Option<&String>, second: Option<&String>| match (first, second) {
                (Some(first), Some(second)) => BESIDE.contains(&(first.as_str(), second.as_str())),
                _ => false,
            };
            pair(words.get(index), words.get(index + 1))
                || index.checked_sub(1).is_some_and(|one| pair(words.get(one), words.get(index)))
        };
        let of_commerce = |index: usize, word: &str| COMMERCE.contains(&word) && !otherwise(word) && !beside(index);
        words.iter().enumerate().find(|(index, word)| of_commerce(*index, word)).map(|(_, word)| word.clone())
    });
    found.retain(|(line, _)| *line <= last);
    found
}

/// The words of a line in lower case, those of names as well: `PriceList` and `price_lists` are `price` and `list`.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for character in line.chars() {
        let goes_on = before.is_alphanumeric() && !(before.is_lowercase() && character.is_uppercase());
        match words.last_mut() {
            _ if !character.is_alphanumeric() => {}
            Some(word) if goes_on => word.push(character.to_ascii_lowercase()),
            _ => words.push(character.to_ascii_lowercase().to_string()),
        }
        before = character;
    }
    for word in &mut words {
        // One or many.
        let one = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let one = one.or_else(|| word.strip_suffix('s').map(str::to_owned));
        if let Some(one) = one.filter(|one| COMMERCE.contains(&one.as_str())) {
            *word = one;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_lines(rule: fn(&File) -> Vec<(usize, String)>, path: &str, text: &str) -> Vec<usize> {
        let file = File { path: path.to_string(), text: text.to_string() };
        rule(&file).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn the_lines_of_the_console_are_counted_together() {
        let file = |path: &str| File { path: path.to_owned(), text: "a\nb\n".to_owned() };
        let files = [file("console/src/lib.rs"), file("console/style/console.css"), file("host/src/lib.rs")];
        assert_eq!(console_size(&files, 4), None);
        assert_eq!(console_size(&files, 3), Some("console size: 4 lines, 3 are allowed".to_owned()));
    }

    #[test]
    fn every_rule_finds_its_fault_and_nothing_else() {
        let long = "//! Long.\n".repeat(LONGEST + 1);
        assert_eq!(find_lines(length, "a.rs", &long), [LONGEST]);
        assert_eq!(find_lines(length, "a.md", &long), [0; 0]);
        assert_eq!(find_lines(head_sentence, "a.rs", "use std::fs;\n"), [1]);
        assert_eq!(find_lines(head_sentence, "a.rs", "//! What it is.\n"), [0; 0]);
        assert_eq!(find_lines(lint_table, "a/Cargo.toml", "[package]\n"), [1]);
        assert_eq!(find_lines(lint_table, "a/Cargo.toml", "[package]\n[lints]\nworkspace = true\n"), [0; 0]);
        assert_eq!(find_lines(unfinished_code, "a.rs", &format!("fn f() {{\n    {}!()\n}}\n", "todo")), [2]);
        assert_eq!(find_lines(absolute_paths, "a.md", &format!("see {}/x\n", "/home")), [1]);
        assert_eq!(
            find_lines(absolute_paths, "a.md", &format!("https://example.test{}/x, my{}/y\n", "/home", "/work")),
            [0; 0]
        );
        assert_eq!(find_lines(commerce, "host/src/a.rs", "let a = 1;\nlet price_list = 2;\n"), [2]);
        assert_eq!(find_lines(commerce, "host/src/a.rs", "// in production, priceless\n"), [0; 0]);
        assert_eq!(find_lines(commerce, "host/src/a.rs", "// price\n#[cfg(test)]\nlet price = 1;\n"), [0; 0]);
        let waits = "fn f() {\n    thread::sleep(SOON);\n}\n";
        assert_eq!(find_lines(sleeps, "tests/suite/a.rs", waits), [2]);
        assert_eq!(find_lines(sleeps, "host/src/a.rs", waits), [0; 0]);
        assert_eq!(find_lines(commerce, "components/a.rs", "let price = 1;\n"), [0; 0]);
    }

    #[test]
    fn every_word_of_commerce_is_found_and_what_only_looks_like_it_is_not() {
        let hit = |text: &str| find_lines(commerce, "host/src/a.rs", text) == [1];
        for word in COMMERCE {
            let (upper, first) = (word.to_ascii_uppercase(), word[..1].to_ascii_uppercase() + &word[1..]);
            for text in [
                format!("let {word} = 1;"),
                format!("let {word}_id = 1;"),
                format!("struct New{first}Row;"),
                format!("(\"{upper}_REQUIRED\", 409)"),
                format!("\"The {word} is gone.\""),
                format!("for one in many_{word}s {{}}"),
            ] {
                assert!(hit(&text), "{text}");
            }
            for text in [format!("let x{word}ish = 1;"), format!("// {word}"), format!("let un{word}ed = 1;")] {
                assert!(!hit(&text), "{text}");
            }
        }
        assert!(hit("let many = custodies();"));
        for text in ["a.order", "sort_order", "order the rows", "by_order"] {
            assert!(hit(text), "{text}");
        }
        for text in
            ["select id from t order by id", "enum OrderBy {}", "table.lock_order", "cmp::Ordering", "reorder(x)"]
        {
            assert!(!hit(text), "{text}");
        }
        // No file is excused for its codes; a folder is for the one word that means something else there.
        for word in COMMERCE {
            assert_eq!(find_lines(commerce, "host/src/problem.rs", &format!("(\"{word}\", 409)")), [1], "{word}");
            let in_store = find_lines(commerce, "host/src/store/read.rs", &format!("let {word} = 1;"));
            assert_eq!(in_store.is_empty(), *word == "order", "{word}");
        }
    }
}
