//! Totals by month: reads of a whole entity are the same whether its lines are in them or not.

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, Trade};
use stoa_tests::books::{day, month_day};
use stoa_tests::broken::find_broken;
use stoa_tests::company::fresh;
use stoa_tests::tables::figure;
use stoa_tests::{Database, at_once, on_both_databases};

on_both_databases![
    figures_are_the_same_summed_or_not,
    lines_are_summed_as_others_are_written,
    goods_and_sales_are_the_same_summed_or_not,
];

/// The reports of the whole entity, on its days and at the edges of its months.
fn read_figures(office: &Office) -> Vec<Json> {
    let scope = [("legalEntityId", office.entity.as_str()), ("currencyCode", "EUR")];
    let ask = |report: &str, query: &[(&str, &str)]| {
        let query: Vec<(&str, &str)> = scope.into_iter().chain(query.iter().copied()).collect();
        office.shop.list(&format!("reports/{report}"), &query).is(200).body
    };
    let mut figures = vec![office.shop.list("reports/reconciliation", &scope[..1]).is(200).body];
    let ends = [(2, 1), (2, 9), (2, 10), (2, 28), (1, 1), (1, 14), (1, 15), (1, 16), (1, 28), (0, 1)];
    let ends: Vec<String> =
        ends.iter().map(|(ago, day_of_month)| month_day(*ago, *day_of_month)).chain([day(-1), day(0)]).collect();
    for as_of in &ends {
        for report in ["receivables-ageing", "payables-ageing"] {
            figures.push(ask(report, &[("asOf", as_of)]));
        }
        for from in ends.iter().filter(|from| *from <= as_of) {
            for report in ["sales", "margin"] {
                figures.push(ask(report, &[("from", from), ("to", as_of), ("groupBy", "MONTH")]));
            }
        }
    }
    figures
}

/// Documents of every kind on two days and today.
fn trade(desk: &Desk) {
    for (ago, on, amount) in [(2, 10, "100"), (1, 15, "30.5"), (1, 16, "7")] {
        let on = month_day(ago, on);
        let draft = desk.draft(json!([desk.free("2", amount), desk.free("1", amount)]));
        let members = match desk.trade {
            Trade::Sales => json!({ "issuedOn": on, "recognizedOn": on }),
            Trade::Purchases => json!({ "documentReference": fresh("DOC-"), "recognizedOn": on }),
        };
        desk.step(&format!("invoices/{draft}"), "recognize", members).is(200);
        let payment =
            desk.try_pay("50", json!({ "paidOn": on, "applications": [{ "invoiceId": draft, "amount": "2" }] }));
        let payment = format!("payments/{}", payment.is(201).id());
        if ago == 2 {
            desk.give_back(&payment, "3");
            desk.apply(&desk.grant("20"), &[(&draft, "8")]).is(201);
        } else {
            desk.step(&payment, "reverse", json!({ "reason": "bounced" })).is(200);
            desk.void(&format!("invoices/{draft}"), json!({})).is(200);
        }
    }
}

fn count_totals(office: &Office) -> [i64; 3] {
    ["party", "revenue", "money"].map(|kind| office.shop.count(&format!("finance_{kind}_total"), "1 = 1"))
}

/// Lines of times long past are copied next: an earlier request may have summed those times already.
fn begin_sums_anew(office: &Office, module: &str) {
    office.shop.change(&format!("delete from {module}_summed_lines where {{tenant}}"));
}

/// Lines of a time that is summed already, as of requests that come to their locks late, go to the totals at once.
fn figures_are_the_same_summed_or_not(database: Database) {
    let office = Office::with_old_books(database);
    let later = office.shop.hours_after("created_at", "1");
    office.shop.change(&format!(
        "insert into finance_summed_lines (tenant_id, id, version, created_at, updated_at, legal_entity_id, until)
         select tenant_id, id, 1, created_at, updated_at, id, {later} from ledger_legal_entity where {{tenant}}"
    ));
    at_once(6, |n| trade(office.desks()[n % 2]));
    assert!(count_totals(&office).iter().all(|count| *count > 0), "{:?}", count_totals(&office));
    let summed = read_figures(&office);
    office.sound();
    for table in ["party_total", "revenue_total", "money_total", "summed_lines"] {
        office.shop.change(&format!("delete from finance_{table} where {{tenant}}"));
    }
    assert_eq!(summed, read_figures(&office));
    office.sound();
}

