//! Importing products: up to 500 at once, all or nothing, on the road of creating one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Answer, Call, Client, Id, Item, Operation, Problem, Reply, facts, item};
use stoa_trade::refusal::refuse_invalid;

use crate::records::permission::WRITE;
use crate::records::variant::CreatedVariant;
use crate::rules::product::ProductInput;
use crate::work::product::{CREATE_PROBLEMS, CREATES, CreatedProduct, create_products};

/// Resource type of the audit entries.
const AUDIT: &str = "CATALOG_IMPORT";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/catalog/imports", "importProducts", import).summary("Import up to 500 products with their variants")
        .description("All or nothing, with at most 2,000 variants in total. An error lists every invalid product, 200 at most. \
            The response has the ids in the order of the request. Set prices through price lists.")
        .needs(WRITE).body::<ProductImport>().grows_with("/products").body_limit(16 << 20).answers::<ImportedProducts>()
        .writes(AUDIT, CREATES).problems(CREATE_PROBLEMS)
        .and_client(Client::new(WRITE).answers::<ImportedProducts>()),
];

/// Variants of one import at most, of all its products together: what one insert takes.
const MOST_VARIANTS: usize = 2_000;

/// Products to import.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProductImport {
    /// At most 2,000 variants in total.
    #[schemars(length(min = 1, max = stoa_trade::limits::BATCH))]
    products: Vec<ProductInput>,
}

/// Created products and variants, in the order of the request.
#[derive(Serialize, JsonSchema)]
pub struct ImportedProducts {
    items: Vec<ImportedProduct>,
}

#[derive(Serialize, JsonSchema)]
pub struct ImportedProduct {
    id: Id,
    slug: Option<String>,
    variants: Vec<CreatedVariant>,
}

pub fn import(call: &Call) -> Answer {
    let ProductImport { products } = call.body()?;
    check(&products)?;
    let place = |(index, product)| (format!("/products/{index}"), product);
    let created = create_products(products.into_iter().enumerate().map(place).collect())?;
    let items: Vec<ImportedProduct> = created.into_iter().map(show).collect();
    let products: Vec<Id> = items.iter().map(|product| product.id).collect();
    // An import is not a record: the audit entry is about the request, and found by each product.
    Ok(Reply::json(&ImportedProducts { items }).resource(Id::from(facts().request)).subjects(products))
}

fn show(CreatedProduct { row, variants, .. }: CreatedProduct) -> ImportedProduct {
    ImportedProduct { id: row.id, slug: row.slug, variants: variants.iter().map(CreatedVariant::from_row).collect() }
}

/// Refuses the products with which there are too many variants.
fn check(products: &[ProductInput]) -> Result<(), Problem> {
    let mut count = 0;
    let too_many = products.iter().enumerate().filter(|(_, product)| {
        count += product.variants.len();
        count > MOST_VARIANTS && !product.variants.is_empty()
    });
    let faults: Vec<Item> =
        too_many.map(|(index, _)| item(format!("/products/{index}/variants"), "TOO_MANY")).collect();
    refuse_invalid(faults)
}
