//! A company moves from one server to another while it is used: here, from one database to another of one server.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::moves::Movable;
use stoa_tests::people::somebody;
use stoa_tests::places::host_with;
use stoa_tests::record::tell_not_run;
use stoa_tests::{Company, eventually_within, tests};

tests![
    a_company_moves_while_it_is_read_and_written,
    a_trial_changes_nothing,
    a_move_that_was_killed_goes_on,
    a_move_is_given_up_and_its_copy_deleted,
    a_switch_that_takes_long_lets_writes_go_on,
    a_table_without_rows_is_not_copied,
    a_row_that_the_copy_altered_is_found,
    a_change_that_the_copy_altered_while_writes_wait_is_found,
    a_server_that_cannot_receive_is_rejected,
];

const PART: &str = "places::moves";
const WRITERS: usize = 16;
/// Longest time in which writes of a company may wait, in milliseconds, as the command reports it.
const PAUSE: u64 = 1_000;

/// The host, or a line that says why this part did not run.
fn movable() -> Option<Movable> {
    Movable::start(PART).map_err(|why| tell_not_run(PART, &why)).ok()
}

/// Brands by code, each with the number of its rows.
fn brands(shop: &Company) -> BTreeMap<String, usize> {
    let mut brands = BTreeMap::new();
    for row in shop.rows("select code from catalog_lookup where {tenant} and kind = 'brands'") {
        *brands.entry(row[0].clone()).or_default() += 1;
    }
    brands
}

/// The company is used where the directory says, and nowhere else.
fn is_at(shop: &Company, place: &str, brand: &str) {
    assert_eq!(shop.place(), place);
    let other = if place == "home" { "place-1" } else { "home" };
    let visible = format!("select count(*)::text from stoa_tenant where id = '{}'", shop.tenant);
    assert_eq!(shop.host.run_at(place, &visible).as_deref(), Some("1"));
    assert_eq!(shop.host.run_at(other, &visible).as_deref(), Some("0"));
    shop.get(&format!("catalog/lookups/brands/{brand}")).is(200);
    shop.brand(&fresh("AFTER"));
    let report = shop.host.verify(&[&shop.tenant]);
    assert_eq!(report["findings"], json!([]), "{report}");
}

fn a_company_moves_while_it_is_read_and_written() {
    let Some(movable) = movable() else { return };
    let shop = movable.host.company_at("home", &somebody("owner"));
    let first = shop.brand("FIRST");
    let machine = shop.machine(&["catalog.read"]);
    for (to, from) in [("place-1", "home"), ("home", "place-1")] {
        let (ended, reads, before) = (AtomicBool::new(false), AtomicUsize::new(0), brands(&shop));
        let written: Vec<String> = thread::scope(|scope| {
            let write = || {
                let mut codes = Vec::new();
                while !ended.load(Ordering::Acquire) {
                    let code = fresh("W");
                    let body = json!({ "name": code, "code": code });
                    shop.post_until_answered("catalog/lookups/brands", &body).is(201);
                    codes.push(code);
                }
                codes
            };
            let read = || {
                while !ended.load(Ordering::Acquire) {
                    shop.get(&format!("catalog/lookups/brands/{first}")).is(200);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            };
            let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
            let reader = scope.spawn(read);
            let moved = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| movable.move_company(&shop, to)));
            ended.store(true, Ordering::Release);
            let written = writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect();
            reader.join().expect("a read failed");
            let moved = moved.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let pause = moved["pauseMs"].as_u64().expect("a pause");
            assert!(pause <= PAUSE, "writes waited {pause} ms");
            assert_eq!((&moved["from"], &moved["to"]), (&json!(from), &json!(to)));
            written
        });
        assert!(written.len() > WRITERS && reads.load(Ordering::Relaxed) > 10, "no request used the company");
        let after = brands(&shop);
        let doubled: Vec<_> = after.iter().filter(|(_, count)| **count > 1).collect();
        assert!(doubled.is_empty(), "doubled: {doubled:?}");
        let expected: Vec<&String> = before.keys().chain(&written).collect();
        let lost: Vec<_> = expected.iter().filter(|code| !after.contains_key(**code)).collect();
        assert!(lost.is_empty(), "lost on the way to {to}, of {}: {lost:?}", expected.len());
        assert_eq!(after.len(), expected.len(), "a write that was never acknowledged is there");
        is_at(&shop, to, &first);
        machine.get("catalog/products").is(200);
        let purged = movable.host.operator(&["move", &shop.tenant, "--purge"]).expect("a purge");
        assert!(purged["deletedRows"].as_u64().is_some_and(|rows| rows > 100), "{purged}");
        let left = format!("select count(*)::text from stoa_audit where tenant_id = '{}'", shop.tenant);
        assert_eq!(movable.host.run_at(from, &left).as_deref(), Some("0"));
        is_at(&shop, to, &first);
    }
}

