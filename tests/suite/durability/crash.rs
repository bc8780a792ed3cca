//! kill -9 under sixteen writers, again and again: every acknowledged write is there, and no key has two effects. [F1]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, product, with};
use stoa_tests::{Answer, Company, Database, Dice, Stoa, at_once, cuts, on_both_databases};

on_both_databases![f01_kill_under_sixteen_writers, sigterm_answers_what_it_took];

const WRITERS: usize = 16;

/// One write: what was sent, and what came back if anything did.
struct Attempt {
    company: usize,
    path: String,
    key: String,
    body: Json,
    answer: Option<Answer>,
}

/// The records that a writer may build on: it remembers its own acknowledged ones.
#[derive(Default)]
struct Memory {
    variants: Vec<String>,
    brands: Vec<String>,
    prices: u64,
}

struct Market {
    shops: Vec<Company>,
    lists: Vec<String>,
}

fn f01_kill_under_sixteen_writers(database: Database) {
    let host = Stoa::start(database);
    let mut dice = Dice::new("f01_kill_under_sixteen_writers");
    let shops: Vec<Company> = (0..4).map(|_| host.company()).collect();
    let lists = shops.iter().map(|shop| shop.price_list("CRASH")).collect();
    let market = Market { shops, lists };
    let started: Vec<Counts> = market.shops.iter().map(Counts::new).collect();
    let mut memories: Vec<Memory> = (0..WRITERS).map(|_| Memory::default()).collect();
    let mut history: Vec<Attempt> = Vec::new();
    let (mut slowest, mut unanswered) = (Duration::ZERO, 0);
    let rounds = cuts::rounds(5, 25);
    for round in 0..rounds {
        let sleep = Duration::from_millis(dice.between(5, 401));
        let mut attempts = write_until_killed(&host, &market, &mut memories, &mut dice, round, sleep);
        let begin = Instant::now();
        host.restart();
        slowest = slowest.max(begin.elapsed());
        unanswered += attempts.iter().filter(|attempt| attempt.answer.is_none()).count();
        reconcile(&market, &mut attempts);
        remember(&market, &mut memories, &attempts);
        history.extend(attempts);
    }
    println!("{} writes, {unanswered} unanswered, slowest restart {slowest:?}", history.len());
    assert!(history.len() > rounds * WRITERS, "the writers hardly wrote");
    for (n, shop) in market.shops.iter().enumerate() {
        let mine: Vec<&Attempt> = history.iter().filter(|attempt| attempt.company == n).collect();
        exactly_once(shop, &started[n], &mine);
    }
}

/// Writers write until the host is gone; each ends with at most one write that was not answered.
fn write_until_killed(
    host: &Stoa,
    market: &Market,
    memories: &mut [Memory],
    dice: &mut Dice,
    round: usize,
    sleep: Duration,
) -> Vec<Attempt> {
    let all = Mutex::new(Vec::new());
    let killed = AtomicBool::new(false);
    let (all_attempts, gone) = (&all, &killed);
    thread::scope(|scope| {
        for (writer, memory) in memories.iter_mut().enumerate() {
            let mut dice = dice.fork();
            scope.spawn(move || {
                let mut mine = Vec::new();
                for n in 0.. {
                    let mut attempt = next_write(market, memory, &mut dice, writer, &format!("{round}-{writer}-{n}"));
                    attempt.answer = send(market, &attempt);
                    let answered = attempt.answer.is_some();
                    mine.push(attempt);
                    if !answered || gone.load(Ordering::Relaxed) {
                        break;
                    }
                }
                all_attempts.lock().expect("no writer panicked").extend(mine);
            });
        }
        thread::sleep(sleep);
        host.kill9();
        gone.store(true, Ordering::Relaxed);
    });
    all.into_inner().expect("no writer panicked")
}

