//! Variants as they are read: by people, and by API clients the active ones of what is on sale; API clients that write the
//! catalog read all of them.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Client, Id, Operation, Page, Problem, Reply, all, has};
use stoa_trade::{Caller, Status};

use crate::records::permission::READ;
use crate::records::product::{ProductHead, ProductRow};
use crate::records::variant::{ApiVariant, Variant, VariantRow, publish_variant};
use crate::rules::access::{may_read_every_state, may_read_variants};
use crate::work::parts::{ListApiParts, ListParts, list_parts};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/products/{productId}/variants", "listProductVariants", list).summary("Variants of a product")
        .needs(READ).query::<ListParts>().answers::<Page<Variant>>()
        .and_client(Client::new(READ).summary("Active variants of a product on sale").description("An API client with the scope \
                `catalog.write` reads the active variants of every product.")
            .query::<ListApiParts>().answers::<Page<ApiVariant>>()),
    Operation::read("/catalog/variants/{id}", "getVariant", read).summary("A variant").needs(READ).answers::<Variant>()
        .and_client(Client::new(READ).summary("An active variant of a product on sale").description("An API client with the scope \
            `catalog.write` reads every variant, in whatever state it and its product are.").answers::<ApiVariant>()),
];

pub fn list(call: &Call) -> Answer {
    let filter = |_, product, status: Status| all([VariantRow::product_id.eq(product), VariantRow::status.eq(status)]);
    list_parts(call, may_read_variants, filter, VariantRow::updated_at, Variant::from_row, publish_variant)
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let caller = Caller::current();
    if !may_read_every_state(caller) {
        return read_on_sale(id);
    }
    let row: VariantRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let reply = caller.show(|| Variant::from_row(&row), || publish_variant(&row));
    Ok(reply.of(id, row.version).subject(row.product_id))
}

fn read_on_sale(id: Id) -> Answer {
    let product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, VariantRow::id.eq(id));
    let (row, product) = run((get::<VariantRow>(id), select(product).first()))?;
    ProductHead::require_public(product.as_ref())?;
    let row = row.filter(|row| row.status == Status::Active).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&publish_variant(&row)).of(id, row.version))
}
