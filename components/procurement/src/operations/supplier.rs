//! The operations of suppliers. Their code is theirs for ever; archiving waits for nothing: open orders stay
//! receivable, drafts can no longer be approved.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Client, EventKind, Field, Instant, Operation, Page, Text, emit};
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, equals, mentions};
use stoa_trade::party::{PartyInput, SupplierTerms, check_supplier};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::taken::find_taken;
use stoa_trade::text::key;
use stoa_trade::{Caller, Change, EmptyBody, Status, client_query, list_query, writable};

use crate::records::permission::{CLIENT_READ_SUPPLIERS, CLIENT_WRITE_SUPPLIERS, CREATE, READ};
use crate::records::supplier::{
    ApiSupplier, ApiSupplierHeader, SUPPLIER, SUPPLIER_ARCHIVED, SUPPLIER_CREATED, SUPPLIER_UPDATED, Supplier,
    SupplierEvent, SupplierReceipt, SupplierRow, show_write,
};

const SUPPLIERS: &str = "/purchases/suppliers";
const ONE: &str = "/purchases/suppliers/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(SUPPLIERS, "listSuppliers", list).summary("Suppliers")
        .needs(READ).query::<ListSuppliers>().answers::<Page<Supplier>>()
        .and_client(Client::new(CLIENT_READ_SUPPLIERS).description("Lists active suppliers, without profiles.")
            .query::<ListApiSuppliers>().answers::<Page<ApiSupplierHeader>>()),
    Operation::create(SUPPLIERS, "createSupplier", create).summary("Create a supplier")
        .description("A code remains reserved after archiving, ignoring case.")
        .needs(CREATE).body::<PartyInput<SupplierTerms>>().answers::<Supplier>()
        .writes(SUPPLIER, &[SUPPLIER_CREATED.code]).problems(&["DUPLICATE"])
        .and_client(Client::new(CLIENT_WRITE_SUPPLIERS).answers::<SupplierReceipt>()),
    Operation::read(ONE, "getSupplier", read).summary("A supplier").needs(READ).answers::<Supplier>()
        .and_client(Client::new(CLIENT_READ_SUPPLIERS).answers::<ApiSupplier>()),
    Operation::replace(ONE, "replaceSupplier", replace).summary("Replace a supplier")
        .description("Full replacement, except the profile: omitted keeps it, null removes it, an object replaces it. The code \
            must be the current one.")
        .needs(CREATE).body::<PartyInput<SupplierTerms>>().answers::<Supplier>()
        .writes(SUPPLIER, &[SUPPLIER_UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"])
        .and_client(Client::new(CLIENT_WRITE_SUPPLIERS).answers::<SupplierReceipt>()),
    Operation::transition("/purchases/suppliers/{id}/archive", "archiveSupplier", archive).summary("Archive a supplier")
        .description("Open orders can still be received. Drafts can no longer be approved.")
        .needs(CREATE).body::<EmptyBody>().answers::<Supplier>()
        .writes(SUPPLIER, &[SUPPLIER_ARCHIVED.code]).problems(&["ARCHIVED"])
        .and_client(Client::new(CLIENT_WRITE_SUPPLIERS).answers::<SupplierReceipt>()),
];

list_query! {
    pub struct ListSuppliers of SupplierRow sorted [updated_at: "updatedAt", code_key: "code"; not with text, updated_since] {
        #[serde(default)]
        status: Status = SupplierRow::status.eq(status),
        /// Only these suppliers, at most 100, separated by commas.
        ids: Option<Ids> = among(SupplierRow::id, ids.as_ref()),
        /// Only suppliers whose code, name, e-mail address or legal name contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only the supplier with this code, ignoring case.
        code: Option<Text<1, 64>> = equals(SupplierRow::code_key, code.as_deref().map(key)),
        /// Only suppliers with this tax number.
        tax_id: Option<Text<1, 40>>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(SupplierRow::updated_at, updated_since),
    }
}

client_query! {
    ListApiSuppliers of active ListSuppliers without []
}

/// Both queries have the same members; an API client's has one status.
pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListSuppliers>()?.page([])?;
    Caller::current().answer_page(rows, Supplier::from_row, ApiSupplierHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    Caller::current().answer_record(call, Supplier::from_row, ApiSupplier::from_row)
}

pub fn create(call: &Call) -> Answer {
    let input: PartyInput<SupplierTerms> = call.body()?;
    refuse_invalid(check_supplier(&input))?;
    let row = SupplierRow::new(input);
    if !insert_unless_taken(&row)? {
        let readers = if Caller::current().is_client() { CLIENT_READ_SUPPLIERS } else { READ };
        return Err(find_taken::<SupplierRow>("code", vec![row.code_key.put()], "/code", readers)?);
    }
    emit([SUPPLIER_CREATED.of(row.id, None, &SupplierEvent::from_row(&row))]);
    Ok(show_write(&row))
}

pub fn replace(call: &Call) -> Answer {
    let input: PartyInput<SupplierTerms> = call.body()?;
    refuse_invalid(check_supplier(&input))?;
    let before: SupplierRow = writable(call, run(get(call.path_id("id")?).locked())?)?;
    finish(Change::new(&before, before.clone().restate(input))?, &SUPPLIER_UPDATED)
}

pub fn archive(call: &Call) -> Answer {
    let EmptyBody {} = call.body()?;
    let before: SupplierRow = writable(call, run(get(call.path_id("id")?).locked())?)?;
    finish(Change::archive(before), &SUPPLIER_ARCHIVED)
}

fn finish(change: Change<SupplierRow>, kind: &EventKind<SupplierEvent>) -> Answer {
    run(change.update())?;
    emit([kind.of(change.after().id, None, &SupplierEvent::from_row(change.after()))]);
    Ok(change.show(|row| show_write(&row)))
}
