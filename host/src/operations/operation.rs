//! One operation: its declaration, with its schemas compiled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use percent_encoding::utf8_percent_encode;
use serde_json::{Map, Value as Json};
use stoa_descriptor::{Audience, Route};

use crate::contract::parameters::{self, ESCAPED};
use crate::contract::{Csv, Judged, Parameters, Schema, growth, location};
use crate::problem::Item;

/// Faults that are named of one part of an example.
const MOST_FAULTS: usize = 5;
/// The company's place in the path of an example.
const TENANT: &str = "00000000-0000-0000-0000-000000000000";

/// Generations that have an operation share it, and so do the requests that call it.
#[derive(Clone)]
pub struct Operation {
    pub route: Route,
    pub parameters: Arc<Parameters>,
    pub body: Option<Arc<Schema>>,
    /// Schema of a success.
    pub response: Arc<Schema>,
    /// CSV form of a success, for callers who prefer it.
    pub csv: Option<Arc<Csv>>,
    /// A success has the id of a new record.
    pub answers_an_id: bool,
    /// A list for callers that come back for what is new, of every kind.
    pub news: bool,
    /// True once a draft of it met a reply of the store that cannot be foreseen.
    pub is_unforeseeable: Arc<AtomicBool>,
}

impl Operation {
    /// `schemas`: what the route's schemas refer to. `Err`: what is wrong with them, by operation.
    pub fn compile(judged: Judged, route: Route, schemas: &Map<String, Json>) -> Result<Operation, String> {
        let invalid = |what: &str, why: String| format!("{}: {what}: {why}", route.operation);
        let (path, query) = (route.path_schema.as_ref(), route.query.as_ref());
        let parameters =
            Parameters::compile(judged, &route.path, path, query, schemas).map_err(|why| invalid("parameters", why))?;
        let body = route
            .body
            .as_ref()
            .map(|body| Schema::compile_as(judged, body, schemas))
            .transpose()
            .map_err(|why| invalid("body", why))?;
        let response = Schema::compile_as(judged, &route.response, schemas).map_err(|why| invalid("response", why))?;
        if route.csv && !(route.method == "GET" && route.read_only) {
            return Err(invalid("csv", "only a GET that reads answers rows".into()));
        }
        if route.heavy && !route.read_only {
            return Err(invalid("heavy", "only what reads takes its time".into()));
        }
        if let Some(list) = &route.grows_with
            && !body.as_ref().is_some_and(|body| body.has_bounded_list(list))
        {
            return Err(invalid("growsWith", format!("{list} is no list of the body with a most of its items")));
        }
        let csv =
            route.csv.then(|| Csv::compile(&route.response, schemas)).transpose().map_err(|why| invalid("csv", why))?;
        let answers_an_id = location::answers_an_id(&route, schemas);
        Ok(Operation {
            route,
            parameters: Arc::new(parameters),
            body: body.map(Arc::new),
            response: Arc::new(response),
            csv: csv.map(Arc::new),
            answers_an_id,
            news: false,
            is_unforeseeable: Arc::default(),
        })
    }

    /// Returns whether drafts of it are of no use.
    pub fn is_unforeseeable(&self) -> bool {
        self.is_unforeseeable.load(Relaxed)
    }

    pub fn note_unforeseeable(&self) {
        self.is_unforeseeable.store(true, Relaxed);
    }

    /// Drops the validators that found faults of the schemas and of the example, until a request comes. Only its owner may,
    /// before it is shared.
    pub fn forget_validators(&mut self) {
        Arc::get_mut(&mut self.parameters).into_iter().for_each(Parameters::forget_validators);
        let schemas = self.body.iter_mut().chain([&mut self.response]);
        schemas.filter_map(Arc::get_mut).for_each(Schema::forget_validator);
    }

    /// The places where the route's example is not what the operation takes and answers, each with its fault:
    /// `/body/name: REQUIRED`.
    pub fn find_example_faults(&self) -> Vec<String> {
        let Some(example) = &self.route.example else { return Vec::new() };
        let encode = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
        let text = |value: &Json| value.as_str().map_or_else(|| encode(&value.to_string()), encode);
        let of_company = parameters::names(&self.route.path).contains(&"tenantId").then_some(("tenantId", TENANT));
        let path: Vec<(&str, String)> = example.path.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
        let path = path.iter().map(|(name, value)| (*name, value.as_str()));
        let mut faults = Vec::new();
        if let Err(problem) = self.parameters.path(of_company.into_iter().chain(path)) {
            faults.extend(tell("", &problem.errors));
        }
        let query: Vec<String> = example.query.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
        if let Err(problem) = self.parameters.query(&query.join("&")) {
            faults.extend(tell("", &problem.errors));
        }
        match (&self.body, &example.body) {
            (Some(schema), Some(body)) => faults.extend(tell("/body", &schema.faults(body))),
            (Some(_), None) => faults.push("/body: REQUIRED".to_owned()),
            (None, Some(_)) => faults.push("/body: NOT_ALLOWED".to_owned()),
            (None, None) => {}
        }
        if let Some(response) = &example.response {
            faults.extend(tell("/response", &self.response.faults(response)));
        }
        faults
    }

    /// Entries of the list that the route's limits grow with.
    pub fn count_lines(&self, body: &Json) -> usize {
        self.route.grows_with.as_deref().map_or(0, |list| growth::count_entries(body, list))
    }

    /// Returns whether a call with this query is a list for those who come back for what is new: of API clients, and of
    /// what changed since an instant. Such a list ends before what transactions under way may still put into it.
    pub fn ends_at_the_watermark(&self, query: &[(String, String)]) -> bool {
        let route = &self.route;
        let asks_for_news = || query.iter().any(|(name, _)| name == "updatedSince");
        route.read_only
            && (self.news || route.audience == Audience::ApiClient || asks_for_news())
            && route.takes("cursor")
    }
}

/// The first faults of a part, by place and kind.
fn tell(part: &str, items: &[Item]) -> Vec<String> {
    items.iter().take(MOST_FAULTS).map(|item| format!("{part}{}: {}", item.pointer, item.code)).collect()
}
