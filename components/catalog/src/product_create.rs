//! Creating a product, with its variants, in two round trips: references and free slugs, then everything at once.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use stoa_sdk::store::{Clash, Failure, GetAll, get_all, insert, run};
use stoa_sdk::{Answer, Call, Id, Instant, Item, Json, Problem, Text, emit, event, facts, item, new_ids, text};

use crate::attributes;
use crate::lookup::{self, Kind, LookupHead, Status, UnitHead};
use crate::product::{ProductRow, ProductState, ProductType, PublicationStatus, Tracking, VariantMode, answer};
use crate::variant::{self, Variant, VariantInput, VariantRow};
use crate::{PRODUCT, VARIANT, public, slug};

/// Both bodies of a product: a create may carry variants, a replacement may not.
macro_rules! product_body {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            pub name: Text<1, 200>,
            /// Lower-case letters and digits joined by single hyphens; unique in the company, also after archive. Omitted or
            /// null: made from the name when the product is created, kept when it is replaced.
            #[serde(default)]
            #[schemars(regex(pattern = text::SLUG), length(max = 160))]
            pub slug: Option<String>,
            /// Omitted or null: MULTIPLE with more than one variant, else SINGLE.
            #[serde(default)]
            pub variant_mode: Option<VariantMode>,
            pub product_type: ProductType,
            #[serde(default)]
            pub category_id: Option<Id>,
            #[serde(default)]
            pub brand_id: Option<Id>,
            #[serde(default)]
            pub manufacturer_id: Option<Id>,
            /// Code of an active unit.
            #[schemars(regex(pattern = text::UNIT_CODE))]
            pub unit_of_measure: String,
            #[serde(default)]
            pub track_inventory: bool,
            /// Needs `trackInventory` and a unit without decimal places.
            #[serde(default)]
            pub track_serials: bool,
            /// PUBLISHED needs an active variant. A REPLACEMENT THAT OMITS THIS TAKES THE PRODUCT OFF SALE.
            #[serde(default)]
            pub publication_status: PublicationStatus,
            #[serde(default)]
            pub description: Option<Text<0, 10000>>,
            #[serde(default)]
            pub short_description: Option<Text<0, 500>>,
            /// Free JSON: at most 500 values, depth 5, 16,000 characters. No member may be named like a credential
            /// (password, secret, token, API or private key) or `__proto__`, `prototype`, `constructor`; no text may be
            /// shaped like a private key block, a JSON Web Token, a signing secret or a key of this service.
            #[serde(default)]
            #[schemars(extend("maxProperties" = 500))]
            pub attributes: Map<String, Value>,
            $($extra)*
        }
    };
}

product_body! {
    /// A product to create.
    ProductInput {
        /// Created with the product, all or nothing.
        #[serde(default)]
        #[schemars(length(max = 100), extend("default" = []))]
        pub variants: Vec<VariantInput>,
    }
}

product_body! {
    /// A product's full replacement.
    ProductUpdate {}
}

impl ProductInput {
    fn parts(self) -> (ProductUpdate, Vec<VariantInput>) {
        let product = ProductUpdate {
            name: self.name,
            slug: self.slug,
            variant_mode: self.variant_mode,
            product_type: self.product_type,
            category_id: self.category_id,
            brand_id: self.brand_id,
            manufacturer_id: self.manufacturer_id,
            unit_of_measure: self.unit_of_measure,
            track_inventory: self.track_inventory,
            track_serials: self.track_serials,
            publication_status: self.publication_status,
            description: self.description,
            short_description: self.short_description,
            attributes: self.attributes,
        };
        (product, self.variants)
    }
}

impl ProductUpdate {
    pub fn tracking(&self) -> Tracking {
        match (self.track_inventory, self.track_serials) {
            (_, true) => Tracking::Serialized,
            (true, false) => Tracking::Quantity,
            (false, false) => Tracking::None,
        }
    }

