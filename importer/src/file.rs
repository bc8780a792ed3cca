//! The file as products with their variants, and prices: rows put together, cells turned into members of bodies.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value as Json, json};

use crate::columns::{self, Column, Kind, Part};
use crate::fault::Fault;

pub struct File {
    pub products: Vec<Product>,
    pub prices: Vec<Price>,
    /// Codes of the price lists, in the order of their columns.
    pub lists: Vec<String>,
    pub faults: Vec<Fault>,
    /// Rows of the file.
    pub lines: usize,
}

/// A product whose lookups are still named by their codes.
pub struct Product {
    pub rows: Vec<u64>,
    pub body: Map<String, Json>,
    pub codes: Vec<Code>,
    /// The line of each variant, in the body's order, and its SKU.
    pub variants: Vec<(u64, String)>,
}

/// A lookup named by its code.
pub struct Code {
    pub line: u64,
    pub column: &'static str,
    pub member: &'static str,
    pub kind: &'static str,
    pub code: String,
}

pub struct Price {
    pub line: u64,
    /// The list's code.
    pub list: String,
    pub sku: String,
    pub amount: String,
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
}

/// Cells by their columns.
type Cells = Vec<(Column, String)>;

/// Rows of one product as they are found.
#[derive(Default)]
struct Group {
    rows: Vec<u64>,
    /// By column: the first cell that says something, and its line.
    cells: Vec<(Column, String, u64)>,
    /// By row: its line, its SKU and its cells.
    variants: Vec<(u64, String, Cells)>,
    is_bad: bool,
}

/// # Errors
/// Where the file cannot be read, or its headers are not those of an import.
pub fn read(path: &Path, map: &[(String, String)], ignore_unknown: bool, delimiter: u8) -> Result<File> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(file, map, ignore_unknown, delimiter).with_context(|| path.display().to_string())
}

fn parse(text: impl std::io::Read, map: &[(String, String)], ignore_unknown: bool, delimiter: u8) -> Result<File> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(text);
    let columns = columns::read(reader.headers()?, map, ignore_unknown)?;
    let is = |name: &str| columns.iter().flatten().any(|column| column.name() == name);
    let lists: Vec<String> = columns.iter().flatten().filter_map(list_code).collect();
    let creates = columns.iter().flatten().any(|column| column.part() != Part::Price && column.name() != "sku");
    if !is("sku") || (creates && !is("name")) || (!creates && lists.is_empty()) {
        bail!("columns `sku` and `name` are needed, or `sku` and a price");
    }

    let mut gathered = Gathered::default();
    let mut lines = 0;
    let mut next = 2;
    for record in reader.records() {
        lines += 1;
        match record {
            Ok(record) => {
                let line = record.position().map_or(next, csv::Position::line);
                next = line + 1;
                let cells = columns.iter().zip(record.iter()).filter(|(_, cell)| !cell.is_empty());
                let cells = cells.filter_map(|(column, cell)| Some((column.clone()?, cell.to_owned()))).collect();
                gathered.row(line, cells, creates);
            }
            Err(error) => {
                let line = error.position().map_or(next, csv::Position::line);
                next = line + 1;
                gathered.faults.push(Fault::new(line, "", "UNREADABLE"));
                if matches!(error.kind(), csv::ErrorKind::Io(_)) {
                    return Err(error.into());
                }
            }
        }
    }
    Ok(gathered.file(lists, lines))
}

fn list_code(column: &Column) -> Option<String> {
    match column {
        Column::Price(code) => Some(code.clone()),
        _ => None,
    }
}

#[derive(Default)]
struct Gathered {
    groups: Vec<Group>,
    by_key: HashMap<String, usize>,
    /// The line of each SKU.
    skus: HashMap<String, u64>,
    prices: Vec<Price>,
    faults: Vec<Fault>,
}

impl Gathered {
    fn row(&mut self, line: u64, cells: Vec<(Column, String)>, creates: bool) {
        let known = self.faults.len();
        let cell = |name: &str| cells.iter().find(|(column, _)| column.name() == name).map(|(_, cell)| cell.clone());
        let sku = cell("sku");
        let has_price = cells.iter().any(|(column, _)| matches!(column, Column::Price(_)));
        if let Some(sku) = &sku
            && self.skus.insert(sku.clone(), line).is_some()
        {
            self.faults.push(Fault::new(line, "sku", "REPEATED"));
        }
        if sku.is_none() && (has_price || !creates) {
            self.faults.push(Fault::new(line, "sku", "REQUIRED"));
        }
        let key = cell("product").or_else(|| cell("slug")).or_else(|| cell("name"));
        if creates && key.is_none() {
            self.faults.push(Fault::new(line, "name", "REQUIRED"));
        }
        let (valid_from, valid_to) = (cell("validFrom"), cell("validTo"));
        if let Some(key) = key.filter(|_| creates) {
            self.add(line, key, sku.as_deref(), &cells, known);
        }
        let Some(sku) = sku.filter(|_| self.faults.len() == known) else { return };
        for (column, amount) in cells {
            if let Some(list) = list_code(&column) {
                let (valid_from, valid_to) = (valid_from.clone(), valid_to.clone());
                self.prices.push(Price { line, list, sku: sku.clone(), amount, valid_from, valid_to });
            }
        }
    }

