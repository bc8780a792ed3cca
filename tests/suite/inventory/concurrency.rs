//! Many hands on the same goods. [E17], [E20]

use stoa_tests::goods::bookkeeping;
use stoa_tests::services::inventory::{Call, ReserveLine, SalesOrder};
use stoa_tests::services::{self, key};
use stoa_tests::{Answer, Database, at_once, company, on_both_databases};

on_both_databases![
    e17_sixty_four_writers_drain_forty_pieces,
    e20_transfers_cross_without_loss,
    holds_and_outflows_share_what_there_is,
    opposite_orders_of_many_pairs_never_deadlock,
];

/// No refusal but the expected one, and above all no 500 and no 503.
#[track_caller]
fn counted(answers: &[Answer], refusal: &str) -> usize {
    for answer in answers {
        assert!(answer.status == 201 || (answer.status == 409 && answer.body["code"] == refusal), "{answer}");
    }
    answers.iter().filter(|answer| answer.status == 201).count()
}

fn e17_sixty_four_writers_drain_forty_pieces(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    for cost in 1..=4 {
        shop.bring(&variant, &main, "10", Some(&cost.to_string())).is(201);
    }
    let answers = at_once(64, |n| {
        let kind = ["ADJUSTMENT_OUT", "DAMAGE", "LOSS"][n % 3];
        shop.take(kind, &variant, &main, "1")
    });
    assert_eq!(counted(&answers, "INSUFFICIENT_STOCK"), 40);
    assert_eq!(shop.figure(&variant, &main, "onHand"), "0.000000");
    assert_eq!(shop.worth(&variant), "0.000000000000");
    let movements = shop.all("inventory/movements", &[("variantId", &variant), ("limit", "100")]);
    assert_eq!(movements.len(), 44);
    shop.verified();
}

fn e20_transfers_cross_without_loss(database: Database) {
    let shop = company(database);
    let (one, two, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    shop.bring(&variant, &one, "60", Some("1")).is(201);
    shop.bring(&variant, &two, "60", Some("2")).is(201);
    let answers: Vec<Answer> = at_once(16, |n| {
        let (from, to) = if n % 2 == 0 { (&one, &two) } else { (&two, &one) };
        (0..12).map(|_| shop.transfer(&variant, "1", from, to)).collect::<Vec<_>>()
    })
    .into_iter()
    .flatten()
    .collect();
    counted(&answers, "INSUFFICIENT_STOCK");
    let totals = shop.get(&format!("inventory/variants/{variant}/stock")).is(200);
    assert_eq!(totals["totals"]["onHand"], "120.000000");
    assert_eq!(shop.worth(&variant), "180.000000000000");
    shop.verified();
}

fn holds_and_outflows_share_what_there_is(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "20", None).is(201);
    let answers = at_once(32, |n| match n % 2 {
        0 => shop.reserve(&variant, &main, "1"),
        _ => shop.take("LOSS", &variant, &main, "1"),
    });
    assert_eq!(counted(&answers, "INSUFFICIENT_STOCK"), 20);
    assert_eq!(shop.figure(&variant, &main, "available"), "0.000000");
    let held: Vec<&Answer> =
        answers.iter().filter(|answer| answer.status == 201 && answer["status"] == "ACTIVE").collect();
    assert_eq!(shop.figure(&variant, &main, "reserved"), format!("{}.000000", held.len()));
    let released = at_once(held.len().max(1), |n| held.get(n).map(|answer| shop.release(&answer.id()).status));
    assert!(released.iter().flatten().all(|status| *status == 200));
    shop.verified();
}

/// Services take many pairs at once: half of them the other way round.
fn opposite_orders_of_many_pairs_never_deadlock(database: Database) {
    let shop = services::host(database).company();
    let main = shop.main();
    let variants: Vec<String> = (0..12).map(|_| shop.counted(0)).collect();
    for variant in &variants {
        shop.bring(variant, &main, "100", Some("1")).is(201);
    }
    let order = |n: u64| SalesOrder { id: (n, n), number: format!("SO-{n}") };
    let line = |variant: &String| ReserveLine {
        line: (1, 1),
        variant_id: key(variant),
        quantity: "1".to_string(),
        unit_ids: Vec::new(),
    };
    let answers: Vec<Answer> = at_once(8, |n| {
        let mut lines: Vec<ReserveLine> = variants.iter().map(line).collect();
        if n % 2 == 0 {
            lines.reverse();
        }
        (0..5)
            .map(|round| shop.try_inventory(&[Call::Reserve(order(100 * n as u64 + round), key(&main), lines.clone())]))
            .collect::<Vec<_>>()
    })
    .into_iter()
    .flatten()
    .collect();
    assert_eq!(counted(&answers, "INSUFFICIENT_STOCK"), 40);
    for variant in &variants {
        assert_eq!(shop.figure(variant, &main, "reserved"), "40.000000");
    }
    shop.verified();
}
