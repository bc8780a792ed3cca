//! The style of the texts that users read: the pages, the contract and `--help`. This check enforces the part of
//! `docs/style.md` that a program can judge.
//!
//! Fenced code, code spans and link targets are left out. `DEBTS` lists the known faults of each page. A debt may only shrink.

use std::path::Path;

use anyhow::{Result, bail};

use super::tidy::{File, files};
use crate::workspace::Workspace;

/// A rule: its name, and the faults of one page as line numbers and messages.
type Rule = (&'static str, fn(&File) -> Vec<(usize, String)>);

const RULES: &[Rule] = &[
    ("banned word", banned_words),
    ("fragment", fragments),
    ("contraction", contractions),
    ("long line", long_lines),
    ("sentence length", sentence_length),
    ("page length", page_length),
];

/// Known faults: rule, page, count. Lower the count when you fix one. A count that is too high is itself a fault.
const DEBTS: &[(&str, &str, usize)] = &[];

/// The pages under this check, by file or by folder.
const PAGES: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/",
    "components/README.md",
    "components/OTHER-LANGUAGES.md",
    "components/EXTENSIONS.md",
    "components/CHANGES.md",
];

/// Texts of the product, one a line, as the suite writes them (`evidence::words`): descriptions and problem details of
/// the contract, and the help of every verb.
const TEXTS: &[&str] = &["tests/contract/words.txt", "tests/contract/help.txt"];

/// The rules for `TEXTS`, which have no paragraphs.
const TEXT_RULES: &[Rule] = &[("banned word", banned_words), ("fragment", fragments), ("contraction", contractions)];

/// Private words, and the standard word in their place.
#[rustfmt::skip]
const BANNED: &[(&str, &str)] = &[
    ("told", "reported, returned"), ("tells", "reports, states"),
    ("hear", "receive"), ("hears", "receives"), ("heard", "received"),
    ("hearing", "check"), ("hearings", "subscriptions"),
    ("stands", "is active, is listed, is in"), ("stood", "was"),
    ("meant", "intended, allowed"),
    ("vouch", "sign, trust"), ("vouches", "signs"), ("vouched", "signed, trusted"),
    ("anew", "again"), ("parted", "separated"),
    ("mend", "fix"), ("mends", "fixes"), ("mended", "fixed"),
    ("beside", "next to, while running, in addition to"),
    ("whoever", "the user, the caller, the host that"),
    ("misdeed", "attack, fault"), ("misdeeds", "attacks, faults"),
    ("bystander", "proxy"), ("untaken", "unused"), ("nameless", "anonymous"),
    ("wish", "request"), ("wishes", "requests"),
    ("reform", "reindex"),
    ("horizon", "watermark"), ("doors", "connection limit"), ("guess", "attempt"), ("guesses", "failed look-ups"),
    ("refuse", "reject"), ("refuses", "rejects"), ("refused", "rejected"), ("refusing", "rejecting"),
    ("alone", "only"),
    ("somebody", "a user, a caller"), ("anybody", "any caller"), ("nobody", "no user, no caller"),
];

/// A sentence that begins so is a fragment, or has a clause where the name of its subject belongs.
const FRAGMENTS: &[&str] = &["what", "of", "whose", "whether"];

const CONTRACTIONS: &[&str] =
    &["n't", "'re", "'ll", "'ve", "it's", "that's", "there's", "let's", "he's", "she's", "what's", "who's", "i'm"];

const LONGEST_LINE: usize = 100;

/// Words of an average sentence.
const LONGEST_SENTENCE: usize = 25;

/// The most lines of a page, or of each page of a folder.
const LIMITS: &[(&str, usize)] =
    &[("README.md", 200), ("ARCHITECTURE.md", 150), ("docs/style.md", 60), ("docs/decisions/", 15)];

/// The most rows of the glossary.
const MOST_WORDS: usize = 120;

