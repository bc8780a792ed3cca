//! Pages of lists: the first one of the small and of the large company, and pages at a hundred depths of the large one.

use anyhow::Context as _;
use uuid::Uuid;

use super::ids::Ids;
use super::{MOST, Shop};
use crate::bench::Bench;
use crate::company::{Client, Company, id};
use crate::load::{NextRequest, Side, repeat, take_turns};
use crate::postgres::processor_seconds;
use crate::report::Target;
use crate::rounds::{median, ratio};

/// Items of a page: the most that one may have.
const PAGE: u64 = 100;
/// Pages in the second half of a list.
const DEPTHS: u64 = 100;

/// A list whose items are the new rows, in the order of their numbers.
struct List {
    name: &'static str,
    path: fn(&Shop) -> String,
    /// The ids of the rows, and their number.
    rows: fn(&Shop) -> (Ids, u64),
}

const LISTS: [List; 5] = [
    List {
        name: "products",
        path: |_| "catalog/products".to_owned(),
        rows: |shop| (shop.growth.products, shop.sizes.variants),
    },
    List {
        name: "variants",
        path: |_| "catalog/variants".to_owned(),
        rows: |shop| (shop.growth.variants, shop.sizes.variants),
    },
    List {
        name: "stock",
        path: |_| "inventory/stock".to_owned(),
        rows: |shop| (shop.growth.stock, shop.sizes.variants),
    },
    List {
        name: "movements",
        path: |_| "inventory/movements".to_owned(),
        rows: |shop| (shop.growth.movements, shop.sizes.movements),
    },
    List {
        name: "warehouse_movements",
        path: |shop| format!("inventory/movements?warehouseId={}", shop.warehouse),
        rows: |shop| (shop.growth.movements, shop.sizes.movements),
    },
];

pub async fn measure(bench: &mut Bench, few: &Shop, many: &Shop) -> anyhow::Result<()> {
    bench.report.note("pages of 100, p50 in ms at one connection:");
    bench.report.note("| list | first of the small company | first | deep |");
    bench.report.note("|---|---|---|---|");
    for list in &LISTS {
        measure_list(bench, list, few, many).await.with_context(|| list.name)?;
    }
    Ok(())
}

async fn measure_list(bench: &mut Bench, list: &List, few: &Shop, many: &Shop) -> anyhow::Result<()> {
    let (_, rows) = (list.rows)(many);
    let small = request_pages(list, few, &[0]).await.context("the small company")?;
    let first = request_pages(list, many, &[0]).await.context("the first page")?;
    let deep = request_pages(list, many, &depths(rows)).await.context("the deep pages")?;
    let loads = [few.load(1, small, &[200]), many.load(1, first, &[200]), many.load(1, deep, &[200])];
    for load in &loads {
        load.run(bench.rounds.time).await?;
    }
    let mut sides = [Side::default(), Side::default(), Side::default()];
    let mut databases = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..bench.rounds.count {
        for (nth, load) in loads.iter().enumerate() {
            let before = processor_seconds();
            let run = load.run(bench.rounds.time).await?;
            databases[nth].push((processor_seconds() - before) * 1e6 / run.count() as f64);
            sides[nth].push(run);
        }
    }
    let name = list.name;
    let report = &mut bench.report;
    let [small, first, deep] = sides.map(|side| side.p50());
    let meaning = format!("p50 of pages of {name} in the second half of the list, to that of the first page");
    report.judge(&format!("scale_page_{name}_deep_ratio"), ratio(&deep, &first), Target::AtMost(MOST), meaning);
    let meaning = format!("p50 of the first page of {name}, to that of the small company");
    report.judge(&format!("scale_page_{name}_growth_ratio"), ratio(&first, &small), Target::AtMost(MOST), meaning);
    let meaning = format!("processor time of the database for deep pages of {name}, to that for the first page");
    let figure = format!("scale_page_{name}_deep_database_ratio");
    report.judge(&figure, ratio(&databases[2], &databases[1]), Target::AtMost(MOST), meaning);
    let states = ["small", "first", "deep"];
    for (state, database) in states.into_iter().zip(databases) {
        let meaning = "microseconds of processor time of the database, of a page";
        report.add(format!("scale_page_{name}_{state}_database_us"), median(database), meaning);
    }
    let waits = [small, first, deep].map(median);
    for (state, wait) in states.into_iter().zip(waits) {
        report.add(format!("scale_page_{name}_{state}_p50_us"), wait, "");
    }
    let [small, first, deep] = waits.map(|wait| wait / 1e3);
    report.note(format!("| {name} | {small:.1} | {first:.1} | {deep:.1} |"));
    Ok(())
}

/// A load of the pages after the rows of these numbers, in turn. Each is read once: it must be full and begin with the next row.
async fn request_pages(list: &List, shop: &Shop, after: &[u64]) -> anyhow::Result<NextRequest> {
    let Shop { service, company, .. } = shop;
    let mut client = Client::new(service.address, &company.token).await?;
    let (ids, _) = (list.rows)(shop);
    let mut requests = Vec::new();
    for number in after {
        let path = page_path(company, &(list.path)(shop), (*number > 0).then(|| ids.nth(*number)));
        check_page(&mut client, &path, ids.nth(number + 1)).await?;
        requests.push(repeat(company.get_request(&path)));
    }
    Ok(take_turns(requests))
}

fn page_path(company: &Company, list: &str, cursor: Option<Uuid>) -> String {
    let sign = if list.contains('?') { '&' } else { '?' };
    let cursor = cursor.map_or_else(String::new, |cursor| format!("&cursor={cursor}"));
    company.path(&format!("{list}{sign}limit={PAGE}{cursor}"))
}

async fn check_page(client: &mut Client, path: &str, first: Uuid) -> anyhow::Result<()> {
    let page = client.get(path).await?;
    let items = page["items"].as_array().with_context(|| format!("{path} has no items"))?;
    anyhow::ensure!(items.len() as u64 == PAGE, "{path} has {} items, not {PAGE}", items.len());
    let found = id(&page["items"][0]["id"])?;
    anyhow::ensure!(found == first, "{path} begins with {found}, not with {first}");
    Ok(())
}

/// Numbers of rows in the second half of a list, evenly apart, each with a whole page after it.
fn depths(rows: u64) -> Vec<u64> {
    let (first, last) = (rows / 2, rows.saturating_sub(PAGE));
    (0..DEPTHS).map(|nth| first + last.saturating_sub(first) * nth / DEPTHS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_at_each_depth_is_full() {
        for rows in [1_000, 100_000, 10_000_000] {
            let depths = depths(rows);
            assert!(depths.is_sorted() && depths.len() == 100, "{depths:?}");
            assert!(depths[0] == rows / 2 && depths[99] + PAGE <= rows && depths[99] > rows / 10 * 8, "{depths:?}");
        }
    }
}