fn next_write(market: &Market, memory: &mut Memory, dice: &mut Dice, writer: usize, name: &str) -> Attempt {
    let company = writer % market.shops.len();
    let (path, body) = match dice.between(0, 6) {
        0 if !memory.variants.is_empty() => {
            memory.prices += 1;
            let year = |n: u64| format!("{:04}-01-01T00:00:00Z", 1000 + n);
            let variant = dice.pick(&memory.variants).clone();
            let body = price(&variant, "1.5", Some(&year(memory.prices)), Some(&year(memory.prices + 1)));
            (format!("pricing/price-lists/{}/prices", market.lists[company]), body)
        }
        1 if !memory.brands.is_empty() => {
            let brand = memory.brands.swap_remove(dice.between(0, memory.brands.len() as u64) as usize);
            (format!("catalog/lookups/brands/{brand}/archive"), json!({}))
        }
        2 => ("catalog/lookups/brands".into(), json!({ "name": name, "code": format!("B{name}") })),
        3 => {
            let variants: Vec<Json> = (0..3).map(|n| json!({ "sku": format!("S{name}-{n}") })).collect();
            ("catalog/products".into(), with(&product(name), json!({ "variants": variants })))
        }
        // No unique value of its own: a second effect would be a second row.
        _ => ("catalog/products".into(), product(name)),
    };
    Attempt { company, path, key: uuid::Uuid::new_v4().to_string(), body, answer: None }
}

/// The answer, or none if the host was gone or could not say.
fn send(market: &Market, attempt: &Attempt) -> Option<Answer> {
    let request = market.shops[attempt.company].request("POST", &attempt.path).key(&attempt.key).json(&attempt.body);
    let answer = request.unchecked().try_send().ok()?;
    match answer.status {
        200 | 201 => Some(answer),
        503 => None,
        _ => panic!("a lawful write was refused: {answer}"),
    }
}

/// After the restart: acknowledged writes are there, byte for byte; what was not answered is asked again, twice at once.
fn reconcile(market: &Market, attempts: &mut [Attempt]) {
    for attempt in attempts.iter_mut() {
        let shop = &market.shops[attempt.company];
        let again = || shop.request("POST", &attempt.path).key(&attempt.key).json(&attempt.body).send();
        match &attempt.answer {
            Some(acknowledged) => {
                let replay = again();
                assert!(replay.replayed(), "an acknowledged write is gone: {acknowledged}\n{replay}");
                assert_eq!((acknowledged.status, &acknowledged.bytes), (replay.status, &replay.bytes), "{replay}");
            }
            None => {
                let answers = at_once(2, |_| again());
                assert!([200, 201].contains(&answers[0].status), "{}", answers[0]);
                assert_eq!(answers[0].bytes, answers[1].bytes, "two effects of one key");
                assert!(answers.iter().any(Answer::replayed), "both ran");
                attempt.answer = answers.into_iter().next();
            }
        }
    }
}

fn remember(market: &Market, memories: &mut [Memory], attempts: &[Attempt]) {
    for attempt in attempts {
        let Some(answer) = &attempt.answer else { continue };
        // Memories are by writer; those of one company may build on each other's records, too.
        let writer = attempt.company + market.shops.len() * (attempt.key.as_bytes()[0] as usize % 4);
        let Some(memory) = memories.get_mut(writer) else { continue };
        let id = || answer.text("id");
        match attempt.path.as_str() {
            "catalog/lookups/brands" => memory.brands.push(id()),
            "catalog/products" => {
                let variants = answer["variants"].as_array().into_iter().flatten();
                memory.variants.extend(variants.filter_map(|v| v["id"].as_str().map(str::to_string)).take(1));
            }
            _ => {}
        }
    }
}

/// Numbers of rows in a company's tables.
struct Counts {
    audit: i64,
    keys: i64,
}

impl Counts {
    fn new(shop: &Company) -> Counts {
        Counts { audit: shop.count("stoa_audit", "1 = 1"), keys: shop.count("stoa_idempotency", "1 = 1") }
    }
}