pub fn check(workspace: &Workspace) -> Result<()> {
    let mut faults = Vec::new();
    let files = files(workspace)?;
    for path in TEXTS {
        match files.iter().find(|file| file.path == *path) {
            Some(file) => faults.extend(text_faults(file)),
            None => faults.push(format!("{path}: the file does not exist: run `cargo xtask test evidence::words`")),
        }
    }
    let pages: Vec<File> = files.into_iter().filter(|file| is_page(&file.path)).collect();
    for (rule, find) in RULES {
        let mut debts: Vec<(&str, usize)> =
            DEBTS.iter().filter(|(debt_rule, ..)| debt_rule == rule).map(|(_, path, count)| (*path, *count)).collect();
        for page in &pages {
            let found = find(page);
            let known = debts.iter().position(|(path, _)| *path == page.path);
            let debt = known.map_or(0, |index| debts.swap_remove(index).1);
            if found.len() > debt {
                faults.extend(found.iter().map(|(line, what)| format!("{}:{line}: {rule}: {what}", page.path)));
            } else if found.len() < debt {
                faults.push(format!("{}: {rule}: the debt is {}, not {debt}: lower it", page.path, found.len()));
            }
        }
        faults.extend(debts.iter().map(|(path, _)| format!("{path}: {rule}: the page of this debt does not exist")));
    }
    for page in &pages {
        faults.extend(dead_links(&workspace.root, page));
    }
    if let Some(glossary) = pages.iter().find(|page| page.path == "docs/glossary.md") {
        faults.extend(glossary_faults(&workspace.root, &glossary.text));
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// Each line is a text, and each column of a line: help separates an option from its description by two spaces.
fn text_faults(file: &File) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for text in line.split("  ").map(str::trim).filter(|text| !text.is_empty()) {
            let text = File { path: file.path.clone(), text: text.to_owned() };
            for (rule, find) in TEXT_RULES {
                faults
                    .extend(find(&text).iter().map(|(_, what)| format!("{}:{}: {rule}: {what}", file.path, index + 1)));
            }
        }
    }
    faults
}

fn is_page(path: &str) -> bool {
    path.ends_with(".md") && PAGES.iter().any(|page| path == *page || page.ends_with('/') && path.starts_with(page))
}

/// Lines outside fenced code, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            lines.push((index + 1, line));
        }
    }
    lines
}

/// The text with `code` in place of each code span, and without the targets of links.
fn plain(text: &str) -> String {
    let spans: Vec<&str> = text.split('`').collect();
    let mut out = String::new();
    for (index, span) in spans.iter().enumerate() {
        out.push_str(if index % 2 == 1 { "code" } else { span });
    }
    while let Some(begin) = out.find("](") {
        let end = out.get(begin..).and_then(|rest| rest.find(')')).map_or(out.len(), |end| begin + end + 1);
        out.replace_range(begin..end, "");
    }
    out
}

fn is_table(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// A paragraph, an item of a list or a cell of a table, with the number of its first line. Headings and the head row of a table
/// are titles, not sentences.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let (mut goes_on, mut last, mut in_table) = (false, 0, false);
    for (line_number, line) in prose(text) {
        let trimmed = line.trim();
        let follows = goes_on && line_number == last + 1;
        if is_table(line) {
            let is_ruler = trimmed.chars().all(|letter| "|-: ".contains(letter));
            if in_table && !is_ruler {
                let line = plain(trimmed);
                blocks.extend(
                    line.split('|').filter(|cell| !cell.trim().is_empty()).map(|cell| (line_number, cell.to_owned())),
                );
            }
            (goes_on, in_table) = (false, true);
        } else {
            in_table = false;
            let item = trimmed.starts_with("- ")
                || trimmed.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
            let begins = item || !follows;
            if trimmed.is_empty() || trimmed.starts_with('#') {
                goes_on = false;
            } else if begins {
                let text = if item { trimmed.split_once(' ').map_or(trimmed, |(_, text)| text) } else { trimmed };
                blocks.push((line_number, text.to_owned()));
                goes_on = true;
            } else if let Some((_, block)) = blocks.last_mut() {
                block.push(' ');
                block.push_str(trimmed);
            }
        }
        last = line_number;
    }
    blocks.into_iter().map(|(line_number, text)| (line_number, plain(&text))).collect()
}

/// The sentences of a block. A colon or semicolon ends one where `clauses` is set.
fn sentences(block: &str, clauses: bool) -> Vec<String> {
    let mut sentences = vec![String::new()];
    let mut letters = block.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends = ".!?".contains(letter) || clauses && ":;".contains(letter);
        if let Some(sentence) = sentences.last_mut() {
            sentence.push(letter);
        }
        if ends && letters.peek().is_none_or(|next| next.is_whitespace()) {
            sentences.push(String::new());
        }
    }
    let sentences = sentences.into_iter().map(|sentence| sentence.trim().to_owned());
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn banned_words(page: &File) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(&page.text) {
        for word in words(&plain(line)) {
            if let Some((_, instead)) = BANNED.iter().find(|(banned, _)| *banned == word) {
                found.push((number, format!("`{word}`: write {instead}")));
            }
        }
    }
    found
}

