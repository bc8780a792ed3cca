//! `/events`: what was emitted, read on from the id seen last. A reader next to sixteen writers misses nothing and sees
//! nothing twice. [T21]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::{Database, Machine, company, on_both_databases};

use super::{MADE, brand};

on_both_databases![events_are_listed_and_read, c17_a_reader_beside_sixteen_writers_sees_each_event_once,];

fn events_are_listed_and_read(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["webhooks.manage"]);
    let before = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let brands: Vec<String> = (0..3).map(|_| brand(&shop)).collect();
    shop.product("P");
    // A company has begun with events of its own.
    let made = [("kind", MADE), ("from", before.as_str())];
    let all = shop.list("events", &made).is(200);
    let about = |event: &Json| event["resource"]["id"].as_str().unwrap_or_default().to_string();
    assert_eq!(all.items().iter().map(about).collect::<Vec<_>>(), brands);
    let first = &all.items()[0];
    let id = first["id"].as_str().unwrap_or_default();
    assert_eq!(&shop.get(&format!("events/{id}")).is(200).body, first);
    assert_eq!(&machine.get(&format!("events/{id}")).is(200).body, first);
    assert_eq!(machine.request("GET", "events").query(&made).send().is(200).body, all.body);
    assert_eq!(shop.list("events", &[("resourceId", &brands[1])]).is(200).items().len(), 1);
    assert_eq!(all.items().len(), 3);
    assert!(shop.list("events", &[("kind", MADE), ("to", "2020-01-01T00:00:00Z")]).is(200).items().is_empty());
    let page = shop.list("events", &[&made[..], &[("limit", "2")]].concat()).is(200);
    let cursor = page.text("nextCursor");
    let rest = shop.list("events", &[&made[..], &[("limit", "2"), ("cursor", &cursor)]].concat()).is(200);
    assert_eq!((rest.items().len(), rest["nextCursor"].is_null()), (1, true));
    let other = company(database);
    other.get(&format!("events/{id}")).refused(404, "NOT_FOUND");
    shop.machine(&["catalog.read"]).get("events").refused(403, "SCOPE_DENIED");
}

/// The loop that the guide shows: everything that is there, then on from the id seen last.
fn catch_up(machine: &Machine, last: &mut Option<String>, take: &mut dyn FnMut(&Json)) {
    loop {
        let mut request = machine.request("GET", "events").query(&[("limit", "100")]);
        if let Some(last) = last {
            request = request.query(&[("cursor", last)]);
        }
        let page = request.send().is(200);
        for event in page.items() {
            take(event);
            *last = event["id"].as_str().map(str::to_string);
        }
        if page["nextCursor"].is_null() {
            return;
        }
    }
}

fn c17_a_reader_beside_sixteen_writers_sees_each_event_once(database: Database) {
    let shop = company(database);
    shop.entitle();
    let members = json!({ "scopes": ["webhooks.manage"], "requestsPerMinute": 6000 });
    let machine = shop.machine_of(members);
    let done = AtomicBool::new(false);
    let (mut seen, mut last) = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut seen, mut last): (Vec<String>, Option<String>) = (Vec::new(), None);
            while !done.load(Ordering::Acquire) {
                catch_up(&machine, &mut last, &mut |event| seen.push(event["id"].as_str().unwrap_or("?").to_string()));
                thread::sleep(Duration::from_millis(20));
            }
            (seen, last)
        });
        let writers: Vec<_> = (0..16)
            .map(|writer| {
                let shop = &shop;
                scope.spawn(move || {
                    for n in 0..25 {
                        match (writer + n) % 5 {
                            // Long ones, whose events sort before those of others that end sooner.
                            0 => {
                                let variants: Vec<Json> = (0..60).map(|_| json!({ "sku": fresh("S") })).collect();
                                let members = json!({ "variants": variants });
                                let body = stoa_tests::company::with(&stoa_tests::company::product("P"), members);
                                shop.post("catalog/products", body).is(201);
                            }
                            _ => drop(brand(shop)),
                        }
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().expect("no writer fails");
        }
        done.store(true, Ordering::Release);
        reader.join().expect("the reader does not fail")
    });
    catch_up(&machine, &mut last, &mut |event| seen.push(event["id"].as_str().unwrap_or("?").to_string()));
    let written = shop.rows("select id from stoa_event where {tenant} order by id").concat();
    let unique: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(unique.len(), seen.len(), "an event twice");
    assert_eq!(unique.len(), written.len(), "an event missed");
    assert!(written.len() > 16 * 25, "only {}", written.len());
}
