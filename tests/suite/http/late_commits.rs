//! [C17] Nothing is committed behind a reader who comes back for what is new: the lists of API clients, and what changed since an
//! instant, end before what transactions under way may still put into them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::host::Settings;
use stoa_tests::{Company, Database, Dice, Machine, Stoa, company, eventually, on_both_databases};

stoa_tests::tests![
    c17_a_write_under_way_holds_back_what_came_after_it,
    c17_a_company_without_a_connection_holds_up_no_other,
];

// On SQLite there is one writer, and nothing begins that others overtake.
on_both_databases![
    c17_readers_that_poll_see_every_row_once,
    c17_a_client_finds_what_it_has_just_written,
    c17_companies_do_not_wait_for_each_other,
];

const PRODUCTS: &str = "catalog/products";
const WRITERS: usize = 3;

fn on_sale(name: &str) -> Json {
    with(&product(name), json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": fresh("S-") }] }))
}

fn client(shop: &Company) -> Machine {
    shop.entitle();
    shop.machine_of(json!({ "scopes": ["catalog.read", "catalog.write"], "requestsPerMinute": 6000 }))
}

fn page(machine: &Machine, path: &str, query: &[(&str, &str)]) -> Vec<Json> {
    machine.request("GET", path).query(query).send().is(200).items().to_vec()
}

fn text<'a>(item: &'a Json, member: &str) -> &'a str {
    item[member].as_str().unwrap_or_else(|| panic!("no {member}: {item}"))
}

/// Single creates, and imports of every length: their transactions end in another order than they began.
fn write(shop: &Company, dice: &mut Dice) -> Vec<String> {
    match dice.between(0, 3) {
        0 => vec![shop.post(PRODUCTS, on_sale("One")).is(201).id()],
        _ => {
            let products: Vec<Json> = (0..dice.between(1, 120)).map(|n| on_sale(&format!("Many {n}"))).collect();
            let answer = shop.post("catalog/imports", json!({ "products": products })).is(201);
            answer.items().iter().map(|item| text(item, "id").to_owned()).collect()
        }
    }
}

/// Reads on from the last id seen until everything was committed and read.
fn follow_ids(machine: &Machine, mut dice: Dice, writing: &AtomicUsize) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut cursor = "00000000-0000-0000-0000-000000000000".to_owned();
    loop {
        // A reader that saw the end of the writes reads once more.
        let is_over = writing.load(Ordering::SeqCst) == 0;
        let limit = dice.between(1, 101).to_string();
        let items = page(machine, PRODUCTS, &[("limit", &limit), ("cursor", &cursor)]);
        seen.extend(items.iter().map(|item| text(item, "id").to_owned()));
        cursor = seen.last().cloned().unwrap_or(cursor);
        if items.is_empty() && is_over {
            return seen;
        }
        thread::sleep(Duration::from_millis(dice.between(0, 20)));
    }
}

/// Reads what changed since the newest change of each round's first page, as the contract says.
fn follow_changes(machine: &Machine, writing: &AtomicUsize) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut since = "2000-01-01T00:00:00.000Z".to_owned();
    loop {
        let is_over = writing.load(Ordering::SeqCst) == 0;
        let before = (since.clone(), seen.len());
        let mut cursor: Option<String> = None;
        let round = since.clone();
        loop {
            let mut query = vec![("limit", "40"), ("updatedSince", round.as_str())];
            query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let answer = machine.request("GET", PRODUCTS).query(&query).send().is(200);
            if cursor.is_none() {
                let newest = answer.items().iter().map(|item| text(item, "updatedAt").to_owned()).max();
                since = newest.unwrap_or(since);
            }
            seen.extend(answer.ids());
            match answer["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        if is_over && before == (since.clone(), seen.len()) {
            return seen;
        }
    }
}

fn c17_readers_that_poll_see_every_row_once(database: Database) {
    let shop = company(database);
    let machine = client(&shop);
    let mut dice = Dice::new("readers_that_poll");
    let writing = AtomicUsize::new(WRITERS);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| {
                let (mut dice, shop, writing) = (dice.fork(), &shop, &writing);
                scope.spawn(move || {
                    let made: Vec<String> = (0..6).flat_map(|_| write(shop, &mut dice)).collect();
                    writing.fetch_sub(1, Ordering::SeqCst);
                    made
                })
            })
            .collect();
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let (dice, machine, writing) = (dice.fork(), &machine, &writing);
                scope.spawn(move || follow_ids(machine, dice, writing))
            })
            .collect();
        let of_changes = scope.spawn(|| follow_changes(&machine, &writing));
        let made: BTreeSet<String> =
            writers.into_iter().flat_map(|writer| writer.join().expect("a writer panicked")).collect();
        for reader in readers {
            let seen = reader.join().expect("a reader panicked");
            assert!(seen.is_sorted_by(|one, next| one < next), "each once, in their order");
            assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), made, "every one");
        }
        assert_eq!(of_changes.join().expect("a reader panicked"), made, "every change");
    });
}

