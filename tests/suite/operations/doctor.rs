//! Each check of `stoa doctor` finds its fault: the fault is made, and the check is the one that reports it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use sqlx::{Connection as _, Executor as _, PgConnection};
use stoa_tests::issuer::Manner;
use stoa_tests::places::host_with;
use stoa_tests::signer::jwks;
use stoa_tests::{Database, Folder, Issuer, Signer, Stoa, host, on_both_databases, on_one_database, record};
use uuid::Uuid;

on_both_databases![
    a_healthy_host_passes,
    faults_of_rows_are_found,
    an_untrusted_module_is_found,
    a_file_that_others_can_read_is_found,
    a_host_that_is_not_ready_is_found,
    nothing_is_changed,
];

on_one_database![
    faults_of_settings_are_found,
    faults_of_a_deployment_s_settings_are_found,
    a_damaged_file_is_found,
    no_secret_is_printed,
];

stoa_tests::tests![
    faults_of_a_server_are_found,
    faults_of_a_place_are_found,
    a_half_built_index_is_found,
    a_role_above_row_security_is_found,
];

stoa_tests::tests![timed: it_ends_within_three_seconds];

#[cfg(target_os = "linux")]
mod preloaded {
    use stoa_tests::preload::Preload;

    use super::*;

    stoa_tests::tests![a_clock_that_is_ahead_is_found, a_full_disk_is_found];

    fn a_clock_that_is_ahead_is_found() {
        let host = Stoa::start(Database::Postgres);
        let preload = Preload::build();
        preload.shift_clock(3_600);
        let found = examine(doctor(&host).envs(preload.variables()));
        assert_eq!(found.with_status("fail"), BTreeSet::from(["clock.database"]));
    }

    fn a_full_disk_is_found() {
        let host = Stoa::start(Database::Sqlite);
        let preload = Preload::build();
        preload.fill_disk(true);
        let found = examine(doctor(&host).envs(preload.variables()));
        assert_eq!(found.with_status("fail"), BTreeSet::from(["files.room"]));
    }
}

/// The result of each check: its status and its remedy.
#[derive(Debug)]
struct Found(BTreeMap<String, (String, Option<String>)>);

impl Found {
    fn with_status(&self, status: &str) -> BTreeSet<&str> {
        self.0.iter().filter(|(_, (found, _))| found == status).map(|(id, _)| id.as_str()).collect()
    }
}

/// Runs `stoa doctor`. Its exit status says whether a check failed, and what is wrong has a remedy.
fn examine(command: &mut Command) -> Found {
    let output = command.args(["doctor", "--json"]).output().expect("cannot run stoa");
    let said = String::from_utf8_lossy(&output.stderr);
    let report: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    let text = |check: &Json, member: &str| check[member].as_str().map(str::to_string);
    let check = |check: &Json| {
        let status = text(check, "status").expect("a status");
        let remedy = text(check, "remedy");
        assert_eq!(remedy.is_some(), ["warn", "fail"].contains(&status.as_str()), "{check}");
        (text(check, "id").expect("an id"), (status, remedy))
    };
    let found = Found(report["checks"].as_array().expect("checks").iter().map(check).collect());
    let failed = found.with_status("fail").len();
    assert_eq!(report["failed"], failed);
    assert_eq!(output.status.code(), Some(i32::from(failed > 0)), "{said}");
    found
}

/// With the settings of a host.
fn doctor(host: &Stoa) -> Command {
    let mut command = host.command();
    command.env("STOA_LISTEN", host.address());
    command
}

