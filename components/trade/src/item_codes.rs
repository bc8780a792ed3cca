//! Codes of items that several modules answer, and the sentence of each: a module names those that it answers in its
//! `ITEM_CODES`.
//!
//! An operation lists the codes of the services that it calls too, whichever module has their sentence:
//! - the ledger's books: ROLE_UNMAPPED, BEFORE_BOOKS, MONTH_CLOSED and AMOUNT_PRECISION of `post` and `admit`; of `mirror` also
//!   DATE_BEFORE_ORIGINAL, of `begin` BOOKS_KEPT;
//! - the ledger's money: METHOD_UNMAPPED;
//! - finance's tills: SESSION_CLOSED, ORDER_BILLED, ORDER_COLLECTED, EXCEEDS_TILL_CASH, and those of the ledger's money
//!   and books;
//! - orders of sales and of purchases: BILLED_BEYOND_ORDER of `bill`; of purchases also DRAFT and OTHER_LINE, of
//!   `receive` IMPORT.

/// The code of an item and its meaning.
type Code = (&'static str, &'static str);

pub const ACTIVE_CHILDREN: Code =
    ("ACTIVE_CHILDREN", "Active records are below this one. Archive them or move them first.");
pub const OTHER_ENTITY: Code =
    ("OTHER_ENTITY", "The record belongs to another legal entity. State one of the document's legal entity.");
pub const OTHER_WAREHOUSE: Code =
    ("OTHER_WAREHOUSE", "The location belongs to another warehouse. State one of this warehouse.");
pub const OTHER_VARIANT: Code =
    ("OTHER_VARIANT", "The unit is of another variant. State a unit of this line's variant.");
pub const OTHER_ORDER: Code = ("OTHER_ORDER", "The record belongs to another order. State one of this order.");
pub const OTHER_CURRENCY: Code =
    ("OTHER_CURRENCY", "The record is in another currency. State one in the document's currency.");
pub const BEYOND_DELIVERED: Code = (
    "BEYOND_DELIVERED",
    "The quantity is larger than the delivered quantity that is not returned yet. State a smaller quantity.",
);
pub const BEYOND_RECEIVED: Code = (
    "BEYOND_RECEIVED",
    "The quantity is larger than the received quantity that is not returned yet. State a smaller quantity.",
);
pub const BILLED_BEYOND_ORDER: Code = (
    "BILLED_BEYOND_ORDER",
    "The quantity is larger than the unbilled quantity of the order. State a smaller quantity.",
);
pub const NOT_RECEIVED: Code = ("NOT_RECEIVED", "Nothing was received for the record. Receive the goods first.");
pub const NOT_NORMAL: Code = (
    "NOT_NORMAL",
    "The warehouse is not one that goods are sold from. State one of type PHYSICAL, VIRTUAL or THIRD_PARTY.",
);
pub const ORDER_BILLED: Code = (
    "ORDER_BILLED",
    "Invoices bill the order. Void them first. A register also collects an order that one unpaid invoice bills in full and without other orders.",
);
pub const ORDER_COLLECTED: Code =
    ("ORDER_COLLECTED", "A register has already collected the order. An order is collected only once.");
pub const UNITS_DIFFER_FROM_QUANTITY: Code = (
    "UNITS_DIFFER_FROM_QUANTITY",
    "The number of units differs from the quantity. Identify as many as `required` states.",
);
pub const BOOKS_NOT_KEPT: Code =
    ("BOOKS_NOT_KEPT", "The legal entity keeps no books. Start its books or state another legal entity.");
pub const BEFORE_BOOKS: Code =
    ("BEFORE_BOOKS", "The day is before the books of the legal entity start. Use a later day.");
