//! The operations of registers (sales-pos.md 9). There is no change of one: a changed till is a new register.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Instant, Operation, Page, Problem, Text, emit};
use stoa_trade::clients::directory::{self, Holder};
use stoa_trade::lists::{answer_page, changed_since, is_set, mentions};
use stoa_trade::{Change, EmptyBody, Status, list_query, writable};

use crate::records::permission::{READ, SETTINGS};
use crate::records::register::{
    POS_REGISTER, PosRegister, REGISTER_ARCHIVED, REGISTER_CREATED, RegisterEvent, RegisterRow, reply,
};
use crate::work::register::{PosRegisterInput, find_places, insert_register};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/pos/registers", "listPosRegisters", list).summary("Registers")
        .needs(READ).query::<ListPosRegisters>().answers::<Page<PosRegister>>().cache_control("no-store"),
    Operation::create("/pos/registers", "createPosRegister", create).summary("Create a register")
        .description("A register is immutable. Its code is unique for ever, ignoring case, archived registers included. \
            Without a cash account, a session uses the account that is mapped to cash at its opening.")
        .needs(SETTINGS).body::<PosRegisterInput>().answers::<PosRegister>().cache_control("no-store")
        .writes(POS_REGISTER, &[REGISTER_CREATED.code])
        .problems(&["DUPLICATE", "REFERENCE_INVALID", "PAYMENT_ACCOUNT_INVALID"])
        .item_codes(&["NOT_NORMAL"]),
    Operation::read("/pos/registers/{id}", "getPosRegister", read).summary("A register")
        .description("Includes archived registers.")
        .needs(READ).answers::<PosRegister>().cache_control("no-store"),
    Operation::transition("/pos/registers/{id}/archive", "archivePosRegister", archive).summary("Archive a register")
        .description("Rejected while a session of the register is open.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<PosRegister>().cache_control("no-store")
        .writes(POS_REGISTER, &[REGISTER_ARCHIVED.code]).problems(&["SESSION_OPEN", "ARCHIVED"]),
];

list_query! {
    pub struct ListPosRegisters of RegisterRow {
        #[serde(default)]
        status: Status = RegisterRow::status.eq(status),
        legal_entity_id: Option<Id>,
        warehouse_id: Option<Id>,
        /// Only records whose code or name contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// True lists registers with an open session, false all others.
        occupied: Option<bool> = is_set(RegisterRow::open_session_id, occupied),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(RegisterRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListPosRegisters>()?.page([])?;
    answer_page(rows, |row| row.id, |row| PosRegister::from_row(&row))
}

pub fn read(call: &Call) -> Answer {
    let row: RegisterRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(reply(&row))
}

pub fn create(call: &Call) -> Answer {
    let input: PosRegisterInput = call.body()?;
    let (warehouse, list) = find_places(input.warehouse_id, input.price_list_id)?;
    insert_register(input, &warehouse, list).map(|row| reply(&row))
}

pub fn archive(call: &Call) -> Answer {
    let before: RegisterRow = writable(call, run(get(call.path_id("id")?).locked())?)?;
    if before.open_session_id.is_some() {
        return Err(Problem::new("SESSION_OPEN"));
    }
    let change = Change::archive(before);
    run(change.update())?;
    let register_id = change.after().id;
    directory::release(Holder::Register(register_id))?;
    emit([REGISTER_ARCHIVED.of(register_id, None, &RegisterEvent { register_id })]);
    Ok(change.show(|row| reply(&row)))
}
