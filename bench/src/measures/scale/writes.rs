//! Small writes: an adjustment of stock and a price, in a closed loop at 1 and at 8 connections, in both companies.

use std::sync::Arc;

use super::{MOST, Shop};
use crate::bench::Bench;
use crate::company::{Company, Goods};
use crate::load::{NextRequest, Side};
use crate::report::Target;
use crate::rounds::{median, ratio};

const CONNECTIONS: [usize; 2] = [1, 8];
/// Variants that the writes of both companies go to in turn: all that the small one has.
const VARIANTS: u64 = 200;

/// A kind of writes.
struct Kind {
    name: &'static str,
    meaning: &'static str,
    /// Those of the small company, and those of the large one.
    requests: [NextRequest; 2],
    is_judged: bool,
}

pub async fn measure(bench: &mut Bench, few: &Shop, many: &Shop) -> anyhow::Result<()> {
    bench.report.note("small writes, p50 / p99 in ms:");
    bench.report.note("| write | connections | small company | large company | p99 to p99 |");
    bench.report.note("|---|---|---|---|---|");
    let adjustments = |shop: &Shop, goods: Goods| shop.company.adjustments(Arc::new(goods));
    let kinds = [
        Kind {
            name: "adjustment",
            meaning: "an adjustment of stock, of 200 variants in turn",
            requests: [few, many].map(|shop| adjustments(shop, shop.spread_goods(VARIANTS))),
            is_judged: true,
        },
        Kind {
            name: "price",
            meaning: "a price, of 200 variants in turn",
            requests: [prices(few).await?, prices(many).await?],
            is_judged: true,
        },
        // No shop has this load: each write finds other pages of the indexes than those before it.
        Kind {
            name: "adjustment_of_all",
            meaning: "an adjustment of stock, of all variants in turn",
            requests: [few, many].map(|shop| adjustments(shop, shop.all_goods())),
            is_judged: false,
        },
    ];
    for kind in &kinds {
        for connections in CONNECTIONS {
            measure_kind(bench, kind, connections, [few, many]).await?;
        }
    }
    Ok(())
}

/// Prices in lists of their own.
async fn prices(shop: &Shop) -> anyhow::Result<NextRequest> {
    let company = Company { variants: shop.spread_variants(VARIANTS), ..shop.company.clone() };
    Ok(company.writes(company.prices(shop.service.address).await?))
}

async fn measure_kind(bench: &mut Bench, kind: &Kind, connections: usize, shops: [&Shop; 2]) -> anyhow::Result<()> {
    let time = bench.rounds.time * 2;
    let loads = [0, 1].map(|nth: usize| shops[nth].load(connections, kind.requests[nth].clone(), &[201]));
    for load in &loads {
        load.run(time).await?;
    }
    let mut sides = [Side::default(), Side::default()];
    for _ in 0..bench.rounds.count {
        for (side, load) in sides.iter_mut().zip(&loads) {
            side.push(load.run(time).await?);
        }
    }
    let [small, large] = sides;
    let report = &mut bench.report;
    let name = format!("scale_{}_{connections}", kind.name);
    let value = ratio(&large.percentiles(0.99), &small.percentiles(0.99));
    let meaning = format!("p99 of {} at {connections} connections, large company to small", kind.meaning);
    match kind.is_judged {
        true => report.judge(&format!("{name}_p99_ratio"), value, Target::AtMost(MOST), meaning),
        false => report.add(format!("{name}_p99_ratio"), value, meaning),
    }
    let together = large.percentile_of_all(0.99) / small.percentile_of_all(0.99);
    report.add(format!("{name}_p99_ratio_together"), together, "the same of the requests of all rounds together");
    small.tell(report, &format!("{name}_small"), "the small company");
    large.tell(report, &format!("{name}_large"), "the large company");
    let milliseconds = |side: &Side| [0.5, 0.99].map(|share| median(side.percentiles(share)) / 1e3);
    let ([small_p50, small_p99], [p50, p99]) = (milliseconds(&small), milliseconds(&large));
    report.note(format!(
        "| {} | {connections} | {small_p50:.1} / {small_p99:.1} | {p50:.1} / {p99:.1} | {value:.2} |",
        kind.name
    ));
    Ok(())
}
