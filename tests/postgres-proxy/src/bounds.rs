//! How many round trips to PostgreSQL a request may take: the one table that the suite asserts and the benchmark judges by.

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    pub figure: &'static str,
    pub most: usize,
    pub meaning: &'static str,
}

/// The table. A row that code makes smaller is lowered with that code; none is raised without a word why. BEGIN and COMMIT count,
/// and so does a COMMIT that a read's answer does not wait for, but in the row of what is awaited.
pub const BOUNDS: &[Bound] = &[
    Bound { figure: "statements_read", most: 3, meaning: "round trips of GET product" },
    Bound { figure: "statements_read_awaited", most: 2, meaning: "of these, those that its answer waits for" },
    Bound { figure: "statements_page", most: 3, meaning: "round trips that the answer of a shop's page waits for" },
    Bound { figure: "statements_write", most: 4, meaning: "round trips of a price write" },
    Bound { figure: "statements_adjustment", most: 6, meaning: "round trips of an adjustment that brings goods in" },
    Bound { figure: "statements_adjustment_books", most: 8, meaning: "the same where the entity keeps books" },
    Bound {
        figure: "statements_receipt",
        most: 20,
        meaning: "round trips of a goods receipt of ten lines, with books",
    },
    Bound { figure: "statements_receipt_line", most: 20, meaning: "the same of one line" },
    Bound { figure: "statements_receipt_lines", most: 20, meaning: "the same of a hundred lines" },
    Bound { figure: "statements_receipt_units", most: 20, meaning: "the same of one line of a hundred units" },
    Bound { figure: "statements_order_create", most: 9, meaning: "round trips of drafting an order of 10 lines" },
    Bound { figure: "statements_order_create_100", most: 9, meaning: "the same of 100 lines" },
    Bound { figure: "statements_order_confirm", most: 12, meaning: "round trips of confirming it, with books" },
    Bound { figure: "statements_order_confirm_100", most: 12, meaning: "the same of 100 lines" },
    Bound { figure: "statements_order_complete", most: 14, meaning: "round trips of delivering it, with books" },
    Bound { figure: "statements_order_complete_100", most: 14, meaning: "the same of 100 lines" },
    Bound { figure: "statements_sell", most: 14, meaning: "round trips of the service `sell` of 10 lines, with books" },
    Bound {
        figure: "statements_checkout",
        most: 24,
        meaning: "round trips of checking an order of 10 lines out, in cash and by card, with books",
    },
    Bound { figure: "statements_checkout_100", most: 24, meaning: "the same of 100 lines" },
    Bound { figure: "statements_sell_100", most: 14, meaning: "the same of 100 lines" },
    Bound {
        figure: "statements_invoice_issue",
        most: 14,
        meaning: "round trips of issuing an invoice of 10 lines, with books",
    },
    Bound {
        figure: "statements_invoice_confirm",
        most: 26,
        meaning: "round trips of confirming one with its goods, without an order, with books",
    },
    Bound { figure: "statements_payment_50", most: 10, meaning: "round trips of a payment of 50 invoices, with books" },
];

/// The row of this figure.
pub fn find_bound(figure: &str) -> Option<&'static Bound> {
    BOUNDS.iter().find(|bound| bound.figure == figure)
}
