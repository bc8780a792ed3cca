//! Stock, layers and journal as aligned texts: a scenario and its figures are side by side in a test, and are read like the
//! pages of a ledger. Zeros behind the last digit that counts are left out: the form of an amount is another test's.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::Company;
use crate::books::day;

/// Compares a table with the one in the test. Each test runs on both databases, so each table is compared twice.
#[macro_export]
macro_rules! assert_table {
    ($table:expr, @$expected:literal) => {
        insta::allow_duplicates! {
            insta::assert_snapshot!($table, @$expected)
        }
    };
}

/// Rows below their head, texts to the left and figures to the right.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let columns: Vec<(usize, bool)> = (0..head.len())
        .map(|column| {
            let cells: Vec<String> = rows.iter().map(|row| cell(row, column)).collect();
            let widest = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or_default();
            let is_figure = |cell: &String| cell.parse::<f64>().is_ok();
            let figures = cells.iter().any(is_figure) && cells.iter().all(|cell| cell.is_empty() || is_figure(cell));
            (widest.max(head[column].chars().count()), figures)
        })
        .collect();
    let line = |cells: &[String]| {
        let cells = columns.iter().enumerate().map(|(column, (width, figures))| match figures {
            true => format!("{:>width$}", cell(cells, column)),
            false => format!("{:<width$}", cell(cells, column)),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let head: Vec<String> = head.iter().map(|name| (*name).to_string()).collect();
    [line(&head)].into_iter().chain(rows.iter().map(|row| line(row))).collect::<Vec<_>>().join("\n")
}

/// An amount without the zeros at its end; `?` where it is not known.
pub fn figure(amount: &Json) -> String {
    match amount.as_str() {
        Some(text) if text.contains('.') => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        Some(text) => text.to_string(),
        None => "?".to_string(),
    }
}

/// The same; nothing for zero.
fn unless_zero(amount: &Json) -> String {
    Some(figure(amount)).filter(|text| text != "0").unwrap_or_default()
}

/// Names of ids in a table.
pub type Names<'a> = &'a [(&'a str, &'a str)];

#[track_caller]
fn name(names: Names<'_>, id: &Json) -> String {
    let known = names.iter().find(|(known, _)| *id == **known);
    known.unwrap_or_else(|| panic!("the table has no name for {id}")).1.to_string()
}

fn place(names: Names<'_>, id: &Json) -> Option<usize> {
    names.iter().position(|(known, _)| *id == **known)
}

/// Figures of a level as the interface and the table call them.
const FIGURES: [(&str, &str); 8] = [
    ("onHand", "on hand"),
    ("reserved", "reserved"),
    ("available", "available"),
    ("incoming", "incoming"),
    ("damaged", "damaged"),
    ("quarantined", "quarantined"),
    ("inTransit", "in transit"),
    ("returned", "returned"),
];

impl Company {
    /// Every stock level, by article and warehouse in the order of the names; figures that are zero everywhere have no column.
    #[track_caller]
    pub fn stock_table(&self, names: Names<'_>) -> String {
        let mut levels = self.all("inventory/stock", &[]);
        levels.sort_by_key(|level| (place(names, &level["variantId"]), place(names, &level["warehouseId"])));
        let figures: Vec<_> = FIGURES
            .into_iter()
            .filter(|(member, _)| levels.iter().any(|level| figure(&level[*member]) != "0"))
            .collect();
        let head: Vec<&str> =
            ["article", "warehouse"].into_iter().chain(figures.iter().map(|(_, head)| *head)).collect();
        let row = |level: &Json| {
            let names = [name(names, &level["variantId"]), name(names, &level["warehouseId"])];
            names.into_iter().chain(figures.iter().map(|(member, _)| figure(&level[*member]))).collect()
        };
        table(&head, &levels.iter().map(row).collect::<Vec<_>>())
    }

    /// The cost layers of a variant in the order in which they were opened, the empty ones too.
    #[track_caller]
    pub fn layers_table(&self, variant: &str) -> String {
        let listed = |open: &str| self.all("inventory/cost-layers", &[("variantId", variant), ("open", open)]);
        let mut layers = [listed("true"), listed("false")].concat();
        layers.sort_by_key(|layer| layer["id"].as_str().map(str::to_string));
        let row = |layer: &Json| {
            let figures = ["quantity", "unitCost", "remaining", "value"].map(|member| figure(&layer[member]));
            figures.into_iter().chain([layer["currencyCode"].as_str().unwrap_or_default().to_string()]).collect()
        };
        table(&["quantity", "unit cost", "remaining", "value", "currency"], &layers.iter().map(row).collect::<Vec<_>>())
    }

    /// The units of a variant in the order of the names.
    #[track_caller]
    pub fn units_table(&self, variant: &str, names: Names<'_>) -> String {
        let mut units = self.all("inventory/units", &[("variantId", variant)]);
        units.sort_by_key(|unit| place(names, &unit["id"]));
        let row = |unit: &Json| {
            let (status, warehouse) = (&unit["status"], &unit["warehouseId"]);
            let warehouse = if warehouse.is_null() { String::new() } else { name(names, warehouse) };
            vec![name(names, &unit["id"]), status.as_str().unwrap_or_default().to_string(), warehouse]
        };
        table(&["unit", "status", "warehouse"], &units.iter().map(row).collect::<Vec<_>>())
    }

    /// The journal of an entity in the order of posting, a line of an entry in a row.
    #[track_caller]
    pub fn journal_table(&self, entity: &str) -> String {
        let range = [("legalEntityId", entity), ("from", &day(-300)), ("to", &day(0))];
        let lines = self.all("ledger/general-ledger", &range);
        let mut entries = BTreeSet::new();
        let row = |line: &Json| {
            let is_first = entries.insert(line["entryId"].to_string());
            let text = |member: &str| line[member].as_str().unwrap_or_default();
            vec![
                if is_first { entries.len().to_string() } else { String::new() },
                format!("{} {}", text("accountCode"), text("accountName")),
                unless_zero(&line["debit"]),
                unless_zero(&line["credit"]),
            ]
        };
        table(&["entry", "account", "debit", "credit"], &lines.iter().map(row).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_stand_to_the_right() {
        let row = |cells: [&str; 3]| cells.map(str::to_string).to_vec();
        let rows = [row(["1200 Inventory", "10.5", ""]), row(["5200 Inventory adjustments", "", "-2"])];
        insta::assert_snapshot!(table(&["account", "debit", "credit"], &rows), @r"
        account                     debit  credit
        1200 Inventory               10.5
        5200 Inventory adjustments             -2
        ");
        assert_eq!(table(&["account"], &[]), "account");
    }

    #[test]
    fn figures_keep_what_counts() {
        for (amount, shown) in [
            (json!("20.000000000000"), "20"),
            (json!("0.100000"), "0.1"),
            (json!("0.000000"), "0"),
            (json!("-3.333334000000"), "-3.333334"),
            (json!("100"), "100"),
            (Json::Null, "?"),
        ] {
            assert_eq!(figure(&amount), shown);
        }
    }
}