/// Judged only by the database: every attempt has exactly one effect, one audit row and its events; nothing else is there.
fn exactly_once(shop: &Company, started: &Counts, attempts: &[&Attempt]) {
    let now = Counts::new(shop);
    assert_eq!(now.audit - started.audit, attempts.len() as i64, "one audit row for each write");
    assert_eq!(now.keys - started.keys, attempts.len() as i64, "one key for each write");
    assert_eq!(shop.count("stoa_idempotency", "status is null"), 0, "no claim was left open");

    let of_path = |path: &str| -> BTreeSet<String> {
        let mine = attempts.iter().filter(|attempt| attempt.path == path);
        mine.filter_map(|attempt| attempt.body["name"].as_str().map(str::to_string)).collect()
    };
    for (table, path) in [("catalog_product", "catalog/products"), ("catalog_lookup", "catalog/lookups/brands")] {
        let filter = if table == "catalog_lookup" { "kind = 'brands'" } else { "1 = 1" };
        let rows = shop.rows(&format!("select name from {table} where {{tenant}} and {filter}"));
        let names: BTreeSet<String> = rows.iter().map(|row| row[0].clone()).collect();
        assert_eq!(names.len(), rows.len(), "a second effect in {table}");
        assert_eq!(names, of_path(path), "{table}");
    }
    let prices = attempts.iter().filter(|attempt| attempt.path.ends_with("/prices")).count();
    assert_eq!(shop.count("pricing_price", "1 = 1"), prices as i64);

    // Events: one for each record made or archived, and its variants.
    let mut events: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in shop.rows("select kind, resource_id from stoa_event where {tenant}") {
        *events.entry((row[0].clone(), row[1].clone())).or_default() += 1;
    }
    assert!(events.values().all(|n| *n == 1), "an event twice");
    for attempt in attempts {
        let answer = attempt.answer.as_ref().expect("every attempt was answered in the end");
        let kind = match attempt.path.as_str() {
            "catalog/products" => "catalog.product.created",
            "catalog/lookups/brands" => "catalog.lookup.created",
            path if path.ends_with("/archive") => "catalog.lookup.archived",
            _ => "pricing.price.created",
        };
        assert!(events.contains_key(&(kind.to_string(), answer.text("id"))), "no {kind}: {answer}");
        for variant in answer["variants"].as_array().into_iter().flatten() {
            let id = variant["id"].as_str().unwrap_or_default().to_string();
            assert!(events.contains_key(&("catalog.variant.created".to_string(), id)), "{answer}");
        }
    }
}

/// SIGTERM: every admitted request is answered, the host ends with 0, and everything acknowledged is there. [F19]
fn sigterm_answers_what_it_took(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let answered = Mutex::new(Vec::new());
    let kept = &answered;
    thread::scope(|scope| {
        for writer in 0..8 {
            let shop = &shop;
            scope.spawn(move || {
                for n in 0.. {
                    let body = json!({ "name": "T", "code": format!("T{writer}-{n}") });
                    match shop.request("POST", "catalog/lookups/brands").json(&body).unchecked().try_send() {
                        Ok(answer) if answer.status == 201 => kept.lock().expect("no panic").push(answer.id()),
                        _ => break,
                    }
                }
            });
        }
        thread::sleep(Duration::from_millis(300));
        assert_eq!(host.terminate(Duration::from_secs(15)), Some(0), "SIGTERM drains and exits 0");
    });
    let answered = answered.into_inner().expect("no panic");
    assert!(!answered.is_empty());
    host.restart();
    let stored: BTreeSet<String> = shop
        .all("catalog/lookups/brands", &[("limit", "100")])
        .iter()
        .filter_map(|item| item["id"].as_str().map(str::to_string))
        .collect();
    assert!(answered.iter().all(|id| stored.contains(id)), "an acknowledged write is gone");
}
