//! The operations of customers (sales-pos.md 2.2). Archiving waits for nothing: what was confirmed is still delivered.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Client, Filter, Instant, Operation, Page, Problem, Reply, Text, all, emit, item, text};
use stoa_trade::lists::{answer_page, changed_since, equals, mentions, read_page};
use stoa_trade::party::{PartyKind, Profile, check_customer};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::key;
use stoa_trade::{Change, EmptyBody, list_query, writable};

use crate::records::customer::{
    ApiCustomer, CUSTOMER, CUSTOMER_ARCHIVED, CUSTOMER_CREATED, CUSTOMER_UPDATED, Customer, CustomerEvent,
    CustomerReceipt, CustomerRow, receipt, reply,
};
use crate::records::permission::{READ_CUSTOMERS, WRITE_CUSTOMERS};
use crate::work::customer::{CustomerBody, find_default_list, insert_customer, require_usable};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/customers", "listCustomers", list).summary("Customers")
        .needs(READ_CUSTOMERS).query::<ListCustomers>().answers::<Page<Customer>>().cache_control("no-store")
        .and_client(Client::new(READ_CUSTOMERS).run(list_as_client).answers::<Page<ApiCustomer>>()),
    Operation::create("/sales/customers", "createCustomer", create).summary("Create a customer")
        .description("The code is unique for ever, ignoring case, archived customers included.")
        .needs(WRITE_CUSTOMERS).body::<CustomerBody>().answers::<Customer>().cache_control("no-store")
        .writes(CUSTOMER, &[CUSTOMER_CREATED.code]).problems(&["DUPLICATE", "REFERENCE_INVALID"])
        .and_client(Client::new(WRITE_CUSTOMERS).run(create_as_client).answers::<CustomerReceipt>()
            .description("The code is unique for ever, ignoring case. API clients cannot read or write `notes`.")),
    Operation::read("/sales/customers/{id}", "getCustomer", read).summary("A customer")
        .description("Includes archived customers.")
        .needs(READ_CUSTOMERS).answers::<Customer>().cache_control("no-store")
        .and_client(Client::new(READ_CUSTOMERS).run(read_as_client).answers::<ApiCustomer>()),
    Operation::replace("/sales/customers/{id}", "replaceCustomer", replace).summary("Replace a customer")
        .description("Full replacement, except `profile`: omitted keeps it, null removes it.")
        .needs(WRITE_CUSTOMERS).body::<CustomerBody>().answers::<Customer>().cache_control("no-store")
        .writes(CUSTOMER, &[CUSTOMER_UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID"])
        .and_client(Client::new(WRITE_CUSTOMERS).run(replace_as_client).answers::<CustomerReceipt>()
            .description("Full replacement, except `profile`, which is kept if omitted, and `notes`, which are kept.")),
    Operation::transition("/sales/customers/{id}/archive", "archiveCustomer", archive).summary("Archive a customer")
        .description("Confirmed orders can still be delivered or cancelled. Drafts of the customer can no longer be confirmed.")
        .needs(WRITE_CUSTOMERS).body::<EmptyBody>().answers::<Customer>().cache_control("no-store")
        .writes(CUSTOMER, &[CUSTOMER_ARCHIVED.code]).problems(&["ARCHIVED"])
        .and_client(Client::new(WRITE_CUSTOMERS).run(archive_as_client).answers::<CustomerReceipt>()),
];

list_query! {
    pub struct ListCustomers of Status {
        /// Only customers whose name, code, e-mail, telephone or legal name contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        /// Only the customer with this code, ignoring case.
        #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
        code: Option<String>,
        /// Only customers with this tax number.
        tax_id: Option<Text<1, 40>>,
        kind: Option<PartyKind>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

impl ListCustomers {
    fn filter(&self) -> Filter {
        all([
            CustomerRow::status.eq(self.status),
            mentions("text", self.text.as_deref()),
            equals(CustomerRow::code_key, self.code.as_deref().map(key)),
            equals(CustomerRow::tax_id, self.tax_id.as_deref()),
            equals(CustomerRow::profile_kind, self.kind),
            changed_since(CustomerRow::updated_at, self.updated_since),
        ])
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListCustomers = call.query()?;
    let rows = read_page::<CustomerRow>(&query.filter(), query.cursor, query.limit)?;
    answer_page(rows, |row| row.id, |row| Customer::from_row(&row))
}

pub fn list_as_client(call: &Call) -> Answer {
    let query: ListCustomers = call.query()?;
    let rows = read_page::<CustomerRow>(&query.filter(), query.cursor, query.limit)?;
    answer_page(rows, |row| row.id, |row| ApiCustomer::from_row(&row))
}

fn read_row(call: &Call) -> Result<CustomerRow, Problem> {
    run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)
}

pub fn read(call: &Call) -> Answer {
    Ok(reply(&read_row(call)?))
}

pub fn read_as_client(call: &Call) -> Answer {
    let row = read_row(call)?;
    Ok(Reply::json(&ApiCustomer::from_row(&row)).of(row.id, row.version))
}

pub fn create(call: &Call) -> Answer {
    let input: CustomerBody = call.body()?;
    check(&input, false)?;
    insert_customer(input).map(|row| reply(&row))
}

pub fn create_as_client(call: &Call) -> Answer {
    let input: CustomerBody = call.body()?;
    check(&input, true)?;
    insert_customer(input).map(|row| receipt(&row))
}

pub fn replace(call: &Call) -> Answer {
    let input: CustomerBody = call.body()?;
    check(&input, false)?;
    change(call, input, false).map(|change| change.show(|row| reply(&row)))
}

pub fn replace_as_client(call: &Call) -> Answer {
    let input: CustomerBody = call.body()?;
    check(&input, true)?;
    change(call, input, true).map(|change| change.show(|row| receipt(&row)))
}

pub fn archive(call: &Call) -> Answer {
    end(call).map(|change| change.show(|row| reply(&row)))
}

pub fn archive_as_client(call: &Call) -> Answer {
    end(call).map(|change| change.show(|row| receipt(&row)))
}

/// # Errors
/// VALIDATION_FAILED; notes of an API client too, which could not read them.
fn check(input: &CustomerBody, by_client: bool) -> Result<(), Problem> {
    let mut faults = check_customer(input);
    faults.extend((by_client && input.notes.is_some()).then(|| item("/notes", "NOT_ALLOWED")));
    refuse_invalid(faults)
}

fn change(call: &Call, input: CustomerBody, by_client: bool) -> Result<Change<CustomerRow>, Problem> {
    let row: Option<CustomerRow> = run(get(call.path_id("id")?).locked())?;
    let default_list = match &row {
        Some(_) => find_default_list(&input)?,
        None => return Err(Problem::not_found()),
    };
    let before = writable(call, row)?;
    let profile = input.profile.map(Profile::from).replace(before.profile());
    let after = CustomerRow {
        // The spelling of the first one stays.
        code_key: key(&input.code),
        name: input.name.into(),
        email: input.email.map(|email| email.0),
        phone: input.phone.map(String::from),
        notes: if by_client { before.notes.clone() } else { input.notes.map(String::from) },
        ..before.clone()
    };
    let change = Change::new(&before, after.with_profile(profile))?;
    require_usable(default_list)?;
    run(change.update())?;
    emit([CUSTOMER_UPDATED.of(before.id, None, &CustomerEvent::from_row(change.after()))]);
    Ok(change)
}

fn end(call: &Call) -> Result<Change<CustomerRow>, Problem> {
    let row: Option<CustomerRow> = run(get(call.path_id("id")?).locked())?;
    let change = Change::archive(writable(call, row)?);
    run(change.update())?;
    let row = change.after();
    emit([CUSTOMER_ARCHIVED.of(row.id, None, &CustomerEvent::from_row(row))]);
    Ok(change)
}
