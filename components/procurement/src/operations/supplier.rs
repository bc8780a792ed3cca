//! The operations of suppliers. Their code is theirs for ever; archiving waits for nothing: open orders stay receivable, drafts can
//! no longer be approved.

use stoa_sdk::store::{get, run};
use stoa_sdk::{
    Answer, Call, Client, EventKind, Filter, Instant, Operation, Page, Problem, Reply, Text, all, emit, new_id, now,
};
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::lists::{answer_page, changed_since, equals, mentions, read_page};
use stoa_trade::party::{PartyInput, Profile, SupplierTerms, check_supplier};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::key;
use stoa_trade::{Change, EmptyBody, JsonList, Status, list_query, writable};

use crate::records::permission::{CLIENT_READ_SUPPLIERS, CLIENT_WRITE_SUPPLIERS, CREATE, READ};
use crate::records::supplier::{
    PublicSupplier, PublicSupplierHeader, SUPPLIER, SUPPLIER_ARCHIVED, SUPPLIER_CREATED, SUPPLIER_UPDATED, Supplier,
    SupplierEvent, SupplierReceipt, SupplierRow, show, show_public, show_receipt,
};

const SUPPLIERS: &str = "/purchases/suppliers";
const ONE: &str = "/purchases/suppliers/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(SUPPLIERS, "listSuppliers", list).summary("Suppliers")
        .needs(READ).query::<ListSuppliers>().answers::<Page<Supplier>>()
        .and_client(Client::new(CLIENT_READ_SUPPLIERS).run(list_as_client).description("Lists active suppliers, without profiles.")
            .query::<ListPublicSuppliers>().answers::<Page<PublicSupplierHeader>>()),
    Operation::create(SUPPLIERS, "createSupplier", create).summary("Create a supplier")
        .description("A code remains reserved after archiving, ignoring case.")
        .needs(CREATE).body::<PartyInput<SupplierTerms>>().answers::<Supplier>()
        .writes(SUPPLIER, &[SUPPLIER_CREATED.code]).problems(&["DUPLICATE"])
        .and_client(Client::new(CLIENT_WRITE_SUPPLIERS).run(create_as_client).answers::<SupplierReceipt>()),
    Operation::read(ONE, "getSupplier", read).summary("A supplier").needs(READ).answers::<Supplier>()
        .and_client(Client::new(CLIENT_READ_SUPPLIERS).run(read_as_client).answers::<PublicSupplier>()),
    Operation::replace(ONE, "replaceSupplier", replace).summary("Replace a supplier")
        .description("Full replacement, except the profile: omitted keeps it, null removes it, an object replaces it. The code \
            must be the current one.")
        .needs(CREATE).body::<PartyInput<SupplierTerms>>().answers::<Supplier>()
        .writes(SUPPLIER, &[SUPPLIER_UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"])
        .and_client(Client::new(CLIENT_WRITE_SUPPLIERS).run(replace_as_client).answers::<SupplierReceipt>()),
    Operation::transition("/purchases/suppliers/{id}/archive", "archiveSupplier", archive).summary("Archive a supplier")
        .description("Open orders can still be received. Drafts can no longer be approved.")
        .needs(CREATE).body::<EmptyBody>().answers::<Supplier>()
        .writes(SUPPLIER, &[SUPPLIER_ARCHIVED.code]).problems(&["ARCHIVED"])
        .and_client(Client::new(CLIENT_WRITE_SUPPLIERS).run(archive_as_client).answers::<SupplierReceipt>()),
];

list_query! {
    pub struct ListSuppliers of Status {
        /// Only suppliers whose code, name, e-mail address or legal name contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        /// Only the supplier with this code, ignoring case.
        code: Option<Text<1, 64>>,
        /// Only suppliers with this tax number.
        tax_id: Option<Text<1, 40>>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

list_query! {
    pub struct ListPublicSuppliers of OnlyActive {
        /// Only suppliers whose code, name, e-mail address or legal name contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        /// Only the supplier with this code, ignoring case.
        code: Option<Text<1, 64>>,
        /// Only suppliers with this tax number.
        tax_id: Option<Text<1, 40>>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

fn filter(
    status: Status,
    text: Option<&str>,
    code: Option<&str>,
    tax_id: Option<&str>,
    updated_since: Option<Instant>,
) -> Filter {
    all([
        SupplierRow::status.eq(status),
        mentions("text", text),
        equals(SupplierRow::code_key, code.map(key)),
        equals(SupplierRow::tax_id, tax_id),
        changed_since(SupplierRow::updated_at, updated_since),
    ])
}

pub fn list(call: &Call) -> Answer {
    let ListSuppliers { cursor, limit, status, text, code, tax_id, updated_since } = call.query()?;
    let filter = filter(status, text.as_deref(), code.as_deref(), tax_id.as_deref(), updated_since);
    answer_page(read_page(&filter, cursor, limit)?, |row: &SupplierRow| row.id, Supplier::from)
}

pub fn list_as_client(call: &Call) -> Answer {
    let ListPublicSuppliers { cursor, limit, text, code, tax_id, updated_since, .. } = call.query()?;
    let filter = filter(Status::Active, text.as_deref(), code.as_deref(), tax_id.as_deref(), updated_since);
    answer_page(read_page(&filter, cursor, limit)?, |row: &SupplierRow| row.id, PublicSupplierHeader::from)
}

pub fn read(call: &Call) -> Answer {
    run(get(call.path_id("id")?))?.map(show).ok_or_else(Problem::not_found)
}

pub fn read_as_client(call: &Call) -> Answer {
    run(get(call.path_id("id")?))?.map(show_public).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    insert_supplier(call).map(show)
}

pub fn create_as_client(call: &Call) -> Answer {
    insert_supplier(call).map(show_receipt)
}

fn insert_supplier(call: &Call) -> Result<SupplierRow, Problem> {
    let input: PartyInput<SupplierTerms> = call.body()?;
    refuse_invalid(check_supplier(&input))?;
    let now = now();
    let row = SupplierRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        code_key: key(&input.code),
        code: input.code,
        name: input.name.into(),
        email: input.email.map(|email| email.0),
        phone: input.phone.map(String::from),
        notes: input.notes.map(String::from),
        has_profile: false,
        profile_kind: None,
        legal_name: None,
        tax_id_type: None,
        tax_id: None,
        language: None,
        payment_term_days: None,
        contacts: JsonList::default(),
        addresses: JsonList::default(),
        tags: JsonList::default(),
        website: None,
        default_currency_code: None,
        lead_time_days: None,
        status: Status::Active,
        archived_at: None,
    };
    let row = row.with_profile(input.profile.map(Profile::from).replace(None));
    if !insert_unless_taken(&row)? {
        return Err(Problem::duplicate("/code"));
    }
    emit([SUPPLIER_CREATED.of(row.id, None, &SupplierEvent::from_row(&row))]);
    Ok(row)
}

pub fn replace(call: &Call) -> Answer {
    replace_for(call, show)
}

pub fn replace_as_client(call: &Call) -> Answer {
    replace_for(call, show_receipt)
}

fn replace_for(call: &Call, show: fn(SupplierRow) -> Reply) -> Answer {
    let input: PartyInput<SupplierTerms> = call.body()?;
    refuse_invalid(check_supplier(&input))?;
    let before: SupplierRow = writable(call, run(get(call.path_id("id")?).locked())?)?;
    let profile = input.profile.map(Profile::from).replace(before.profile());
    // The same code in another case is the same code; it stays as it was typed first.
    let is_same = key(&input.code) == before.code_key;
    let after = SupplierRow {
        code: if is_same { before.code.clone() } else { input.code },
        name: input.name.into(),
        email: input.email.map(|email| email.0),
        phone: input.phone.map(String::from),
        notes: input.notes.map(String::from),
        ..before.clone()
    };
    finish(Change::new(&before, after.with_profile(profile))?, &SUPPLIER_UPDATED, show)
}

pub fn archive(call: &Call) -> Answer {
    archive_for(call, show)
}

pub fn archive_as_client(call: &Call) -> Answer {
    archive_for(call, show_receipt)
}

fn archive_for(call: &Call, show: fn(SupplierRow) -> Reply) -> Answer {
    let EmptyBody {} = call.body()?;
    let before: SupplierRow = writable(call, run(get(call.path_id("id")?).locked())?)?;
    finish(Change::archive(before), &SUPPLIER_ARCHIVED, show)
}

fn finish(change: Change<SupplierRow>, kind: &EventKind<SupplierEvent>, show: fn(SupplierRow) -> Reply) -> Answer {
    run(change.update())?;
    emit([kind.of(change.after().id, None, &SupplierEvent::from_row(change.after()))]);
    Ok(change.show(show))
}