fn a_trial_changes_nothing() {
    let Some(movable) = movable() else { return };
    let shop = movable.host.company_at("home", &somebody("owner"));
    let brand = shop.brand("B");
    let plan = movable.host.operator(&["move", &shop.tenant, "--to", "place-1", "--dry-run"]).expect("a plan");
    assert_eq!(plan["missing"], json!([]));
    let tables = plan["tables"].as_array().expect("tables");
    let brands = tables.iter().find(|table| table["table"] == "catalog_lookup").expect("the table of brands");
    assert!(brands["rows"].as_i64() > Some(0) && brands["bytes"].as_i64() > Some(0), "{brands}");
    for place in ["home", "place-1"] {
        let left = "select ((select count(*) from stoa_move) + (select count(*) from stoa_move_mark)
            + (select count(*) from pg_publication) + (select count(*) from pg_replication_slots))::text";
        assert_eq!(movable.host.run_at(place, left).as_deref(), Some("0"), "{place}");
    }
    is_at(&shop, "home", &brand);
    let said = movable.host.operator(&["move", &shop.tenant, "--to", "moon"]);
    assert!(said.as_ref().is_err_and(|said| said.contains("no place moon")), "{said:?}");
    let said = movable.host.operator(&["move", &shop.tenant, "--to", "home"]);
    assert!(said.as_ref().is_err_and(|said| said.contains("at home already")), "{said:?}");
}

/// For each step a place and a lock that the step waits for.
const CUTS: [(&str, &str); 6] = [
    // The copy is set up.
    ("home", "lock table stoa_move_mark in access exclusive mode"),
    // The new place receives the company's row, keys and members.
    ("place-1", "lock table stoa_api_key in share mode"),
    // The old place ends writes for good.
    ("home", "lock table stoa_tenant in share mode"),
    // The directory is switched.
    ("home", "lock table stoa_operator_audit in share mode"),
    // The old place drops the company.
    ("home", "lock table stoa_listener in share mode"),
    // The new place opens.
    ("place-1", "lock table stoa_listener in share mode"),
];

fn a_move_that_was_killed_goes_on() {
    let Some(movable) = movable() else { return };
    for (place, lock) in CUTS {
        let shop = movable.host.company_at("home", &somebody("owner"));
        let brand = shop.brand("B");
        movable.kill_move_at(&shop, "place-1", place, lock);
        shop.get(&format!("catalog/lookups/brands/{brand}")).is(200);
        let moved = movable.move_company(&shop, "place-1");
        assert_eq!(moved["to"], "place-1", "after {lock}");
        is_at(&shop, "place-1", &brand);
    }
}

fn a_move_is_given_up_and_its_copy_deleted() {
    let Some(movable) = movable() else { return };
    for (place, lock) in [CUTS[1], CUTS[3]] {
        let shop = movable.host.company_at("home", &somebody("owner"));
        let brand = shop.brand("B");
        movable.kill_move_at(&shop, "place-1", place, lock);
        let undone = movable.host.operator(&["move", &shop.tenant, "--undo"]).expect("an undone move");
        assert!(undone["deletedRows"].as_u64().is_some_and(|rows| rows > 10), "{undone}");
        let left = format!("select count(*)::text from stoa_audit where tenant_id = '{}'", shop.tenant);
        assert_eq!(movable.host.run_at("place-1", &left).as_deref(), Some("0"));
        is_at(&shop, "home", &brand);
        let said = movable.host.operator(&["move", &shop.tenant, "--undo"]);
        assert!(said.is_err_and(|said| said.contains("no move of this company")));
    }
}

