//! Creating products with their variants, one or many, all or nothing: what they name and which slugs are free in one round
//! trip, then everything at once in a second.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{Find, MOST_KEYS, find, insert, run};
use stoa_sdk::{Field, Id, Item, Problem, View, emit, item, map, new_ids, now, set, view};
use stoa_trade::refusal::{refuse, refuse_invalid};
use stoa_trade::taken::show_readable;

use crate::records::permission::READ;
use crate::records::product::{self, ProductEvent, ProductRow, is_public};
use crate::records::variant::{self, VariantEvent, VariantRow};
use crate::rules::attributes::KeptAttributes;
use crate::rules::faults::collect;
use crate::rules::objections::{Objections, mode};
use crate::rules::product::ProductInput;
use crate::rules::slug::{self, Slugs};
use crate::rules::variant::CheckedVariant;
use crate::work::references::look_up;

view! { SlugOnly of ProductRow { slug: Option<String> } }
view! { SlugOwner of ProductRow { id: Id, slug: Option<String> } }
view! { SkuOwner of VariantRow { id: Id, sku: String } }

/// Events and problems of creating products.
pub const CREATES: &[&str] = &[product::CREATED.code, variant::CREATED.code];
pub const CREATE_PROBLEMS: &[&str] = &["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"];

/// A product that was created, and its variants in the order of the request.
pub struct CreatedProduct {
    /// Where the request has it: `/products/3`, or nothing where it is the whole body.
    pointer: String,
    /// The text that its slug is made of, where none was stated.
    stem: Option<String>,
    pub row: ProductRow,
    pub variants: Vec<VariantRow>,
}

/// Creates products, each given with its place in the request, and emits their events.
pub fn create_products(inputs: Vec<(String, ProductInput)>) -> Result<Vec<CreatedProduct>, Problem> {
    let checked = check(inputs)?;
    let stems = checked.iter().filter(|product| product.input.slug.is_none()).map(|product| product.stem());
    let stated = checked.iter().filter_map(|product| product.input.slug.clone());
    let mut slugs = Slugs::new(stems, stated);

    let (locks, units, lookups) = look_up(checked.iter().map(|product| &product.input));
    let (_, units, lookups, taken) = run((locks, units, lookups, find_taken(slugs.propose())))?;
    slugs.learn(&slugs_of(taken));
    let lookups: Vec<_> = lookups.into_iter().flatten().collect();
    let mut objections = Objections::default();
    for product in &checked {
        objections.unit(&product.pointer, &product.input, &units);
        objections.references(&product.pointer, &product.input, &lookups, [None; 3]);
        objections.variants(&product.pointer, &product.input, product.count());
    }
    objections.finish()?;

    let mut created = build_rows(checked);
    insert_all(&mut created, &mut slugs)?;
    emit_created(&created);
    Ok(created)
}

/// A product whose own members are in order.
struct Checked {
    pointer: String,
    input: ProductInput,
    attributes: KeptAttributes,
    variants: Vec<CheckedVariant>,
}

impl Checked {
    fn stem(&self) -> String {
        slug::from_name(&self.input.name)
    }

    fn count(&self) -> i64 {
        i64::try_from(self.variants.len()).unwrap_or(i64::MAX)
    }
}

/// The products, or every fault that the schema cannot express: each by itself, and identities that are stated twice.
fn check(inputs: Vec<(String, ProductInput)>) -> Result<Vec<Checked>, Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let mut checked = Vec::new();
    let (mut skus, mut slugs) = (BTreeSet::new(), BTreeSet::new());
    for (pointer, mut input) in inputs {
        let variants = std::mem::take(&mut input.variants);
        faults.extend(input.tracking_faults(&pointer));
        let attributes = collect(&mut faults, input.take_attributes(&pointer));
        if let Some(slug) = &input.slug
            && !slugs.insert(slug.clone())
        {
            faults.push(item(format!("{pointer}/slug"), "REPEATED"));
        }
        let mut kept = Vec::new();
        for (index, variant) in variants.into_iter().enumerate() {
            let place = format!("{pointer}/variants/{index}");
            if !skus.insert(variant.sku.clone()) {
                faults.push(item(format!("{place}/sku"), "REPEATED"));
            }
            kept.extend(collect(&mut faults, variant.check(&place)));
        }
        checked.extend(attributes.map(|attributes| Checked { pointer, input, attributes, variants: kept }));
    }
    refuse_invalid(faults)?;
    Ok(checked)
}

/// The rows, with ids in the order of the request.
fn build_rows(checked: Vec<Checked>) -> Vec<CreatedProduct> {
    let count: usize = checked.iter().map(|product| 1 + product.variants.len()).sum();
    let mut ids = new_ids(u32::try_from(count).unwrap_or(u32::MAX)).into_iter();
    let created = |product: Checked| {
        let stem = product.input.slug.is_none().then(|| product.stem());
        let count = product.count();
        let mode = mode(product.input.variant_mode, count);
        let row = ProductRow::new(ids.next()?, String::new(), now());
        let mut row = product.input.replace(row, product.attributes, mode);
        (row.active_variants, row.total_variants) = (count, count);
        let variants: Vec<VariantRow> =
            product.variants.into_iter().zip(ids.by_ref()).map(|(variant, id)| variant.into_row(id, &row)).collect();
        if let [only] = variants.as_slice() {
            row.single_variant_id = Some(only.id);
            row.single_sku = Some(only.sku.clone());
        }
        Some(CreatedProduct { pointer: product.pointer, stem, row, variants })
    };
    checked.into_iter().filter_map(created).collect()
}