fn fragments(page: &File) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, block) in blocks(&page.text) {
        for sentence in sentences(&block, true) {
            let first = words(&sentence).into_iter().next().unwrap_or_default();
            if FRAGMENTS.contains(&first.as_str()) && !sentence.ends_with('?') {
                found.push((number, format!("name the subject: {}", sentence.chars().take(50).collect::<String>())));
            }
        }
    }
    found
}

fn contractions(page: &File) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(&page.text) {
        let words = words(&plain(&line.replace('\u{2019}', "'")));
        let is_one = |word: &&String| {
            CONTRACTIONS
                .iter()
                .any(|part| *word == part || !part.starts_with(char::is_alphabetic) && word.ends_with(part))
                || word.ends_with("n't")
        };
        found.extend(words.iter().filter(is_one).map(|word| (number, format!("`{word}`: write it in full"))));
    }
    found
}

fn long_lines(page: &File) -> Vec<(usize, String)> {
    let lines = prose(&page.text).into_iter();
    let lines = lines.filter(|(_, line)| !is_table(line) && !line.contains("](") && !line.contains("://"));
    let count = lines.map(|(number, line)| (number, line.chars().count()));
    count
        .filter(|(_, count)| *count > LONGEST_LINE)
        .map(|(number, count)| (number, format!("{count} columns")))
        .collect()
}

fn sentence_length(page: &File) -> Vec<(usize, String)> {
    let blocks = blocks(&page.text);
    let lengths: Vec<usize> =
        blocks.iter().flat_map(|(_, block)| sentences(block, false)).map(|s| words(&s).len()).collect();
    let lengths: Vec<usize> = lengths.into_iter().filter(|length| *length > 2).collect();
    let average = lengths.iter().sum::<usize>() / lengths.len().max(1);
    match average > LONGEST_SENTENCE {
        true => vec![(1, format!("{average} words in an average sentence"))],
        false => vec![],
    }
}

fn page_length(page: &File) -> Vec<(usize, String)> {
    let lines = page.text.lines().count();
    let limit =
        LIMITS.iter().find(|(path, _)| page.path == *path || path.ends_with('/') && page.path.starts_with(path));
    let found = limit.filter(|(_, limit)| lines > *limit);
    found.map(|(_, limit)| (*limit, format!("{lines} lines, {limit} are allowed"))).into_iter().collect()
}

/// Relative links whose file does not exist.
fn dead_links(root: &Path, page: &File) -> Vec<String> {
    let folder = Path::new(&page.path).parent().unwrap_or(Path::new(""));
    let mut faults = Vec::new();
    for (number, line) in prose(&page.text) {
        for link in line.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap_or_default();
            let is_relative = !target.is_empty() && !target.contains(':') && !target.starts_with('/');
            if is_relative && !root.join(folder).join(target).exists() {
                faults.push(format!("{}:{number}: dead link: {target}", page.path));
            }
        }
    }
    faults
}