/// Each read of the table stoa_timer waits for a lock. A lock of the table itself would hold up the copy before the switch.
const HELD_TIMERS: &str = "alter table stoa_timer rename to stoa_timer_kept;
    create view stoa_timer as select * from stoa_timer_kept
      union all select (null::stoa_timer_kept).* where pg_advisory_xact_lock_shared(38)::text is null";
const USUAL_TIMERS: &str = "drop view stoa_timer; alter table stoa_timer_kept rename to stoa_timer";

/// A move that goes on while the test acts.
struct MoveUnderWay {
    command: Child,
    lines: std::io::Lines<BufReader<ChildStderr>>,
}

impl MoveUnderWay {
    fn begin(movable: &Movable, shop: &Company, flags: &[&str]) -> MoveUnderWay {
        let mut command = movable.host.command();
        command.args(["tenant", "move", &shop.tenant, "--to", "place-1"]).args(flags);
        let mut command = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("cannot run the binary");
        let lines = BufReader::new(command.stderr.take().expect("stderr is piped")).lines();
        MoveUnderWay { command, lines }
    }

    /// Waits until the command prints a line that begins so, and returns the rest.
    fn wait_for(&mut self, beginning: &str) -> String {
        let mut said = Vec::new();
        loop {
            let line = self.lines.next().unwrap_or_else(|| panic!("no line {beginning}: {said:#?}")).expect("a line");
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.to_owned();
            }
            said.push(line);
        }
    }

    fn finish(mut self, shop: &Company) {
        self.lines.by_ref().for_each(drop);
        assert!(self.command.wait().expect("the command").success());
        assert_eq!(shop.place(), "place-1");
    }
}

/// A statement that the switch waits for, and nothing before it, is held up at the new place.
fn a_switch_that_takes_long_lets_writes_go_on() {
    let Some(movable) = movable() else { return };
    let shop = movable.host.company_at("home", &somebody("owner"));
    movable.host.run_at("place-1", HELD_TIMERS);
    let held = movable.host.hold_at("place-1", "select pg_advisory_xact_lock(38)");
    let mut moving = MoveUnderWay::begin(&movable, &shop, &[]);
    moving.wait_for("writes are accepted again: the comparison takes longer than 800 ms");
    // The lock is still held.
    shop.post_until_answered("catalog/lookups/brands", &json!({ "name": "Held", "code": "HELD" })).is(201);
    drop(held);
    movable.host.run_at("place-1", USUAL_TIMERS);
    moving.finish(&shop);
    assert_eq!(brands(&shop), BTreeMap::from([("HELD".to_owned(), 1)]));
}

/// Most tables are ready at the first report: their copies would have begun a moment before.
fn a_table_without_rows_is_not_copied() {
    let Some(movable) = movable() else { return };
    let shop = movable.host.company_at("home", &somebody("owner"));
    let mut moving = MoveUnderWay::begin(&movable, &shop, &[]);
    let copied = moving.wait_for("copying: ");
    let [ready, tables] = [0, 2].map(|word| copied.split(' ').nth(word).and_then(|count| count.parse::<u32>().ok()));
    let (ready, tables) = (ready.expect("a count"), tables.expect("a count"));
    assert!(ready * 2 > tables, "{copied}");
    moving.finish(&shop);
}

/// The new place writes another name of the brand ALTERED than the copy states.
const ALTERING: &str = "create function alter_name() returns trigger language plpgsql as
      $$ begin if new.code = 'ALTERED' then new.name = 'another'; end if; return new; end $$;
    create trigger alter_name before insert or update on catalog_lookup for each row execute function alter_name();
    alter table catalog_lookup enable replica trigger alter_name";
