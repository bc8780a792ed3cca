//! Intended scans, each with the reason. The statistics of the day may decide if a statement makes one, so a scan that
//! no statement makes is not a fault.

use super::plan::Scan;

pub struct Meant {
    why: &'static str,
    /// Tables, each with a part of what is looked for on the way; of the statement where that is nothing, or where it
    /// is its limit.
    scans: &'static [(&'static str, &'static str)],
}

pub const MEANT: &[Meant] = &[
    Meant {
        why: "once as a host starts: the keys under which secrets are stored",
        scans: &[("stoa_webhook_endpoint", "select distinct key_id")],
    },
    Meant {
        why: "a text is looked for, and under row-level security no index serves that: 10,000 rows of the company are read at most",
        scans: &[
            ("finance_invoice", "search_number"),
            ("finance_payment", "search_number"),
            ("finance_credit", "search_number"),
            ("finance_refund", "search_number"),
            ("finance_invoice", "search_text"),
            ("finance_payment", "search_text"),
            ("finance_credit", "search_text"),
            ("finance_refund", "search_text"),
            ("finance_supplier_return", "search_number"),
            ("finance_supplier_return", "search_text"),
            ("catalog_lookup", "search_lineage"),
            ("catalog_variant", "search_text"),
            ("inventory_stock_count", "search_number"),
            ("inventory_transfer_order", "search_number"),
            ("ledger_branch", "search_text"),
            ("procurement_purchase_order", "search_number"),
            ("sales_quotation", "search_number"),
            ("sales_sales_order", "search_number"),
            ("stoa_audit", "strpos"),
        ],
    },
    Meant {
        why: "how far a search of text may look: the ten thousandth row from the cursor on",
        scans: &[
            ("catalog_lookup", "limit 2 offset 9999"),
            ("catalog_product", "limit 2 offset 9999"),
            ("catalog_variant", "limit 2 offset 9999"),
            ("finance_credit", "limit 2 offset 9999"),
            ("finance_invoice", "limit 2 offset 9999"),
            ("finance_payment", "limit 2 offset 9999"),
            ("finance_refund", "limit 2 offset 9999"),
            ("finance_supplier_return", "limit 2 offset 9999"),
            ("inventory_location", "limit 2 offset 9999"),
            ("inventory_stock_count", "limit 2 offset 9999"),
            ("inventory_transfer_order", "limit 2 offset 9999"),
            ("inventory_warehouse", "limit 2 offset 9999"),
            ("ledger_account", "limit 2 offset 9999"),
            ("ledger_branch", "limit 2 offset 9999"),
            ("ledger_journal_entry", "limit 2 offset 9999"),
            ("ledger_legal_entity", "limit 2 offset 9999"),
            ("pos_register", "limit 2 offset 9999"),
            ("pricing_price_list", "limit 2 offset 9999"),
            ("procurement_purchase_order", "limit 2 offset 9999"),
            ("procurement_supplier", "limit 2 offset 9999"),
            ("sales_customer", "limit 2 offset 9999"),
            ("sales_quotation", "limit 2 offset 9999"),
            ("sales_sales_order", "limit 2 offset 9999"),
            ("stoa_audit", "limit 1 offset 9999"),
            ("stoa_membership", "limit 1 offset 9999"),
            ("stoa_role", "limit 1 offset 9999"),
        ],
    },
    Meant {
        why: "one of a few words that very many rows have: a page in the order of ids is soon full",
        scans: &[
            ("finance_invoice", "(status = "),
            ("finance_payment", "(status = "),
            ("finance_credit", "(status = "),
            ("finance_refund", "(status = "),
            ("finance_invoice", "currency_code = "),
            ("finance_payment", "currency_code = "),
            ("finance_credit", "currency_code = "),
            ("finance_refund", "currency_code = "),
            ("finance_payment", "(origin = "),
            ("finance_payment", "(method = "),
            ("finance_refund", "(method = "),
            ("finance_credit", "(reason_type = "),
            ("finance_supplier_return", "currency_code = "),
            ("pos_receipt", "has_"),
            ("pos_receipt", "currency_code = "),
            ("catalog_variant", "(status = $2)"),
            ("inventory_movement", "_type = $2"),
            ("inventory_reservation", "(source = $2)"),
            ("inventory_transfer_order", "status = ANY"),
            ("inventory_unit", "(condition = $2)"),
            ("inventory_unit", "(grade = $2)"),
            ("inventory_unit", "(status = $2)"),
            ("pricing_price", "(status = $2)"),
            ("procurement_purchase_order", "currency_code"),
            ("sales_customer", "profile_kind"),
            ("sales_quotation", "currency_code"),
            ("sales_sales_order", "collectable"),
            ("sales_sales_order", "currency_code"),
            ("sales_sales_order", "pos_receipt_id IS NULL"),
            ("stoa_audit", "'result'::text) = $2"),
            ("stoa_audit", "actor_type = $2"),
            ("stoa_audit", "operation = $2"),
            ("stoa_event", "(kind = $2)"),
            ("stoa_webhook_delivery", "kind = "),
            ("stoa_webhook_delivery", "status = "),
            ("stoa_audit", "resource_type = $2"),
        ],
    },
    Meant {
        why: "a list between two instants is in the order of ids, which is that of time: it begins at the newest row",
        scans: &[
            ("pos_receipt", "created_at"),
            ("pos_session", "opened_at"),
            ("inventory_movement", "created_at"),
            ("inventory_reservation", "created_at"),
            ("inventory_stock_count", "created_at"),
            ("inventory_transfer_order", "created_at"),
            ("procurement_purchase_order", "created_at"),
            ("procurement_receipt", "created_at"),
            ("sales_quotation", "created_at"),
            ("sales_sales_order", "created_at"),
            ("sales_sales_return", "created_at"),
            ("stoa_audit", "created_at"),
            ("stoa_event", "created_at"),
            ("stoa_webhook_delivery", "created_at"),
        ],
    },
    Meant {
        why: "a day that comes soon after a document's beginning: in the order of ids one between two days is not far",
        scans: &[
            ("finance_invoice", "issued_on"),
            ("finance_invoice", "due_on"),
            ("finance_payment", "paid_on"),
            ("finance_credit", "recognized_on"),
            ("finance_refund", "refunded_on"),
            ("finance_supplier_return", "shipped_on"),
            ("pos_session", "closed_at"),
            ("procurement_purchase_order", "expected_on"),
            ("sales_quotation", "valid_until"),
            ("sales_sales_order", "confirmed_at"),
            ("sales_sales_order", "completed_at"),
        ],
    },
    Meant {
        why: "sums between two bounds: numbers are not leakproof, so that under row-level security no index serves them",
        scans: &[
            ("finance_credit", "amount"),
            ("finance_invoice", "total"),
            ("finance_payment", "amount"),
            ("finance_refund", "amount"),
            ("pos_receipt", "total"),
            ("procurement_purchase_order", "total"),
            ("sales_quotation", "total"),
            ("sales_sales_order", "total"),
        ],
    },
    Meant {
        why: "what is on its way is a small part of what ever was",
        scans: &[("procurement_shipment", "stage = ANY")],
    },
    Meant {
        why: "few entries follow from another, and the index has only these",
        scans: &[("inventory_cost_entry", "source_entry_id = ANY")],
    },
    Meant {
        why: "an index on `updated_at` would be written with every change of a hot row (docs/decisions/022)",
        scans: &[
            ("inventory_cost_layer", "updated_at"),
            ("inventory_stock", "updated_at"),
            ("inventory_unit", "updated_at"),
            ("pos_session", "updated_at"),
        ],
    },
    Meant {
        why: "changes and removals of a catalog are listed in the order of ids: no index has `updated_at` (docs/decisions/022)",
        scans: &[
            ("catalog_lookup", "updated_at"),
            ("catalog_media", "updated_at"),
            ("catalog_product", "publication_status <>"),
            ("catalog_product", "updated_at"),
            ("catalog_variant", "updated_at"),
            ("pricing_price", "updated_at"),
            ("pricing_price", "valid_to"),
        ],
    },
    Meant {
        why: "a company has few of them",
        scans: &[
            ("inventory_location", "updated_at"),
            ("inventory_warehouse", "updated_at"),
            ("ledger_account", "updated_at"),
            ("ledger_branch", "updated_at"),
            ("ledger_money_account", "updated_at"),
            ("pos_register", "status"),
            ("pos_register", "updated_at"),
            ("pricing_price_list", "updated_at"),
            ("ledger_branch", "status"),
            ("ledger_legal_entity", ""),
            ("ledger_money_account", "status"),
            ("ledger_period", "status"),
            ("ledger_role_mapping", "account_id IS NOT NULL"),
            ("stoa_api_client", "status"),
            ("stoa_webhook_endpoint", "status"),
            ("stoa_membership", ""),
            ("stoa_membership_role", ""),
            ("stoa_role", ""),
            ("stoa_role_permission", ""),
        ],
    },
    Meant {
        why: "the purge takes five hundred rows of all companies at a time, a tenth of what is here: of more it would read each by its key",
        scans: &[
            ("stoa_event", "limit 500)"),
            ("stoa_idempotency", "limit 500)"),
            ("stoa_permit", "limit 500)"),
            ("stoa_webhook_delivery", "limit 500)"),
        ],
    },
    Meant {
        why: "the first one found is enough, and PostgreSQL hopes to find one early; there is an index for where it does not",
        scans: &[("catalog_product", "unit_code"), ("stoa_webhook_lane", "due_at")],
    },
    Meant {
        why: "operators look at all companies of a module; it has one row in each, and few are in trouble",
        scans: &[("stoa_listener", "trouble"), ("stoa_timer_lag", "tries"), ("stoa_timer_lag", "module")],
    },
    Meant {
        why: "an operator looks for a part of a company's name: no index serves that, and a page of companies is soon full",
        scans: &[("stoa_tenant", "lower(name)")],
    },
    Meant {
        why: "a look at all companies for those with events that a module has not received, each of them by its key",
        scans: &[
            ("stoa_tenant", "stoa_listener"),
            ("stoa_listener", "stoa_tenant"),
            ("stoa_listener", "retry_at"),
            ("stoa_tenant", "stoa_timer_lag"),
        ],
    },
    Meant {
        why: "a timer has one row, and all are read by a host that looks for one that is due",
        scans: &[
            ("stoa_timer", "until"),
            ("stoa_generation_point", "after-commit"),
            ("stoa_generation_point", "point"),
        ],
    },
    Meant {
        why: "a company has few entities, and of each very many of these",
        scans: &[("inventory_unit", "legal_entity_id")],
    },
    Meant {
        why: "whether anything is in a warehouse is asked once, when it is archived",
        scans: &[("inventory_stock", "on_hand")],
    },
    Meant {
        why: "of all invoices ever issued, those that are paid are nearly all: who asks for these waits for their ids",
        scans: &[("finance_invoice_balance", "settled_on IS NOT NULL")],
    },
    Meant {
        why: "a user who asks what one record emitted waits for it: an index would be written with every event",
        scans: &[("stoa_event", "(resource_id = $2)")],
    },
    Meant {
        why: "the relay looks whether there are events behind its place, and reads the two hundred that come next",
        scans: &[("stoa_event", "order by id limit 200"), ("stoa_event", "e.id > c.last_event")],
    },
    Meant {
        why: "`stoa verify` goes through everything once, a page after the other",
        scans: &[
            ("finance_party_entry", "legal_entity_id = $4"),
            ("finance_party_entry", "limit 6"),
            ("inventory_cost_pool", "order by t.\"legal_entity_id\", t.\"id\""),
            ("procurement_purchase_item", "tracking <> "),
        ],
    },
];

impl Meant {
    /// Returns whether a scan is one of these.
    pub fn is_of(&self, scan: &Scan, sql: &str) -> bool {
        let is_it = |(table, text): &(&str, &str)| *table == scan.table && is_looked_for(text, scan, sql);
        !self.why.is_empty() && self.scans.iter().any(is_it)
    }
}

fn is_looked_for(text: &str, scan: &Scan, sql: &str) -> bool {
    let in_statement = scan.filter.is_empty() || text.starts_with("limit ");
    if in_statement { sql.contains(text) } else { scan.filter.contains(text) }
}
