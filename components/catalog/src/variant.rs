//! Variants: what is sold and counted. How they are kept, read and listed, and what a body may say of one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Id, Instant, Item, Json, Limit, Page, Problem, Reply, Text, all, collection, facts, paged, text,
    text_enum,
};

use crate::lookup::Status;
use crate::product::{ProductHead, ProductRow, ProductType, Tracking};
use crate::product_input::collect;
use crate::{aliases, attributes};

text_enum! {
    pub enum Condition {
        New => "NEW", Used => "USED", Refurbished => "REFURBISHED", OpenBox => "OPEN_BOX", AsIs => "AS_IS",
    }
}

text_enum! {
    pub enum Grade { A => "A", B => "B", C => "C" }
}

text_enum! {
    #[derive(Default)]
    pub enum SimType {
        Esim => "ESIM", PhysicalSim => "PHYSICAL_SIM", PhysicalEsim => "PHYSICAL_ESIM", DualSim => "DUAL_SIM",
        #[default] NotApplicable => "NOT_APPLICABLE",
    }
}

/// Variants of a product at most, archived ones included: what one call can list or archive.
pub const MOST_VARIANTS: i64 = 2_000;

collection! {
    pub record VariantRow in "variant" {
        product_id: Id,
        sku: String,
        barcode: Option<String>,
        model_number: Option<String>,
        storage: Option<String>,
        color: Option<String>,
        condition: Option<Condition>,
        grade: Option<Grade>,
        sim_type: SimType,
        attributes: Json,
        aliases: Json,
        /// The aliases one after the other, to be searched.
        alias_text: Option<String>,
        status: Status,
        archived_at: Option<Instant>,
        /// Copies of what the product cannot change once a variant exists.
        product_type: ProductType,
        unit_code: String,
        tracking: Tracking,
    }
    unique { sku: [sku] }
    index { [product_id, status], [barcode] }
    search { text: [sku, barcode, model_number, alias_text] }
}

/// Input of a variant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VariantInput {
    /// Unique in the company for ever, archived variants included; immutable.
    #[schemars(regex(pattern = text::SKU))]
    pub sku: String,
    /// Need not be unique.
    #[serde(default)]
    pub barcode: Option<Text<0, 100>>,
    #[serde(default)]
    pub model_number: Option<Text<0, 100>>,
    #[serde(default)]
    pub storage: Option<Text<0, 100>>,
    #[serde(default)]
    pub color: Option<Text<0, 100>>,
    #[serde(default)]
    pub condition: Option<Condition>,
    #[serde(default)]
    pub grade: Option<Grade>,
    #[serde(default)]
    pub sim_type: SimType,
    /// As of a product.
    #[serde(default)]
    #[schemars(extend("maxProperties" = 500))]
    pub attributes: Map<String, Value>,
    /// Other words for it. Kept in NFKC with single spaces; no two may differ in case and accents alone.
    #[serde(default)]
    #[schemars(length(max = 16), extend("uniqueItems" = true))]
    pub search_aliases: Vec<Text<1, 80>>,
}

/// A variant's input whose attributes and aliases are in the form in which they are kept.
pub struct CheckedVariant {
    input: VariantInput,
    attributes: Json,
    aliases: Vec<String>,
}

impl VariantInput {
    /// # Errors
    /// The faults of attributes and aliases, below `pointer`.
    pub fn checked(mut self, pointer: &str) -> Result<CheckedVariant, Vec<Item>> {
        let mut faults = Vec::new();
        let members = std::mem::take(&mut self.attributes);
        let attributes = collect(&mut faults, attributes::checked(members, &format!("{pointer}/attributes")));
        let aliases = self.search_aliases.iter().map(|alias| &**alias);
        let aliases = collect(&mut faults, aliases::normalized(aliases, &format!("{pointer}/searchAliases")));
        match (attributes, aliases) {
            (Some(attributes), Some(aliases)) => Ok(CheckedVariant { input: self, attributes, aliases }),
            _ => Err(faults),
        }
    }
}

impl CheckedVariant {
    pub fn sku(&self) -> &str {
        &self.input.sku
    }

    /// A new row under a product.
    pub fn row(self, id: Id, now: Instant, product: &ProductRow) -> VariantRow {
        let text = |text: Option<Text<0, 100>>| text.map(String::from);
        let input = self.input;
        VariantRow {
            id,
            version: 1,
            created_at: now,
            updated_at: now,
            product_id: product.id,
            sku: input.sku,
            barcode: text(input.barcode),
            model_number: text(input.model_number),
            storage: text(input.storage),
            color: text(input.color),
            condition: input.condition,
            grade: input.grade,
            sim_type: input.sim_type,
            attributes: self.attributes,
            alias_text: (!self.aliases.is_empty()).then(|| self.aliases.join("\n")),
            aliases: Json::of(&self.aliases.into()),
            status: Status::Active,
            archived_at: None,
            product_type: product.product_type,
            unit_code: product.unit_code.clone(),
            tracking: product.tracking,
        }
    }

    /// The row with everything replaced that may be.
    pub fn replacing(self, row: &VariantRow, now: Instant) -> VariantRow {
        let text = |text: Option<Text<0, 100>>| text.map(String::from);
        let input = self.input;
        VariantRow {
            version: row.version + 1,
            updated_at: now,
            barcode: text(input.barcode),
            model_number: text(input.model_number),
            storage: text(input.storage),
            color: text(input.color),
            condition: input.condition,
            grade: input.grade,
            sim_type: input.sim_type,
            attributes: self.attributes,
            alias_text: (!self.aliases.is_empty()).then(|| self.aliases.join("\n")),
            aliases: Json::of(&self.aliases.into()),
            ..row.clone()
        }
    }
}

/// A variant as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub product_id: Id,
    pub sku: String,
    pub barcode: Option<String>,
    pub model_number: Option<String>,
    pub storage: Option<String>,
    pub color: Option<String>,
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    pub sim_type: SimType,
    pub attributes: Json,
    #[schemars(with = "Vec<String>")]
    pub search_aliases: Json,
}

impl Variant {
    pub fn of(row: VariantRow, tenant: Id) -> Variant {
        Variant {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            product_id: row.product_id,
            sku: row.sku,
            barcode: row.barcode,
            model_number: row.model_number,
            storage: row.storage,
            color: row.color,
            condition: row.condition,
            grade: row.grade,
            sim_type: row.sim_type,
            attributes: row.attributes,
            search_aliases: row.aliases,
        }
    }
}

/// The whole record as an answer; audited under its product.
pub fn answer(row: VariantRow) -> Reply {
    let (id, version, product) = (row.id, row.version, row.product_id);
    Reply::json(&Variant::of(row, facts().tenant.into())).of(id, version).subject(product)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListVariants {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
}

pub fn list(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListVariants = call.query()?;
    let filter = all([VariantRow::product_id.eq(product_id), VariantRow::status.eq(query.status)]);
    let (product, rows) = paged(query.limit, |limit| {
        run((get::<ProductHead>(product_id), select::<VariantRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    ProductHead::shown(product)?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Variant::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(answer).ok_or_else(Problem::not_found)
}