/// Inserts the products under the first free slugs, and their variants with the first attempt. Another request may take a slug
/// between look-up and insert; then the next one is tried, so that no number is left out.
fn insert_all(created: &mut [CreatedProduct], slugs: &mut Slugs) -> Result<(), Problem> {
    let mut pending: Vec<&mut CreatedProduct> = created.iter_mut().collect();
    let mut first = true;
    while !pending.is_empty() {
        assign_slugs(&mut pending, slugs)?;
        let variants = pending.iter().filter(|_| first).flat_map(|product| &product.variants);
        let rows = insert(pending.iter().map(|product| &product.row)).unless_taken();
        let (went_in, variants) = run((rows, insert(variants).unless_taken()))?;
        refuse("DUPLICATE", find_clashes(&pending, &went_in, &variants)?)?;
        pending =
            pending.into_iter().zip(went_in).filter(|(_, went_in)| !went_in).map(|(product, _)| product).collect();
        first = false;
    }
    Ok(())
}

/// The calls that find which of these slugs are taken, by archived products too.
fn find_taken(slugs: Vec<String>) -> Vec<Find<SlugOnly>> {
    slugs.chunks(MOST_KEYS).map(|slugs| find("slug", slugs.iter().map(|slug| vec![slug.clone().put()]))).collect()
}

fn slugs_of(found: Vec<Vec<SlugOnly>>) -> BTreeSet<String> {
    set(found.into_iter().flatten().filter_map(|row| row.slug))
}

/// Gives every product that states no slug the next free one.
fn assign_slugs(pending: &mut [&mut CreatedProduct], slugs: &mut Slugs) -> Result<(), Problem> {
    pending.iter_mut().filter(|product| product.stem.is_some()).for_each(|product| product.row.slug = None);
    loop {
        let mut is_complete = true;
        for product in pending.iter_mut().filter(|product| product.row.slug.is_none()) {
            product.row.slug = product.stem.as_deref().and_then(|stem| slugs.next(stem));
            is_complete &= product.row.slug.is_some();
        }
        if is_complete {
            return Ok(());
        }
        let taken = run(find_taken(slugs.propose()))?;
        slugs.learn(&slugs_of(taken));
    }
}

/// Stated slugs and SKUs that did not go in, each with the record that has it.
fn find_clashes(
    products: &[&mut CreatedProduct],
    went_in: &[bool],
    variants_in: &[bool],
) -> Result<Vec<Item>, Problem> {
    let stated = products.iter().zip(went_in).filter(|(product, went_in)| !**went_in && product.stem.is_none());
    let slugs: Vec<(String, String)> = stated
        .filter_map(|(product, _)| Some((format!("{}/slug", product.pointer), product.row.slug.clone()?)))
        .collect();
    let variants = products.iter().flat_map(|product| {
        product.variants.iter().enumerate().map(move |(index, variant)| (&product.pointer, index, &variant.sku))
    });
    let skus: Vec<(String, String)> = variants
        .zip(variants_in)
        .filter(|(_, went_in)| !**went_in)
        .map(|((pointer, index, sku), _)| (format!("{pointer}/variants/{index}/sku"), sku.clone()))
        .collect();
    if slugs.is_empty() && skus.is_empty() {
        return Ok(Vec::new());
    }
    let (with_slug, with_sku) = run((find_owners::<SlugOwner>("slug", &slugs), find_owners::<SkuOwner>("sku", &skus)))?;
    let with_slug = with_slug.into_iter().flatten().filter_map(|row| Some((row.slug?, row.id)));
    let with_sku = with_sku.into_iter().flatten().map(|row| (row.sku, row.id));
    let (with_slug, with_sku) = (map(with_slug), map(with_sku));
    let fault = |owners: &BTreeMap<String, Id>, (pointer, key): (String, String)| {
        let fault = item(pointer, "DUPLICATE");
        match owners.get(&key).copied().and_then(|owner| show_readable(owner, READ)) {
            Some(owner) => fault.with_conflict(owner),
            None => fault,
        }
    };
    let slugs = slugs.into_iter().map(|slug| fault(&with_slug, slug));
    Ok(slugs.chain(skus.into_iter().map(|sku| fault(&with_sku, sku))).collect())
}

/// The calls that find the records with these values of a unique key, each value given with its place in the request.
fn find_owners<V: View>(key: &'static str, values: &[(String, String)]) -> Vec<Find<V>> {
    values.chunks(MOST_KEYS).map(|some| find(key, some.iter().map(|(_, value)| vec![value.clone().put()]))).collect()
}

fn emit_created(created: &[CreatedProduct]) {
    let events = created.iter().flat_map(|CreatedProduct { row, variants, .. }| {
        let is_public = is_public(row.status, row.publication_status);
        let of_variant = move |variant: &VariantRow| {
            variant::CREATED.of(variant.id, None, &VariantEvent::from_row(variant, is_public))
        };
        let product = product::CREATED.of(row.id, None, &ProductEvent::from_row(row));
        std::iter::once(product).chain(variants.iter().map(of_variant))
    });
    emit(events);
}
