//! The columns of a file: which header means what.

use anyhow::{Result, bail};
use csv::StringRecord;

/// The record that a column belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Decides which rows are one product.
    Group,
    Product,
    Variant,
    Price,
    Media,
    Stock,
}

/// How a cell becomes a member of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Flag,
    /// Texts separated by `|`.
    List,
    /// The code of a lookup of this kind; the body names its id.
    Lookup(&'static str),
}

#[derive(Debug)]
pub struct Named {
    pub name: &'static str,
    /// The member of the body.
    pub member: &'static str,
    pub part: Part,
    pub kind: Kind,
    about: &'static str,
}

const fn name_column(name: &'static str, member: &'static str, part: Part, kind: Kind, about: &'static str) -> Named {
    Named { name, member, part, kind, about }
}

#[rustfmt::skip]
const NAMED: &[Named] = &[
    name_column("product", "", Part::Group, Kind::Text, "rows with the same text are one product; default: the slug, else the name"),
    name_column("name", "name", Part::Product, Kind::Text, "required, on one of the product's rows"),
    name_column("slug", "slug", Part::Product, Kind::Text, "default: derived from the name"),
    name_column("productType", "productType", Part::Product, Kind::Text, "GOOD or SERVICE; default: GOOD"),
    name_column("unitOfMeasure", "unitOfMeasure", Part::Product, Kind::Text, "code of a unit; default: UNIT"),
    name_column("variantMode", "variantMode", Part::Product, Kind::Text, "SINGLE or MULTIPLE"),
    name_column("publicationStatus", "publicationStatus", Part::Product, Kind::Text, "DRAFT or PUBLISHED; default: DRAFT"),
    name_column("trackInventory", "trackInventory", Part::Product, Kind::Flag, "true or false; default: false"),
    name_column("trackSerials", "trackSerials", Part::Product, Kind::Flag, "true or false; default: false"),
    name_column("category", "categoryId", Part::Product, Kind::Lookup("categories"), "code of a category"),
    name_column("brand", "brandId", Part::Product, Kind::Lookup("brands"), "code of a brand"),
    name_column("manufacturer", "manufacturerId", Part::Product, Kind::Lookup("manufacturers"), "code of a manufacturer"),
    name_column("description", "description", Part::Product, Kind::Text, "long description"),
    name_column("shortDescription", "shortDescription", Part::Product, Kind::Text, "description in one sentence"),
    name_column("sku", "sku", Part::Variant, Kind::Text, "empty on the one row of a product without variants"),
    name_column("barcode", "barcode", Part::Variant, Kind::Text, "text that a scanner reads"),
    name_column("modelNumber", "modelNumber", Part::Variant, Kind::Text, "model number of the manufacturer"),
    name_column("storage", "storage", Part::Variant, Kind::Text, "storage capacity, such as 256 GB"),
    name_column("color", "color", Part::Variant, Kind::Text, "colour"),
    name_column("condition", "condition", Part::Variant, Kind::Text, "NEW, USED, REFURBISHED, OPEN_BOX or AS_IS"),
    name_column("grade", "grade", Part::Variant, Kind::Text, "A, B or C"),
    name_column("simType", "simType", Part::Variant, Kind::Text, "ESIM, PHYSICAL_SIM, PHYSICAL_ESIM, DUAL_SIM or NOT_APPLICABLE"),
    name_column("searchAliases", "searchAliases", Part::Variant, Kind::List, "additional search words, separated by |"),
    name_column("validFrom", "validFrom", Part::Price, Kind::Text, "first instant of the row's prices, such as 2026-01-31T00:00:00Z"),
    name_column("validTo", "validTo", Part::Price, Kind::Text, "end of the row's prices; default: no end"),
    name_column("media", "url", Part::Media, Kind::List, "https addresses of the product's images, separated by |"),
    name_column("unitCost", "unitCost", Part::Stock, Kind::Text, "cost of one unit of stock that comes in, if the company keeps books"),
];

