//! The bodies of a product, and the faults that a schema cannot express.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value};
use stoa_sdk::{Id, Item, Text, item, text};

use crate::records::product::{ProductRow, PublicationStatus, VariantMode};
use crate::records::product_type::{ProductType, Tracking};
use crate::rules::attributes::{CHARACTERS, DEPTH, KeptAttributes, VALUES};
use crate::rules::variant::VariantInput;

/// A product to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProductInput {
    pub name: Text<1, 200>,
    /// Lower-case letters and digits joined by single hyphens. Unique in the company, also after archiving. Omitted or
    /// null: derived from the name on create, unchanged on replacement.
    #[schemars(regex(pattern = text::SLUG), length(max = 160))]
    pub slug: Option<String>,
    /// Omitted or null: MULTIPLE if there is more than one variant, else SINGLE.
    pub variant_mode: Option<VariantMode>,
    pub product_type: ProductType,
    pub category_id: Option<Id>,
    pub brand_id: Option<Id>,
    pub manufacturer_id: Option<Id>,
    /// Code of an active unit of measure.
    #[schemars(regex(pattern = text::UNIT_CODE))]
    pub unit_of_measure: String,
    #[serde(default)]
    pub track_inventory: bool,
    /// Requires `trackInventory` and a unit of measure without decimal places.
    #[serde(default)]
    pub track_serials: bool,
    /// PUBLISHED requires an active variant. Caution: a replacement without this member takes the product off sale.
    #[serde(default)]
    pub publication_status: PublicationStatus,
    pub description: Option<Text<0, 10000>>,
    pub short_description: Option<Text<0, 500>>,
    /// Free JSON: at most 500 values, depth 5, 16,000 characters. Rejected: a member named like a credential (password,
    /// secret, token, API or private key) or `__proto__`, `prototype`, `constructor`, and a text that resembles a
    /// private key block, a JSON Web Token, a signing secret or a key of this service.
    #[serde(default)]
    #[schemars(extend("x-maxValues" = VALUES, "x-maxDepth" = DEPTH, "x-maxCharacters" = CHARACTERS))]
    pub attributes: Map<String, Value>,
    /// Free JSON that API clients and events show: state only values that every reader may see. Same limits as `attributes`.
    #[serde(default)]
    #[schemars(extend("x-maxValues" = VALUES, "x-maxDepth" = DEPTH, "x-maxCharacters" = CHARACTERS))]
    pub public_attributes: Map<String, Value>,
    /// Created with the product, all or nothing.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::VARIANTS), extend("default" = []))]
    pub variants: Vec<VariantInput>,
}

/// The body that replaces a product: the one that makes it, without variants, which the schema refuses.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct ProductUpdate(pub ProductInput);

impl JsonSchema for ProductUpdate {
    fn schema_name() -> Cow<'static, str> {
        "ProductUpdate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = ProductInput::json_schema(generator);
        schema.insert("description".to_owned(), "Full replacement of a product.".into());
        if let Some(Value::Object(members)) = schema.get_mut("properties") {
            members.retain(|name, _| name != "variants");
        }
        schema
    }
}

impl ProductInput {
    /// Takes the attributes out of the body and checks them.
    pub fn take_attributes(&mut self, pointer: &str) -> Result<KeptAttributes, Vec<Item>> {
        let (attributes, public) = (&mut self.attributes, &mut self.public_attributes);
        KeptAttributes::check(std::mem::take(attributes), std::mem::take(public), pointer)
    }

    pub fn tracking(&self) -> Tracking {
        match (self.track_inventory, self.track_serials) {
            (_, true) => Tracking::Serialized,
            (true, false) => Tracking::Quantity,
            (false, false) => Tracking::None,
        }
    }

    /// The row with everything replaced that a body says; an omitted slug stays.
    pub fn replace(self, row: ProductRow, kept: KeptAttributes, variant_mode: VariantMode) -> ProductRow {
        ProductRow {
            tracking: self.tracking(),
            name: self.name.into(),
            slug: self.slug.or(row.slug),
            product_type: self.product_type,
            unit_code: self.unit_of_measure,
            publication_status: self.publication_status,
            variant_mode,
            category_id: self.category_id,
            brand_id: self.brand_id,
            manufacturer_id: self.manufacturer_id,
            description: self.description.map(String::from),
            short_description: self.short_description.map(String::from),
            attributes: kept.attributes,
            public_attributes: kept.public_attributes,
            ..row
        }
    }

    /// Faults of the tracking flags, below `pointer`.
    pub fn tracking_faults(&self, pointer: &str) -> Vec<Item> {
        let mut faults = Vec::new();
        let service = self.product_type == ProductType::Service;
        if self.track_inventory && service {
            faults.push(item(format!("{pointer}/trackInventory"), "NOT_ALLOWED"));
        }
        if self.track_serials && (service || !self.track_inventory) {
            faults.push(item(format!("{pointer}/trackSerials"), "NOT_ALLOWED"));
        }
        faults
    }
}
