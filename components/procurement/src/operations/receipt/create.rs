//! Receiving goods of an order.

use stoa_sdk::{Answer, Call};
use stoa_trade::refusal::refuse_invalid;

use crate::records::receipt::show_write;
use crate::rules::arrival::GoodsReceiptInput;
use crate::work::receiving::{lock_receivable, receive};

pub fn create(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: GoodsReceiptInput = call.body()?;
    refuse_invalid(body.find_faults())?;
    let receipt = receive(lock_receivable(id, &body)?, &body)?;
    let reply = show_write(&receipt.row, receipt.order.row.version, &receipt.items);
    Ok(reply.subject(id).subjects(receipt.order.subjects()))
}
