//! The program, balances and their entries.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, run, update_by};
use stoa_sdk::{Answer, Call, Date, Field, Id, Operation, Page, Problem, Reply, column_names};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, at_least};
use stoa_trade::quantity::Positive;

use crate::records::{BalanceRow, EntryRow, LoyaltyBalance, LoyaltyEntry, LoyaltyProgram, ProgramRow};
use crate::work::{PROGRAM, read_program};

const READ: &[&str] = &["loyalty.read"];
const WRITE: &[&str] = &["loyalty.write"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/loyalty/program", "getLoyaltyProgram", show_program).summary("The program")
        .needs(READ).answers::<LoyaltyProgram>(),
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
        customer_id: Option<Id>,
        /// Only changes on or after this day.
        from: Option<Date> = at_least(EntryRow::on_date, from),
    }
}

fn show_program(_: &Call) -> Answer {
    let row = read_program()?.ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&LoyaltyProgram::from_row(&row)))
}

fn set_program(call: &Call) -> Answer {
    let input: ProgramInput = call.body()?;
    let currency = String::from(input.currency_code);
    let (rate, value) = (input.points_per_amount.0, input.point_value.0);
    let set = update_by::<ProgramRow>("code", [vec![PROGRAM.to_owned().put()]])
        .set(ProgramRow::currency_code, &currency)
        .set(ProgramRow::points_per_amount, &rate)
        .set(ProgramRow::point_value, &value)
        .set(ProgramRow::expire_days, &input.expire_days)
        .or_insert(
            column_names!(ProgramRow { currency_code, points_per_amount, point_value }),
            [Some(vec![currency.put(), rate.put(), value.put()])],
        );
    run(set)?;
    show_program(call)
}

fn read_balance(call: &Call) -> Answer {
    let customer_id = call.path_id("customerId")?;
    let rows: Vec<BalanceRow> = run(find("customer", [vec![customer_id.put()]]))?;
    let points = rows.first().map_or(0, |row| row.points);
    Ok(Reply::json(&LoyaltyBalance { customer_id, points }))
}

fn list_entries(call: &Call) -> Answer {
    let rows = call.query::<ListEntries>()?.page([])?;
    answer_page(rows, |row| row.id, |row| LoyaltyEntry::from_row(&row))
}