/// With the settings of a deployment that has no database yet.
fn deployment(folder: &Folder, issuer: &str) -> Command {
    let mut command = Command::new(host::binary());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("STOA_")) {
        command.env_remove(name);
    }
    command
        .current_dir(folder.path())
        .env("STOA_LISTEN", "127.0.0.1:1")
        .env("STOA_DATA_DIR", "data")
        .env("STOA_OIDC_ISSUER", issuer)
        .env("STOA_OIDC_AUDIENCE", "https://shop.example")
        .env("STOA_ENCRYPTION_KEY", "5a".repeat(32))
        .env("STOA_OPERATOR_TOKEN_SHA256", format!("alice={}", "ab".repeat(32)))
        .env("STOA_TRUSTED_SIGNERS", format!("acme:deployment:{}", "00".repeat(32)));
    command
}

fn a_healthy_host_passes(database: Database) {
    let host = Stoa::start(database);
    let found = examine(&mut doctor(&host));
    assert!(found.with_status("fail").is_empty(), "{found:?}");
    // The machine's disk is not ours.
    let warned = found.with_status("warn");
    assert!(warned.is_subset(&BTreeSet::from(["files.room"])), "{found:?}");
    let mut skipped = match database {
        Database::Sqlite => BTreeSet::from([
            "clock.database",
            "database.connections",
            "database.indexes",
            "database.lock_timeout",
            "database.rights",
            "database.role",
            "database.row_security",
            "database.tls",
            "identity.issuer",
        ]),
        Database::Postgres => BTreeSet::from(["database.file", "identity.issuer"]),
    };
    if host.count_places() == 1 {
        skipped.insert("database.places");
    }
    assert_eq!(found.with_status("skipped"), skipped);
}

/// A fault of the database's rows: the check that reports it and how, statements that make it and that repair it.
struct Fault {
    id: &'static str,
    status: &'static str,
    seed: Vec<String>,
    repair: Vec<String>,
}

fn fault(id: &'static str, status: &'static str, seed: &[String], repair: &[&str]) -> Fault {
    Fault { id, status, seed: seed.to_vec(), repair: repair.iter().map(ToString::to_string).collect() }
}