/// A replacement of a brand has begun and waits for a row that another transaction holds.
fn c17_a_write_under_way_holds_back_what_came_after_it() {
    let shop = company(Database::Postgres);
    let machine = client(&shop);
    let brands = "catalog/lookups/brands";
    let old = shop.brand("OLD");
    let everything = [("updatedSince", "2000-01-01T00:00:00.000Z")];
    let known = |query: &[(&str, &str)]| -> Vec<String> {
        page(&machine, brands, query).iter().map(|item| text(item, "name").to_owned()).collect()
    };
    assert_eq!((known(&[]), known(&everything)), (vec!["Brand OLD".to_owned()], vec!["Brand OLD".to_owned()]));
    let held = shop.hold(&format!("select 1 from catalog_lookup where {{tenant}} and id = '{old}' for update"));
    thread::scope(|scope| {
        let late =
            scope.spawn(|| shop.put(&format!("{brands}/{old}"), json!({ "name": "Late", "code": "OLD" })).is(200));
        eventually(|| shop.is_writing().then_some(()));
        shop.brand("NEW");
        assert_eq!(known(&[]), ["Brand OLD"], "what came after it waits");
        assert_eq!(known(&everything), ["Brand OLD"], "changes too");
        let people: Vec<String> =
            shop.get(brands).is(200).items().iter().map(|item| text(item, "name").to_owned()).collect();
        assert_eq!(people, ["Brand OLD", "Brand NEW"], "people's lists hold nothing back");
        drop(held);
        late.join().expect("the late writer panicked");
    });
    assert_eq!(
        (known(&[]), known(&everything)),
        (vec!["Late".into(), "Brand NEW".into()], vec!["Late".into(), "Brand NEW".into()])
    );
}

/// Where nothing of the company is under way, a list has all that was answered before it was asked.
fn c17_a_client_finds_what_it_has_just_written(database: Database) {
    let shop = company(database);
    let machine = client(&shop);
    for n in 0..20 {
        let made = machine.post("catalog/lookups/brands", json!({ "name": format!("B{n}"), "code": format!("B{n}") }));
        let made = made.is(201).id();
        let listed = page(&machine, "catalog/lookups/brands", &[]);
        assert_eq!(listed.last().map(|brand| text(brand, "id")), Some(&*made), "the {n}th");
    }
}

fn c17_companies_do_not_wait_for_each_other(database: Database) {
    let (shop, other) = (company(database), company(database));
    let machine = client(&shop);
    let _held = other.hold_watermark();
    let brand = shop.brand("MINE");
    assert_eq!(page(&machine, "catalog/lookups/brands", &[]).last().map(|one| text(one, "id")), Some(&*brand));
}

/// The sum of the host's counters whose lines begin with a name and hold each of these texts.
fn count(host: &Stoa, name: &str, texts: &[&str]) -> u64 {
    let metrics = host.metrics();
    let is_counted = |line: &&str| line.starts_with(name) && texts.iter().all(|text| line.contains(text));
    metrics.lines().filter(is_counted).filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Writes that wait for a row hold both connections that the company may have, so its own list waits for one. The other
/// company's list ends meanwhile, and has what that company wrote before.
fn c17_a_company_without_a_connection_holds_up_no_other() {
    let host = Stoa::start_with(Database::Postgres, Settings::default().set("STOA_DATABASE_CONNECTIONS", 4));
    let (shop, other) = (host.company(), host.company());
    let (machine, of_other) = (client(&shop), client(&other));
    let brands = "catalog/lookups/brands";
    let old = shop.brand("OLD");
    let path = format!("{brands}/{old}");
    assert_eq!((page(&machine, brands, &[]).len(), page(&of_other, brands, &[]).len()), (1, 0));
    // After these writes both need a new watermark.
    shop.brand("NEW");
    let held = shop.hold(&format!("select 1 from catalog_lookup where {{tenant}} and id = '{old}' for update"));
    thread::scope(|scope| {
        let writes: Vec<_> = (0..2)
            .map(|n| {
                scope.spawn({
                    let (shop, path) = (&shop, &path);
                    move || shop.put(path, json!({ "name": format!("Late {n}"), "code": "OLD" }))
                })
            })
            .collect();
        eventually(|| (shop.waiting_writes() == 2).then_some(()));
        let count_reads = || count(&host, "stoa_database_transactions_total{", &["kind=\"read\"", "place=\"company\""]);
        let count_retries = || count(&host, "stoa_transaction_retries_total", &[]);
        let (reads, retries) = (count_reads(), count_retries());
        let list = scope.spawn(|| page(&machine, brands, &[]));
        eventually(|| (count_reads() > reads).then_some(()));
        let brand = other.brand("MINE");
        assert_eq!(page(&of_other, brands, &[]).last().map(|one| text(one, "id")), Some(&*brand));
        assert!(!list.is_finished() && count_retries() == retries, "it waited for a connection of another company");
        drop(held);
        assert_eq!(list.join().expect("the list panicked").len(), 2);
        for write in writes {
            write.join().expect("a writer panicked");
        }
    });
}