const DIFFER: &str = "writes are accepted again: both places differ in catalog_lookup";

/// Names the brand at a place, behind the host's back.
fn rename(shop: &Company, place: &str) {
    let rename = "update catalog_lookup set name = 'Mine' where code = 'ALTERED' returning name";
    let renamed = shop.host.run_at(place, &format!("set stoa.tenant = '{}'; {rename}", shop.tenant));
    assert_eq!(renamed.as_deref(), Some("Mine"));
}

fn a_row_that_the_copy_altered_is_found() {
    let Some(movable) = movable() else { return };
    let shop = movable.host.company_at("home", &somebody("owner"));
    shop.post("catalog/lookups/brands", json!({ "name": "Mine", "code": "ALTERED" })).is(201);
    movable.host.run_at("place-1", ALTERING);
    let mut moving = MoveUnderWay::begin(&movable, &shop, &[]);
    moving.wait_for(DIFFER);
    assert_eq!(shop.place(), "home");
    movable.host.run_at("place-1", "drop trigger alter_name on catalog_lookup");
    rename(&shop, "place-1");
    moving.finish(&shop);
}

/// The last pass reads the rows that changed since the one before. Writes wait already when this row changes.
fn a_change_that_the_copy_altered_while_writes_wait_is_found() {
    let Some(movable) = movable() else { return };
    let shop = movable.host.company_at("home", &somebody("owner"));
    shop.post("catalog/lookups/brands", json!({ "name": "First", "code": "ALTERED" })).is(201);
    movable.host.run_at("place-1", HELD_TIMERS);
    let held = movable.host.hold_at("place-1", "select pg_advisory_xact_lock(38)");
    let mut moving = MoveUnderWay::begin(&movable, &shop, &["--pause", "10min"]);
    let write = || shop.post("catalog/lookups/brands", json!({ "name": "Any", "code": fresh("ANY") })).status;
    eventually_within(Duration::from_secs(60), || (write() == 503).then_some(()));
    movable.host.run_at("place-1", ALTERING);
    rename(&shop, "home");
    drop(held);
    moving.wait_for(DIFFER);
    assert_eq!(shop.place(), "home");
    movable.host.run_at("place-1", USUAL_TIMERS);
    movable.host.run_at("place-1", "drop trigger alter_name on catalog_lookup");
    rename(&shop, "place-1");
    moving.finish(&shop);
}

fn a_server_that_cannot_receive_is_rejected() {
    let host = host_with(1);
    let shop = host.company_at("home", &somebody("owner"));
    let version = host.run_at("place-1", "select current_setting('server_version_num')").expect("a version");
    if version.parse::<u32>().is_ok_and(|version| version >= 160_000) {
        return tell_not_run(PART, "the suite's server is new enough to receive companies");
    }
    let said = host.operator(&["move", &shop.tenant, "--to", "place-1"]);
    assert!(said.as_ref().is_err_and(|said| said.contains("home has no move_url")), "{said:?}");
    let urls = ["home", "place-1"].map(|place| host.database_of(place));
    let file = format!(
        "[[places]]\nname = \"home\"\nmove_url = \"{}\"\n[[places]]\nname = \"place-1\"\nurl = \"{}\"\nmove_url = \"{}\"\n",
        urls[0], urls[1], urls[1]
    );
    host.rewrite_file(&file);
    let plan = host.operator(&["move", &shop.tenant, "--to", "place-1", "--dry-run"]).expect("a plan");
    let missing: Vec<&str> = plan["missing"].as_array().expect("a list").iter().filter_map(|it| it.as_str()).collect();
    for text in ["version 16 or later", "wal_level", "replication", "bypassrls"] {
        assert!(missing.iter().any(|line| line.contains(text)), "{text}: {missing:?}");
    }
    let said = host.operator(&["move", &shop.tenant, "--to", "place-1"]);
    assert!(said.as_ref().is_err_and(|said| said.contains("version 16 or later")), "{said:?}");
    assert_eq!(shop.place(), "home");
    shop.brand("B");
}
