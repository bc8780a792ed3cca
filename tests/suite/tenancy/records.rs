//! The kinds of records that ids name, and how a company gets one of each. A module that comes later adds its kinds here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, price, product, with};
use stoa_tests::contract::Contract;
use stoa_tests::people::somebody;
use stoa_tests::{Answer, Company};

use super::fields::{Field, Form, Place, fields};

/// A kind of record.
pub struct Kind {
    pub name: &'static str,
    /// The path below which `{id}` names one; empty where its id always has a name of its own.
    collection: &'static str,
    /// Fields that name one anywhere.
    names: &'static [&'static str],
    make: fn(&Records) -> Answer,
    put_away: PutAway,
}

/// How a record comes to be one that cannot be used any more.
enum PutAway {
    /// POST to its collection, its id and `archive`.
    Archive,
    Other(fn(&Records, &str) -> Answer),
    Never,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "brand",
        collection: "catalog/lookups/brands",
        names: &["brandId"],
        make: |records| records.lookup("brands"),
        put_away: PutAway::Archive,
    },
    Kind {
        name: "category",
        collection: "catalog/lookups/categories",
        names: &["categoryId", "parentId"],
        make: |records| records.lookup("categories"),
        put_away: PutAway::Archive,
    },
    Kind {
        name: "manufacturer",
        collection: "catalog/lookups/manufacturers",
        names: &["manufacturerId"],
        make: |records| records.lookup("manufacturers"),
        put_away: PutAway::Archive,
    },
    Kind {
        name: "unit",
        collection: "catalog/lookups/units",
        names: &[],
        make: |records| records.lookup("units"),
        put_away: PutAway::Archive,
    },
    Kind {
        name: "product",
        collection: "catalog/products",
        names: &["productId", "resourceId"],
        make: |records| {
            // Published, so that API clients see it, and with everything that a filter finds it by.
            let members = json!({
                "brandId": records.id_of("brand"),
                "categoryId": records.id_of("category"),
                "manufacturerId": records.id_of("manufacturer"),
                "publicationStatus": "PUBLISHED",
                "variants": [{ "sku": records.word() }],
            });
            records.company.post("catalog/products", with(&product(&records.word()), members))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "product without variants",
        collection: "",
        names: &[],
        make: |records| records.company.post("catalog/products", product(&records.word())),
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("catalog/products/{id}"))),
    },
    Kind {
        name: "variant",
        collection: "catalog/variants",
        names: &["variantId"],
        make: |records| {
            let product = records.id_of("product");
            let read = records.company.get(&format!("catalog/products/{product}/variants")).is(200);
            let variant = read.items()[0]["id"].as_str().unwrap_or_default();
            records.company.get(&format!("catalog/variants/{variant}"))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "medium",
        collection: "catalog/media",
        names: &["mediaId"],
        make: |records| {
            let url = format!("https://example.test/{}", records.word());
            records.company.post(&format!("catalog/products/{}/media", records.id_of("product")), json!({ "url": url }))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "price list",
        collection: "pricing/price-lists",
        names: &["listId", "priceListId"],
        make: |records| {
            let word = records.word();
            let body = json!({ "code": word, "name": word, "currencyCode": "EUR", "visibility": "PUBLIC" });
            records.company.post("pricing/price-lists", body)
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "price",
        collection: "",
        names: &["priceId"],
        make: |records| {
            let path = format!("pricing/price-lists/{}/prices", records.id_of("price list"));
            records.company.post(&path, price(&records.id_of("variant"), "9.99", None, None))
        },
        put_away: PutAway::Other(|records, id| {
            records.company.archive(&format!("pricing/price-lists/{}/prices/{id}", records.id_of("price list")))
        }),
    },
    Kind {
        name: "API client",
        collection: "api-clients",
        names: &["clientId"],
        make: |records| {
            records.company.post("api-clients", json!({ "name": records.word(), "scopes": ["catalog.read"] }))
        },
        put_away: PutAway::Other(|records, id| {
            let request = records.company.request("PATCH", &format!("api-clients/{id}/status"));
            request.json(&json!({ "status": "REVOKED" })).send()
        }),
    },
    Kind {
        name: "API key",
        collection: "",
        names: &["keyId"],
        make: |records| records.company.post(&format!("api-clients/{}/keys", records.id_of("API client")), json!({})),
        put_away: PutAway::Other(|records, id| {
            let path = format!("api-clients/{}/keys/{id}/revoke", records.id_of("API client"));
            records.company.post(&path, json!({}))
        }),
    },
    Kind {
        name: "role",
        collection: "iam/roles",
        names: &["roleId"],
        make: |records| {
            let role = records.company.role(&records.word(), &["catalog.read"]);
            records.company.get(&format!("iam/roles/{role}"))
        },
        put_away: PutAway::Other(|records, id| {
            records.company.iam("set_role_status", json!({ "roleId": id, "status": "DISABLED" }))
        }),
    },
    Kind {
        name: "membership",
        collection: "iam/memberships",
        names: &["membershipId"],
        make: |records| {
            let (membership, _) = records.company.member(records.prefix, &[&records.id_of("role")]);
            records.company.get(&format!("iam/memberships/{membership}"))
        },
        put_away: PutAway::Other(|records, id| {
            records.company.iam("set_membership_status", json!({ "membershipId": id, "status": "SUSPENDED" }))
        }),
    },
    Kind {
        name: "user",
        collection: "",
        names: &["userId"],
        make: |records| {
            let token = records.company.host.token(&somebody(records.prefix));
            records.company.host.get_with("/v1/auth/me", &token)
        },
        put_away: PutAway::Never,
    },
];

/// Fields whose kind their name does not tell: operation, field, kind.
const SPECIAL: &[(&str, &str, &str)] = &[("deleteProduct", "id", "product without variants")];

/// Records that an operation finds by way of others, and names nowhere: without them it has nothing to answer.
const NEEDS: &[(&str, &str)] =
    &[("resolvePrice", "price"), ("resolvePriceAsClient", "price"), ("listMemberships", "membership")];

/// The kind of record that a field names.
pub fn kind_of(form: &Form, field: &Field) -> Option<&'static Kind> {
    let named = |name: &str| KINDS.iter().find(|kind| kind.name == name);
    if let Some((.., kind)) = SPECIAL.iter().find(|(of, name, _)| *of == form.operation.id && *name == field.name) {
        return named(kind);
    }
    if let Some(kind) = KINDS.iter().find(|kind| kind.names.contains(&field.name.as_str())) {
        return Some(kind);
    }
    let Place::Path(name) = &field.place else { return None };
    let template = form.template();
    let (collection, _) = template.split_once(&format!("/{{{name}}}"))?;
    KINDS.iter().find(|kind| kind.collection == collection)
}

/// Records of one company, each made when it is first asked for, all of them fitting each other.
#[derive(Clone)]
pub struct Records {
    pub company: Company,
    prefix: &'static str,
    made: Rc<RefCell<BTreeMap<&'static str, Json>>>,
}

impl Records {
    /// `prefix` stands in every text that is written.
    pub fn of(company: &Company, prefix: &'static str) -> Records {
        Records { company: company.clone(), prefix, made: Rc::default() }
    }

    /// One of every kind.
    pub fn fill(&self) {
        for kind in KINDS {
            self.id(kind);
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
            if let Some(kind) = kind_of(form, &field).filter(|_| field.exempt(form).is_none()) {
                self.id(kind);
            }
        }
        self.needs_of(form);
    }

    /// Makes what a form needs without naming it.
    pub fn needs_of(&self, form: &Form) {
        for (_, kind) in NEEDS.iter().filter(|(operation, _)| *operation == form.operation.id) {
            self.id_of(kind);
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
        assert!((200..300).contains(&answer.status), "{answer}");
        true
    }

    /// The ids of everything that was made.
    pub fn known(&self) -> Vec<String> {
        let made = self.made.borrow();
        let mut known: Vec<String> =
            made.values().filter_map(|record| record["id"].as_str().map(String::from)).collect();
        known.push(self.company.tenant.clone());
        known
    }

    fn id_of(&self, name: &str) -> String {
        let kind = KINDS.iter().find(|kind| kind.name == name);
        self.id(kind.unwrap_or_else(|| panic!("no kind of record is a {name}")))
    }

    /// A text that is a name, a code and a SKU alike.
    fn word(&self) -> String {
        fresh(self.prefix)
    }

    fn lookup(&self, kind: &str) -> Answer {
        let word = self.word();
        self.company.post(&format!("catalog/lookups/{kind}"), json!({ "name": word, "code": word }))
    }
}