fn faults(database: Database) -> Vec<Fault> {
    let is_sqlite = database == Database::Sqlite;
    let instant = |seconds: i64| match database {
        Database::Sqlite => format!("(unixepoch() * 1000 + {})", seconds * 1000),
        Database::Postgres => format!("(now() + interval '{seconds} seconds')"),
    };
    let (now, earlier, later) = (instant(0), instant(-7_200), instant(86_400));
    let one = if is_sqlite { format!("x'{:032x}'", 1) } else { format!("'{}'", Uuid::from_u128(1)) };
    let zero = one.replace('1', "0");
    let bytes = if is_sqlite { "x'00'" } else { "'\\x00'::bytea" };
    let triggers = match database {
        Database::Sqlite => [
            "drop trigger stoa_audit_update",
            "create trigger stoa_audit_update before update on stoa_audit begin select raise(abort, 'never'); end",
        ],
        Database::Postgres => {
            ["alter table stoa_audit disable trigger append_only", "alter table stoa_audit enable trigger append_only"]
        }
    };
    let endpoint = format!(
        "insert into stoa_webhook_endpoint (tenant_id, id, name, url, status, kinds, version, key_id, secret,
           listens_since, created_at, updated_at)
         values ({one}, {one}, 'seeded', 'https://shop.example', 'ACTIVE', '', 1, 'unknown', {bytes},
           {now}, {now}, {now})"
    );
    vec![
        fault(
            "database.steps",
            "fail",
            &["update _sqlx_migrations set version = 1014 where version = 14".into()],
            &["update _sqlx_migrations set version = 14 where version = 1014"],
        ),
        fault(
            "database.tables",
            "fail",
            &["insert into stoa_collection (module, name, definition) values ('ghost', 'thing', '{}')".into()],
            &["delete from stoa_collection where module = 'ghost'"],
        ),
        fault("database.append_only", "fail", &[triggers[0].into()], &[triggers[1]]),
        fault(
            "clock.purge",
            "fail",
            &[format!(
                "insert into stoa_clock (id, next_mark, seen_at) values (1, {later}, {later})
                 on conflict (id) do update set seen_at = excluded.seen_at"
            )],
            &["delete from stoa_clock"],
        ),
        fault(
            "clock.limits",
            "warn",
            &[format!(
                "insert into stoa_permit (tenant_id, subject_id, scope, window_start, used, leased)
                 values ({one}, {one}, 'MINUTE', {later}, 1, 1)"
            )],
            &["delete from stoa_permit"],
        ),
        fault(
            "modules.hosts",
            "fail",
            &[format!(
                "insert into stoa_host (id, name, started_at, seen_at, generation, trouble, health)
                 values ({one}, 'seeded', {now}, {now}, 1, 'seeded', '{{}}')"
            )],
            &["delete from stoa_host where name = 'seeded'"],
        ),
        fault(
            "modules.backfills",
            "fail",
            &["insert into stoa_upgrade (generation, module, from_version, to_version, batches, trouble, tries)
               values (1, 'catalog', '0.0.1', '0.1.0', 1, 'seeded', 3)"
                .into()],
            &["delete from stoa_upgrade where trouble = 'seeded'"],
        ),
        fault(
            "modules.extensions",
            "fail",
            &[format!(
                "insert into stoa_timer_lag (tenant_id, module, code, until, tries, trouble, retry_at)
                 values ({one}, 'catalog', 'seeded', {now}, 1, 'seeded', {now})"
            )],
            &["delete from stoa_timer_lag"],
        ),
        fault("webhooks.keys", "fail", &[endpoint], &["delete from stoa_webhook_endpoint"]),
        fault(
            "webhooks.failing",
            "warn",
            &[format!(
                "insert into stoa_webhook_lane (tenant_id, endpoint_id, failures, failing_since)
                 values ({one}, {one}, 5, {earlier})"
            )],
            &["delete from stoa_webhook_lane"],
        ),
        fault(
            "webhooks.late",
            "fail",
            &[format!(
                "insert into stoa_webhook_lane (tenant_id, endpoint_id, due_at) values ({one}, {one}, {earlier})"
            )],
            &["delete from stoa_webhook_lane"],
        ),
        fault(
            "webhooks.events",
            "warn",
            &[
                format!("insert into stoa_webhook_cursor (tenant_id, last_event) values ({one}, {zero})"),
                format!(
                    "insert into stoa_event
                       (tenant_id, id, kind, resource_type, resource_id, data, request_id, created_at)
                     values ({one}, {one}, 'seeded', 'seeded', {one}, '{{}}', {one}, {earlier})"
                ),
            ],
            &["delete from stoa_webhook_cursor", "delete from stoa_event where kind = 'seeded'"],
        ),
        // No host repairs it.
        fault(
            "modules.active",
            "fail",
            &[format!("update stoa_artifact set bytes = {bytes} where name = 'catalog'")],
            &[],
        ),
    ]
}

fn of_postgres() -> Vec<Fault> {
    let lock_timeout = |what: &str| {
        format!(
            "do $$ begin
               execute format('alter role %I in database %I {what}', current_user, current_database());
             end $$"
        )
    };
    vec![
        fault(
            "database.row_security",
            "fail",
            &["alter table catalog_product no force row level security".into()],
            &["alter table catalog_product force row level security"],
        ),
        fault(
            "database.rights",
            "fail",
            &["revoke create on schema public from pg_database_owner".into()],
            &["grant create on schema public to pg_database_owner"],
        ),
        fault(
            "database.lock_timeout",
            "warn",
            &[lock_timeout("reset lock_timeout")],
            &[&lock_timeout("set lock_timeout = ''3s''")],
        ),
    ]
}

fn faults_of_a_place_are_found() {
    let host = host_with(2);
    let failed = || examine(&mut doctor(&host)).with_status("fail").into_iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(failed(), [""; 0]);
    // Hosts would make the step again.
    host.kill9();
    host.run_at("place-2", "update _sqlx_migrations set version = 1014 where version = 14");
    assert_eq!(failed(), ["database.places"]);
    host.run_at("place-2", "update _sqlx_migrations set version = 14 where version = 1014");
    assert_eq!(failed(), [""; 0]);
    host.take_away("place-1");
    assert_eq!(failed(), ["database.places"]);
}

