//! Scans that are meant, each with the reason. What is listed as owed is no reason for good: an index or another text would mend it.

use std::collections::BTreeSet;

use super::plan::Scan;

pub struct Meant {
    why: &'static str,
    /// Tables, each with a part of what is looked for on the way, or of the statement where that is nothing.
    scans: &'static [(&'static str, &'static str)],
}

pub const MEANT: &[Meant] = &[
    Meant {
        why: "a text is looked for, and under row-level security no index serves that: the rows of the company are read",
        scans: &[
            ("catalog_lookup", "search_lineage"),
            ("catalog_variant", "search_text"),
            ("inventory_stock_count", "search_number"),
            ("inventory_transfer_order", "search_number"),
            ("ledger_branch", "search_text"),
            ("ledger_legal_entity", "search_text"),
            ("pricing_price_list", "search_text"),
            ("stoa_audit", "strpos"),
        ],
    },
    Meant {
        why: "one of a few words that very many rows have: a page in the order of ids is soon full",
        scans: &[
            ("catalog_variant", "(status = $2)"),
            ("inventory_cost_entry", "(kind = $2)"),
            ("inventory_movement", "_type = $2"),
            ("inventory_reservation", "(source = $2)"),
            ("inventory_unit", "(condition = $2)"),
            ("inventory_unit", "(grade = $2)"),
            ("inventory_unit", "(status = $2)"),
            ("pricing_price", "(status = $2)"),
            ("stoa_audit", "'result'::text) = $2"),
            ("stoa_audit", "actor_type = $2"),
            ("stoa_audit", "operation = $2"),
            ("stoa_audit", "resource_type = $2"),
        ],
    },
    Meant {
        why: "a list between two instants is in the order of ids, which is that of time: it begins at the newest row",
        scans: &[
            ("inventory_movement", "created_at"),
            ("inventory_reservation", "created_at"),
            ("inventory_stock_count", "created_at"),
            ("inventory_transfer_order", "created_at"),
            ("stoa_audit", "created_at"),
        ],
    },
    Meant {
        why: "an index on `updated_at` would be written with every change of a hot row (ARCHITECTURE.md)",
        scans: &[("inventory_stock", "updated_at"), ("inventory_unit", "updated_at")],
    },
    Meant {
        why: "a company has few of them",
        scans: &[
            ("inventory_warehouse", ""),
            ("ledger_branch", "status"),
            ("ledger_legal_entity", ""),
            ("ledger_money_account", "status"),
            ("ledger_period", "status"),
            ("ledger_role_mapping", "account_id IS NOT NULL"),
            ("pricing_price_list", "status"),
            ("stoa_api_client", "status"),
            ("stoa_membership", ""),
            ("stoa_membership_role", ""),
            ("stoa_role", "status"),
            ("stoa_role_permission", ""),
        ],
    },
    Meant {
        why: "the purge takes five hundred rows of all companies at a time, a tenth of what is here: of more it would read each by its key",
        scans: &[("stoa_idempotency", "limit 500)"), ("stoa_permit", "limit 500)")],
    },
    Meant {
        why: "owed: whether a product counts in a unit is asked when the unit changes, and no index has its code",
        scans: &[("catalog_product", "unit_code")],
    },
    Meant {
        why: "owed: `has` by a column of the child that no index leads with, or by a word that many parents have",
        scans: &[("inventory_transfer_order", "status = ANY"), ("ledger_entry_line", "branch")],
    },
    Meant {
        why: "owed: units of an entity, and stock that is nowhere zero or everywhere, have no index of their own",
        scans: &[("inventory_unit", "legal_entity_id"), ("inventory_stock", "on_hand")],
    },
    Meant {
        why: "owed: a page of pools by entity and id is sorted from an index by entity and variant",
        scans: &[("inventory_cost_pool", "order by t.\"legal_entity_id\", t.\"id\"")],
    },
];

impl Meant {
    /// Whether a scan is one of these.
    pub fn is_of(&self, scan: &Scan, sql: &str) -> bool {
        let is_it = |(table, text): &(&str, &str)| *table == scan.table && is_looked_for(text, scan, sql);
        !self.why.is_empty() && self.scans.iter().any(is_it)
    }

    /// Those of its scans that no statement makes.
    pub fn find_unused<'a>(&'a self, found: &'a BTreeSet<(Scan, &str)>) -> impl Iterator<Item = String> + 'a {
        let is_made = |(table, text): &(&str, &str)| {
            found.iter().any(|(scan, sql)| *table == scan.table && is_looked_for(text, scan, sql))
        };
        self.scans.iter().filter(move |scan| !is_made(scan)).map(|(table, text)| format!("{table} for {text:?}"))
    }
}

fn is_looked_for(text: &str, scan: &Scan, sql: &str) -> bool {
    if scan.filter.is_empty() { sql.contains(text) } else { scan.filter.contains(text) }
}
