//! The catalog's invariants, checked in bounded batches: products, then variants, media and categories.

use stoa_sdk::store::{Rows, aggregate, find, get_all, read, select};
use stoa_sdk::{Field, Filter, Finding, Findings, Id, all, map, set, totals, view};
use stoa_trade::Status;
use stoa_trade::stages::{Batch, NOTHING_LEFT, Stage, finding, verify_stages};

use crate::records::lookup::{Kind, LookupHead, LookupRow, UnitHead};
use crate::records::media::{self, MediaRow};
use crate::records::product::{ProductRow, ProductState};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::VariantRow;

/// Rows of a batch. Three lookups of each product stay below what one call takes.
const BATCH: u32 = 250;

view! {
    ProductFacts of ProductRow {
        id: Id, active_variants: i64, total_variants: i64, single_variant_id: Option<Id>, unit_code: String,
        category_id: Option<Id>, brand_id: Option<Id>, manufacturer_id: Option<Id>,
    }
}

view! {
    ProductCopies of ProductRow { id: Id, product_type: ProductType, unit_code: String, tracking: Tracking }
}

view! {
    VariantFacts of VariantRow {
        id: Id, product_id: Id, status: Status, product_type: ProductType, unit_code: String, tracking: Tracking,
    }
}

view! { MediaFacts of MediaRow { id: Id, product_id: Id, variant_id: Option<Id>, status: Status } }
view! { MediaProduct of ProductRow { id: Id, status: ProductState } }
view! { MediaVariant of VariantRow { id: Id, product_id: Id } }
totals! { VariantCounts of VariantRow by [product_id: Id] { active: i64 = count, all: i64 = count } }
totals! { MediaCounts of MediaRow by [product_id: Id] { active: i64 = count } }

view! { CategoryFacts of LookupRow { id: Id, parent_id: Option<Id>, lineage: Option<String> } }

const STAGES: &[Stage] =
    &[("products", products), ("variants", variants), ("media", media), ("categories", categories)];

pub fn verify(cursor: Option<String>) -> Findings {
    verify_stages(STAGES, cursor.as_deref())
}

/// The last id of a batch where more follow.
fn last<V>(page: &Rows<V>, id: fn(&V) -> Id) -> Option<Id> {
    page.items.last().map(id).filter(|_| page.more)
}

fn products(after: Option<Id>) -> Batch {
    let page = read(select::<ProductFacts>(Filter::default()).after(after).limit(BATCH));
    if page.items.is_empty() {
        return NOTHING_LEFT;
    }
    let of_page = VariantRow::product_id.one_of(page.items.iter().map(|product| product.id));
    let active = VariantRow::status.eq(Status::Active);
    let counts = aggregate::<VariantCounts>(of_page).when(VariantCounts::active, active).whole();
    let lookups = set(page.items.iter().flat_map(|row| [row.category_id, row.brand_id, row.manufacturer_id]).flatten());
    let codes = set(page.items.iter().map(|row| row.unit_code.as_str()));
    let units = find::<UnitHead>("code", codes.iter().map(|code| vec![Kind::Units.put(), (*code).to_owned().put()]));
    let singles = get_all::<VariantFacts>(page.items.iter().filter_map(|row| row.single_variant_id));
    let (counts, lookups, units, singles) = read((counts, get_all::<LookupHead>(lookups), units, singles));

    let counts = map(counts.into_iter().map(|row| (row.product_id, (row.active, row.all))));
    let lookups = map(lookups.into_iter().map(|row| (row.id, row.kind)));
    let units = set(units.into_iter().map(|unit| unit.code));
    let singles = map(singles.into_iter().map(|row| (row.id, row)));
    let mut findings = Vec::new();
    for row in &page.items {
        let counted = counts.get(&row.id).copied().unwrap_or_default();
        if (row.active_variants, row.total_variants) != counted {
            findings.push(finding(
                "product-variants-counted",
                row.id,
                "The counts of variants differ from the variants.",
            ));
        }
        let single = row.single_variant_id.map(|id| {
            singles.get(&id).is_some_and(|variant| variant.product_id == row.id && variant.status == Status::Active)
        });
        if single != (row.active_variants == 1).then_some(true) {
            findings.push(finding("product-single-variant", row.id, "The single variant is not the only active one."));
        }
        let named = [
            (row.category_id, Kind::Categories),
            (row.brand_id, Kind::Brands),
            (row.manufacturer_id, Kind::Manufacturers),
        ];
        let dangling = named.into_iter().any(|(id, kind)| id.is_some_and(|id| lookups.get(&id) != Some(&kind)));
        if dangling || !units.contains(&row.unit_code) {
            findings.push(finding("product-references", row.id, "A lookup or unit that the product names is missing."));
        }
    }
    (findings, last(&page, |row| row.id))
}