    /// Faults of the tracking flags.
    pub fn tracking_faults(&self) -> Vec<Item> {
        let mut faults = Vec::new();
        let service = self.product_type == ProductType::Service;
        if self.track_inventory && service {
            faults.push(item("/trackInventory", "NOT_ALLOWED"));
        }
        if self.track_serials && (service || !self.track_inventory) {
            faults.push(item("/trackSerials", "NOT_ALLOWED"));
        }
        faults
    }

    /// The lookups that are named, each with its kind and place.
    pub fn references(&self) -> [(Option<Id>, Kind, &'static str); 3] {
        [
            (self.category_id, Kind::Categories, "/categoryId"),
            (self.brand_id, Kind::Brands, "/brandId"),
            (self.manufacturer_id, Kind::Manufacturers, "/manufacturerId"),
        ]
    }

    /// The batch that reads the lookups.
    pub fn lookups(&self) -> GetAll<LookupHead> {
        get_all(self.references().into_iter().filter_map(|(id, ..)| id))
    }
}

/// Refuses lookups that are missing, of another kind or archived; those in `kept` stay whatever became of them.
pub fn check_references(input: &ProductUpdate, found: &[LookupHead], kept: [Option<Id>; 3]) -> Result<(), Problem> {
    let mut archived = Vec::new();
    for ((id, kind, pointer), kept) in input.references().into_iter().zip(kept) {
        let Some(id) = id.filter(|_| id != kept) else { continue };
        match found.iter().find(|lookup| lookup.id == id && lookup.kind == kind) {
            None => return Err(Problem::reference_missing(pointer)),
            Some(lookup) if lookup.status == Status::Archived => archived.push(pointer),
            Some(_) => {}
        }
    }
    match archived.first() {
        Some(pointer) => Err(Problem::reference_invalid(*pointer)),
        None => Ok(()),
    }
}

/// Refuses a unit that is missing or archived, and decimal places under serial numbers.
pub fn check_unit(unit: Option<&UnitHead>, tracking: Tracking) -> Result<(), Problem> {
    let pointer = "/unitOfMeasure";
    match unit {
        None => Err(Problem::reference_missing(pointer)),
        Some(unit) if unit.status == Status::Archived => Err(Problem::reference_invalid(pointer)),
        Some(unit) if tracking == Tracking::Serialized && unit.decimal_places > Some(0) => {
            Err(Problem::illegal_state(pointer))
        }
        Some(_) => Ok(()),
    }
}

pub fn create(call: &Call) -> Answer {
    let (mut input, variants) = call.body::<ProductInput>()?.parts();
    let mut faults = input.tracking_faults();
    let attributes = collect(&mut faults, attributes::checked(std::mem::take(&mut input.attributes), "/attributes"));
    faults.extend(variant::repeated(&variants));
    let kept: Vec<_> = variants
        .into_iter()
        .enumerate()
        .filter_map(|(index, input)| collect(&mut faults, input.checked(&format!("/variants/{index}"))))
        .collect();
    let (Some(attributes), true) = (attributes, faults.is_empty()) else { return Err(Problem::invalid(faults)) };

    let count = kept.len();
    let mode = match input.variant_mode {
        Some(VariantMode::Single) if count > 1 => return Err(Problem::illegal_state("/variantMode")),
        Some(stated) => stated,
        None if count > 1 => VariantMode::Multiple,
        None => VariantMode::Single,
    };
    if input.publication_status == PublicationStatus::Published && count == 0 {
        return Err(Problem::illegal_state("/publicationStatus"));
    }

    let stem = input.slug.is_none().then(|| slug::of_name(&input.name));
    let candidates = stem.as_deref().map(|stem| slug::candidates(stem, 0)).unwrap_or_default();
    let taken = (!candidates.is_empty()).then(|| slug::taken(&candidates));
    let share = lookup::share_unit(&input.unit_of_measure);
    let (_, unit, lookups, taken) = run((share, lookup::unit(&input.unit_of_measure), input.lookups(), taken))?;
    check_unit(unit.first(), input.tracking())?;
    check_references(&input, &lookups, [None; 3])?;

    let mut ids = new_ids(1 + u32::try_from(count).unwrap_or(u32::MAX)).into_iter();
    let id = ids.next().ok_or_else(Problem::limit_exceeded)?;
    let now = Instant(facts().now);
    let mut row = new_row(id, now, input, attributes, mode);
    let rows: Vec<VariantRow> = kept.into_iter().zip(ids).map(|(variant, id)| variant.row(id, now, &row)).collect();
    row.active_variants = i64::try_from(count).unwrap_or(i64::MAX);
    row.total_variants = row.active_variants;
    if let [only] = rows.as_slice() {
        row.single_variant_id = Some(only.id);
        row.single_sku = Some(only.sku.clone());
    }
    match stem {
        None => _ = run((insert([&row]), insert(&rows))).map_err(taken_identity)?,
        Some(stem) => {
            insert_with_free_slug(&mut row, &rows, &stem, slug::free(candidates, &taken.unwrap_or_default()))?
        }
    }

    let is_public = public::is_public(row.status, row.publication_status);
    let mut events = vec![event("catalog.product.created", PRODUCT, id, None, &public::Product::of(&row))];
    events.extend(rows.iter().map(|variant| {
        event("catalog.variant.created", VARIANT, variant.id, None, &public::Variant::of(variant, is_public))
    }));
    emit(&events);
    let tenant = Id::from(facts().tenant);
    let variants = (count > 0).then(|| rows.into_iter().map(|row| Variant::of(row, tenant)).collect());
    Ok(answer(row, variants))
}

fn new_row(id: Id, now: Instant, input: ProductUpdate, attributes: Json, variant_mode: VariantMode) -> ProductRow {
    ProductRow {
        id,
        version: 1,
        created_at: now,
        updated_at: now,
        product_type: input.product_type,
        tracking: input.tracking(),
        publication_status: input.publication_status,
        status: ProductState::Active,
        archived_at: None,
        variant_mode,
        category_id: input.category_id,
        brand_id: input.brand_id,
        manufacturer_id: input.manufacturer_id,
        attributes,
        active_variants: 0,
        total_variants: 0,
        single_variant_id: None,
        single_sku: None,
        name: input.name.into(),
        slug: input.slug,
        unit_code: input.unit_of_measure,
        description: input.description.map(String::from),
        short_description: input.short_description.map(String::from),
    }
}

/// Inserts the product under the first free slug, and its variants with the first attempt. Another request may take a slug
/// between look-up and insert; then the next one is tried, so that no number is left out.
fn insert_with_free_slug(
    row: &mut ProductRow,
    variants: &[VariantRow],
    stem: &str,
    mut free: Vec<String>,
) -> Result<(), Problem> {
    let mut variants = Some(variants);
    for lookup in 1..=slug::LOOKUPS {
        for slug in free {
            row.slug = Some(slug);
            let batch = (insert([&*row]).unless_taken(), insert(variants.take().unwrap_or_default()));
            let (went_in, _) = run(batch).map_err(taken_identity)?;
            if went_in.first() == Some(&true) {
                return Ok(());
            }
        }
        let candidates = slug::candidates(stem, lookup);
        let taken = run(slug::taken(&candidates))?;
        free = slug::free(candidates, &taken);
    }
    Err(Problem::at("LIMIT_EXCEEDED", "/slug"))
}

fn taken_identity(failure: Failure) -> Problem {
    match failure {
        Failure::Duplicate(clashes) => Problem {
            code: "DUPLICATE".to_owned(),
            errors: clashes.iter().map(|clash| item(taken_at(clash), "DUPLICATE")).take(200).collect(),
        },
        other => other.into(),
    }
}

fn taken_at(clash: &Clash) -> String {
    match clash.key.as_str() {
        "sku" => format!("/variants/{}/sku", clash.row),
        _ => "/slug".to_owned(),
    }
}

/// The value, or its faults put to the others.
pub fn collect<T>(faults: &mut Vec<Item>, checked: Result<T, Vec<Item>>) -> Option<T> {
    checked.map_err(|found| faults.extend(found)).ok()
}
