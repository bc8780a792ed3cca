//! Codes of items that the module answers beyond the shared ones, and the sentence of each.

use stoa_trade::item_codes::{
    BEFORE_BOOKS, BEYOND_RECEIVED, BILLED_BEYOND_ORDER, BOOKS_NOT_KEPT, NOT_NORMAL, NOT_RECEIVED, ORDER_BILLED,
    ORDER_COLLECTED, OTHER_CURRENCY, OTHER_ENTITY, OTHER_ORDER, OTHER_VARIANT, OTHER_WAREHOUSE,
    UNITS_DIFFER_FROM_QUANTITY,
};

/// `errors[].code` and its meaning.
#[rustfmt::skip]
pub const ITEM_CODES: &[(&str, &str)] = &[
    BEFORE_BOOKS,
    BEYOND_RECEIVED,
    BILLED_BEYOND_ORDER,
    BOOKS_NOT_KEPT,
    NOT_NORMAL,
    NOT_RECEIVED,
    ORDER_BILLED,
    ORDER_COLLECTED,
    OTHER_CURRENCY,
    OTHER_ENTITY,
    OTHER_ORDER,
    OTHER_VARIANT,
    OTHER_WAREHOUSE,
    UNITS_DIFFER_FROM_QUANTITY,
    ("ALREADY_RECEIVED", "The line bills goods that were received already. Recognise the invoice instead."),
    (
        "COLLECTED_AT_REGISTER",
        "A register collected the order. Bill it in full, in an invoice without other orders; its payment then settles the invoice.",
    ),
    ("COST_CORRECTION", "A recognised cost correction cannot be voided, because the goods may have left at the corrected cost."),
    ("DATE_BEFORE_DOCUMENT", "The day is before the document was posted. Use the day of the document or a later one."),
    ("DELIVERY_REQUIRED", "The line bills units that are not delivered. Deliver the order, or confirm the invoice with its goods."),
    ("EXCEEDS_AVAILABLE", "The amount is larger than the available amount of the payment or credit. State at most the `maximum`."),
    ("EXCEEDS_INVOICE", "The recognised credits of the invoice would exceed its total. State a smaller amount."),
    ("EXCEEDS_INVOICE_BALANCE", "The amount is larger than the balance of the invoice. State at most the `maximum`."),
    ("EXCEEDS_TILL_CASH", "The till does not hold that much cash. State a smaller amount, or put cash in first."),
    ("HAS_APPLICATIONS", "A payment or credit is applied. Such a document cannot be voided; reverse the payment or grant a credit."),
    ("HAS_REFUNDS", "The document has a refund. Void the refund first."),
    ("LINES_REQUIRED", "The invoice has no line. Add one first."),
    ("MIXED_FULFILMENT", "The goods of the invoice belong to several orders, or only some belong to one. Bill them separately."),
    ("NOTHING_TO_BILL", "The order has nothing left to bill. Receive more of a purchase order first, or void an invoice of the order."),
    ("NOTHING_TO_RECOGNIZE", "Every line has an order, and the delivery of the order recognises the revenue. Deliver the order instead."),
    ("NOT_APPLIED", "The payment is not applied to an invoice. Void it instead."),
    ("NO_GOODS", "The invoice has no line with goods. Issue or recognise it instead."),
    ("ORDER_NOT_CONFIRMED", "Only a CONFIRMED order can be delivered. Confirm a DRAFT first; issue the invoice of a COMPLETED order instead."),
    ("ORDER_NOT_OPEN", "Only an APPROVED or PARTIALLY_RECEIVED order can be received. Approve a DRAFT first; recognise the invoice of a RECEIVED order instead."),
    ("POS_RECEIPT", "A register collected the payment, and it settles only its order. To repay the customer, grant a credit and refund the credit."),
    ("RECEIPT_REQUIRED", "The line bills units that are not received. Receive the order, or confirm the invoice with its goods."),
    ("SESSION_CLOSED", "The cash session is closed. Use an open session."),
    ("SUM_MISMATCH", "The amounts do not add up to the amount of the document. Make the sums equal."),
    ("TWO_COSTS", "Lines of one variant have different costs. State one cost for each variant."),
    ("TWO_PRICES", "Lines of one variant have different prices. State one price for each variant."),
];
