//! Periods against a model: random sets created in parallel, then every instant resolved as the model says. [R1]

use std::collections::BTreeMap;

use stoa_tests::company::price;
use stoa_tests::{Company, Database, Dice, at_once, company, on_both_databases};

on_both_databases![r01_active_periods_never_overlap, r01_random_sets_follow_the_model];

/// Instants of the model are minutes of one day; 0 and 1440 mean unbounded.
const DAY: u64 = 1440;

fn instant(minute: u64) -> String {
    format!("2026-03-01T{:02}:{:02}:00.000Z", minute / 60, minute % 60)
}

fn bound(minute: u64) -> Option<String> {
    (minute != 0 && minute != DAY).then(|| instant(minute))
}

fn variants(shop: &Company, n: usize) -> Vec<String> {
    (0..n).map(|i| shop.on_sale(&format!("V{i}"))).collect()
}

fn period(dice: &mut Dice) -> (u64, u64) {
    let from = dice.between(0, DAY - 1);
    let to = if dice.one_in(8) { DAY } else { (from + dice.between(1, 300)).min(DAY) };
    (if dice.one_in(8) { 0 } else { from }, to)
}

/// Eight writers at once on one variant: all accepted periods exist without overlap, and every instant of an accepted
/// period resolves to it.
fn r01_active_periods_never_overlap(database: Database) {
    let shop = company(database);
    let list = shop.price_list("RACE");
    let variants = variants(&shop, 6);
    let mut dice = Dice::new("r01_active_periods_never_overlap");
    for variant in &variants {
        let plans: Vec<Vec<(u64, u64)>> = (0..8).map(|_| (0..5).map(|_| period(&mut dice)).collect()).collect();
        let accepted: Vec<(u64, u64)> = at_once(8, |writer| {
            let mut accepted = Vec::new();
            for (from, to) in &plans[writer] {
                let answer = shop.price(&list, variant, bound(*from).as_deref(), bound(*to).as_deref());
                match answer.status {
                    201 => accepted.push((*from, *to)),
                    _ => drop(answer.refused(409, "PRICE_PERIOD_OVERLAP")),
                }
            }
            accepted
        })
        .into_iter()
        .flatten()
        .collect();
        assert!(!accepted.is_empty());
        for (n, a) in accepted.iter().enumerate() {
            for b in &accepted[n + 1..] {
                assert!(a.1 <= b.0 || b.1 <= a.0, "{a:?} and {b:?} are both active");
            }
        }
        let path = format!("pricing/price-lists/{list}/prices");
        let stored = shop.all(&path, &[("variantId", variant), ("limit", "100")]);
        assert_eq!(stored.len(), accepted.len());
    }
}

/// Forty variants, each with a random life of creates, changes and archives; then a hundred instants against the model.
fn r01_random_sets_follow_the_model(database: Database) {
    let shop = company(database);
    let list = shop.price_list("MODEL");
    let path = format!("pricing/price-lists/{list}/prices");
    let variants = variants(&shop, 40);
    let mut dice = Dice::new("r01_random_sets_follow_the_model");
    // Per variant: the ACTIVE prices as id -> (from, to, amount).
    let mut model: Vec<BTreeMap<String, (u64, u64, String)>> = vec![BTreeMap::new(); variants.len()];
    for (variant, lives) in variants.iter().zip(&mut model) {
        for step in 0..8 {
            let (from, to) = period(&mut dice);
            let amount = format!("{}.{:06}", dice.between(0, 1000), step);
            let body = price(variant, &amount, bound(from).as_deref(), bound(to).as_deref());
            let clash = |but: &str| lives.iter().any(|(id, (a, b, _))| id != but && from < *b && *a < to);
            let known: Vec<String> = lives.keys().cloned().collect();
            match (known.is_empty(), dice.between(0, 4)) {
                (false, 0) => {
                    let id = dice.pick(&known).clone();
                    shop.archive(&format!("{path}/{id}")).is(200);
                    lives.remove(&id);
                }
                (false, 1) => {
                    let id = dice.pick(&known).clone();
                    let clash = clash(&id);
                    let answer = shop.put(&format!("{path}/{id}"), body);
                    assert_eq!(answer.status, if clash { 409 } else { 200 }, "{answer}");
                    if !clash {
                        lives.insert(id, (from, to, amount));
                    }
                }
                _ => {
                    let clash = clash("");
                    let answer = shop.post(&path, body);
                    assert_eq!(answer.status, if clash { 409 } else { 201 }, "{answer}");
                    if !clash {
                        lives.insert(answer.id(), (from, to, amount));
                    }
                }
            }
        }
    }
    let resolve = format!("pricing/price-lists/{list}/resolve");
    for round in 0..100 {
        // Borders are where mistakes are: half of the instants are a bound of some price.
        let borders: Vec<u64> = model.iter().flat_map(BTreeMap::values).flat_map(|p| [p.0, p.1]).collect();
        let minute = if round % 2 == 0 { *dice.pick(&borders) } else { dice.between(0, DAY) }.clamp(1, DAY - 1);
        let n = dice.between(0, variants.len() as u64) as usize;
        let expected = model[n].iter().find(|(_, (from, to, _))| *from <= minute && minute < *to);
        let answer = shop.list(&format!("{resolve}/{}", variants[n]), &[("at", &instant(minute))]);
        match expected {
            Some((id, (_, _, amount))) => {
                let answer = answer.is(200);
                assert_eq!((&answer.id(), &answer.text("amount")), (id, amount), "minute {minute}");
            }
            None => drop(answer.refused(404, "PRICE_NOT_IN_EFFECT")),
        }
    }
}
