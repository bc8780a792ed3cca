//! Codes of items that the module answers beyond the shared ones, and the sentence of each.

use stoa_trade::item_codes::{ACTIVE_CHILDREN, BEFORE_BOOKS, BOOKS_NOT_KEPT};

/// `errors[].code` and its meaning.
#[rustfmt::skip]
pub const ITEM_CODES: &[(&str, &str)] = &[
    BEFORE_BOOKS,
    BOOKS_NOT_KEPT,
    ("ACTIVE_BRANCH", "The legal entity has an active branch. Archive its branches first."),
    ACTIVE_CHILDREN,
    ("ACTIVE_MONEY_ACCOUNT", "An active money account uses the record. Archive the money account first."),
    ("ALREADY_REVERSED", "The entry has a reversal. Write a new entry if you need one."),
    ("AMOUNT_PRECISION", "The amount has more decimals or digits than the books take. Change the quantity or the price."),
    ("BALANCE_NOT_ZERO", "The account has a balance. Post an entry that brings it to zero first."),
    ("BOOKS_KEPT", "The legal entity already keeps books. Books can be started only once."),
    ("CHART_EXISTS", "The legal entity already has accounts. Create the missing accounts one by one."),
    ("CLOSED", "The month is closed already."),
    ("CONTROL_ACCOUNT", "The account is a control account: only documents post to it, and it serves one role. Use another account."),
    ("CONTROL_BALANCE_NOT_ZERO", "A control account has a balance. Settle the documents behind it first."),
    ("DATE_BEFORE_ORIGINAL", "The day is before the original entry. Use the day of that entry or a later one."),
    ("EARLIER_MONTH_OPEN", "An earlier month is open. Close the months in their order."),
    ("HAS_CHILDREN", "The account is the heading of active accounts. Move or archive them first."),
    ("HELD", "A warehouse or register uses the record. Change or archive the warehouse or register first."),
    ("IS_REVERSAL", "The entry is a reversal, which cannot be reversed. Write a new entry."),
    ("LATER_MONTH_CLOSED", "A later month is closed. Reopen the last closed month first."),
    ("MAPPED", "A mapping or money account uses the record. Change it first."),
    ("METHOD_UNMAPPED", "The payment method has no money account. Map one, or state an account."),
    ("MONTH_CLOSED", "The month is closed. Use a later day or reopen the month."),
    ("MONTH_NOT_ENDED", "The month is not over. Close it after its last day."),
    ("NOT_CLOSED", "The month is open. Only a closed month can be reopened."),
    ("NOT_MANUAL", "A document posted the entry. Void the document instead."),
    ("ROLE_UNMAPPED", "The posting role has no account. Map one."),
    ("UNBALANCED", "Debits and credits differ. Make them equal."),
];