fn lines_are_summed_as_others_are_written(database: Database) {
    let office = Office::with_old_books(database);
    let invoices: Vec<String> = office.desks().into_iter().flat_map(|desk| (0..20).map(|_| desk.owe("10"))).collect();
    office.desks().into_iter().for_each(trade);
    // Lines of a time long past, on many days.
    begin_sums_anew(&office, "finance");
    let id = office.shop.numbered_id("s.n");
    let on = month_day(2, 3);
    let (month, due) = (on[..7].to_string(), month_day(2, 20));
    office.shop.copy_rows(
        "finance_party_entry",
        &format!("document_id = {}", office.shop.literal(&invoices[0])),
        3_000,
        &[
            ("id", &id),
            ("on_date", &format!("'{on}'")),
            ("month", &format!("'{month}'")),
            ("due_on", &format!("'{due}'")),
        ],
    );
    let before = read_figures(&office);
    assert_eq!(count_totals(&office), [0; 3]);
    // One of about a thousand lines brings the totals forward: with some hundreds of these a round, one soon does.
    let parts: Vec<(&str, &str)> = invoices[..20].iter().map(|invoice| (invoice.as_str(), "1")).collect();
    let is_summed = (0..200).any(|_| {
        let payment = office.sales.pay_for("20", &parts);
        office.sales.step(&payment, "reverse", json!({ "reason": "bounced" })).is(200);
        office.shop.count("finance_party_total", "1 = 1") > 0
    });
    assert!(is_summed, "no line was summed");
    assert_eq!(office.shop.count("finance_party_total", &format!("due_on = '{due}'")), 1);
    assert_eq!(before, read_figures(&office));
    // Reports of all parties are read of the totals, not of their lines.
    let total = || {
        let query = [("legalEntityId", office.entity.as_str()), ("currencyCode", "EUR")];
        let ages = office.shop.list("reports/receivables-ageing", &query).is(200);
        figure(&ages["totals"]["total"]).parse::<f64>().expect("an amount")
    };
    let reported = total();
    office.shop.change(&format!("delete from finance_party_total where {{tenant}} and due_on = '{due}'"));
    assert!((reported - total() - 30_000.0).abs() < 0.001, "{reported} and {}", total());
    assert!(find_broken(&office.shop).contains("month-total"));
}

/// The reports of an entity's goods and sales, at many days.
fn read_goods(office: &Office, days: &[String]) -> Vec<Json> {
    let scope = [("legalEntityId", office.entity.as_str())];
    let ask = |report: &str, query: &[(&str, &str)]| {
        let query: Vec<(&str, &str)> = scope.into_iter().chain(query.iter().copied()).collect();
        office.shop.list(&format!("reports/{report}"), &query).is(200).body
    };
    let mut figures = Vec::new();
    for to in days {
        figures.push(ask("valuation", &[("asOf", to)]));
        for from in days.iter().filter(|from| *from <= to) {
            figures.push(ask("costs", &[("from", from), ("to", to)]));
            let range = [("from", from.as_str()), ("to", to.as_str()), ("currencyCode", "EUR"), ("groupBy", "MONTH")];
            figures.push(ask("margin", &range));
        }
    }
    figures
}

fn goods_and_sales_are_the_same_summed_or_not(database: Database) {
    let office = Office::with_books(database);
    let counter = &office.counter;
    let goods: Vec<String> = (0..60).map(|_| counter.good("10", "1000")).collect();
    let items: Json = goods.iter().map(|good| json!({ "variantId": good, "quantity": "1" })).collect();
    counter.deliver(items.clone());
    // Lines of times long past, on the days of many months.
    ["inventory", "sales"].iter().for_each(|module| begin_sums_anew(&office, module));
    let on = match database {
        Database::Sqlite => format!("date('{}', '-' || (s.n % 75) || ' days')", day(0)),
        Database::Postgres => format!("(date '{}' - (s.n % 75)::int)", day(0)),
    };
    let month = match database {
        Database::Sqlite => format!("substr({on}, 1, 7)"),
        Database::Postgres => format!("to_char({on}, 'YYYY-MM')"),
    };
    // One row of the delivery, copied to as many days.
    let number = office.shop.numbered_id("s.n");
    let good = office.shop.literal(&goods[0]);
    let sold = format!("kind = 'SOLD' and variant_id = {good}");
    office.shop.copy_rows(
        "inventory_cost_entry",
        &sold,
        300,
        &[("id", &number), ("movement_id", &number), ("entry_date", &on)],
    );
    office.shop.copy_rows(
        "sales_delivery_line",
        &format!("variant_id = {good}"),
        300,
        &[("id", &number), ("source_id", &number), ("on_date", &on), ("month", &month)],
    );
    let days: Vec<String> = [(2, 1), (1, 1), (1, 10), (1, 28)]
        .map(|(ago, day_of_month)| month_day(ago, day_of_month))
        .into_iter()
        .chain([day(0)])
        .collect();
    let before = read_goods(&office, &days[..4]);
    // One of about a thousand lines brings the totals forward.
    let is_summed = (0..200).any(|_| {
        counter.deliver(items.clone());
        ["inventory_cost_total", "sales_delivery_total"].iter().all(|table| office.shop.count(table, "1 = 1") > 0)
    });
    assert!(is_summed, "no line was summed");
    assert_eq!(before, read_goods(&office, &days[..4]));
    assert!(!find_broken(&office.shop).contains("month-total"));
    let summed = read_goods(&office, &days);
    for table in ["inventory_variant_cost_total", "inventory_cost_total", "inventory_summed_lines"] {
        office.shop.change(&format!("delete from {table} where {{tenant}}"));
    }
    for table in ["sales_delivery_total", "sales_summed_lines"] {
        office.shop.change(&format!("delete from {table} where {{tenant}}"));
    }
    assert_eq!(summed, read_goods(&office, &days));
    // Lines of a time that is summed already go to the totals at once.
    let later = office.shop.hours_after("created_at", "1");
    for module in ["inventory", "sales"] {
        office.shop.change(&format!(
            "insert into {module}_summed_lines (tenant_id, id, version, created_at, updated_at, legal_entity_id, until)
             select tenant_id, id, 1, created_at, updated_at, id, {later} from ledger_legal_entity where {{tenant}}"
        ));
    }
    let without = read_goods(&office, &days[4..]);
    counter.deliver(items.clone());
    assert_ne!(without, read_goods(&office, &days[4..]), "what was delivered is in the totals");
}
