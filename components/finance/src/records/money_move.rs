//! Money as it moved: every payment, refund and movement of a till, for reports of cash and for what a till should hold.

use stoa_sdk::{Date, Id, collection, text_enum};
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Money;

text_enum! {
    pub enum Direction { In => "IN", Out => "OUT" }
}

text_enum! {
    /// The document that moved the money.
    #[derive(PartialOrd, Ord)]
    pub enum MoveOrigin {
        CustomerPayment => "CUSTOMER_PAYMENT", SupplierPayment => "SUPPLIER_PAYMENT", PosReceipt => "POS_RECEIPT",
        CustomerRefund => "CUSTOMER_REFUND", SupplierRefund => "SUPPLIER_REFUND", TillOpening => "TILL_OPENING",
        TillMovement => "TILL_MOVEMENT", Variance => "VARIANCE",
    }
}

collection! {
    /// `amount` is signed: money that came in is above zero, and what a void takes back has the other sign. `undo`: of
    /// a void or a reversal. `session_id`: the cash session whose drawer it changed.
    pub ledger MoneyMoveRow in "money_move" {
        legal_entity_id: Id,
        branch_id: Option<Id>,
        currency_code: String,
        money_account_id: Option<Id>,
        method: Method,
        direction: Direction,
        amount: Money,
        on_date: Date,
        origin: MoveOrigin,
        source_id: Id,
        undo: bool,
        session_id: Option<Id>,
    }
    unique { source: [origin, source_id, undo] }
    index {
        [legal_entity_id, currency_code, on_date], [legal_entity_id, id], [session_id], [money_account_id, on_date],
    }
}
