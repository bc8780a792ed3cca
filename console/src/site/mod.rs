//! `Site`: the collections, records, forms and actions that the contract has, derived once for each ETag.

pub mod collection;
pub mod operation;
pub mod reference;
pub mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};

use crate::host::Contract;
use collection::{Collection, Group};
use operation::Operation;

/// Everything that pages need of a contract.
pub struct Site {
    pub etag: String,
    /// `components.schemas` of the contract, by name.
    pub schemas: Map<String, Value>,
    pub operations: Vec<Operation>,
    pub collections: Vec<Collection>,
    pub groups: Vec<Group>,
    /// Sentences of item codes.
    pub(crate) sentences: HashMap<String, String>,
    /// By path: the operations there.
    pub(crate) addresses: matchit::Router<Vec<usize>>,
}

/// A schema behind its `$ref`, and whether null is a value of it.
pub struct Resolved<'a> {
    pub schema: &'a Value,
    pub nullable: bool,
}

/// The site of the contract that was read last.
#[derive(Default)]
pub struct SiteCache(Mutex<Option<Arc<Site>>>);

impl SiteCache {
    /// The site of this contract. The error is logged once and shown as a page with status 503.
    pub fn get(&self, contract: &Contract) -> Result<Arc<Site>, String> {
        let mut kept = self.0.lock().map_err(|_| "the site's cache is damaged".to_owned())?;
        if let Some(site) = kept.as_ref().filter(|site| site.etag == contract.etag) {
            return Ok(site.clone());
        }
        let site = Arc::new(Site::read(contract)?);
        *kept = Some(site.clone());
        Ok(site)
    }
}

impl Site {
    pub fn read(contract: &Contract) -> Result<Site, String> {
        Ok(Site {
            etag: contract.etag.clone(),
            schemas: Map::new(),
            operations: Vec::new(),
            collections: Vec::new(),
            groups: Vec::new(),
            sentences: HashMap::new(),
            addresses: matchit::Router::new(),
        })
    }

    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// The operations at a path below the company, and the parameters of the path.
    pub fn at(&self, path: &str) -> Option<(Vec<usize>, Vec<(String, String)>)> {
        let found = self.addresses.at(path).ok()?;
        let parameters = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Some((found.value.clone(), parameters.collect()))
    }

    /// The collection of a list; `bound`: the value of the parameter that splits it.
    pub fn collection_of(&self, list: &str, bound: Option<&str>) -> Option<&Collection> {
        self.collections.iter().find(|collection| {
            self.operations.get(collection.list).is_some_and(|operation| operation.id == list)
                && collection.bound.first().map(|(_, value)| value.as_str()) == bound
        })
    }

    /// The collection of the records whose ids a member or parameter of an operation holds.
    pub fn refers_to(&self, _operation: &Operation, _member: &str) -> Option<&Collection> {
        None
    }

    pub fn resolve<'a>(&'a self, schema: &'a Value) -> Resolved<'a> {
        Resolved { schema, nullable: false }
    }

    /// The sentence of an item's code.
    pub fn sentence(&self, _operation: &Operation, code: &str) -> String {
        self.sentences.get(code).cloned().unwrap_or_else(|| code.to_owned())
    }
}
