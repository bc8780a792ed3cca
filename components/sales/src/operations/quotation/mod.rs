//! The operations of quotations (sales-pos.md 4.3). None has an event but an acceptance, which makes an order.

mod accept;
mod close;
mod draft;
mod input;
mod list;
mod revise;
mod send;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::document::version::ReasonedTransition;

use crate::operations::order::{PRICED, PRICED_AND_NUMBERED};
use crate::operations::quotation::input::{
    AcceptQuotation, ExpireQuotation, QuotationInput, ReviseQuotation, SendQuotation,
};
use crate::operations::quotation::list::ListQuotations;
use crate::records::order::SALE_CREATED;
use crate::records::permission::{CLIENT_DRAFT, CLIENT_WRITE, CREATE, DRAFT, READ};
use crate::records::quotation::{
    ApiQuotation, ApiQuotationHeader, QUOTATION, Quotation, QuotationAcceptance, QuotationDraftWrite, QuotationHeader,
    QuotationWrite,
};

/// Problem codes of a draft.
const DRAFTING: &[&str] =
    &["DUPLICATE", "REFERENCE_INVALID", "PRICE_NOT_EXACT", "DISCOUNT_EXCEEDS_PRICE", "LIMIT_EXCEEDED"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/quotations", "listQuotations", list::list).summary("Quotations")
        .description("`status` is the current state: a SENT quotation past `validUntil` is reported as EXPIRED.")
        .needs(READ).query::<ListQuotations>().answers::<Page<QuotationHeader>>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<Page<ApiQuotationHeader>>()),
    Operation::create("/sales/quotations", "createQuotation", draft::create).summary("Draft a quotation")
        .description("Lines get the prices in effect of the list; every line needs one, even with an agreed price. A variant \
            may appear on one line only: add its quantities up, or create a second quotation if prices differ.")
        .needs(DRAFT).body::<QuotationInput>().grows_with("/items").answers::<QuotationDraftWrite>().cache_control("no-store")
        .writes(QUOTATION, &[]).problems(DRAFTING)
        .item_codes(&["OTHER_ENTITY", "NOT_NORMAL"]).reaches(PRICED_AND_NUMBERED)
        .and_client(Client::new(CLIENT_DRAFT)
            .description("Only public price lists and published products. API clients cannot read or write `notes`.")),
    Operation::read("/sales/quotations/{id}", "getQuotation", list::read).summary("A quotation")
        .needs(READ).answers::<Quotation>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<ApiQuotation>()),
    Operation::replace("/sales/quotations/{id}", "replaceQuotation", draft::replace)
        .summary("Replace a draft of a quotation")
        .description("Full replacement, priced now. Number and legal entity must be the current ones.")
        .needs(DRAFT).body::<FullReplacement<QuotationInput>>().grows_with("/items").answers::<QuotationDraftWrite>().cache_control("no-store")
        .writes(QUOTATION, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "PRICE_NOT_EXACT",
            "DISCOUNT_EXCEEDS_PRICE", "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_ENTITY", "NOT_NORMAL"]).reaches(PRICED)
        .and_client(Client::new(CLIENT_DRAFT)
            .description("Full replacement, priced now, except `notes`, which are kept.")),
    Operation::transition("/sales/quotations/{id}/send", "sendQuotation", send::send).summary("Send a quotation")
        .description("Lines without an agreed price are priced now, and every price becomes binding. The host sends no mail: \
            you deliver the quotation to the customer.")
        .needs(DRAFT).body::<SendQuotation>().answers::<QuotationWrite>().cache_control("no-store")
        .writes(QUOTATION, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "REFERENCE_INVALID", "QUOTATION_EXPIRED", "TOTAL_CHANGED",
            "LIMIT_EXCEEDED"])
        .reaches(PRICED)
        .and_client(Client::new(CLIENT_DRAFT)),
    Operation::create("/sales/quotations/{id}/accept", "acceptQuotation", accept::accept).summary("Accept a quotation")
        .description("Creates a draft of a sales order at the quoted prices, once.")
        .needs(DRAFT).body::<AcceptQuotation>().answers::<QuotationAcceptance>().cache_control("no-store")
        .writes(QUOTATION, &[SALE_CREATED.code])
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "QUOTATION_EXPIRED", "ARCHIVED", "REFERENCE_INVALID", "DUPLICATE",
            "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_ENTITY", "NOT_NORMAL"]).reaches(PRICED_AND_NUMBERED)
        .and_client(Client::new(CLIENT_DRAFT)),
    Operation::transition("/sales/quotations/{id}/reject", "rejectQuotation", close::reject).summary("Reject a quotation")
        .description("Rejects a SENT quotation before its end, or drops a DRAFT.")
        .needs(CREATE).body::<ReasonedTransition>().answers::<QuotationWrite>().cache_control("no-store")
        .writes(QUOTATION, &[]).without_if_match().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::transition("/sales/quotations/{id}/expire", "expireQuotation", close::expire).summary("Withdraw a quotation")
        .description("Withdraws a SENT quotation, also after its end.")
        .needs(CREATE).body::<ExpireQuotation>().answers::<QuotationWrite>().cache_control("no-store")
        .writes(QUOTATION, &[]).without_if_match().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
    Operation::create("/sales/quotations/{id}/revise", "reviseQuotation", revise::revise).summary("Revise a quotation")
        .description("Creates a new draft with the same lines and agreed prices. A SENT quotation expires with it.")
        .needs(DRAFT).body::<ReviseQuotation>().answers::<QuotationDraftWrite>().cache_control("no-store")
        .writes(QUOTATION, &[])
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "DUPLICATE", "ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"])
        .reaches(PRICED_AND_NUMBERED),
];
