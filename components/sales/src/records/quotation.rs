//! Quotations: as they are kept, and as people and API clients see them (sales-pos.md 4). There is no event of a quotation.

use stoa_sdk::{Id, Instant, Reply, collection, tenant, text_enum};
use stoa_trade::goods::PriceAdjustment;
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking};
use stoa_trade::{JsonList, resource, with_lines};

use crate::records::order::OrderRow;
use crate::records::order_item::{OrderItemRow, SalesOrderItemWrite};
use crate::records::price_figures::PriceFigures;

/// Audit name of quotations.
pub const QUOTATION: &str = "QUOTATION";

text_enum! {
    /// A DRAFT becomes SENT, then ACCEPTED, REJECTED or EXPIRED. It is EXPIRED past `validUntil`, or once it is withdrawn or
    /// revised. A DRAFT can also become REJECTED.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum QuotationStatus {
        Draft => "DRAFT", Sent => "SENT", Accepted => "ACCEPTED", Rejected => "REJECTED", Expired => "EXPIRED",
    }
}

collection! {
    /// `number_key` is the number as it is compared. A SENT one whose `valid_until` has come is EXPIRED, though its row
    /// says SENT.
    pub record QuotationRow in "quotation" {
        number: String,
        number_key: String,
        legal_entity_id: Id,
        customer_id: Id,
        warehouse_id: Option<Id>,
        price_list_id: Id,
        currency_code: String,
        status: QuotationStatus,
        valid_until: Option<Instant>,
        notes: Option<String>,
        total: Amount,
        prices_as_of: Instant,
        item_count: i64,
        sent_at: Option<Instant>,
        accepted_at: Option<Instant>,
        rejected_at: Option<Instant>,
        expired_at: Option<Instant>,
        close_reason: Option<String>,
        order_id: Option<Id>,
        revision_of: Option<Id>,
    }
    unique { number: [legal_entity_id, number_key] }
    index { [status, id], [customer_id, id], [updated_at] }
    search { number: [number] }
    fixed [number, legal_entity_id]
}

collection! {
    /// `line_no` null: taken out of the draft. `product_id`: audit entries are found by it. `agreed_price` null: the
    /// line follows the list, which extensions may adjust (`adjusted_price`), until the quotation is sent.
    pub record QuotationItemRow in "quotation_item" {
        quotation_id: Id,
        variant_id: Id,
        product_id: Id,
        line_no: Option<i64>,
        sku: String,
        description: String,
        tracking: Tracking,
        quantity: Quantity,
        price_id: Id,
        list_price: Money,
        agreed_price: Option<Money>,
        reason: Option<String>,
        unit_price: Money,
        line_total: Amount,
        adjusted_price: Option<Money>,
        adjustments: Option<JsonList<PriceAdjustment>>,
    }
    unique { variant: [quotation_id, variant_id] }
}

impl QuotationRow {
    /// Returns whether its end has come by this instant: `validUntil` itself is too late.
    pub fn has_lapsed(&self, now: Instant) -> bool {
        self.status == QuotationStatus::Sent && self.valid_until.is_some_and(|until| until <= now)
    }

    /// Its state by the clock.
    pub fn status_at(&self, now: Instant) -> QuotationStatus {
        if self.has_lapsed(now) { QuotationStatus::Expired } else { self.status }
    }
}

resource! {
    /// A quotation in a list, as returned to API clients.
    pub struct ApiQuotationHeader of row: QuotationRow, now: Instant {
        id: Id,
        number: String,
        legal_entity_id: Id,
        status: QuotationStatus = row.status_at(now),
        #[schemars(range(min = 1))]
        version: i64,
        customer_id: Id,
        warehouse_id: Option<Id>,
        price_list_id: Id,
        currency_code: String,
        /// Exclusive end of validity; null: no end.
        valid_until: Option<Instant>,
        /// Exact sum of the lines.
        total: Amount,
        /// Instant at which its prices were last read from the list.
        prices_as_of: Instant,
        item_count: i64,
        sent_at: Option<Instant>,
        accepted_at: Option<Instant>,
        rejected_at: Option<Instant>,
        expired_at: Option<Instant> = if row.has_lapsed(now) { row.valid_until } else { row.expired_at },
        close_reason: Option<String>,
        /// Id of the sales order that the acceptance created; null before that.
        order_id: Option<Id>,
        /// Id of the quotation that it replaces; null for none.
        revision_of: Option<Id>,
        created_at: Instant,
        updated_at: Instant,
    }
}

