//! The demo catalogue as the tables under `xtask/demo` state it, expanded to products and variants.
//!
//! The tables hold facts: models, model numbers, storages, colours and list prices at launch. Two kinds of figures are made
//! up by rule, here: what a refurbished device costs, and the trade and purchase prices of everything.

use anyhow::{Context, Result, bail};

const BRANDS: &str = include_str!("../../demo/brands.psv");
const CATEGORIES: &str = include_str!("../../demo/categories.psv");
const PHONES: &str = include_str!("../../demo/phones.psv");
const TABLETS: &str = include_str!("../../demo/tablets.psv");
const ACCESSORIES: &str = include_str!("../../demo/accessories.psv");

/// Everything that the loader sends, parents before children.
pub struct Catalogue {
    pub manufacturers: Vec<Named>,
    pub brands: Vec<Brand>,
    pub categories: Vec<Category>,
    pub products: Vec<Product>,
}

#[derive(Clone, PartialEq)]
pub struct Named {
    pub code: &'static str,
    pub name: &'static str,
}

pub struct Brand {
    pub named: Named,
    pub manufacturer: &'static str,
}

pub struct Category {
    pub named: Named,
    pub parent: Option<&'static str>,
    /// True if each unit of its products is known by a serial number.
    pub serials: bool,
}

pub struct Product {
    pub name: &'static str,
    pub brand: &'static str,
    pub category: &'static str,
    pub launched: u16,
    pub variants: Vec<Variant>,
}

pub struct Variant {
    pub sku: String,
    pub model_number: Option<&'static str>,
    pub storage: Option<&'static str>,
    /// The size of an article without storage: `41mm`, `2m`, `4-pack`.
    pub size: Option<&'static str>,
    pub color: Option<&'static str>,
    pub condition: &'static str,
    pub grade: Option<&'static str>,
    pub sim_type: &'static str,
    pub retail: Cents,
}

/// An amount in cents: the tables hold nothing smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cents(u32);

impl Cents {
    pub const ZERO: Cents = Cents(0);

    pub fn parse(text: &str) -> Option<Cents> {
        let (whole, cents) = text.split_once('.').unwrap_or((text, "00"));
        let cents: u32 = (cents.len() == 2).then(|| cents.parse().ok())??;
        Some(Cents(whole.parse::<u32>().ok()?.checked_mul(100)?.checked_add(cents)?))
    }

    /// A share of it in whole dollars, as shops price used goods.
    fn dollars(self, percent: u32) -> Cents {
        Cents(self.0 / 100 * percent / 100 * 100)
    }

    /// The made-up trade price: 80 % of the retail price, as an amount of the list's currency.
    pub fn trade(self) -> Cents {
        self.share(80)
    }

    /// The made-up price that the demo company buys at: 72 % of the retail price.
    pub fn cost(self) -> Cents {
        self.share(72)
    }

    /// So many of it. The tables have no amounts that do not fit.
    pub fn times(self, pieces: u32) -> Cents {
        Cents(self.0.saturating_mul(pieces))
    }

    pub fn plus(self, other: Cents) -> Cents {
        Cents(self.0.saturating_add(other.0))
    }

    /// The difference; zero where the other is more.
    pub fn minus(self, other: Cents) -> Cents {
        Cents(self.0.saturating_sub(other.0))
    }

    /// Without its cents.
    pub fn whole_dollars(self) -> Cents {
        self.dollars(100)
    }

    /// A share of it, down to the cent.
    fn share(self, percent: u32) -> Cents {
        Cents(self.0 / 100 * percent + self.0 % 100 * percent / 100)
    }
}

