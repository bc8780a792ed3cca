//! The table of all operations, by method and path. The runner of an operation is the table's parameter: this file depends
//! neither on the host's own handlers nor on modules.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::Operation;
use crate::contract::location;

pub struct Table<R> {
    pub callables: Vec<Callable<R>>,
    /// By path: methods, each with the index of its callable.
    router: matchit::Router<Vec<(String, usize)>>,
    /// Ids of the operations that make a record which another operation reads at the same path and the record's id.
    located: HashSet<String>,
}

/// An operation, and what runs it.
pub struct Callable<R> {
    pub operation: Arc<Operation>,
    pub runner: R,
}

/// The result of looking up a path and method.
pub enum Found<'a, R> {
    Callable {
        callable: &'a Callable<R>,
        path: Vec<(String, String)>,
    },
    /// The path exists, the method does not: the methods that do.
    OtherMethods(String),
    Nothing,
}

impl<R> Table<R> {
    pub fn compose(callables: Vec<Callable<R>>) -> Result<Table<R>, String> {
        let mut by_path: BTreeMap<&str, Vec<(String, usize)>> = BTreeMap::new();
        for (index, callable) in callables.iter().enumerate() {
            let route = &callable.operation.route;
            let methods = by_path.entry(&route.path).or_default();
            if methods.iter().any(|(other, _)| *other == route.method) {
                return Err(format!("{}: route `{} {}` is claimed twice", route.operation, route.method, route.path));
            }
            methods.push((route.method.clone(), index));
        }
        let located = find_located(&callables, &by_path);
        let mut router = matchit::Router::new();
        for (path, methods) in by_path {
            router.insert(path, methods).map_err(|error| format!("route {path}: {error}"))?;
        }
        Ok(Table { callables, router, located })
    }

    /// `path` is below `/v1`, as sent. HEAD is asked as GET.
    pub fn find(&self, method: &str, path: &str) -> Found<'_, R> {
        let Ok(matched) = self.router.at(path) else { return Found::Nothing };
        let wanted = if method == "HEAD" { "GET" } else { method };
        let index = matched.value.iter().find(|(method, _)| method == wanted).map(|(_, index)| *index);
        if let Some(callable) = index.and_then(|index| self.callables.get(index)) {
            let path = matched.params.iter().map(|(name, value)| (name.into(), value.into())).collect();
            return Found::Callable { callable, path };
        }
        let mut methods: Vec<&str> = matched.value.iter().map(|(method, _)| method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        Found::OtherMethods(methods.join(", "))
    }

    /// Returns whether a success of the operation has the address of the record that it made.
    pub fn is_located(&self, operation: &Operation) -> bool {
        self.located.contains(&operation.route.operation)
    }

    /// By the operation's id.
    pub fn by_id(&self, id: &str) -> Option<&Callable<R>> {
        self.callables.iter().find(|callable| callable.operation.route.operation == id)
    }
}

fn find_located<R>(callables: &[Callable<R>], by_path: &BTreeMap<&str, Vec<(String, usize)>>) -> HashSet<String> {
    let route = |index: &usize| callables.get(*index).map(|callable| &callable.operation.route);
    let makers = callables.iter().map(|callable| &callable.operation).filter(|operation| operation.answers_an_id);
    let is_read = |maker: &&Arc<Operation>| {
        let below = format!("{}/{{", maker.route.path);
        let near = by_path.range::<&str, _>(below.as_str()..).take_while(|(path, _)| path.starts_with(&below));
        let mut readers = near.flat_map(|(_, methods)| methods).filter_map(|(_, index)| route(index));
        readers.any(|reader| location::reads_records_of(reader, &maker.route))
    };
    makers.filter(is_read).map(|maker| maker.route.operation.clone()).collect()
}