    /// Adds the row to its product. `known`: how many faults there were before the row.
    fn add(&mut self, line: u64, key: String, sku: Option<&str>, cells: &[(Column, String)], known: usize) {
        let next = self.groups.len();
        let index = *self.by_key.entry(key).or_insert(next);
        if index == next {
            self.groups.push(Group::default());
        }
        let Some(group) = self.groups.get_mut(index) else { return };
        group.rows.push(line);
        for (column, cell) in cells.iter().filter(|(column, _)| column.part() == Part::Product) {
            match group.cells.iter().find(|(stated, ..)| stated.name() == column.name()) {
                Some((_, stated, _)) if stated != cell => self.faults.push(Fault::new(line, column.name(), "DIFFERS")),
                Some(_) => {}
                None => group.cells.push((column.clone(), cell.clone(), line)),
            }
        }
        let of_variant: Vec<_> = cells.iter().filter(|(column, _)| column.part() == Part::Variant).cloned().collect();
        match sku {
            Some(sku) => group.variants.push((line, sku.to_owned(), of_variant)),
            None if !of_variant.is_empty() || group.rows.len() > 1 => {
                self.faults.push(Fault::new(line, "sku", "REQUIRED"));
            }
            None => {}
        }
        group.is_bad |= self.faults.len() > known;
    }

    fn file(mut self, lists: Vec<String>, lines: usize) -> File {
        let mut products = Vec::new();
        let mut bad_rows = Vec::new();
        for group in std::mem::take(&mut self.groups) {
            let rows = group.rows.clone();
            match product(group, &mut self.faults) {
                Some(product) => products.push(product),
                None => bad_rows.extend(rows),
            }
        }
        self.prices.retain(|price| !bad_rows.contains(&price.line));
        File { products, prices: self.prices, lists, faults: self.faults, lines }
    }
}

/// The product of a group; none where it has a bad line.
fn product(group: Group, faults: &mut Vec<Fault>) -> Option<Product> {
    let known = faults.len();
    let first = *group.rows.first()?;
    let mut body =
        Map::from_iter([("productType".to_owned(), json!("GOOD")), ("unitOfMeasure".to_owned(), json!("UNIT"))]);
    let mut codes = Vec::new();
    let mut attributes = BTreeMap::new();
    for (column, cell, line) in group.cells {
        match &column {
            Column::Named(named) => match named.kind {
                Kind::Lookup(kind) => {
                    codes.push(Code { line, column: named.name, member: named.member, kind, code: cell });
                }
                kind => _ = body.insert(named.member.to_owned(), value(kind, &cell, line, &column, faults)),
            },
            Column::Attribute(name) => _ = attributes.insert(name.clone(), json!(cell)),
            Column::VariantAttribute(_) | Column::Price(_) => {}
        }
    }
    if !body.contains_key("name") {
        faults.push(Fault::new(first, "name", "REQUIRED"));
    }
    if !attributes.is_empty() {
        body.insert("attributes".to_owned(), json!(attributes));
    }
    let mut variants = Vec::new();
    let mut bodies = Vec::new();
    for (line, sku, cells) in group.variants {
        bodies.push(variant(cells, line, faults));
        variants.push((line, sku));
    }
    body.insert("variants".to_owned(), Json::Array(bodies));
    (!group.is_bad && faults.len() == known).then_some(Product { rows: group.rows, body, codes, variants })
}

fn variant(cells: Vec<(Column, String)>, line: u64, faults: &mut Vec<Fault>) -> Json {
    let mut body = Map::new();
    let mut attributes = BTreeMap::new();
    for (column, cell) in cells {
        match &column {
            Column::Named(named) => {
                body.insert(named.member.to_owned(), value(named.kind, &cell, line, &column, faults));
            }
            Column::VariantAttribute(name) => _ = attributes.insert(name.clone(), json!(cell)),
            Column::Attribute(_) | Column::Price(_) => {}
        }
    }
    if !attributes.is_empty() {
        body.insert("attributes".to_owned(), json!(attributes));
    }
    Json::Object(body)
}

