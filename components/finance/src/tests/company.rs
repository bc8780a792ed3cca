//! A company in which everything that a document may name is there: what stands in for the other modules, and what they were asked.

use std::cell::RefCell;
use std::rc::Rc;

use stoa_sdk::scripted::{Log, script};
use stoa_sdk::store::Reply;
use stoa_trade::clients::books::Posting;
use stoa_trade::clients::customers::Customer;
use stoa_trade::clients::{books, customers, money};

/// The postings, in their order.
pub type Posted = Rc<RefCell<Vec<Posting>>>;

/// Opens the company with these replies of the store; its entity keeps no books, and what it would post is told.
pub fn open(replies: Vec<Vec<Reply>>) -> (Rc<RefCell<Log>>, Posted) {
    books::stand_in_without_books();
    let posted = Posted::default();
    let reported = posted.clone();
    books::service::stand_in::post_all(move |postings| {
        reported.borrow_mut().extend_from_slice(postings);
        Ok(vec![None; postings.len()])
    });
    customers::service::stand_in::get(|ids| {
        let customer = |id: &(u64, u64)| Customer {
            id: *id,
            code: "ACME".to_owned(),
            name: "Acme".to_owned(),
            active: true,
            payment_term_days: Some(30),
        };
        ids.iter().map(customer).collect()
    });
    money::service::stand_in::resolve(|_, uses| Ok(vec![None; uses.len()]));
    (script(replies), posted)
}

/// The source and purpose of each entry, with its legs: role, side, amount.
pub fn legs(posted: &Posted) -> Vec<(String, Vec<String>)> {
    let leg = |leg: &books::Leg| {
        let target = match &leg.target {
            books::Target::Role(role) => role.clone(),
            books::Target::Account(_) => "account".to_owned(),
            books::Target::Money(_) => "money".to_owned(),
        };
        let side = if leg.side == books::Side::Debit { "debit" } else { "credit" };
        format!("{target} {side} {}", leg.amount)
    };
    let entry = |posting: &Posting| {
        (format!("{} {}", posting.source_kind, posting.purpose), posting.legs.iter().map(leg).collect())
    };
    posted.borrow().iter().map(entry).collect()
}
