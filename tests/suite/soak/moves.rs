//! Companies move between two servers, over and over, while they are read and written: no read fails, no write is lost or done twice.
//! Slow: `cargo xtask test --all` makes few moves, `cargo xtask soak` a hundred.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::json;
use stoa_tests::cuts::rounds;
use stoa_tests::moves::Movable;
use stoa_tests::parallel::SetOnDrop;
use stoa_tests::people::somebody;
use stoa_tests::{Company, record, tests};

use super::load::{self, Observed, WRITERS};
use super::{asked_rounds, ground};

tests![timed: companies_that_move_over_and_over_lose_nothing];

const PART: &str = "soak::moves";
const MOVES: usize = 4;
/// A soak of 25 rounds makes a hundred.
const MOVES_PER_ROUND: usize = 4;
/// Many, so that each grows slowly: the time of a move follows the rows of its company.
const SHOPS: usize = 16;
/// The one that moves and those that move next.
const SHOPS_WRITTEN: usize = 4;
/// Products of each company before its first move.
const PRODUCTS: usize = 250;
/// Milliseconds for which writes of a company may wait.
const PAUSE: u64 = 1_000;
const SKIPPED: &str = "`cargo xtask test --all` and `cargo xtask soak` move companies over and over";

fn companies_that_move_over_and_over_lose_nothing() {
    let moves = asked_rounds().map_or(rounds(0, MOVES), |asked| asked * MOVES_PER_ROUND);
    if moves == 0 {
        return record::tell_not_run(PART, SKIPPED);
    }
    let movable = match Movable::start(PART) {
        Ok(movable) => movable,
        Err(why) => {
            // A soak that was asked for proves something, or fails.
            assert_eq!(asked_rounds(), None, "no moves here: {why}");
            return record::tell_not_run(PART, &why);
        }
    };
    let shops: Vec<Company> =
        (0..SHOPS).map(|_| movable.host.company_at("home", &somebody("owner"))).inspect(fill).collect();
    let (mut all, mut pauses, mut reads) = (Observed::default(), Vec::new(), 0);
    for nth in 0..moves {
        let written: Vec<Company> = shops.iter().cycle().skip(nth % SHOPS).take(SHOPS_WRITTEN).cloned().collect();
        let shop = &written[0];
        let (from, to) = if (nth / SHOPS).is_multiple_of(2) { ("home", "place-1") } else { ("place-1", "home") };
        let mut moved = json!(null);
        all.add(load::observe(&written, WRITERS, &format!("move-{nth}"), || {
            let (report, answered) = while_reading(shop, || movable.move_company(shop, to));
            moved = report;
            reads += answered;
        }));
        pauses.push(moved["pauseMs"].as_u64().expect("a pause"));
        assert_eq!((&moved["from"], &moved["to"]), (&json!(from), &json!(to)));
        movable.host.operator(&["move", &shop.tenant, "--purge"]).expect("a purge");
        let left = format!("select count(*)::text from stoa_audit where tenant_id = '{}'", shop.tenant);
        assert_eq!(movable.host.run_at(from, &left).as_deref(), Some("0"), "move {nth}");
        assert_eq!(shop.place(), to, "move {nth}");
    }
    let found = ground::judge(&movable.host, &shops, &all);
    pauses.sort_unstable();
    println!(
        "{moves} moves of {SHOPS} companies: {} writes, {} lost, {} doubled, {} broken, {} answers 500, {reads} reads, 0 failed, writes \
         waited {} ms (median), {} ms (longest)",
        all.written.len(),
        found.lost,
        found.doubled,
        found.broken,
        all.internal,
        pauses[moves / 2],
        pauses[moves - 1],
    );
    assert_eq!((found.lost, found.doubled, found.broken, all.internal), (0, 0, 0, 0), "lost, doubled, broken, 500");
    assert!(pauses.iter().all(|pause| *pause <= PAUSE), "writes waited {pauses:?} ms");
}

/// Something to copy.
fn fill(shop: &Company) {
    (0..PRODUCTS).for_each(|nth| drop(shop.product(&format!("filled-{}-{nth}", shop.tenant))));
}

/// Acts while the company is read, and returns how many reads were answered. A read that is not fails the test.
fn while_reading<T>(shop: &Company, act: impl FnOnce() -> T) -> (T, usize) {
    let (ended, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !ended.load(Ordering::Acquire) {
                shop.get("catalog/products?limit=5").is(200);
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        let done = {
            let _ending = SetOnDrop(&ended);
            act()
        };
        reader.join().expect("a read failed");
        (done, count.load(Ordering::Relaxed))
    })
}
