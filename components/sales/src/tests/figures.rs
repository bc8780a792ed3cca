//! Figures of the ledger of deliveries: what a line adds, and what the store is asked for.

use stoa_sdk::scripted::NOW;
use stoa_sdk::store::{Agg, Totals, Value};
use stoa_sdk::{Date, Field, Id, Instant};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::{Ledger, LineMonths, TotalMonths};

use crate::records::delivery::{DeliveryKind, DeliveryLineRow};
use crate::work::month_totals::{Deliveries, FIGURES};

fn amounts(texts: [&str; FIGURES]) -> [Amount; FIGURES] {
    texts.map(|text| text.parse().unwrap())
}

#[test]
fn a_line_adds_its_columns_and_counts_where_it_has_a_cost() {
    let on_date: Date = "2026-01-20".parse().unwrap();
    let line = |cost: Option<&str>| DeliveryLineRow {
        id: Id(1, 1),
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        kind: DeliveryKind::Return,
        order_id: Id(1, 2),
        item_id: Id(1, 3),
        source_id: Id(1, 4),
        legal_entity_id: Id(1, 5),
        branch_id: None,
        warehouse_id: Id(1, 6),
        customer_id: Id(1, 7),
        variant_id: Id(1, 8),
        currency_code: "EUR".to_owned(),
        on_date,
        month: Month::from_day(on_date),
        quantity: "-2.5".parse().unwrap(),
        revenue: "7".parse().unwrap(),
        cost: cost.map(|cost| cost.parse().unwrap()),
        uncosted_quantity: "-1".parse().unwrap(),
        document_count: 1,
    };
    let figures = |cost: Option<&str>| Deliveries::read_line(&line(cost)).3;
    assert_eq!(figures(Some("-0.000000000007")), amounts(["1", "-2.5", "7", "-0.000000000007", "1", "-1"]));
    assert_eq!(figures(None), amounts(["1", "-2.5", "7", "0", "0", "-1"]));
}

#[test]
fn the_store_is_asked_for_each_figure_once() {
    let lines = [
        ("documents", Agg::Sum, "document_count"),
        ("quantity", Agg::Sum, "quantity"),
        ("revenue", Agg::Sum, "revenue"),
        ("cost", Agg::Sum, "cost"),
        ("costed", Agg::Count, ""),
        ("uncosted", Agg::Sum, "uncosted_quantity"),
    ];
    assert_eq!(LineMonths::<Deliveries, FIGURES>::MEASURES, lines);
    assert_eq!(TotalMonths::<Deliveries, FIGURES>::MEASURES, lines.map(|(name, ..)| (name, Agg::Sum, name)));
    let decimal = |text: &str| Value::Decimal(text.to_owned());
    let row = vec!["2026-01".to_owned().put(), Value::Integer(2), decimal("2.500000"), Value::Null, Value::Null];
    let row = row.into_iter().chain([Value::Integer(4), decimal("-1.000000")]).collect();
    let sums = LineMonths::<Deliveries, FIGURES>::read(row).unwrap();
    assert_eq!(sums.figures, amounts(["2", "2.5", "0", "0", "4", "-1"]));
}