fn faults_of_rows_are_found(database: Database) {
    let host = Stoa::start(database);
    // A running host would repair some of it, or work on it.
    host.kill9();
    let mut all = if database == Database::Postgres { of_postgres() } else { Vec::new() };
    all.extend(faults(database));
    for Fault { id, status, seed, repair } in all {
        seed.iter().for_each(|statement| host.change(statement));
        let found = examine(&mut doctor(&host));
        assert!(found.with_status(status).contains(id), "{id}: {found:?}");
        assert!(found.with_status("fail").iter().all(|failed| *failed == id), "{id}: {found:?}");
        repair.iter().for_each(|statement| host.change(statement));
    }
}

/// A host that trusts others than this one does: the settings are those of a deployment, the database is the host's.
fn an_untrusted_module_is_found(database: Database) {
    let host = Stoa::start(database);
    let folder = Folder::new("doctor");
    let url = host
        .postgres_url()
        .map_or_else(|| format!("sqlite:{}", host.data_folder().join("stoa.sqlite").display()), str::to_string);
    let issuer = Issuer::start(Manner::Keys(jwks([&Signer::es256("provider")])));
    let found = examine(deployment(&folder, &issuer.url).env("STOA_DATABASE_URL", url));
    assert_eq!(found.with_status("fail"), BTreeSet::from(["modules.trusted"]), "{found:?}");
}

fn a_file_that_others_can_read_is_found(database: Database) {
    let host = Stoa::start(database);
    let key = host.data_folder().join("encryption.key");
    fs::set_permissions(&key, Permissions::from_mode(0o644)).expect("the key's file");
    let found = examine(&mut doctor(&host));
    assert_eq!(found.with_status("fail"), BTreeSet::from(["files.rights"]));
}

fn a_host_that_is_not_ready_is_found(database: Database) {
    let host = Stoa::start(database);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        let (mut asked, _) = listener.accept().expect("a connection");
        let _ = asked.read(&mut [0; 4_096]);
        let _ = asked.write_all(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    });
    let found = examine(doctor(&host).env("STOA_LISTEN", address));
    assert_eq!(found.with_status("fail"), BTreeSet::from(["host.answers"]));
}

/// Neither rows nor files, also where a --dev host would make its keys.
fn nothing_is_changed(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    host.kill9();
    let names = |folder: &std::path::Path| {
        let files = fs::read_dir(folder).expect("a folder").flatten();
        let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        names.filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm")).collect::<BTreeSet<String>>()
    };
    let before = (shop.digest(), names(&host.data_folder()));
    let empty = Folder::new("doctor");
    examine(&mut doctor(&host));
    examine(doctor(&host).env("STOA_DATA_DIR", empty.path()).env("STOA_DEV", "true"));
    assert_eq!((shop.digest(), names(&host.data_folder())), before);
    assert_eq!(names(empty.path()), BTreeSet::new());
}

/// Environment variables with their values.
type Variables<'a> = &'a [(&'a str, &'a str)];

