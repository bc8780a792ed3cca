//! The file as products with their variants, prices, media and stock: rows put together, cells turned into members of bodies.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value as Json, json};

use crate::columns::{self, Column, Kind, Part};
use crate::fault::Fault;
use crate::lines::{Lines, ends_within_quotes};

#[derive(Default)]
pub struct File {
    pub products: Vec<Product>,
    pub prices: Vec<Price>,
    pub media: Vec<Media>,
    pub stock: Vec<Stock>,
    /// Codes of the price lists, in the order of their columns.
    pub lists: Vec<String>,
    /// Codes of the warehouses, likewise.
    pub warehouses: Vec<String>,
    pub faults: Vec<Fault>,
    /// The line of each row.
    pub lines: BTreeSet<u64>,
}

/// A product whose lookups are still named by their codes. It has the members that the file states and no others.
pub struct Product {
    pub rows: Vec<u64>,
    pub body: Map<String, Json>,
    pub codes: Vec<Code>,
    pub variants: Vec<Variant>,
}

pub struct Variant {
    pub line: u64,
    pub sku: String,
    /// The SKU too.
    pub body: Map<String, Json>,
}

impl Product {
    /// The first row, which the product is reported with.
    pub fn line(&self) -> u64 {
        self.rows.first().copied().unwrap_or_default()
    }

    /// The body that creates the product with its variants.
    pub fn creation(&self) -> Json {
        let mut body = self.body.clone();
        for (member, default) in [("productType", "GOOD"), ("unitOfMeasure", "UNIT")] {
            body.entry(member).or_insert_with(|| json!(default));
        }
        let variants = self.variants.iter().map(|variant| Json::Object(variant.body.clone())).collect();
        body.insert("variants".to_owned(), variants);
        Json::Object(body)
    }
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

/// An image of the product of a variant.
pub struct Media {
    pub line: u64,
    pub sku: String,
    pub url: String,
}

/// How much of a variant there is in a warehouse.
pub struct Stock {
    pub line: u64,
    /// The warehouse's code.
    pub warehouse: String,
    pub sku: String,
    pub quantity: String,
    pub unit_cost: Option<String>,
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
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text, map, ignore_unknown, delimiter).with_context(|| path.display().to_string())
}

fn parse(text: &[u8], map: &[(String, String)], ignore_unknown: bool, delimiter: u8) -> Result<File> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(text);
    let columns = columns::read(reader.headers()?, map, ignore_unknown)?;
    let is = |name: &str| columns.iter().flatten().any(|column| column.name() == name);
    let lists = columns.iter().flatten().filter_map(list_code).collect();
    let warehouses = columns.iter().flatten().filter_map(warehouse_code).collect();
    let creates = columns.iter().flatten().any(|column| describes_product(column) && column.name() != "sku");
    let carries_more = columns.iter().flatten().any(|column| !describes_product(column));
    if !is("sku") || (creates && !is("name")) || (!creates && !carries_more) {
        bail!("columns `sku` and `name` are needed, or `sku` and a price, stock or media");
    }

    let mut gathered = Gathered::default();
    let mut lines = Lines::new(text);
    let mut rows = BTreeSet::new();
    let mut last = 0;
    for record in reader.records() {
        let position = match &record {
            Ok(record) => record.position(),
            Err(error) => error.position(),
        };
        last = position.map_or(last, csv::Position::byte);
        let line = lines.line_of(last);
        rows.insert(line);
        match record {
            Ok(record) => {
                let cells = columns.iter().zip(record.iter()).filter(|(_, cell)| !cell.is_empty());
                let cells = cells.filter_map(|(column, cell)| Some((column.clone()?, read_cell(cell)))).collect();
                gathered.row(line, cells, creates);
            }
            Err(error) => {
                gathered.faults.push(Fault::new(line, "", "UNREADABLE"));
                if matches!(error.kind(), csv::ErrorKind::Io(_)) {
                    return Err(error.into());
                }
            }
        }
    }
    if ends_within_quotes(text, last, delimiter) {
        // The rest is missing, or a quote that contains an unknown number of rows.
        bail!(
            "line {}: UNREADABLE: the file ends inside a quoted cell of the row that begins here, so the file is not \
             complete; nothing is imported",
            lines.line_of(last)
        );
    }
    Ok(gathered.file(lists, warehouses, rows))
}

