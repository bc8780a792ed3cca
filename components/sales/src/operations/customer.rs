//! The operations of customers (sales-pos.md 2.2). Archiving waits for nothing: confirmed orders are still delivered.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Client, EventKind, Instant, Operation, Page, Problem, Text, emit, item, text};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, equals, mentions};
use stoa_trade::party::{PartyKind, check_customer};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::key;
use stoa_trade::{Caller, Change, EmptyBody, Status, list_query, writable};

use crate::records::customer::{
    ApiCustomer, CUSTOMER, CUSTOMER_ARCHIVED, CUSTOMER_CREATED, CUSTOMER_UPDATED, Customer, CustomerEvent,
    CustomerReceipt, CustomerRow, show_write,
};
use crate::records::permission::{READ_CUSTOMERS, WRITE_CUSTOMERS};
use crate::work::customer::{CustomerBody, find_default_list, insert_customer, require_usable};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/customers", "listCustomers", list).summary("Customers")
        .needs(READ_CUSTOMERS).query::<ListCustomers>().answers::<Page<Customer>>().cache_control("no-store")
        .and_client(Client::new(READ_CUSTOMERS).answers::<Page<ApiCustomer>>()),
    Operation::create("/sales/customers", "createCustomer", create).summary("Create a customer")
        .description("The code is unique for ever, ignoring case, archived customers included.")
        .needs(WRITE_CUSTOMERS).body::<CustomerBody>().answers::<Customer>().cache_control("no-store")
        .writes(CUSTOMER, &[CUSTOMER_CREATED.code]).problems(&["DUPLICATE", "REFERENCE_INVALID"])
        .and_client(Client::new(WRITE_CUSTOMERS).answers::<CustomerReceipt>()
            .description("The code is unique for ever, ignoring case. API clients cannot read or write `notes`.")),
    Operation::read("/sales/customers/{id}", "getCustomer", read).summary("A customer")
        .description("Includes archived customers.")
        .needs(READ_CUSTOMERS).answers::<Customer>().cache_control("no-store")
        .and_client(Client::new(READ_CUSTOMERS).answers::<ApiCustomer>()),
    Operation::replace("/sales/customers/{id}", "replaceCustomer", replace).summary("Replace a customer")
        .description("Full replacement, except `profile`: omitted keeps it, null removes it.")
        .needs(WRITE_CUSTOMERS).body::<CustomerBody>().answers::<Customer>().cache_control("no-store")
        .writes(CUSTOMER, &[CUSTOMER_UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID"])
        .and_client(Client::new(WRITE_CUSTOMERS).answers::<CustomerReceipt>()
            .description("Full replacement, except `profile`, which is kept if omitted, and `notes`, which are kept.")),
    Operation::transition("/sales/customers/{id}/archive", "archiveCustomer", archive).summary("Archive a customer")
        .description("Confirmed orders can still be delivered or cancelled. Drafts of the customer can no longer be confirmed.")
        .needs(WRITE_CUSTOMERS).body::<EmptyBody>().answers::<Customer>().cache_control("no-store")
        .writes(CUSTOMER, &[CUSTOMER_ARCHIVED.code]).problems(&["ARCHIVED"])
        .and_client(Client::new(WRITE_CUSTOMERS).answers::<CustomerReceipt>()),
];

list_query! {
    pub struct ListCustomers of CustomerRow {
        #[serde(default)]
        status: Status = CustomerRow::status.eq(status),
        /// Only these customers, at most 100, separated by commas.
        ids: Option<Ids> = among(CustomerRow::id, ids.as_ref()),
        /// Only customers whose name, code, e-mail, telephone or legal name contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only the customer with this code, ignoring case.
        #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
        code: Option<String> = equals(CustomerRow::code_key, code.as_deref().map(key)),
        /// Only customers with this tax number.
        tax_id: Option<Text<1, 40>>,
        kind: Option<PartyKind> = equals(CustomerRow::profile_kind, kind),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(CustomerRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListCustomers>()?.page([])?;
    Caller::current().answer_page(rows, Customer::from_row, ApiCustomer::from_row)
}

pub fn read(call: &Call) -> Answer {
    Caller::current().answer_record(call, Customer::from_row, ApiCustomer::from_row)
}

pub fn create(call: &Call) -> Answer {
    let input: CustomerBody = call.body()?;
    check(&input)?;
    insert_customer(input).map(|row| show_write(&row))
}

pub fn replace(call: &Call) -> Answer {
    let input: CustomerBody = call.body()?;
    check(&input)?;
    let row: CustomerRow = run(get(call.path_id("id")?).locked())?.ok_or_else(Problem::not_found)?;
    let default_list = find_default_list(&input)?;
    let before = writable(call, Some(row))?;
    let after = before.clone().restate(input);
    let notes = if Caller::current().is_client() { before.notes.clone() } else { after.notes };
    let change = Change::new(&before, CustomerRow { notes, ..after })?;
    require_usable(default_list)?;
    finish(change, &CUSTOMER_UPDATED)
}

pub fn archive(call: &Call) -> Answer {
    let row: Option<CustomerRow> = run(get(call.path_id("id")?).locked())?;
    finish(Change::archive(writable(call, row)?), &CUSTOMER_ARCHIVED)
}

/// Rejects the faults that the schema cannot find, and notes of an API client, which could not read them.
fn check(input: &CustomerBody) -> Result<(), Problem> {
    let mut faults = check_customer(input);
    let has_hidden = Caller::current().is_client() && input.notes.is_some();
    faults.extend(has_hidden.then(|| item("/notes", "NOT_ALLOWED")));
    refuse_invalid(faults)
}

fn finish(change: Change<CustomerRow>, kind: &EventKind<CustomerEvent>) -> Answer {
    run(change.update())?;
    emit([kind.of(change.after().id, None, &CustomerEvent::from_row(change.after()))]);
    Ok(change.show(|row| show_write(&row)))
}
