//! The records of a company: one of each kind, made when it is first asked for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::contract::Contract;
use stoa_tests::{Answer, Company};

use super::fields::{Form, fields, forms};
use super::kinds::{self, Kind, PutAway, is_owing, kind_of, named};

/// Records of one company, each made when it is first asked for, all of them fitting each other.
#[derive(Clone)]
pub struct Records {
    pub company: Company,
    prefix: &'static str,
    made: Rc<RefCell<BTreeMap<&'static str, Json>>>,
}

impl Records {
    /// `prefix` is part of every text that is written.
    pub fn new(company: &Company, prefix: &'static str) -> Records {
        Records { company: company.clone(), prefix, made: Rc::default() }
    }

    /// One of every kind that the contract's operations name or need.
    pub fn fill(&self, contract: &Contract) {
        for operation in &contract.operations {
            for form in forms(contract, operation) {
                self.all_of(&form, contract);
            }
        }
    }

    pub fn id(&self, kind: &'static Kind) -> String {
        self.record(kind)["id"].as_str().unwrap_or_else(|| panic!("a {} without an id", kind.name)).to_string()
    }

    /// The record as its creation answered it.
    pub fn record(&self, kind: &'static Kind) -> Json {
        if let Some(known) = self.made.borrow().get(kind.name) {
            return known.clone();
        }
        let answer = (kind.make)(self);
        assert!((200..300).contains(&answer.status), "a {}: {answer}", kind.name);
        self.made.borrow_mut().insert(kind.name, answer.body.clone());
        answer.body
    }

    /// Makes everything that a form names or needs.
    pub fn all_of(&self, form: &Form, contract: &Contract) {
        for field in fields(contract, form) {
            if let Some(kind) = kind_of(form, &field).filter(|_| kinds::exempt(form, &field).is_none()) {
                self.id(kind);
            }
        }
        self.needs_of(form);
    }

    /// Makes what a form needs without naming it.
    pub fn needs_of(&self, form: &Form) {
        for kind in kinds::needs(form) {
            self.record(kind);
        }
    }

    /// Puts the record of this kind away; false where such a record stays for ever.
    pub fn archive(&self, kind: &'static Kind) -> bool {
        let id = self.id(kind);
        let answer = match kind.put_away {
            PutAway::Archive => self.company.archive(&format!("{}/{id}", kind.collection)),
            PutAway::Other(put_away) => put_away(self, &id),
            PutAway::Never => return false,
        };
        let stays = is_owing(&answer);
        assert!(stays || (200..300).contains(&answer.status), "{answer}");
        !stays
    }

    /// The ids of everything that was made.
    pub fn known(&self) -> Vec<String> {
        let made = self.made.borrow();
        let mut known: Vec<String> =
            made.values().filter_map(|record| record["id"].as_str().map(String::from)).collect();
        known.push(self.company.tenant.clone());
        known
    }

    /// The id of the record of the kind of this name.
    #[track_caller]
    pub fn id_of(&self, name: &str) -> String {
        self.id(named(name))
    }

    /// The id of the record of this kind, if there is one already.
    pub fn made(&self, name: &str) -> Option<String> {
        self.made.borrow().get(name)?["id"].as_str().map(String::from)
    }

    pub fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// A text that is a name, a code and a SKU alike.
    pub fn word(&self) -> String {
        fresh(self.prefix)
    }

    pub fn lookup(&self, kind: &str) -> Answer {
        let word = self.word();
        self.company.post(&format!("catalog/lookups/{kind}"), json!({ "name": word, "code": word }))
    }
}