fn faults_of_settings_are_found(database: Database) {
    let host = Stoa::start(database);
    let cases: [(Variables<'_>, &str, &str); 11] = [
        (&[("STOA_BODY_MEMORY", "1MiB")], "settings.valid", "fail"),
        (&[("STOA_LISTEN", "nowhere")], "settings.valid", "fail"),
        (&[("STOA_USER_COMPANIES_PER_DAY", "5")], "settings.names", "warn"),
        (&[("STOA_ENCRYPTION_KEY", "5a")], "settings.key", "fail"),
        (&[("STOA_PRECOMPILED_SHA256", "5a")], "settings.precompiled", "fail"),
        (
            &[("STOA_OIDC_ISSUER", "http://127.0.0.1:1"), ("STOA_OIDC_AUDIENCE", "https://shop.example")],
            "identity.issuer",
            "fail",
        ),
        (&[("STOA_DATABASE_URL", "mysql://stoa@localhost/stoa")], "database.address", "fail"),
        (&[("STOA_DATABASE_URL", "postgres://stoa@db.example/stoa?sslmode=disable")], "database.address", "fail"),
        (
            &[("STOA_DATABASE_URL", "postgres://stoa@localhost/stoa?sslmode=require&sslrootcert=missing.pem")],
            "database.address",
            "fail",
        ),
        (&[("STOA_DATABASE_URL", "postgres://stoa@127.0.0.1:1/stoa")], "database.reach", "fail"),
        (&[("STOA_DATABASE_URL", "sqlite:missing.sqlite")], "database.reach", "fail"),
    ];
    for (variables, id, status) in cases {
        let found = examine(doctor(&host).envs(variables.iter().copied()));
        assert!(found.with_status(status).contains(id), "{variables:?}: {found:?}");
        assert!(found.with_status("fail").iter().all(|failed| *failed == id), "{variables:?}: {found:?}");
    }
}

fn faults_of_a_deployment_s_settings_are_found(_: Database) {
    let issuer = Issuer::start(Manner::Keys(jwks([&Signer::es256("provider")])));
    let folder = Folder::new("doctor");
    let partner = format!("acme:partner:{}", "00".repeat(32));
    let cases: [(&[&str], Variables<'_>, &str, &str); 7] = [
        (&["STOA_ENCRYPTION_KEY"], &[], "settings.key", "fail"),
        (&["STOA_OIDC_ISSUER", "STOA_OIDC_AUDIENCE"], &[], "settings.identity", "fail"),
        (&["STOA_TRUSTED_SIGNERS"], &[], "settings.trust", "fail"),
        (&["STOA_OPERATOR_TOKEN_SHA256"], &[], "settings.operators", "warn"),
        (&[], &[("STOA_PRIVATE_LISTEN", "0.0.0.0:9464")], "settings.private_listener", "warn"),
        (
            &[],
            // An address for examples: no machine has it.
            &[
                ("STOA_DATABASE_URL", "postgres://stoa@192.0.2.1/stoa?sslmode=disable"),
                ("STOA_DATABASE_PLAINTEXT", "allow"),
            ],
            "database.tls",
            "warn",
        ),
        (&[], &[("STOA_TRUSTED_SIGNERS", &partner), ("STOA_SANDBOX", "fast")], "settings.trust", "warn"),
    ];
    for (absent, variables, id, status) in cases {
        let mut command = deployment(&folder, &issuer.url);
        for name in absent {
            command.env_remove(name);
        }
        let found = examine(command.envs(variables.iter().copied()));
        assert!(found.with_status(status).contains(id), "{id}: {found:?}");
        // There is no database.
        let mut failed = found.with_status("fail");
        failed.remove("database.reach");
        assert!(failed.iter().all(|failed| *failed == id), "{id}: {found:?}");
    }
}

fn faults_of_a_server_are_found() {
    let host = Stoa::start(Database::Postgres);
    let found = examine(doctor(&host).env("STOA_DATABASE_CONNECTIONS", "100000"));
    assert_eq!(found.with_status("fail"), BTreeSet::from(["database.connections"]));
    let url = host.postgres_url().expect("its database").replace("stoa_test_", "stoa_missing_");
    let found = examine(doctor(&host).env("STOA_DATABASE_URL", url));
    assert_eq!(found.with_status("fail"), BTreeSet::from(["database.reach"]));
}

fn a_half_built_index_is_found() {
    let host = Stoa::start(Database::Postgres);
    let shop = host.company();
    // Each leaves a row of the company.
    for code in ["ONE", "TWO"] {
        shop.brand(code);
    }
    let build = "create unique index concurrently seeded on stoa_idempotency (tenant_id)";
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let built = runtime.block_on(async {
        let mut connection = PgConnection::connect(host.postgres_url().expect("its database")).await?;
        connection.execute(build).await
    });
    assert!(built.is_err(), "the index was built");
    let found = examine(&mut doctor(&host));
    assert_eq!(found.with_status("fail"), BTreeSet::from(["database.indexes"]));
}

/// On a server of our own, where there is one to make: the suite's has no such role.
fn a_role_above_row_security_is_found() {
    let Some(programs) = stoa_cluster::find() else {
        return record::tell_not_run("operations::doctor a role above row-level security", stoa_cluster::MISSING);
    };
    let cluster = stoa_cluster::Cluster::start(&programs, &std::env::temp_dir()).expect("a server of our own");
    let issuer = Issuer::start(Manner::Keys(jwks([&Signer::es256("provider")])));
    let url = cluster.url().replace("//stoa@", "//postgres@");
    let found = examine(deployment(&Folder::new("doctor"), &issuer.url).env("STOA_DATABASE_URL", url));
    assert!(found.with_status("fail").contains("database.role"), "{found:?}");
}

fn a_damaged_file_is_found(database: Database) {
    let host = Stoa::start(database);
    assert_eq!(host.terminate(Duration::from_secs(20)), Some(0));
    let file = fs::File::options().write(true).open(host.data_folder().join("stoa.sqlite")).expect("the file");
    let middle = file.metadata().expect("its size").len() / 2 / 4_096 * 4_096;
    file.write_all_at(&[0xAA; 16 * 4_096], middle).expect("the file is damaged");
    let found = examine(&mut doctor(&host));
    assert!(found.with_status("fail").contains("database.file"), "{found:?}");
}

fn no_secret_is_printed(_: Database) {
    let folder = Folder::new("doctor");
    let secret = "c0ffee5ec2e7";
    let cases = [
        ("STOA_ENCRYPTION_KEY", secret.to_string()),
        ("STOA_OPERATOR_TOKEN_SHA256", secret.to_string()),
        ("STOA_TRUSTED_SIGNERS", secret.to_string()),
        ("STOA_PRECOMPILED_SHA256", secret.to_string()),
        ("STOA_DATABASE_URL", format!("postgres://stoa:{secret}@127.0.0.1:1/stoa")),
        ("STOA_DATABASE_URL", format!("postgres://stoa:{secret}@db.example/stoa?sslmode=disable")),
        ("STOA_DATABASE_URL", format!("postgres://stoa@127.0.0.1/stoa?password={secret}&unknown={secret}")),
        ("STOA_DATABASE_URL", format!("postgres://stoa:{secret}@127.0.0.1:port/stoa")),
        ("STOA_OIDC_ISSUER", format!("http://stoa:{secret}@127.0.0.1:1")),
    ];
    for (name, value) in cases {
        for flags in [&["doctor"][..], &["doctor", "--json"]] {
            let mut command = deployment(&folder, "http://127.0.0.1:1");
            let output = command.env(name, &value).args(flags).output().expect("cannot run stoa");
            let said =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(said.contains("database.reach") && !said.contains(secret), "{name}: {said}");
        }
    }
}

/// A program that accepts connections and says nothing is in the place of everybody who is asked.
fn it_ends_within_three_seconds() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent = listener.local_addr().expect("an address");
    let folder = Folder::new("doctor");
    let mut command = deployment(&folder, &format!("http://{silent}"));
    command.env("STOA_LISTEN", silent.to_string()).env("STOA_DATABASE_URL", format!("postgres://stoa@{silent}/x"));
    let began = Instant::now();
    let found = examine(&mut command);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(found.with_status("fail"), BTreeSet::from(["database.reach", "host.answers"]));
    assert!(found.with_status("warn").contains("identity.issuer"), "{found:?}");
}