fn variants(after: Option<Id>) -> Batch {
    let page = read(select::<VariantFacts>(Filter::default()).after(after).limit(BATCH));
    let products = set(page.items.iter().map(|row| row.product_id));
    let products = read(get_all::<ProductCopies>(products));
    let products = map(products.into_iter().map(|row| (row.id, row)));
    let mut findings = Vec::new();
    for row in &page.items {
        match products.get(&row.product_id) {
            None => findings.push(finding("variant-product", row.id, "The variant's product is missing.")),
            Some(product) => {
                let same = row.product_type == product.product_type
                    && row.unit_code == product.unit_code
                    && row.tracking == product.tracking;
                if !same {
                    let message = "The variant's type, unit or tracking is not its product's.";
                    findings.push(finding("variant-copies", row.id, message));
                }
            }
        }
    }
    (findings, last(&page, |row| row.id))
}

fn media(after: Option<Id>) -> Batch {
    let page = read(select::<MediaFacts>(Filter::default()).after(after).limit(BATCH));
    let products = set(page.items.iter().map(|row| row.product_id));
    let variants = set(page.items.iter().filter_map(|row| row.variant_id));
    let of_page = all([MediaRow::product_id.one_of(products.iter().copied()), MediaRow::status.eq(Status::Active)]);
    let counts = (!products.is_empty()).then(|| aggregate::<MediaCounts>(of_page).whole());
    let (products, variants, counts) =
        read((get_all::<MediaProduct>(products), get_all::<MediaVariant>(variants), counts));
    let products = map(products.into_iter().map(|row| (row.id, row.status)));
    let variants = map(variants.into_iter().map(|row| (row.id, row.product_id)));
    let is_right = |row: &&MediaFacts| {
        let of_product = row.variant_id.is_none_or(|id| variants.get(&id) == Some(&row.product_id));
        of_product
            && match products.get(&row.product_id) {
                Some(ProductState::Active) => true,
                Some(ProductState::Archived) => row.status == Status::Archived,
                Some(ProductState::Deleted) | None => false,
            }
    };
    let wrong = page.items.iter().filter(|row| !is_right(row));
    let message = "The media's product is missing or archived, or the variant is not the product's.";
    let mut findings: Vec<Finding> = wrong.map(|row| finding("media-product", row.id, message)).collect();
    let crowded = counts.into_iter().flatten().filter(|row| row.active > i64::from(media::MOST));
    findings
        .extend(crowded.map(|row| finding("media-count", row.product_id, "The product has too many active media.")));
    (findings, last(&page, |row| row.id))
}

fn categories(after: Option<Id>) -> Batch {
    let page = read(select::<CategoryFacts>(LookupRow::kind.eq(Kind::Categories)).after(after).limit(BATCH));
    let parents = set(page.items.iter().filter_map(|row| row.parent_id));
    let parents = read(get_all::<CategoryFacts>(parents));
    let parents = map(parents.into_iter().map(|row| (row.id, row.lineage)));
    let is_right = |row: &&CategoryFacts| {
        let above = match row.parent_id {
            None => Some(String::new()),
            Some(parent) => parents.get(&parent).cloned().flatten().map(|lineage| lineage + " "),
        };
        above.is_some_and(|above| row.lineage.as_deref() == Some(format!("{above}{}", row.id).as_str()))
    };
    let wrong = page.items.iter().filter(|row| !is_right(row));
    let message = "The category's lineage does not follow from its parent's.";
    let findings = wrong.map(|row| finding("category-lineage", row.id, message)).collect();
    (findings, last(&page, |row| row.id))
}