impl std::fmt::Display for Cents {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Catalogue {
    /// The retail price of an article.
    pub fn price(&self, sku: &str) -> Result<Cents> {
        let mut variants = self.products.iter().flat_map(|product| &product.variants);
        let found = variants.find(|variant| variant.sku == sku);
        Ok(found.with_context(|| format!("no article {sku}"))?.retail)
    }
}

/// Reads the tables. An error names the table and the line.
pub fn catalogue() -> Result<Catalogue> {
    let mut manufacturers: Vec<Named> = Vec::new();
    let brands = table("brands", BRANDS, |[code, name, manufacturer, company]| {
        let maker = Named { code: manufacturer, name: company };
        if !manufacturers.contains(&maker) {
            manufacturers.push(maker);
        }
        Ok(Brand { named: Named { code, name }, manufacturer })
    })?;
    let categories = table("categories", CATEGORIES, |[code, name, parent, serials]| {
        Ok(Category { named: Named { code, name }, parent: unless_dash(parent), serials: serials == "yes" })
    })?;
    let mut products = table("phones", PHONES, device)?;
    products.extend(table("tablets", TABLETS, device)?);
    products.extend(table("accessories", ACCESSORIES, accessory)?);
    Ok(Catalogue { manufacturers, brands, categories, products })
}

/// The lines of a table with `N` columns.
pub fn table<const N: usize, T>(
    name: &str,
    text: &'static str,
    mut read: impl FnMut([&'static str; N]) -> Result<T>,
) -> Result<Vec<T>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let rows = lines.map(|(index, line)| {
        let columns: Vec<&'static str> = line.split('|').map(str::trim).collect();
        let columns = <[&'static str; N]>::try_from(columns).ok().context("another number of columns");
        columns.and_then(&mut read).with_context(|| format!("demo table {name}, line {}", index + 1))
    });
    rows.collect()
}

/// An amount: `19`, `19.90`.
pub fn parse_amount(text: &str) -> Result<Cents> {
    Cents::parse(text).context("an amount is not as expected")
}

/// The value that a column states, or nothing where it states a dash.
pub fn parse_optional<T>(text: &'static str) -> Result<Option<T>>
where
    T: std::str::FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    Ok(unless_dash(text).map(str::parse).transpose()?)
}

/// Devices: every storage in every colour in every condition.
fn device(columns: [&'static str; 10]) -> Result<Product> {
    let [brand, name, model, stem, category, launched, sim, conditions, storages, colors] = columns;
    let sim_type = match sim {
        "P" => "PHYSICAL_SIM",
        "E" => "ESIM",
        "PE" => "PHYSICAL_ESIM",
        "D" => "DUAL_SIM",
        "-" => "NOT_APPLICABLE",
        _ => bail!("unknown SIM"),
    };
    let mut variants = Vec::new();
    for (storage, price) in parse_prices(storages)? {
        for color in split_list(colors) {
            let new = Variant {
                sku: sku(&[stem, storage, color]),
                model_number: unless_dash(model),
                storage: Some(storage),
                size: None,
                color: Some(color),
                condition: "NEW",
                grade: None,
                sim_type,
                retail: price,
            };
            if conditions.contains('R') {
                variants.push(new.refurbish("A", price.dollars(70)));
                variants.push(new.refurbish("B", price.dollars(60)));
            }
            if conditions.contains('N') {
                variants.push(new);
            }
        }
    }
    Ok(Product { name, brand, category, launched: launched.parse()?, variants })
}

impl Variant {
    fn refurbish(&self, grade: &'static str, retail: Cents) -> Variant {
        Variant {
            sku: format!("{}-R{grade}", self.sku),
            condition: "REFURBISHED",
            grade: Some(grade),
            retail,
            model_number: self.model_number,
            storage: self.storage,
            size: self.size,
            color: self.color,
            sim_type: self.sim_type,
        }
    }
}

/// Accessories: every size in every colour.
fn accessory(columns: [&'static str; 8]) -> Result<Product> {
    let [brand, name, model, stem, category, launched, sizes, colors] = columns;
    let mut variants = Vec::new();
    for (size, retail) in parse_prices(sizes)? {
        let size = (size != "ONE").then_some(size);
        let (storage, size) = if category == "STORAGE" { (size, None) } else { (None, size) };
        for color in split_list(colors).map(Some).chain(unless_dash(colors).is_none().then_some(None)) {
            let words: Vec<&str> = [Some(stem), storage, size, color].into_iter().flatten().collect();
            let sku = sku(&words);
            let model_number = unless_dash(model);
            let condition = "NEW";
            let sim_type = "NOT_APPLICABLE";
            variants.push(Variant {
                sku,
                model_number,
                storage,
                size,
                color,
                condition,
                grade: None,
                sim_type,
                retail,
            });
        }
    }
    Ok(Product { name, brand, category, launched: launched.parse()?, variants })
}

/// `128GB=999 256GB=1099`.
fn parse_prices(text: &'static str) -> Result<Vec<(&'static str, Cents)>> {
    let read = |word: &'static str| {
        let (name, price) = word.split_once('=')?;
        Some((name, Cents::parse(price)?))
    };
    text.split_whitespace().map(|word| read(word).context("a price is not as expected")).collect()
}

fn split_list(text: &'static str) -> impl Iterator<Item = &'static str> {
    unless_dash(text).into_iter().flat_map(|text| text.split(',')).map(str::trim)
}

pub fn unless_dash(text: &'static str) -> Option<&'static str> {
    (text != "-").then_some(text)
}

/// Upper-case words joined by hyphens: `APL-IP15P-256GB-NATURAL-TITANIUM`.
fn sku(words: &[&str]) -> String {
    let mut sku = String::new();
    for character in words.join("-").chars() {
        if character.is_ascii_alphanumeric() || character == '.' {
            sku.push(character.to_ascii_uppercase());
        } else if !sku.is_empty() && !sku.ends_with('-') {
            sku.push('-');
        }
    }
    sku.trim_end_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn is_code(code: &str) -> bool {
        let starts = code.starts_with(|first: char| first.is_ascii_uppercase());
        let rest = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_.-".contains(c);
        starts && code.len() <= 64 && code.chars().all(rest)
    }

    fn is_sku(sku: &str) -> bool {
        let starts = sku.starts_with(|first: char| first.is_ascii_uppercase() || first.is_ascii_digit());
        let rest = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_./-".contains(c);
        starts && sku.len() <= 100 && sku.chars().all(rest)
    }

    #[test]
    fn the_tables_make_a_catalogue_of_the_promised_size() {
        let catalogue = catalogue().unwrap();
        let variants: usize = catalogue.products.iter().map(|product| product.variants.len()).sum();
        assert!((200..=400).contains(&catalogue.products.len()), "{} products", catalogue.products.len());
        assert!(variants >= 1000, "{variants} variants");
    }

    #[test]
    fn every_sku_is_valid_and_unique_and_no_product_is_too_large() {
        let catalogue = catalogue().unwrap();
        let mut seen = BTreeSet::new();
        for product in &catalogue.products {
            assert!((1..=100).contains(&product.variants.len()), "{}", product.name);
            for variant in &product.variants {
                assert!(is_sku(&variant.sku), "{}", variant.sku);
                assert!(seen.insert(variant.sku.as_str()), "{} twice", variant.sku);
            }
        }
    }

    #[test]
    fn codes_are_valid_unique_and_lead_somewhere() {
        let catalogue = catalogue().unwrap();
        let brands: Vec<&str> = catalogue.brands.iter().map(|brand| brand.named.code).collect();
        let makers: Vec<&str> = catalogue.manufacturers.iter().map(|maker| maker.code).collect();
        let categories: Vec<&str> = catalogue.categories.iter().map(|category| category.named.code).collect();
        for codes in [&brands, &makers, &categories] {
            assert!(codes.iter().all(|code| is_code(code)), "{codes:?}");
            assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len(), "{codes:?}");
        }
        assert!(catalogue.brands.iter().all(|brand| makers.contains(&brand.manufacturer)));
        for (index, category) in catalogue.categories.iter().enumerate() {
            let before = &categories[..index];
            assert!(category.parent.is_none_or(|parent| before.contains(&parent)), "{}", category.named.code);
        }
        for product in &catalogue.products {
            assert!(brands.contains(&product.brand), "{}", product.brand);
            assert!(categories.contains(&product.category), "{}", product.category);
            assert!((2007..=2026).contains(&product.launched), "{}", product.name);
            assert!(product.name.chars().count() <= 200);
        }
        assert!(categories.iter().all(|code| {
            let parent = catalogue.categories.iter().any(|category| category.parent == Some(code));
            parent || catalogue.products.iter().any(|product| product.category == *code)
        }));
    }

    #[test]
    fn every_amount_is_positive_and_trade_is_below_retail() {
        for product in catalogue().unwrap().products {
            for variant in product.variants {
                assert!(variant.retail >= Cents(100) && variant.retail < Cents(1_000_000), "{}", variant.sku);
                assert!(variant.retail.trade() < variant.retail, "{}", variant.sku);
                assert!(variant.retail.cost() < variant.retail.trade(), "{}", variant.sku);
                assert_eq!(variant.condition == "REFURBISHED", variant.grade.is_some());
            }
        }
    }

    #[test]
    fn amounts_are_cents() {
        assert_eq!(Cents::parse("999"), Some(Cents(99_900)));
        assert_eq!(Cents::parse("59.95"), Some(Cents(5_995)));
        assert_eq!(Cents::parse("59.9"), None);
        assert_eq!(Cents::parse("59.995"), None);
        assert_eq!(Cents(5_995).trade().to_string(), "47.96");
        assert_eq!(Cents(74_999).dollars(70).to_string(), "524.00");
        assert_eq!(Cents(905).to_string(), "9.05");
    }

    #[test]
    fn a_sku_is_made_of_words() {
        assert_eq!(sku(&["APL-IP12", "64GB", "(PRODUCT)RED"]), "APL-IP12-64GB-PRODUCT-RED");
        assert_eq!(sku(&["APL-CLA", "0.5m", "White"]), "APL-CLA-0.5M-WHITE");
    }
}
