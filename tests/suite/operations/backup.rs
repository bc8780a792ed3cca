//! Backups of hosts that serve: nothing that was acknowledged before the mark is lost, and nothing secret is in them.

use std::path::Path;
use std::process::Command;

use chrono::{DateTime, Utc};
use serde_json::{Value as Json, json};
use stoa_tests::backups::start_to_back_up;
use stoa_tests::company::fresh;
use stoa_tests::cuts::rounds;
use stoa_tests::host::Settings;
use stoa_tests::selling::Counter;
use stoa_tests::writers::while_writing;
use stoa_tests::{Database, Folder, on_both_databases, tests};

on_both_databases![
    a_backup_under_eight_writers_loses_nothing_before_its_mark,
    common_tools_read_it_and_find_no_secret,
    an_existing_file_stays,
    a_large_table_comes_back_whole,
];
tests![rows_that_may_be_hidden_are_reported];

fn a_backup_under_eight_writers_loses_nothing_before_its_mark(database: Database) {
    let host = start_to_back_up(database, Settings::default());
    let counter = Counter::new(host.company());
    let good = counter.good("10", "5");
    counter.deliver(json!([{ "variantId": good, "quantity": "2" }]));
    let (key, body) = (uuid::Uuid::new_v4().to_string(), json!({ "name": "Once", "code": fresh("ONCE-") }));
    let once = || counter.shop.request("POST", "catalog/lookups/brands").key(&key).json(&body).send();
    let made = once().is(201);
    let before = counter.shop.digest();

    let folder = Folder::new("backup");
    let file = folder.path().join("stoa.backup");
    let busy = host.company();
    let (report, written) = while_writing(&busy, 8, || host.back_up(&file));
    let mark = report["mark"].as_str().and_then(|mark| mark.parse::<DateTime<Utc>>().ok()).expect("a mark");
    let (earlier, later): (Vec<_>, Vec<_>) = written.into_iter().partition(|brand| brand.acknowledged < mark);
    assert!(earlier.len() >= 8 && later.len() >= 8, "{} before the mark, {} after", earlier.len(), later.len());

    host.wipe();
    let reports = host.restore(&file, &["--verify"]);
    assert_eq!(reports[0]["mark"], report["mark"]);
    assert_eq!(reports[1], json!({ "companies": 2, "findings": [] }));
    host.restart();
    assert_eq!(counter.shop.digest(), before);
    let restored: Vec<String> = busy.rows("select id from catalog_lookup where {tenant}").concat();
    let lost: Vec<&str> =
        earlier.iter().filter(|brand| !restored.contains(&brand.id)).map(|brand| &*brand.id).collect();
    assert!(lost.is_empty(), "acknowledged before {mark} and lost: {lost:?}");
    let last = later.iter().max_by_key(|brand| brand.acknowledged).map(|brand| &brand.id).expect("a last brand");
    assert!(!restored.contains(last), "a brand that was created after the backup");

    let again = once().is(201);
    assert!(again.replayed() && again.id() == made.id(), "{again}");
    // Numbers, stock and costs go on.
    counter.deliver(json!([{ "variantId": good, "quantity": "3" }]));
    counter.shop.verified();
}

