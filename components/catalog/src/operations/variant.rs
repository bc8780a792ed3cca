//! Variants as they are read: by people, and by API clients the active ones of what is on sale.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Client, Operation, Page, Problem, Reply, all, has};
use stoa_trade::Status;

use crate::records::product::{ProductHead, ProductRow};
use crate::records::variant::{PublicVariant, Variant, VariantRow, show};
use crate::rules::access::READ;
use crate::work::parts::{ListParts, ListPublicParts, list_parts, list_public_parts};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/products/{productId}/variants", "listProductVariants", list).summary("Variants of a product")
        .needs(READ).query::<ListParts>().answers::<Page<Variant>>()
        .and_client(Client::new(READ).run(api_list).summary("Active variants of a product on sale")
            .query::<ListPublicParts>().answers::<Page<PublicVariant>>()),
    Operation::read("/catalog/variants/{id}", "getVariant", read).summary("A variant").needs(READ).answers::<Variant>()
        .and_client(Client::new(READ).run(api_read).summary("An active variant of a product on sale").answers::<PublicVariant>()),
];

pub fn list(call: &Call) -> Answer {
    let filter = |product, status: Status| all([VariantRow::product_id.eq(product), VariantRow::status.eq(status)]);
    list_parts::<VariantRow, Variant>(call, filter)
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(show).ok_or_else(Problem::not_found)
}

pub fn api_list(call: &Call) -> Answer {
    let active = |product| all([VariantRow::product_id.eq(product), VariantRow::status.eq(Status::Active)]);
    list_public_parts::<VariantRow, PublicVariant>(call, active, VariantRow::updated_at)
}

pub fn api_read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, VariantRow::id.eq(id));
    let (row, product) = run((get::<VariantRow>(id), select(product).first()))?;
    ProductHead::require_public(product.as_ref())?;
    let row = row.filter(|row| row.status == Status::Active).ok_or_else(Problem::not_found)?;
    let (id, version) = (row.id, row.version);
    Ok(Reply::json(&PublicVariant::from(row)).of(id, version))
}