resource! {
    /// A quotation in a list, as returned to users.
    pub struct QuotationHeader of row: QuotationRow, now: Instant {
        tenant_id: Id = tenant(),
        notes: Option<String>,
        #[serde(flatten)]
        public: ApiQuotationHeader = ApiQuotationHeader::from_row(row, now),
    }
}

resource! {
    /// A line of a quotation.
    pub struct QuotationItem of row: QuotationItemRow, price: PriceFigures {
        id: Id,
        #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
        line_no: i64 = row.line_no.unwrap_or_default() + 1,
        variant_id: Id,
        sku: String,
        /// Name of the product when the line was last priced.
        description: String,
        quantity: Quantity,
        tracking_mode: Tracking = row.tracking,
        #[serde(flatten)]
        price: PriceFigures = price,
    }
}

with_lines! {
    /// A quotation as returned to users.
    pub struct Quotation of row: QuotationRow, now: Instant => QuotationHeader, items: [QuotationItem; LINES];
    /// A quotation as returned to API clients.
    pub struct ApiQuotation of row: QuotationRow, now: Instant => ApiQuotationHeader, items: [QuotationItem; LINES];
}

resource! {
    /// Receipt of a write.
    pub struct QuotationWrite of row: QuotationRow, now: Instant {
        id: Id,
        number: String,
        status: QuotationStatus = row.status_at(now),
        #[schemars(range(min = 1))]
        version: i64,
        total: Amount,
        created_at: Instant,
        updated_at: Instant,
    }
}

resource! {
    /// A line of a quotation in a receipt.
    pub struct QuotationItemWrite of row: QuotationItemRow {
        id: Id,
        variant_id: Id,
    }
}

with_lines! {
    /// Receipt of a draft: its lines in the order of the request.
    pub struct QuotationDraftWrite of row: QuotationRow, now: Instant => QuotationWrite, items: [QuotationItemWrite; LINES];
}

resource! {
    /// Result of an acceptance: the quotation and the created order.
    pub struct QuotationAcceptance of row: QuotationRow, order: &OrderRow, items: &[OrderItemRow] {
        /// Id of the quotation.
        id: Id,
        /// Version of the quotation after the acceptance.
        #[schemars(range(min = 1))]
        version: i64,
        order_id: Id = order.id,
        order_number: String = order.number.clone(),
        #[schemars(range(min = 1))]
        order_version: i64 = order.version,
        /// Lines of the created order, in the order of the quotation.
        #[schemars(length(max = stoa_trade::limits::LINES))]
        order_items: Vec<SalesOrderItemWrite> = items.iter().map(SalesOrderItemWrite::from_row).collect(),
        /// Instant at which the order was created; null before that.
        created_at: Instant = order.created_at,
    }
}

/// The receipt of a write; the audit entry is found by the customer too.
pub fn receipt(row: &QuotationRow, now: Instant) -> Reply {
    Reply::json(&QuotationWrite::from_row(row, now)).resource(row.id).subject(row.customer_id)
}

/// As [`receipt`], with the ids of the lines that the draft has now.
pub fn draft_receipt(row: &QuotationRow, now: Instant, items: &[QuotationItemRow]) -> Reply {
    let items = items.iter().map(QuotationItemWrite::from_row).collect();
    Reply::json(&QuotationDraftWrite::from_row(row, now, items)).resource(row.id).subject(row.customer_id)
}