/// The members of a backup, by the programs that everybody has.
fn unpack(file: &Path, folder: &Path) -> Vec<String> {
    let tar = |flags: &[&str]| {
        let output = Command::new("tar").args(flags).arg(file).arg("-C").arg(folder).output().expect("no tar");
        assert!(output.status.success(), "tar and zstd: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("names")
    };
    tar(&["--zstd", "-xf"]);
    tar(&["--zstd", "-tf"]).lines().map(str::to_string).collect()
}

fn common_tools_read_it_and_find_no_secret(database: Database) {
    let host = start_to_back_up(database, Settings::default());
    let shop = host.company();
    let hook =
        json!({ "name": "Hook", "url": "https://hooks.example.com/stoa", "subscriptions": ["catalog.lookup.created"] });
    let secret = shop.post("webhooks", hook).is(201).text("signingSecret");
    let brand = shop.brand("READABLE");
    let folder = Folder::new("unpacked");
    let file = folder.path().join("stoa.backup");
    let report = host.back_up(&file);

    let names = unpack(&file, folder.path());
    assert_eq!(
        (names.first().map(String::as_str), names.last().map(String::as_str)),
        (Some("backup.json"), Some("manifest.json"))
    );
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let manifest: Json = serde_json::from_slice(&read("manifest.json")).expect("JSON");
    assert_eq!(manifest["members"].as_array().map(Vec::len), Some(names.len() - 1));
    assert_eq!(report["keyIds"].as_array().map(Vec::len), Some(1), "{report}");
    let bytes: Vec<u8> = names.iter().flat_map(|name| read(name)).collect();
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(!has(secret.as_bytes()) && !has(secret.trim_start_matches("whsec_").as_bytes()), "a secret");
    assert!(has(b"READABLE"));
    match database {
        Database::Sqlite => {
            let copy = rusqlite::Connection::open(folder.path().join("stoa.sqlite")).expect("a database");
            let found =
                copy.query_row("select count(*) from catalog_lookup where code = 'READABLE'", [], |row| row.get(0));
            assert_eq!(found, Ok(1));
        }
        Database::Postgres => {
            let rows = String::from_utf8(read("catalog_lookup/0001.copy")).expect("text");
            assert!(rows.lines().any(|row| row.starts_with(&format!("{}\t{brand}\t", shop.tenant))), "{rows}");
        }
    }
}

fn an_existing_file_stays(database: Database) {
    let host = stoa_tests::host::shared(database);
    let folder = Folder::new("taken");
    let file = folder.path().join("stoa.backup");
    std::fs::write(&file, "mine").expect("a file");
    let said = host.try_back_up(&file).expect_err("a file is there");
    assert!(said.contains("exists"), "{said}");
    assert_eq!(std::fs::read(&file).expect("the file"), b"mine");
    let other = folder.path().join("other.backup");
    host.back_up(&other);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&other).expect("a backup").permissions());
    assert_eq!(mode & 0o777, 0o600);
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "nothing is left of a backup but its file");
}

/// PostgreSQL: a role that row-level security binds sees no row too few without an error.
fn rows_that_may_be_hidden_are_reported() {
    let host = start_to_back_up(Database::Postgres, Settings::default());
    let shop = host.company();
    shop.brand("HIDDEN");
    let folder = Folder::new("hidden");
    let attempt = |name: &str| host.try_back_up(&folder.path().join(name)).expect_err("rows may be hidden");
    shop.change("create policy other on catalog_lookup as restrictive using (false)");
    let said = attempt("policy");
    assert!(said.contains("catalog_lookup has a policy"), "{said}");
    shop.change("drop policy other on catalog_lookup");
    shop.change("delete from stoa_collection where module = 'catalog' and name = 'lookup'");
    let said = attempt("unrecorded");
    assert!(said.contains("catalog_lookup is recorded in no collection"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "no stump is left");
}

/// On PostgreSQL its rows fill several members. A whole run takes a gigabyte and prints its seconds.
fn a_large_table_comes_back_whole(database: Database) {
    let host = start_to_back_up(database, Settings::default());
    let shop = host.company();
    shop.product("Large");
    let text = match database {
        Database::Sqlite => "hex(randomblob(2500))",
        Database::Postgres => "(select string_agg(md5(s.n::text || i::text), '') from generate_series(1, 157) i)",
    };
    let changes = [("description", text), ("slug", "t.slug || s.n")];
    let rows = rounds(10_000, 200_000);
    shop.copy_rows("catalog_product", "1 = 1", rows as u32, &changes);
    let digest = shop.digest();
    let folder = Folder::new("large");
    let file = folder.path().join("stoa.backup");
    let report = host.back_up(&file);
    assert!(report["bytes"].as_u64() > Some(5_000 * rows as u64), "{report}");
    host.wipe();
    let restored = host.restore(&file, &[]).remove(0);
    println!("{} bytes: backup in {} s, restore in {} s", report["bytes"], report["seconds"], restored["seconds"]);
    host.restart();
    assert_eq!(shop.digest(), digest);
}
