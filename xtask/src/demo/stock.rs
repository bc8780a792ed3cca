//! The articles as sales name them: their ids, and the units of those that are distinguished by serial numbers.

use std::collections::{HashMap, VecDeque};

use anyhow::{Context, Result, ensure};
use serde_json::{Value as Json, json};

use super::loader::Loader;
use crate::api::{items, text};

/// Articles by SKU, and of each variant the units that no sale has taken.
pub struct Stock<'a> {
    variants: &'a HashMap<&'a str, &'a str>,
    units: HashMap<String, VecDeque<String>>,
}

impl Stock<'_> {
    /// A line of a sales order. Units are taken in the order of their serial numbers, whatever has become of them: a
    /// loader that goes on names the same.
    pub fn line(&mut self, sku: &str, pieces: u32) -> Result<Json> {
        let variant = self.variants.get(sku).with_context(|| format!("no variant {sku}"))?;
        let mut units: Vec<String> = Vec::new();
        if let Some(left) = self.units.get_mut(*variant) {
            let wanted = usize::try_from(pieces)?;
            ensure!(wanted <= left.len(), "no {pieces} units of {sku} are left");
            units.extend(left.drain(..wanted));
        }
        Ok(json!({ "variantId": variant, "quantity": pieces.to_string(), "unitIds": units }))
    }
}

impl Loader<'_> {
    /// Reads every unit that the company ever had.
    pub async fn stock<'a>(&self, variants: &'a HashMap<&'a str, &'a str>) -> Result<Stock<'a>> {
        let mut found: Vec<(String, String, String)> = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.api.get(&self.path(&format!("inventory/units?limit=100{cursor}"))).await?;
            for unit in items(&page) {
                found.push((text(unit, "serialNumber")?, text(unit, "variantId")?, text(unit, "id")?));
            }
            match text(&page, "nextCursor") {
                Ok(next) => cursor = format!("&cursor={next}"),
                Err(_) => break,
            }
        }
        found.sort();
        let mut units: HashMap<String, VecDeque<String>> = HashMap::new();
        for (_, variant, unit) in found {
            units.entry(variant).or_default().push_back(unit);
        }
        Ok(Stock { variants, units })
    }
}
