//! One operation: its declaration, with its schemas compiled.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use stoa_descriptor::{Audience, Route};

use crate::contract::{Csv, Parameters, Schema, growth};

/// Generations that have an operation share it, and so do the requests that call it.
pub struct Operation {
    pub route: Route,
    pub parameters: Parameters,
    pub body: Option<Schema>,
    /// Schema of a success.
    pub response: Arc<Schema>,
    /// CSV form of a success, for callers who prefer it.
    pub csv: Option<Csv>,
    /// A list for those who come back for what is new, whoever asks.
    pub news: bool,
}

impl Operation {
    /// `schemas`: what the route's schemas refer to. `Err`: what is wrong with them, by operation.
    pub fn compile(route: Route, schemas: &Map<String, Json>) -> Result<Operation, String> {
        let invalid = |what: &str, why: String| format!("{}: {what}: {why}", route.operation);
        let parameters = Parameters::compile(&route.path, route.path_schema.as_ref(), route.query.as_ref(), schemas)
            .map_err(|why| invalid("parameters", why))?;
        let body = route
            .body
            .as_ref()
            .map(|body| Schema::compile(body, schemas))
            .transpose()
            .map_err(|why| invalid("body", why))?;
        let response = Schema::compile(&route.response, schemas).map_err(|why| invalid("response", why))?;
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
        Ok(Operation { route, parameters, body, response: Arc::new(response), csv, news: false })
    }

    /// Entries of the list that the route's limits grow with.
    pub fn count_lines(&self, body: &Json) -> usize {
        self.route.grows_with.as_deref().map_or(0, |list| growth::count_entries(body, list))
    }

    /// Whether a call with this query is a list for those who come back for what is new: of API clients, and of what changed since
    /// an instant. Such a list ends before what transactions under way may still put into it.
    pub fn ends_at_the_watermark(&self, query: &[(String, String)]) -> bool {
        let route = &self.route;
        let asks_for_news = || query.iter().any(|(name, _)| name == "updatedSince");
        route.read_only
            && (self.news || route.audience == Audience::ApiClient || asks_for_news())
            && route.takes("cursor")
    }
}
