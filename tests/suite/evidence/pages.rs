//! The commands of the pages for operators and integrators are run as they are printed.

use std::collections::BTreeSet;
use std::path::Path;

use stoa_tests::company::fresh;
use stoa_tests::folder::Folder;
use stoa_tests::host::Settings;
use stoa_tests::tour::{blocks, blocks_of, follow};
use stoa_tests::{Database, Stoa, host, modules, on_both_databases};

stoa_tests::tests![modules_are_compiled_before_the_first_start, every_code_of_a_rejection_is_explained];

on_both_databases![modules_are_pushed_and_removed, a_shop_is_imported, a_past_is_brought_in];

fn read_page(path: &str) -> String {
    std::fs::read_to_string(host::workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Where `stoa` is found, before everything else.
fn search_path() -> String {
    let programs = host::binary().parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    format!("{programs}:{}", std::env::var("PATH").unwrap_or_default())
}

/// The page's module is the template here, which is built already and imports nothing.
fn modules_are_pushed_and_removed(database: Database) {
    let blocks = blocks(&read_page("docs/operate/modules.md"));
    let [keygen, rest] = blocks.as_slice() else { panic!("{blocks:?}") };
    let place = Folder::new("modules-page");
    std::fs::copy(modules::example("template"), place.path().join("loyalty.wasm")).expect("a copy");
    let path = search_path();
    follow(std::slice::from_ref(keygen), place.path(), &[("PATH", &path)]);
    let signer = std::fs::read_to_string(place.path().join("signer")).expect("the signer's entry");

    let settings = Settings::default().modules(modules::none()).set("STOA_TRUSTED_SIGNERS", signer.trim());
    let stoa = Stoa::start_with(database, settings);
    let before = "DIGEST=$(sha256sum loyalty.wasm | cut -c1-64)".to_owned();
    let after = "stoa module list --json  # => \"name\":\"template\"".to_owned();
    assert_eq!(rest.matches("deactivate loyalty").count(), 1, "{rest}");
    let rest = rest.replace("deactivate loyalty", "deactivate template");
    follow(
        &[before, rest, after],
        place.path(),
        &[
            ("PATH", &path),
            ("STOA_OPERATOR_URL", &format!("http://{}", stoa.private_address())),
            ("STOA_OPERATOR_TOKEN", &stoa.console().token),
        ],
    );
}

fn modules_are_compiled_before_the_first_start() {
    let blocks = blocks(&read_page("docs/operate/first-start.md"));
    let [block] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!(block.matches("stoa module precompile").count(), 2, "{block}");
    let place = Folder::new("first-start");
    let folder = place.path().join("modules");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::copy(modules::example("template"), folder.join("template.wasm")).expect("a copy");
    let data = place.path().join("data");
    let variables = [
        ("PATH", search_path()),
        ("STOA_MODULES_DIR", folder.display().to_string()),
        ("STOA_DATA_DIR", data.display().to_string()),
    ];
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    follow(std::slice::from_ref(block), place.path(), &variables);
    for compiled in [data, place.path().join("release/precompiled")] {
        assert!(count_files(&compiled) > 0, "nothing in {}", compiled.display());
    }
}

/// Codes of the operators' side that no refusal of a module has.
const OTHER_CODES: &[&str] = &["UNAUTHENTICATED", "NOT_FOUND", "UNAVAILABLE", "INTERNAL"];

fn every_code_of_a_rejection_is_explained() {
    let page = read_page("docs/operate/modules.md");
    let table = page.split_once("| code | what to do |").map_or("", |(_, table)| table);
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | ").map(|(code, _)| code));
    let explained: BTreeSet<String> = rows.map(str::to_owned).collect();
    let mut codes: BTreeSet<String> = OTHER_CODES.iter().map(|code| (*code).to_owned()).collect();
    collect_codes(&host::workspace().join("host/src"), &mut codes);
    assert!(codes.len() > 15, "{codes:?}");
    assert_eq!(explained, codes);
}

/// The codes of refusals in the sources of a folder.
fn collect_codes(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_codes(&path, codes);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let source = std::fs::read_to_string(&path).expect("a source");
            for call in ["Refusal::new(", "refuse_changes("] {
                let arguments = source.split(call).skip(1).map(str::trim_start);
                let stated = arguments.filter_map(|rest| rest.strip_prefix('"')?.split_once('"').map(|(code, _)| code));
                codes.extend(stated.map(str::to_owned));
            }
        }
    }
}

fn count_files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.map(|path| if path.is_dir() { count_files(&path) } else { 1 }).sum()
}

fn a_shop_is_imported(database: Database) {
    let page = read_page("docs/integrate/import.md");
    let (files, commands) = (blocks_of("text", &page), blocks(&page));
    let ([file], [block]) = (files.as_slice(), commands.as_slice()) else { panic!("{files:?} {commands:?}") };
    let stoa = host::shared(database);
    let shop = stoa.company();
    shop.brand("FAIRPHONE");
    shop.price_list("WEB");
    let place = Folder::new("import-page");
    std::fs::write(place.path().join("shop.csv"), file).expect("cannot write the file");
    follow(
        std::slice::from_ref(block),
        place.path(),
        &[("PATH", &search_path()), ("URL", &stoa.url()), ("TOKEN", &shop.token), ("STOA_TENANT", &shop.tenant)],
    );
    assert_eq!(shop.all("catalog/variants", &[("sku", "FP5-BLUE")]).len(), 1);
}

fn a_past_is_brought_in(database: Database) {
    let blocks = blocks(&read_page("docs/integrate/history.md"));
    assert_eq!(blocks.len(), 4, "{blocks:?}");
    let stoa = host::shared(database);
    let (place, token) = (Folder::new("history-page"), stoa.token(&format!("{}@example.test", fresh("founder-"))));
    follow(&blocks, place.path(), &[("URL", &stoa.url()), ("TOKEN", &token)]);
}