/// The text of a cell. Lines within it end with LF, which is the only line end that the service accepts.
fn read_cell(cell: &str) -> String {
    cell.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns whether the column belongs to the product or the variant itself.
fn describes_product(column: &Column) -> bool {
    matches!(column.part(), Part::Group | Part::Product | Part::Variant)
}

fn list_code(column: &Column) -> Option<String> {
    match column {
        Column::Price(code) => Some(code.clone()),
        _ => None,
    }
}

fn warehouse_code(column: &Column) -> Option<String> {
    match column {
        Column::Stock(code) => Some(code.clone()),
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
    media: Vec<Media>,
    stock: Vec<Stock>,
    faults: Vec<Fault>,
}

impl Gathered {
    fn row(&mut self, line: u64, cells: Vec<(Column, String)>, creates: bool) {
        let known = self.faults.len();
        let cell = |name: &str| cell_of(&cells, name);
        let sku = cell("sku");
        let carries_more = cells.iter().any(|(column, _)| !describes_product(column));
        if let Some(sku) = &sku
            && self.skus.insert(sku.clone(), line).is_some()
        {
            self.faults.push(Fault::new(line, "sku", "REPEATED"));
        }
        if sku.is_none() && (carries_more || !creates) {
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
        let unit_cost = cell_of(&cells, "unitCost");
        for (column, text) in cells {
            let sku = sku.clone();
            match column {
                Column::Price(list) => {
                    let (valid_from, valid_to) = (valid_from.clone(), valid_to.clone());
                    self.prices.push(Price { line, list, sku, amount: text, valid_from, valid_to });
                }
                Column::Stock(warehouse) => {
                    self.stock.push(Stock { line, warehouse, sku, quantity: text, unit_cost: unit_cost.clone() });
                }
                Column::Named(named) if named.part == Part::Media => {
                    let urls = list(&text);
                    self.media.extend(urls.map(|url| Media { line, sku: sku.clone(), url: url.to_owned() }));
                }
                _ => {}
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

    fn file(mut self, lists: Vec<String>, warehouses: Vec<String>, lines: BTreeSet<u64>) -> File {
        let mut products = Vec::new();
        let mut left_out = Vec::new();
        for group in std::mem::take(&mut self.groups) {
            let rows = group.rows.clone();
            match product(group, &mut self.faults) {
                Some(product) => products.push(product),
                None => left_out.push(rows),
            }
        }
        let bad: HashSet<u64> = self.faults.iter().map(|fault| fault.line).collect();
        for rows in &left_out {
            let Some(first) = rows.iter().find(|line| bad.contains(line)) else { continue };
            let rest = rows.iter().filter(|line| !bad.contains(line));
            self.faults.extend(rest.map(|line| Fault::new_skipped(*line, *first)));
        }
        let left_out: HashSet<u64> = left_out.into_iter().flatten().collect();
        self.prices.retain(|price| !left_out.contains(&price.line));
        self.media.retain(|media| !left_out.contains(&media.line));
        self.stock.retain(|stock| !left_out.contains(&stock.line));
        let Gathered { prices, media, stock, faults, .. } = self;
        File { products, prices, media, stock, lists, warehouses, faults, lines }
    }
}

fn cell_of(cells: &[(Column, String)], name: &str) -> Option<String> {
    cells.iter().find(|(column, _)| column.name() == name).map(|(_, cell)| cell.clone())
}

/// The texts of a cell that holds several.
fn list(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('|').map(str::trim).filter(|text| !text.is_empty())
}

/// The product of a group; none if it has a bad line.
fn product(group: Group, faults: &mut Vec<Fault>) -> Option<Product> {
    let known = faults.len();
    let first = *group.rows.first()?;
    let mut body = Map::new();
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
            Column::VariantAttribute(_) | Column::Price(_) | Column::Stock(_) => {}
        }
    }
    if !body.contains_key("name") {
        faults.push(Fault::new(first, "name", "REQUIRED"));
    }
    if !attributes.is_empty() {
        body.insert("attributes".to_owned(), json!(attributes));
    }
    let mut variants = Vec::new();
    for (line, sku, cells) in group.variants {
        variants.push(Variant { line, sku, body: variant(cells, line, faults) });
    }
    (!group.is_bad && faults.len() == known).then_some(Product { rows: group.rows, body, codes, variants })
}

fn variant(cells: Vec<(Column, String)>, line: u64, faults: &mut Vec<Fault>) -> Map<String, Json> {
    let mut body = Map::new();
    let mut attributes = BTreeMap::new();
    for (column, cell) in cells {
        match &column {
            Column::Named(named) => {
                body.insert(named.member.to_owned(), value(named.kind, &cell, line, &column, faults));
            }
            Column::VariantAttribute(name) => _ = attributes.insert(name.clone(), json!(cell)),
            Column::Attribute(_) | Column::Price(_) | Column::Stock(_) => {}
        }
    }
    if !attributes.is_empty() {
        body.insert("attributes".to_owned(), json!(attributes));
    }
    body
}

fn value(kind: Kind, cell: &str, line: u64, column: &Column, faults: &mut Vec<Fault>) -> Json {
    match kind {
        Kind::Text | Kind::Lookup(_) => json!(cell),
        Kind::List => list(cell).collect(),
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

    fn fault_lines(file: &File) -> Vec<u64> {
        file.faults.iter().map(|fault| fault.line).collect()
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
            phone.creation(),
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
            (2, "", "SKIPPED"),
        ];
        assert_eq!(faults(&file), expected);
        let names: Vec<_> = file.products.iter().map(|product| product.body["name"].clone()).collect();
        assert_eq!(names, ["H", "I"]);
        assert_eq!(file.prices.iter().map(|price| price.line).collect::<Vec<_>>(), [9]);
        assert_eq!(file.lines, (2..=10).collect());
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
        let file = parse(b"name,sku\nA,A\n\xff,B\nC,C\n", &[], false, b',').unwrap();
        assert_eq!(faults(&file), [(3, "", "UNREADABLE")]);
        assert_eq!(file.products.len(), 2);
    }

    #[test]
    fn lines_are_counted_the_same_whatever_ends_them() {
        let text = "name,sku\nA,A\n\n\"B,\nb\",B\n,C\nD\nE,E\n,F\n";
        for end in ["\n", "\r\n"] {
            let file = parse_text(&text.replace('\n', end));
            assert_eq!(fault_lines(&file), [6, 7, 9], "{end:?}");
            assert_eq!(file.lines, [2, 4, 6, 7, 8, 9].into(), "{end:?}");
            let rows: Vec<_> = file.products.iter().map(Product::line).collect();
            assert_eq!(rows, [2, 4, 8], "{end:?}");
            assert_eq!(file.products[1].body["name"], "B,\nb", "{end:?}");
        }
        assert_eq!(fault_lines(&parse_text("\u{feff}name,sku\r\nA,A\r\n,B")), [3], "with the mark of UTF-8");
    }

    #[test]
    fn a_file_that_ends_inside_a_quote_is_rejected() {
        let rejected = |text: &str| parse(text.as_bytes(), &[], false, b',').err().map(|error| error.to_string());
        for text in ["name,sku\r\nA,A\r\n\"B,B\r\nC,C\r\n", "name,sku\nA,A\nB,\"B"] {
            let said = rejected(text).unwrap_or_default();
            assert!(said.contains("line 3: UNREADABLE") && said.contains("inside a quoted cell"), "{said}");
        }
        assert_eq!(rejected("name,sku\nA,A\nB,\"B\""), None);
    }

    #[test]
    fn the_rest_of_a_product_is_reported_with_its_bad_line() {
        let file = parse_text("product,name,sku,trackSerials\np,P,A,\np,,B,perhaps\np,,C,\nq,Q,D,\n");
        let expected = [(3, "trackSerials", "FORMAT"), (2, "", "SKIPPED"), (4, "", "SKIPPED")];
        assert_eq!(faults(&file), expected);
        assert_eq!(file.faults[1].because_of, Some(3));
        assert_eq!(file.products.len(), 1);
    }

    #[test]
    fn stock_and_media_are_of_a_variant() {
        let file = parse_text("sku,stock:main,unitCost,media\nA,3,1.50,https://a.test/1 | https://a.test/2\n,4,,\n");
        let stock = file.stock.first().unwrap();
        assert_eq!(
            (stock.warehouse.as_str(), stock.quantity.as_str(), stock.unit_cost.as_deref()),
            ("MAIN", "3", Some("1.50"))
        );
        let urls: Vec<_> = file.media.iter().map(|media| media.url.as_str()).collect();
        assert_eq!(
            (urls, file.warehouses.as_slice()),
            (vec!["https://a.test/1", "https://a.test/2"], &["MAIN".to_owned()][..])
        );
        assert_eq!(faults(&file), [(3, "sku", "REQUIRED")]);
    }
}
