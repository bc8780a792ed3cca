//! Holds: a warehouse or a register of another module keeps the records that it uses from being archived.

use stoa_sdk::{Id, collection, view};

collection! {
    pub record HoldRow in "hold" {
        holder_kind: String,
        holder_id: Id,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        money_account_id: Option<Id>,
        active: bool,
    }
    unique { holder: [holder_kind, holder_id] }
    index { [legal_entity_id, active], [branch_id, active], [money_account_id, active] }
}

view! { pub HoldId of HoldRow { id: Id } }
