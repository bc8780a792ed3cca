//! Finance: invoices, payments, credits, refunds and returns of both sides, the money of tills, and the books behind them.

mod crash;
mod credit_lines;
mod credits;
mod cycle;
mod duplicates;
mod failures;
mod fulfilment;
mod invoices;
mod lists;
mod model;
mod month_totals;
mod opening;
mod payments;
mod postings;
mod races;
mod recognition;
mod refunds;
mod registers;
mod reports;
mod reports_csv;
mod returns;
mod verify;