fn value(kind: Kind, cell: &str, line: u64, column: &Column, faults: &mut Vec<Fault>) -> Json {
    match kind {
        Kind::Text | Kind::Lookup(_) => json!(cell),
        Kind::List => cell.split('|').map(str::trim).filter(|text| !text.is_empty()).collect(),
        Kind::Flag => match cell.to_lowercase().as_str() {
            "true" | "yes" | "1" => json!(true),
            "false" | "no" | "0" => json!(false),
            _ => {
                faults.push(Fault::new(line, column.name(), "FORMAT"));
                Json::Null
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> File {
        parse(text.as_bytes(), &[], false, b',').unwrap()
    }

    fn faults(file: &File) -> Vec<(u64, &str, &str)> {
        file.faults.iter().map(|fault| (fault.line, fault.column.as_str(), fault.code.as_str())).collect()
    }

    #[test]
    fn rows_of_one_product_are_put_together() {
        let file = parse_text(
            "product,name,sku,color,brand,trackInventory,searchAliases,attribute:Size,variantAttribute:EAN,price:BASE,price:EU\n\
             p1,Phone,A-1,red,ACME,yes,one | two,6,x,9.99,\n\
             p2,\"Case,\nlarge\",B-1,,,,,,,1,2\n\
             p1,,A-2,blue,ACME,,,,,19,\n",
        );
        assert_eq!(faults(&file), []);
        let [phone, case] = file.products.as_slice() else { panic!("two products") };
        assert_eq!(
            (phone.rows.as_slice(), case.rows.as_slice()),
            (&[2, 5][..], &[3][..]),
            "a cell may hold a line break"
        );
        assert_eq!(
            Json::Object(phone.body.clone()),
            json!({ "productType": "GOOD", "unitOfMeasure": "UNIT", "name": "Phone", "trackInventory": true,
                    "attributes": { "Size": "6" },
                    "variants": [{ "sku": "A-1", "color": "red", "searchAliases": ["one", "two"], "attributes": { "EAN": "x" } },
                                 { "sku": "A-2", "color": "blue" }] })
        );
        assert_eq!((phone.codes[0].kind, phone.codes[0].code.as_str()), ("brands", "ACME"));
        assert_eq!(case.body["name"], "Case,\nlarge");
        let prices: Vec<_> =
            file.prices.iter().map(|price| (price.line, price.list.as_str(), price.amount.as_str())).collect();
        assert_eq!(prices, [(2, "BASE", "9.99"), (3, "BASE", "1"), (3, "EU", "2"), (5, "BASE", "19")]);
    }

    #[test]
    fn bad_lines_take_their_product_with_them_and_no_other() {
        let file = parse_text(
            "name,slug,sku,trackSerials,price:BASE\n\
             A,a,A-1,,1\n\
             B,a,A-2,,1\n\
             C,c,C-1,maybe,1\n\
             ,,D-1,,1\n\
             E,e,A-1,,1\n\
             F,f,,,1\n\
             G,g,G-1\n\
             H,h,H-1,,1\n\
             I,i,,,\n",
        );
        let expected = [
            (3, "name", "DIFFERS"),
            (5, "name", "REQUIRED"),
            (6, "sku", "REPEATED"),
            (7, "sku", "REQUIRED"),
            (8, "", "UNREADABLE"),
            (4, "trackSerials", "FORMAT"),
        ];
        assert_eq!(faults(&file), expected);
        let names: Vec<_> = file.products.iter().map(|product| product.body["name"].clone()).collect();
        assert_eq!(names, ["H", "I"]);
        assert_eq!(file.prices.iter().map(|price| price.line).collect::<Vec<_>>(), [9]);
        assert_eq!(file.lines, 9);
    }

    #[test]
    fn a_file_of_prices_alone_creates_nothing() {
        let file = parse_text("sku,validFrom,price:BASE\nA,2026-01-01T00:00:00Z,1\n,,2\n");
        assert_eq!((file.products.len(), file.prices.len()), (0, 1));
        assert_eq!(file.prices[0].valid_from.as_deref(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(faults(&file), [(3, "sku", "REQUIRED")]);
        for headers in ["name\n", "sku\n", "sku,color\n", "price:BASE\n"] {
            assert!(parse(headers.as_bytes(), &[], false, b',').is_err(), "{headers}");
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_a_bad_line() {
        let file = parse(&b"name,sku\nA,A\n\xff,B\nC,C\n"[..], &[], false, b',').unwrap();
        assert_eq!(faults(&file), [(3, "", "UNREADABLE")]);
        assert_eq!(file.products.len(), 2);
    }
}