/// Each word has its file. `MODULE` is any module, and names of modules are folders of `components`.
fn glossary_faults(root: &Path, text: &str) -> Vec<String> {
    let rows: Vec<(usize, &str)> = prose(text).into_iter().filter(|(_, line)| line.starts_with("| ")).collect();
    let rows: Vec<(usize, &str)> = rows.into_iter().filter(|(_, row)| !row.starts_with("| word |")).collect();
    let mut faults = Vec::new();
    if rows.len() > MOST_WORDS {
        faults.push(format!("docs/glossary.md: {} words, {MOST_WORDS} are allowed", rows.len()));
    }
    for (number, row) in rows {
        let file = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default().trim().trim_matches('`');
        if file.is_empty() || !root.join(file).exists() {
            faults.push(format!("docs/glossary.md:{number}: no such file: {file}"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(rule: fn(&File) -> Vec<(usize, String)>, text: &str) -> Vec<usize> {
        find_in(rule, "docs/a.md", text)
    }

    fn find_in(rule: fn(&File) -> Vec<(usize, String)>, path: &str, text: &str) -> Vec<usize> {
        let page = File { path: path.to_owned(), text: text.to_owned() };
        rule(&page).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn every_banned_word_is_found_outside_code() {
        for (word, _) in BANNED {
            let upper = word[..1].to_ascii_uppercase() + &word[1..];
            for text in [format!("The key {word} it.\n"), format!("{upper}, it is.\n"), format!("| a | ({word}) |\n")] {
                assert_eq!(find(banned_words, &text), [1], "{text}");
            }
            let fenced = format!("```text\n{word}\n```\n");
            for text in [format!("Use `{word}`.\n"), format!("x{word}y\n"), format!("[a]({word}.md)\n"), fenced] {
                assert_eq!(find(banned_words, &text), [0; 0], "{text}");
            }
        }
    }

    #[test]
    fn a_sentence_without_a_subject_is_found_with_the_line_of_its_paragraph() {
        for text in [
            "What is old goes.\n",
            "It ends. Of these, two\nremain.\n",
            "Whether it is open.\n",
            "One rule: what is old goes.\n",
            "It ends; whose end it is.\n",
            "- Of one user.\n",
            "1. Of one user.\n",
        ] {
            assert_eq!(find(fragments, text), [1], "{text}");
        }
        assert_eq!(find(fragments, "| name | what |\n|---|---|\n| a | of one user |\n"), [3]);
        for text in [
            "# What to do\n",
            "What happens then?\n",
            "It depends on what\nis there.\n",
            "`what` is a word.\n",
            "| what |\n|---|\n",
            "The version: 1.2 of it.\n",
        ] {
            assert_eq!(find(fragments, text), [0; 0], "{text}");
        }
    }

    #[test]
    fn texts_of_the_product_are_judged_line_by_line() {
        let text = "Usage: stoa\n  --all  Of all hosts\n  -h  It's help\nSummary of it\nWhat is refused.\n";
        let file = File { path: TEXTS[0].to_owned(), text: text.to_owned() };
        let lines: Vec<String> =
            text_faults(&file).iter().filter_map(|fault| fault.split(':').nth(1)).map(str::to_owned).collect();
        assert_eq!(lines, ["2", "3", "5", "5"]);
    }

    #[test]
    fn contractions_are_found_and_possessives_are_not() {
        for text in ["It doesn't.\n", "They're here.\n", "It's here.\n", "You\u{2019}ll see.\n"] {
            assert_eq!(find(contractions, text), [1], "{text}");
        }
        assert_eq!(find(contractions, "The module's store, the hosts' clocks.\n"), [0; 0]);
    }

    #[test]
    fn a_line_may_be_long_only_in_code_tables_and_links() {
        let long = "a ".repeat(51);
        assert_eq!(find(long_lines, &format!("short\n{long}\n")), [2]);
        for text in [format!("| {long}|\n"), format!("[a](b.md) {long}\n"), format!("```sh\n{long}\n```\n")] {
            assert_eq!(find(long_lines, &text), [0; 0], "{text}");
        }
    }

    #[test]
    fn sentences_are_judged_by_their_average() {
        let long = format!("{}.\n", "word ".repeat(40).trim_end());
        assert_eq!(find(sentence_length, &long), [1]);
        assert_eq!(find(sentence_length, &format!("{long}\nThis one is short. This one is short too.\n")), [0; 0]);
    }

    #[test]
    fn a_page_is_as_long_as_its_limit_at_most() {
        for (path, limit) in LIMITS {
            let path = if path.ends_with('/') { format!("{path}a.md") } else { (*path).to_owned() };
            assert_eq!(find_in(page_length, &path, &"a\n".repeat(limit + 1)), [*limit], "{path}");
            assert_eq!(find_in(page_length, &path, &"a\n".repeat(*limit)), [0; 0], "{path}");
        }
        assert_eq!(find(page_length, &"a\n".repeat(1_000)), [0; 0]);
    }

    #[test]
    fn links_and_files_of_the_glossary_must_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = "[a](main.rs) [b](gone.rs#x)\n[c](https://a.example/b) [d](#e) [f](/v1/docs)\n";
        let page = File { path: "src/a.md".to_owned(), text: text.to_owned() };
        assert_eq!(dead_links(root, &page), ["src/a.md:1: dead link: gone.rs"]);
        let row = |file: &str| format!("| word | meaning | file |\n|---|---|---|\n| a | It is. | `{file}` |\n");
        assert_eq!(glossary_faults(root, &row("src/main.rs")), [""; 0]);
        assert_eq!(glossary_faults(root, &row("src/gone.rs")), ["docs/glossary.md:3: no such file: src/gone.rs"]);
        assert_eq!(glossary_faults(root, &row("src").repeat(MOST_WORDS + 1)).len(), 1);
    }

    #[test]
    fn pages_are_those_that_people_read() {
        for (path, expected) in [
            ("README.md", true),
            ("docs/guide/errors.md", true),
            ("components/README.md", true),
            ("components/sdk/README.md", false),
            ("docs/webhooks/verify.py", false),
            ("migrations/README.md", false),
        ] {
            assert_eq!(is_page(path), expected, "{path}");
        }
    }
}
