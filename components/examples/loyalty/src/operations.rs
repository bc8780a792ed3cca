//! The program, balances and their entries.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, run, update_by};
use stoa_sdk::{Answer, Call, Entity, Field, Id, Operation, Page, Problem, Reply, column_names, new_id};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::lists::answer_page;
use stoa_trade::quantity::Positive;
use stoa_trade::{list_query, new_row};

use crate::records::{BalanceRow, EntryRow, LoyaltyBalance, LoyaltyEntry, LoyaltyProgram, ProgramRow};
use crate::work::{PROGRAM, read_program};

const READ: &[&str] = &["loyalty.read"];
const WRITE: &[&str] = &["loyalty.write"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/loyalty/program", "getLoyaltyProgram", show_program).summary("The program")
        .needs(READ).answers::<LoyaltyProgram>().problems(&["NOT_FOUND"]),
    Operation::replace("/loyalty/program", "setLoyaltyProgram", set_program).summary("Set the program")
        .description("For orders in its currency. Points that customers have stay.")
        .needs(WRITE).body::<ProgramInput>().answers::<LoyaltyProgram>().without_if_match()
        .writes("LOYALTY_PROGRAM", &[]),
    Operation::read("/loyalty/balances/{customerId}", "getLoyaltyBalance", read_balance).summary("Points of a customer")
        .needs(READ).answers::<LoyaltyBalance>(),
    Operation::read("/loyalty/entries", "listLoyaltyEntries", list_entries).summary("Changes of points")
        .needs(READ).query::<ListEntries>().answers::<Page<LoyaltyEntry>>(),
];

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "LoyaltyProgramInput")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProgramInput {
    currency_code: CurrencyCode,
    /// Points for one unit of the currency. A sale brings whole points.
    points_per_amount: Positive,
    /// What a point is worth in a payment.
    point_value: Positive,
    /// Points expire after so many days. Omitted: they never do.
    #[schemars(range(min = 1, max = 36_500))]
    expire_days: Option<i64>,
}

list_query! {
    pub struct ListEntries of EntryRow {
        /// Only changes of this customer.
        customer_id: Option<Id>,
    }
}

fn show_program(_: &Call) -> Answer {
    read_program()?.map(|row| Reply::json(&LoyaltyProgram::from_row(&row))).ok_or_else(Problem::not_found)
}

fn set_program(call: &Call) -> Answer {
    const STATED: &[&str] = column_names!(ProgramRow { currency_code, points_per_amount, point_value, expire_days });
    let ProgramInput { currency_code, points_per_amount, point_value, expire_days } = call.body()?;
    let (code, currency_code) = (PROGRAM.to_owned(), String::from(currency_code));
    let (points_per_amount, point_value) = (points_per_amount.0, point_value.0);
    let row = new_row!(ProgramRow { id: new_id(), code, currency_code, points_per_amount, point_value, expire_days });
    let stated = update_by::<ProgramRow>("code", [vec![row.code.put()]]).set_from(&row, STATED);
    // After the id and the code.
    run(stated.or_insert(STATED, [Some(row.write().split_off(2))]))?;
    Ok(Reply::json(&LoyaltyProgram::from_row(&row)))
}

fn read_balance(call: &Call) -> Answer {
    let rows: Vec<BalanceRow> = run(find("customer", [vec![call.path_id("customerId")?.put()]]))?;
    rows.first().map(|row| Reply::json(&LoyaltyBalance::from_row(row))).ok_or_else(Problem::not_found)
}

fn list_entries(call: &Call) -> Answer {
    answer_page(call.query::<ListEntries>()?.page([])?, |row| row.id, |row| LoyaltyEntry::from_row(&row))
}
