//! Extensions swap while the market is open: no request fails, and each ends on the extensions with which it began.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use stoa_tests::host::Settings;
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Session, Till, cash};
use stoa_tests::{Database, Stoa, at_once, eventually, modules, on_both_databases};

on_both_databases![the_examples_swap_under_load_and_fail_nobody];

/// Each is called by the load: at a resolved price, a confirmation and a checkout. All are swapped at once.
const EXAMPLES: [&str; 3] = ["group-prices", "credit-limit", "loyalty"];
const SWAPS: usize = 30;
/// Fewer than a host has database connections: a request that waits for one may be answered 503, whatever is swapped.
const CONNECTIONS: usize = 4;

/// The same component under another digest: a custom section that says nothing.
fn with_other_bytes(component: &[u8]) -> Vec<u8> {
    [component, &[0, 5, 4, b't', b'w', b'i', b'n']].concat()
}

/// Says that the load may end, also where a swap failed: else it would go on for ever.
struct LoadEnd<'a>(&'a AtomicBool);

impl Drop for LoadEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// One request of the mixed load, which must succeed.
fn ask(session: &Session, variant: &str, number: usize) {
    let counter = &session.till.counter;
    match number % 3 {
        0 => {
            let path = format!("pricing/price-lists/{}/resolve/{variant}", counter.list);
            counter.shop.list(&path, &[("customerId", counter.customer.as_str())]).is(200);
        }
        1 => drop(counter.confirm(&counter.draft_of(variant, "1")).is(200)),
        _ => drop(session.sell("10", cash("10"))),
    }
}

fn swap_all(host: &Stoa, digests: &[[String; 2]]) {
    let console = host.console();
    for swap in 1..=SWAPS {
        let twins: Vec<&str> = digests.iter().map(|twins| twins[swap % 2].as_str()).collect();
        // A database that is too busy for an operator says so; the requests are what must not fail.
        eventually(|| {
            let answer = console.activate_set(&twins, &[]);
            (answer.status != 503).then(|| drop(answer.is(200)))
        });
    }
}

fn the_examples_swap_under_load_and_fail_nobody(database: Database) {
    let read = |name: &str| {
        let path = modules::example(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let components = EXAMPLES.map(|name| (format!("{name}.wasm"), read(name)));
    let files = components.each_ref().map(|(file, bytes)| (file.as_str(), bytes.as_slice()));
    let host = Stoa::start_with(database, Settings::default().modules_in(modules::with(&files)));
    let console = host.console();
    let digests = components
        .each_ref()
        .map(|(_, component)| [console.pushed(component), console.pushed(&with_other_bytes(component))]);
    let (done, requests) = (AtomicBool::new(false), AtomicUsize::new(0));
    at_once(CONNECTIONS + 1, |thread| {
        if thread == CONNECTIONS {
            let _ends_the_load = LoadEnd(&done);
            return swap_all(&host, &digests);
        }
        let session = Till::new(Counter::new(host.company())).open("0");
        let variant = session.till.counter.good("10", "9999");
        while !done.load(Ordering::Acquire) {
            ask(&session, &variant, requests.fetch_add(1, Ordering::Relaxed));
        }
    });
    let requests = requests.into_inner();
    assert!(requests > SWAPS, "the load was none: {requests}");
    assert_eq!(console.runs(), 1 + SWAPS as u64);
}
