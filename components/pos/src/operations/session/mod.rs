//! The operations of cash sessions (sales-pos.md 10.2). A session belongs to its operator: no other user collects or
//! moves cash in it.

mod close;
mod list;
mod open;
mod report;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::session::close::ClosePosSession;
use crate::operations::session::list::ListPosSessions;
use crate::operations::session::open::OpenPosSession;
use crate::records::permission::{CLOSE, READ, SELL};
use crate::records::session::{ApiPosSession, POS_SESSION, PosSession, SESSION_CLOSED, SESSION_OPENED};
use crate::records::session_report::PosSessionReport;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/pos/sessions", "listPosSessions", list::list).summary("Cash sessions")
        .needs(READ).query::<ListPosSessions>().answers::<Page<PosSession>>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<Page<ApiPosSession>>()),
    Operation::create("/pos/sessions", "openPosSession", open::open).summary("Open a cash session")
        .description("A register has at most one open session. The user who opens it is its operator. The opening posts no \
            entry, because the money is already in the account.")
        .needs(SELL).body::<OpenPosSession>().answers::<PosSession>().cache_control("no-store")
        .writes(POS_SESSION, &[SESSION_OPENED.code])
        .problems(&["SESSION_OPEN", "AMOUNT_PRECISION", "REFERENCE_INVALID", "ARCHIVED", "PAYMENT_ACCOUNT_INVALID", "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED"])
        .item_codes(&["METHOD_UNMAPPED"]),
    Operation::read("/pos/sessions/{id}", "getPosSession", list::read).summary("A cash session")
        .needs(READ).answers::<PosSession>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<ApiPosSession>()),
    Operation::transition("/pos/sessions/{id}/close", "closePosSession", close::close).summary("Close a cash session")
        .description("Fixes the expected and the counted cash; with books the variance is posted. By the operator, or by a \
            user with `settings.manage`. A closed session cannot be reopened.")
        .needs_any(CLOSE).body::<ClosePosSession>().answers::<PosSession>().cache_control("no-store")
        .writes(POS_SESSION, &[SESSION_CLOSED.code]).without_if_match()
        .problems(&["PERMISSION_DENIED", "VERSION_CONFLICT", "ILLEGAL_STATE", "AMOUNT_PRECISION", "LIMIT_EXCEEDED", "ARCHIVED", "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["SESSION_CLOSED", "METHOD_UNMAPPED", "ROLE_UNMAPPED", "BEFORE_BOOKS", "MONTH_CLOSED"]),
    Operation::read("/pos/sessions/{id}/report", "getPosSessionReport", report::read).summary("The report of a cash session")
        .description("An X report while the session is open, as often as you like; the Z report after it is closed, which \
            never changes.")
        .needs(READ).answers::<PosSessionReport>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<PosSessionReport>()),
];