/// The kind of column that a header names.
#[derive(Debug, Clone)]
pub enum Column {
    Named(&'static Named),
    /// A free attribute of the product, as text.
    Attribute(String),
    VariantAttribute(String),
    /// The amount in the price list of this code, in its currency.
    Price(String),
    /// The quantity on hand in the warehouse of this code.
    Stock(String),
}

impl Column {
    /// As messages spell it.
    pub fn name(&self) -> String {
        match self {
            Column::Named(named) => named.name.to_owned(),
            Column::Attribute(name) => format!("attribute:{name}"),
            Column::VariantAttribute(name) => format!("variantAttribute:{name}"),
            Column::Price(code) => format!("price:{code}"),
            Column::Stock(code) => format!("stock:{code}"),
        }
    }

    pub fn part(&self) -> Part {
        match self {
            Column::Named(named) => named.part,
            Column::Attribute(_) => Part::Product,
            Column::VariantAttribute(_) => Part::Variant,
            Column::Price(_) => Part::Price,
            Column::Stock(_) => Part::Stock,
        }
    }
}

/// Members that a body may state: those of a record that the service owns are not among them.
const PRODUCT_MEMBERS: &[&str] = &[
    "name",
    "slug",
    "variantMode",
    "productType",
    "categoryId",
    "brandId",
    "manufacturerId",
    "unitOfMeasure",
    "trackInventory",
    "trackSerials",
    "publicationStatus",
    "description",
    "shortDescription",
    "attributes",
    "publicAttributes",
];
const VARIANT_MEMBERS: &[&str] = &[
    "sku",
    "barcode",
    "modelNumber",
    "storage",
    "color",
    "condition",
    "grade",
    "simType",
    "searchAliases",
    "attributes",
    "publicAttributes",
];

/// Members of the body that replaces a product or a variant.
pub fn members(part: Part) -> &'static [&'static str] {
    if part == Part::Product { PRODUCT_MEMBERS } else { VARIANT_MEMBERS }
}

/// The column that a member of a body came from.
pub fn of_member(member: &str, part: Part) -> String {
    match NAMED.iter().find(|named| named.part == part && named.member == member) {
        Some(named) => named.name.to_owned(),
        None if member == "attributes" && part == Part::Variant => "variantAttribute".to_owned(),
        None if member == "attributes" => "attribute".to_owned(),
        None => String::new(),
    }
}

