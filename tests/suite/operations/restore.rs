//! Restores: only into an empty database and from an intact backup; a rejected one leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use stoa_tests::backups::start_to_back_up;
use stoa_tests::host::Settings;
use stoa_tests::{Database, Folder, Receiver, Stoa, on_both_databases, tests};

on_both_databases![
    a_full_database_is_not_overwritten,
    damaged_backups_are_rejected,
    backups_of_others_are_rejected,
    held_webhooks_send_nothing,
    a_missing_key_is_reported,
];
tests![waits_for_locks_are_limited_afterwards];

/// A host with a company, and a backup of it.
fn save_backup(database: Database, folder: &Folder) -> (Stoa, PathBuf) {
    let host = start_to_back_up(database, Settings::default());
    host.company().brand("KEPT");
    let file = folder.path().join("stoa.backup");
    host.back_up(&file);
    (host, file)
}

fn a_full_database_is_not_overwritten(database: Database) {
    let folder = Folder::new("full");
    let (host, file) = save_backup(database, &folder);
    let said = host.try_restore(&file, &[]).expect_err("a database of a host");
    let why = if database == Database::Sqlite { "stoa.sqlite exists" } else { "the database is not empty" };
    assert!(said.contains(why), "{said}");
    host.wipe();
    if database == Database::Postgres {
        host.change("create table other (id bigint)");
        assert!(host.try_restore(&file, &[]).expect_err("a table of others").contains(why));
        host.change("drop table other");
    }
    host.restore(&file, &[]);
    assert!(host.try_restore(&file, &[]).expect_err("what was restored").contains(why));
}

