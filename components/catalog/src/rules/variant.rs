//! The bodies of a variant, and the faults that a schema cannot express.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use stoa_sdk::{Id, Item, Json, Text, now, text};

use crate::records::product::ProductRow;
use crate::records::variant::{Condition, Grade, SimType, VariantRow};
use crate::rules::aliases;
use crate::rules::attributes::{CHARACTERS, DEPTH, KeptAttributes, VALUES};
use crate::rules::faults::collect;

/// Input of a variant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VariantInput {
    /// Unique in the company for ever, archived variants included. Immutable.
    #[schemars(regex(pattern = text::SKU))]
    pub sku: String,
    /// Text that a scanner reads; several variants may share it.
    pub barcode: Option<Text<0, 100>>,
    pub model_number: Option<Text<0, 100>>,
    pub storage: Option<Text<0, 100>>,
    pub color: Option<Text<0, 100>>,
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    #[serde(default)]
    pub sim_type: SimType,
    /// Free JSON with the same limits as `attributes` of a product.
    #[serde(default)]
    #[schemars(extend("x-maxValues" = VALUES, "x-maxDepth" = DEPTH, "x-maxCharacters" = CHARACTERS))]
    pub attributes: Map<String, Value>,
    /// Free JSON that API clients and events show: state only values that every reader may see. Same limits as
    /// `attributes` of a product.
    #[serde(default)]
    #[schemars(extend("x-maxValues" = VALUES, "x-maxDepth" = DEPTH, "x-maxCharacters" = CHARACTERS))]
    pub public_attributes: Map<String, Value>,
    /// Additional search words. Stored in NFKC with single spaces. Two aliases may not differ only in case and accents.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::SEARCH_ALIASES), extend("uniqueItems" = true))]
    pub search_aliases: Vec<Text<1, 80>>,
}

/// A variant's input whose attributes and aliases are in the form in which they are kept.
pub struct CheckedVariant {
    input: VariantInput,
    kept: KeptAttributes,
    aliases: Vec<String>,
}

impl VariantInput {
    pub fn check(mut self, pointer: &str) -> Result<CheckedVariant, Vec<Item>> {
        let mut faults = Vec::new();
        let (members, public) = (std::mem::take(&mut self.attributes), std::mem::take(&mut self.public_attributes));
        let kept = collect(&mut faults, KeptAttributes::check(members, public, pointer));
        let aliases = self.search_aliases.iter().map(|alias| &**alias);
        let aliases = collect(&mut faults, aliases::normalize(aliases, &format!("{pointer}/searchAliases")));
        match (kept, aliases) {
            (Some(kept), Some(aliases)) => Ok(CheckedVariant { input: self, kept, aliases }),
            _ => Err(faults),
        }
    }
}

impl CheckedVariant {
    /// A new row under a product.
    pub fn into_row(self, id: Id, product: &ProductRow) -> VariantRow {
        let row = VariantRow {
            product_type: product.product_type,
            unit_code: product.unit_code.clone(),
            tracking: product.tracking,
            ..VariantRow::new(id, String::new(), product.id, now())
        };
        self.replace(row)
    }

    /// The row with everything replaced that a body says.
    pub fn replace(self, row: VariantRow) -> VariantRow {
        let text = |text: Option<Text<0, 100>>| text.map(String::from);
        let input = self.input;
        VariantRow {
            sku: input.sku,
            barcode: text(input.barcode),
            model_number: text(input.model_number),
            storage: text(input.storage),
            color: text(input.color),
            condition: input.condition,
            grade: input.grade,
            sim_type: input.sim_type,
            attributes: self.kept.attributes,
            public_attributes: self.kept.public_attributes,
            alias_text: (!self.aliases.is_empty()).then(|| self.aliases.join("\n")),
            aliases: Json::from_value(&self.aliases.into()),
            ..row
        }
    }
}
