//! The route table: every operation of host and modules in one place, with its schemas compiled and the contract composed
//! from the same declarations.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use stoa_descriptor::{Access, Audience, Route};

use crate::contract::{Parameters, Schema, openapi};
use crate::modules::Module;
use crate::modules::generation::Permission;
use crate::platform;

pub struct RouteTable {
    pub entries: Vec<Entry>,
    router: matchit::Router<Vec<(String, usize)>>,
    pub contract: Contract,
}

/// One operation, ready to be checked and run.
pub struct Entry {
    pub owner: Owner,
    checked: Arc<Checked>,
}

/// An operation with its schemas compiled. Generations that have it share it.
pub struct Checked {
    pub route: Route,
    pub parameters: Parameters,
    pub body: Option<Schema>,
    /// Of a success.
    pub response: Arc<Schema>,
}

impl Deref for Entry {
    type Target = Checked;

    fn deref(&self) -> &Checked {
        &self.checked
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Platform(platform::Operation),
    /// Index into the generation's modules.
    Module(usize),
}

/// The machine-readable contract as it is served.
pub struct Contract {
    pub bytes: Bytes,
    /// With quotes.
    pub etag: String,
}

/// What a path and method lead to.
pub enum Found<'a> {
    Operation {
        index: usize,
        entry: &'a Entry,
        path: Vec<(String, String)>,
    },
    /// The path exists, the method does not: the methods that do.
    OtherMethods(String),
    Nothing,
}

impl RouteTable {
    /// `permissions` and `scopes`: the catalogs that the routes' access must come from.
    pub fn compose(
        generation: u64,
        modules: &[Module],
        permissions: &BTreeMap<String, Permission>,
        scopes: &BTreeMap<String, Permission>,
    ) -> Result<RouteTable, String> {
        let own_schemas = platform::routes::schemas();
        let mut entries = Vec::new();
        for (route, operation) in platform::routes::routes(modules) {
            entries.push(Entry {
                checked: Arc::new(Checked::of(route, &own_schemas)?),
                owner: Owner::Platform(operation),
            });
        }
        let theirs = modules.iter().enumerate();
        for (index, checked) in theirs.flat_map(|(index, module)| module.routes.iter().map(move |one| (index, one))) {
            let route = &checked.route;
            let (Access::All(codes) | Access::Any(codes)) = &route.access;
            let known = match route.audience {
                Audience::User => permissions,
                Audience::ApiClient => scopes,
            };
            if let Some(unknown) = codes.iter().find(|code| !known.contains_key(*code)) {
                return Err(format!("{}: unknown permission or scope `{unknown}`", route.operation));
            }
            entries.push(Entry { checked: checked.clone(), owner: Owner::Module(index) });
        }
        let mut router = matchit::Router::new();
        let mut by_path: BTreeMap<&str, Vec<(String, usize)>> = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let (method, path) = (&entry.route.method, &entry.route.path);
            let methods = by_path.entry(path).or_default();
            if methods.iter().any(|(other, _)| other == method) {
                return Err(format!("{}: route `{method} {path}` is claimed twice", entry.route.operation));
            }
            methods.push((method.clone(), index));
        }
        for (path, methods) in by_path {
            router.insert(path, methods).map_err(|error| format!("route {path}: {error}"))?;
        }
        let contract = contract(generation, &entries, modules, &own_schemas)?;
        Ok(RouteTable { entries, router, contract })
    }

    /// `path` is below `/v1`, as sent. HEAD is asked as GET.
    pub fn find(&self, method: &str, path: &str) -> Found<'_> {
        let Ok(matched) = self.router.at(path) else { return Found::Nothing };
        let wanted = if method == "HEAD" { "GET" } else { method };
        match matched.value.iter().find(|(method, _)| method == wanted) {
            Some((_, index)) => match self.entries.get(*index) {
                Some(entry) => {
                    let path = matched.params.iter().map(|(name, value)| (name.into(), value.into())).collect();
                    Found::Operation { index: *index, entry, path }
                }
                None => Found::Nothing,
            },
            None => {
                let mut methods: Vec<&str> = matched.value.iter().map(|(method, _)| method.as_str()).collect();
                if methods.contains(&"GET") {
                    methods.push("HEAD");
                }
                Found::OtherMethods(methods.join(", "))
            }
        }
    }
}

impl Checked {
    /// `schemas`: what the route's schemas refer to. `Err`: what is wrong with them, by operation.
    pub fn of(route: Route, schemas: &serde_json::Map<String, serde_json::Value>) -> Result<Checked, String> {
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
        Ok(Checked { route, parameters, body, response: Arc::new(response) })
    }
}

fn contract(
    generation: u64,
    entries: &[Entry],
    modules: &[Module],
    own_schemas: &serde_json::Map<String, serde_json::Value>,
) -> Result<Contract, String> {
    let public = platform::routes::public_routes();
    let described = std::iter::once(openapi::Module {
        name: platform::NAME,
        description: "Identity, companies and the service itself.",
        schemas: own_schemas,
        problems: &[],
        events: &[],
    })
    .chain(modules.iter().map(|module| openapi::Module {
        name: &module.name,
        description: &module.descriptor.description,
        schemas: &module.descriptor.schemas,
        problems: &module.descriptor.problems,
        events: &module.descriptor.events,
    }))
    .collect::<Vec<_>>();
    let operations = public
        .iter()
        .map(|route| openapi::Operation { route, module: platform::NAME, public: true })
        .chain(entries.iter().map(|entry| openapi::Operation {
            route: &entry.route,
            module: match entry.owner {
                Owner::Platform(_) => platform::NAME,
                Owner::Module(index) => modules.get(index).map_or(platform::NAME, |module| module.name.as_str()),
            },
            public: false,
        }))
        .collect::<Vec<_>>();
    let info = openapi::Info {
        generation,
        build: env!("CARGO_PKG_VERSION"),
        description: "A multi-tenant commerce platform whose every domain is a sandboxed WebAssembly component.",
    };
    let document = openapi::compose(&operations, &described, &info)
        .map_err(|why| format!("the contract cannot be composed: {why}"))?;
    let bytes = Bytes::from(serde_json::to_vec(&document).map_err(|error| error.to_string())?);
    Ok(Contract { etag: format!("\"{}\"", hex::encode(Sha256::digest(&bytes))), bytes })
}