fn run_tar(flags: &[&str], file: &Path, folder: &Path, names: &[String]) -> String {
    let output = Command::new("tar").args(flags).arg(file).arg("-C").arg(folder).args(names).output().expect("no tar");
    assert!(output.status.success(), "tar and zstd: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("names")
}

/// Packs a backup again after a change of its unpacked members, or of their list.
fn repack(file: &Path, nth: usize, change: impl FnOnce(&Path, &mut Vec<String>)) -> PathBuf {
    let folder = file.with_extension(format!("unpacked-{nth}"));
    fs::create_dir(&folder).expect("a folder");
    run_tar(&["--zstd", "-xf"], file, &folder, &[]);
    let mut names: Vec<String> = run_tar(&["--zstd", "-tf"], file, &folder, &[]).lines().map(str::to_string).collect();
    change(&folder, &mut names);
    let packed = file.with_extension(format!("packed-{nth}"));
    run_tar(&["--zstd", "-cf"], &packed, &folder, &names);
    packed
}

fn damaged_backups_are_rejected(database: Database) {
    let folder = Folder::new("damaged");
    let (host, file) = save_backup(database, &folder);
    host.wipe();
    let bytes = fs::read(&file).expect("a backup");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    let mut flipped = bytes.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let member = |names: &[String]| names[names.len() / 2].clone();
    let cases = [
        (write("cut", &bytes[..bytes.len() / 2]), "no intact backup"),
        (write("cut-late", &bytes[..bytes.len() - 1]), "no intact backup"),
        (write("flipped", &flipped), "no intact backup"),
        (write("empty", b""), "no intact backup"),
        (write("foreign", b"create table t (a int);"), "no intact backup"),
        (
            repack(&file, 1, |folder, names| {
                let path = folder.join(member(names));
                let mut content = fs::read(&path).expect("a member");
                let last = content.len() - 1;
                content[last / 2] ^= 1;
                fs::write(path, content).expect("a member");
            }),
            "was changed",
        ),
        (repack(&file, 2, |_, names| drop(names.remove(names.len() / 2))), "is missing"),
        (repack(&file, 3, |_, names| drop(names.pop())), "it was cut off"),
        (
            repack(&file, 4, |folder, names| {
                fs::write(folder.join("more"), "more").expect("a member");
                names.insert(names.len() - 1, "more".to_string());
            }),
            "members that the manifest does not list",
        ),
        (
            repack(&file, 5, |folder, _| {
                let path = folder.join("backup.json");
                let text = fs::read_to_string(&path).expect("a header").replace("stoa-backup/1", "stoa-backup/2");
                fs::write(path, text).expect("a header");
            }),
            "this host reads stoa-backup/1",
        ),
    ];
    for (damaged, why) in cases {
        let said = host.try_restore(&damaged, &[]).expect_err(why);
        assert!(said.contains(why), "{}: {said}", damaged.display());
    }
    // Nothing is left of them.
    host.restore(&file, &[]);
}

fn backups_of_others_are_rejected(database: Database) {
    let folder = Folder::new("others");
    let (host, file) = save_backup(database, &folder);
    let other = match database {
        Database::Sqlite => "postgres://nobody@127.0.0.1:1/none".to_string(),
        Database::Postgres => format!("sqlite:{}", folder.path().join("other.sqlite").display()),
    };
    let said = host.try_restore(&file, &["--database-url", &other]).expect_err("another kind of database");
    assert!(said.contains("stoa export"), "{said}");
    let checksum = if database == Database::Sqlite { "x'00'" } else { "'\\x00'" };
    host.change(&format!(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (9999, 'later', true, {checksum}, 1)"
    ));
    let newer = folder.path().join("newer.backup");
    host.back_up(&newer);
    host.wipe();
    let said = host.try_restore(&newer, &[]).expect_err("a newer host's");
    assert!(said.contains("has step 9999"), "{said}");
    host.restore(&file, &[]);
}

fn held_webhooks_send_nothing(database: Database) {
    let receiver = Receiver::friendly();
    let settings = Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", receiver.address);
    let host = start_to_back_up(database, settings);
    let shop = host.company();
    let hook = json!({ "name": "Hook", "url": receiver.url(), "subscriptions": ["catalog.lookup.created"] });
    let endpoint = shop.post("webhooks", hook).is(201).id();
    let folder = Folder::new("held");
    let file = folder.path().join("stoa.backup");
    host.back_up(&file);
    host.wipe();
    host.restore(&file, &["--hold-webhooks"]);
    host.restart();
    let read = shop.get(&format!("webhooks/{endpoint}")).is(200);
    assert_eq!((&read["status"], &read["version"]), (&json!("DISABLED"), &json!(2)));
}

fn a_missing_key_is_reported(database: Database) {
    let host = start_to_back_up(database, Settings::default());
    let shop = host.company();
    let hook =
        json!({ "name": "Hook", "url": "https://hooks.example.com/stoa", "subscriptions": ["catalog.lookup.created"] });
    shop.post("webhooks", hook).is(201);
    let folder = Folder::new("keys");
    let file = folder.path().join("stoa.backup");
    let keys = host.back_up(&file)["keyIds"].clone();
    host.wipe();
    let mut restore = host.command();
    restore.args(["restore", "--json"]).arg(&file).env("STOA_ENCRYPTION_KEY", "5a".repeat(32));
    let output = restore.output().expect("cannot run stoa");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["missingKeyIds"], keys);
    assert_eq!(keys.as_array().map(Vec::len), Some(1));
    host.wipe();
    assert_eq!(host.restore(&file, &[])[0]["missingKeyIds"], json!([]), "the key of the data folder");
}

fn waits_for_locks_are_limited_afterwards() {
    let folder = Folder::new("limits");
    let (host, file) = save_backup(Database::Postgres, &folder);
    host.wipe();
    host.change(
        "do $$ begin
           execute format('alter role %I in database %I reset lock_timeout', current_user, current_database());
         end $$",
    );
    let limits = "select unnest(s.setconfig) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
                  where d.datname = current_database()";
    assert_eq!(host.rows(limits), [[""; 0]; 0]);
    host.restore(&file, &[]);
    assert_eq!(host.rows(limits), [["lock_timeout=3s"]]);
}