/// Case, spaces, hyphens and underscores do not distinguish headers: `Product Type` is `productType`.
fn fold_header(header: &str) -> String {
    header.chars().filter(|letter| !matches!(letter, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn column(header: &str) -> Option<Column> {
    if let Some((prefix, name)) = header.split_once(':') {
        let name = name.trim().to_owned();
        return match fold_header(prefix).as_str() {
            _ if name.is_empty() => None,
            "price" => Some(Column::Price(name.to_uppercase())),
            "stock" => Some(Column::Stock(name.to_uppercase())),
            "attribute" => Some(Column::Attribute(name)),
            "variantattribute" => Some(Column::VariantAttribute(name)),
            _ => None,
        };
    }
    let header = fold_header(header);
    NAMED.iter().find(|named| fold_header(named.name) == header).map(Column::Named)
}

/// The columns of the headers, in their order; None for those to be passed over.
///
/// # Errors
/// Headers that are not a column, and columns that are stated twice.
pub fn read(headers: &StringRecord, map: &[(String, String)], ignore_unknown: bool) -> Result<Vec<Option<Column>>> {
    if let Some((_, header)) = map.iter().find(|(_, header)| !headers.iter().any(|known| plain(known) == header)) {
        bail!("--map: the file has no header {header:?}");
    }
    let mut columns: Vec<Option<Column>> = Vec::new();
    let (mut unknown, mut twice) = (Vec::new(), Vec::new());
    for header in headers.iter().map(plain) {
        let name = map.iter().find(|(_, mapped)| mapped == header).map_or(header, |(name, _)| name);
        let found = column(name);
        match &found {
            None if !header.is_empty() => unknown.push(header),
            Some(found) if columns.iter().flatten().any(|known| known.name() == found.name()) => twice.push(header),
            _ => {}
        }
        columns.push(found);
    }
    if !twice.is_empty() {
        bail!("columns that are listed twice: {}", twice.join(", "));
    }
    if !unknown.is_empty() && !ignore_unknown {
        bail!(
            "no columns: {}; `stoa import --help` lists the columns; --map names one otherwise, --ignore-unknown passes over",
            unknown.join(", ")
        );
    }
    Ok(columns)
}

/// Without the mark that some programs put at the beginning of a file.
fn plain(header: &str) -> &str {
    header.trim_start_matches('\u{feff}').trim()
}

/// `COLUMN=HEADER` of the command line.
pub fn parse_mapping(text: &str) -> Result<(String, String), String> {
    let (name, header) = text.split_once('=').ok_or("COLUMN=HEADER is expected")?;
    match column(name) {
        Some(_) => Ok((name.to_owned(), header.trim().to_owned())),
        None => Err(format!("{name:?} is no column")),
    }
}

/// The one character that parts columns; `\t` is a tab.
pub fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [one] => Ok(*one),
        _ => Err("one character is expected".to_owned()),
    }
}

/// The columns, for `--help`.
pub fn help() -> String {
    let mut help = String::from(
        "Example: stoa import products.csv --url http://127.0.0.1:8080 --token TOKEN\n\nThe file is CSV in UTF-8 with one row for \
         each variant and headers in the first row. The importer ignores case, spaces, hyphens and underscores of headers. It \
         omits empty cells. State members of a product on one of its rows, or the same on several. The importer finds \
         existing records by their SKU and sends only the differences. A file with only `sku` and prices sets prices of \
         existing variants.\n\nColumns:\n",
    );
    let mut line = |name: &str, about: &str| {
        help.push_str(format!("  {name:<20} {about}").trim_end());
        help.push('\n');
    };
    NAMED.iter().for_each(|named| line(named.name, named.about));
    line("price:CODE", "amount in the price list of this code, in its currency");
    line("stock:CODE", "quantity on hand in the warehouse of this code, as counted");
    line("attribute:NAME", "free attribute of the product");
    line("variantAttribute:NAME", "free attribute of the variant");
    help.push_str(
        "\nThe importer sends up to 500 products in one request, all or nothing. It sends a rejected batch again without its \
         invalid lines. Run the same command again to continue an interrupted run.",
    );
    help
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(headers: &[&str], map: &[(&str, &str)], ignore: bool) -> Result<Vec<String>> {
        let map: Vec<_> = map.iter().map(|(name, header)| ((*name).to_owned(), (*header).to_owned())).collect();
        let columns = read(&StringRecord::from(headers.to_vec()), &map, ignore)?;
        Ok(columns.iter().map(|column| column.as_ref().map(Column::name).unwrap_or_default()).collect())
    }

    #[test]
    fn headers_are_found_in_many_spellings() {
        let headers = ["\u{feff}Name", "PRODUCT_TYPE", "unit of measure", "Price:base", "attribute:Screen Size", "SKU"];
        let expected = ["name", "productType", "unitOfMeasure", "price:BASE", "attribute:Screen Size", "sku"];
        assert_eq!(names(&headers, &[], false).unwrap(), expected);
    }

    #[test]
    fn what_is_no_column_is_refused_or_passed_over() {
        let reported = |outcome: Result<Vec<String>>| outcome.unwrap_err().to_string();
        assert!(reported(names(&["sku", "weight", "price:"], &[], false)).contains("weight, price:"));
        assert_eq!(names(&["sku", "weight"], &[], true).unwrap(), ["sku", ""]);
        assert!(reported(names(&["sku", "S K U"], &[], true)).contains("twice"));
        assert_eq!(names(&["sku", "Titel"], &[("name", "Titel")], false).unwrap(), ["sku", "name"]);
        assert!(reported(names(&["sku"], &[("name", "Titel")], false)).contains("Titel"));
    }

    #[test]
    fn members_lead_back_to_columns() {
        assert_eq!(of_member("brandId", Part::Product), "brand");
        assert_eq!(of_member("sku", Part::Variant), "sku");
        assert_eq!(of_member("attributes", Part::Variant), "variantAttribute");
    }

    #[test]
    fn each_column_of_a_record_is_a_member_of_its_replacement() {
        for named in NAMED.iter().filter(|named| matches!(named.part, Part::Product | Part::Variant)) {
            assert!(members(named.part).contains(&named.member), "{}", named.name);
        }
    }
}
