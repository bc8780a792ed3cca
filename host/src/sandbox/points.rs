//! Points: a module calls an interface of `commerce:extension`, and the host calls every active module that exports it, in the
//! arrangement of the generation. The host names no point: the type of a function decides how the results become one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use stoa_descriptor::extension::VIEWS;
use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{ComponentExportIndex, Linker, Type, Val};
use wasmtime::{Engine, PoolConcurrencyLimitError, StoreContextMut};

use super::arrangement::name_point;
use super::failure::Failure;
use super::generation::Unlinked;
use super::health::PointOutcome;
use super::interface::{self, InterfaceName};
use super::journal::{LONGEST_LINE, flatten_text};
use super::limits::OpenShare;
use super::module::{Module, Vetted};
use super::services;
use super::signature::signature;
use super::state::{RefusedService, State};
use crate::observe::trace::OpenSpan;
use crate::wit::extension::points;

/// Most values of a joined list: 25 extensions with a value for each of 1,000 lines.
const MOST_VALUES: usize = 25_000;
/// Largest document that an extension shows, in bytes, and most documents of one call.
const LARGEST_DOCUMENT: usize = 16 << 10;
const MOST_DOCUMENTS: usize = 100;
/// The member of a record in which the host writes the name of the extension.
const MODULE: &str = "module";

/// How the results of several extensions become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointShape {
    /// Every extension is called until one rejects.
    Check,
    /// The lists are joined. `earlier`: the parameter in which each extension receives what the earlier ones returned.
    Collect { fallible: bool, earlier: Option<usize> },
    /// The first value counts.
    First { fallible: bool },
}

impl PointShape {
    /// The shape of a function of a point. `None`: it has none.
    pub fn from_function(function: &ComponentFunc) -> Option<PointShape> {
        if function.async_() {
            return None;
        }
        let mut results = function.results();
        let (Some(result), None) = (results.next(), results.next()) else { return None };
        let (fallible, value) = match &result {
            Type::Result(result) if result.err().is_some_and(|error| is_problem(&error)) => match result.ok() {
                Some(value) => (true, value),
                None => return Some(PointShape::Check),
            },
            _ => (false, result),
        };
        match &value {
            Type::Option(_) => Some(PointShape::First { fallible }),
            Type::List(_) => {
                let last = function.params().enumerate().last();
                let earlier = last.filter(|(_, (_, type_))| *type_ == value).map(|(index, _)| index);
                Some(PointShape::Collect { fallible, earlier })
            }
            _ => None,
        }
    }

    /// The result where no extension returned anything else.
    fn compose(self, gathered: Vec<Val>) -> Val {
        let (fallible, value) = match self {
            PointShape::Check => return Val::Result(Ok(None)),
            PointShape::Collect { fallible, .. } => (fallible, Val::List(gathered)),
            PointShape::First { fallible } => (fallible, Val::Option(None)),
        };
        wrap(fallible, value)
    }
}

fn wrap(fallible: bool, value: Val) -> Val {
    if fallible { Val::Result(Ok(Some(Box::new(value)))) } else { value }
}

/// Returns whether a type is the platform's `problem`.
fn is_problem(type_: &Type) -> bool {
    let Type::Record(record) = type_ else { return false };
    let has = |name: &str, fits: fn(&Type) -> bool| record.fields().any(|field| field.name == name && fits(&field.ty));
    record.fields().len() == 2
        && has("code", |type_| matches!(type_, Type::String))
        && has("errors", |type_| matches!(type_, Type::List(_)))
}

/// A function of a point, as one module calls it.
struct PointFunction {
    /// `commerce:extension/checkout#check`.
    name: Arc<str>,
    /// `checkout`.
    point: Arc<str>,
    shape: PointShape,
    is_views: bool,
    extensions: Vec<(Arc<Module>, ComponentExportIndex)>,
}

/// Defines the points that a module calls, those without an extension too. `extensions`: the modules that extend an interface, in
/// sequence. Returns them for each interface.
pub fn link(
    linker: &mut Linker<State>,
    engine: &Engine,
    caller: &Vetted,
    extensions: impl Fn(&str) -> Vec<Arc<Module>>,
) -> Result<BTreeMap<String, Vec<Arc<Module>>>, Unlinked> {
    let name = &caller.descriptor.name;
    let failed = |error: wasmtime::Error| Unlinked::Points(format!("{name}: {error:#}"));
    let mut points = BTreeMap::new();
    for (import, interface, instance) in interface::points_called(engine, &caller.component) {
        let modules = extensions(&interface.path);
        let mut defined = linker.instance(&import).map_err(failed)?;
        for (function_name, called) in interface::functions(engine, &instance) {
            let item = format!("{}#{function_name}", interface.path);
            let shape = PointShape::from_function(&called)
                .ok_or_else(|| Unlinked::Points(format!("{name} calls {item}, which has no shape of a point")))?;
            let caller = PointCaller { name, interface: &interface, function: function_name, called: &called };
            let function = Arc::new(PointFunction {
                extensions: caller.find_functions(engine, &modules)?,
                point: name_point(&interface.path).into(),
                is_views: interface.path == VIEWS,
                name: item.into(),
                shape,
            });
            defined
                .func_new_async(function_name, move |store, _type, arguments, results| {
                    let function = function.clone();
                    Box::new(async move { call(store, &function, arguments, results).await })
                })
                .map_err(failed)?;
        }
        points.insert(interface.path, modules);
    }
    Ok(points)
}

/// A module that calls a function of a point.
struct PointCaller<'a> {
    name: &'a str,
    interface: &'a InterfaceName,
    function: &'a str,
    called: &'a ComponentFunc,
}

impl PointCaller<'_> {
    /// The function of each extension. An extension that was built for an older version may lack it, and is not called there.
    fn find_functions(
        &self,
        engine: &Engine,
        modules: &[Arc<Module>],
    ) -> Result<Vec<(Arc<Module>, ComponentExportIndex)>, Unlinked> {
        let mut functions = Vec::with_capacity(modules.len());
        for module in modules {
            let extended = interface::points_extended(engine, &module.component);
            let Some((export, ..)) = extended.into_iter().find(|(_, name, _)| name.path == self.interface.path) else {
                continue;
            };
            let interface = module.component.get_export_index(None, export.as_str());
            let found = interface.and_then(|interface| module.component.get_export(Some(&interface), self.function));
            let Some((ComponentItem::ComponentFunc(extends), index)) = found else { continue };
            if !services::same_types(self.called, &extends) {
                return Err(self.refuse_types(&module.name, &extends));
            }
            functions.push((module.clone(), index));
        }
        Ok(functions)
    }

    fn refuse_types(&self, extension: &str, extends: &ComponentFunc) -> Unlinked {
        let PointCaller { name, interface, function, called } = self;
        let (extends, called) = (signature(extends), signature(called));
        let item = format!("{}#{function}", interface.path);
        Unlinked::Points(format!("{extension} extends {item} as {extends}, {name} calls it as {called}"))
    }
}

/// Calls the extensions of a point one after the other. The result of a check that rejects, and the first value of
/// another shape, end it.
async fn call(
    mut store: StoreContextMut<'_, State>,
    function: &PointFunction,
    arguments: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    let Some(result) = results.first_mut() else { return Ok(()) };
    let place = match arguments.first() {
        Some(Val::String(place)) if function.is_views => Some(place.as_str()),
        _ => None,
    };
    let mut passed = arguments.to_vec();
    let mut gathered: Vec<Val> = Vec::new();
    for (extension, index) in &function.extensions {
        if place.is_some_and(|place| !extension.shown.contains_key(place)) {
            continue;
        }
        if let PointShape::Collect { earlier: Some(earlier), .. } = function.shape
            && let Some(slot) = passed.get_mut(earlier)
        {
            *slot = Val::List(gathered.clone());
        }
        let returned = call_extension(&mut store, function, (extension, *index), &passed).await?;
        let value = match returned {
            Val::Result(Err(problem)) => {
                *result = Val::Result(Err(problem));
                return Ok(());
            }
            Val::Result(Ok(None)) => continue,
            Val::Result(Ok(Some(value))) => *value,
            value => value,
        };
        match (function.shape, value) {
            (PointShape::Collect { .. }, Val::List(values)) => {
                let checked = match place {
                    Some(place) => check_documents(extension, place, arguments.get(1), &values),
                    None if gathered.len() + values.len() > MOST_VALUES => {
                        Err(Failure::from_limit("values that extensions return at a point", MOST_VALUES))
                    }
                    None => Ok(()),
                };
                if let Err(failure) = checked {
                    return Err(blame(store.data_mut(), extension, &function.point, failure));
                }
                gathered.extend(values.into_iter().map(|value| name_extension(value, &extension.name)));
            }
            (PointShape::First { fallible }, Val::Option(Some(value))) => {
                let value = name_extension(*value, &extension.name);
                *result = wrap(fallible, Val::Option(Some(Box::new(value))));
                return Ok(());
            }
            _ => {}
        }
    }
    *result = function.shape.compose(gathered);
    Ok(())
}

/// Calls one extension in the store of the request. A rejection after it changed something is remembered: the request
/// can then only end in a problem (`check_success`).
async fn call_extension(
    store: &mut StoreContextMut<'_, State>,
    function: &PointFunction,
    (extension, index): (&Arc<Module>, ComponentExportIndex),
    arguments: &[Val],
) -> wasmtime::Result<Val> {
    let changes = store.data().changes;
    let entered = enter_extension(store.data_mut(), extension, "extend", &function.name);
    let mut returned = [Val::Bool(false)];
    let called = services::call_function(store, extension, index, arguments, &mut returned).await;
    let [returned] = returned;
    let rejects = matches!(returned, Val::Result(Err(_)));
    let state = store.data_mut();
    leave_extension(state, entered, (extension, &function.point), called.map(|()| rejects))?;
    if rejects && state.changes > changes {
        state.refused = Some(RefusedService { service: function.name.clone(), caller: state.running.clone() });
    }
    Ok(returned)
}

/// An extension that runs.
pub(super) struct Entered {
    caller: Arc<Module>,
    /// The share of the extension around it.
    outer: Option<OpenShare>,
    /// True if the store had failed before.
    was_closed: bool,
    began: Instant,
    span: Option<OpenSpan>,
}

/// Begins a call of an extension: it runs from now on, and by its own share of the limits.
pub(super) fn enter_extension(state: &mut State, extension: &Arc<Module>, verb: &str, what: &str) -> Entered {
    let span = state.facts.trail.enter(|| (format!("{verb} {what}"), extension.describe()));
    let caller = std::mem::replace(&mut state.running, extension.clone());
    let outer = state.begin_share(extension);
    Entered { caller, outer, was_closed: state.scope.closed, began: Instant::now(), span }
}

/// Ends it. `called`: whether it rejected. An extension that failed stays the module that runs: the failure is its own.
pub(super) fn leave_extension(
    state: &mut State,
    entered: Entered,
    (extension, point): (&Arc<Module>, &Arc<str>),
    called: wasmtime::Result<bool>,
) -> wasmtime::Result<()> {
    let Entered { caller, outer, was_closed, began, span } = entered;
    drop(span);
    let took = began.elapsed();
    let rejects = match called {
        Ok(rejects) => rejects,
        Err(error) => {
            // A service that the extension called may have failed instead of it, or the database, or no instance was free.
            let is_its_own = Arc::ptr_eq(&state.running, extension)
                && state.failure.as_ref().is_none_or(|failure| failure.kind().is_some())
                && !error.is::<PoolConcurrencyLimitError>();
            let outcome = if is_its_own { PointOutcome::Failed } else { PointOutcome::Answered };
            extension.health.count_point(point, took, outcome);
            state.point.get_or_insert_with(|| point.clone());
            return Err(error);
        }
    };
    if !rejects && state.scope.closed && !was_closed {
        extension.health.count_point(point, took, PointOutcome::Failed);
        let why = "it answered a success after a store failure".to_owned();
        return Err(blame(state, extension, point, Failure::Fault(why)));
    }
    state.end_share(outer);
    let outcome = if rejects { PointOutcome::Rejected } else { PointOutcome::Answered };
    extension.health.count_point(point, took, outcome);
    state.running = caller;
    state.note_extension(extension);
    Ok(())
}

/// Ends the request for a failure of an extension.
fn blame(state: &mut State, extension: &Arc<Module>, point: &Arc<str>, failure: Failure) -> wasmtime::Error {
    state.running = extension.clone();
    state.point = Some(point.clone());
    state.stop(failure)
}

/// Checks the documents that an extension shows: each about an id that was asked for, of bounded size, and as its schema says.
fn check_documents(extension: &Module, place: &str, ids: Option<&Val>, documents: &[Val]) -> Result<(), Failure> {
    if documents.len() > MOST_DOCUMENTS {
        return Err(Failure::from_limit("documents shown at a place", MOST_DOCUMENTS));
    }
    let asked = match ids {
        Some(Val::List(ids)) => ids.as_slice(),
        _ => &[],
    };
    let fault = |why: String| Failure::Fault(format!("it shows at {place} {why}"));
    for document in documents {
        let member = |name: &str| match document {
            Val::Record(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            _ => None,
        };
        if !member("id").is_some_and(|id| asked.contains(id)) {
            return Err(fault("a document of an id that was not asked for".to_owned()));
        }
        let (Some(Val::String(json)), Some(schema)) = (member("json"), extension.shown.get(place)) else {
            return Err(fault("a document without its text".to_owned()));
        };
        if json.len() > LARGEST_DOCUMENT {
            return Err(Failure::from_size("document shown at a place", LARGEST_DOCUMENT));
        }
        extension.judge.document(&extension.descriptor, place, schema, json).map_err(Failure::Fault)?;
    }
    Ok(())
}

/// A value with the name of the extension, if it is a record with a text for it.
fn name_extension(mut value: Val, name: &str) -> Val {
    if let Val::Record(fields) = &mut value
        && let Some((_, Val::String(text))) = fields.iter_mut().find(|(field, _)| field == MODULE)
    {
        *text = name.to_owned();
    }
    value
}

impl points::Host for State {
    async fn count_extensions(&mut self, interface: String) -> wasmtime::Result<u32> {
        let count = self.running.points.get(&interface).map_or(0, Vec::len);
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    async fn shows(&mut self, place: String) -> wasmtime::Result<bool> {
        let mut viewing = self.running.points.get(VIEWS).into_iter().flatten();
        Ok(viewing.any(|extension| extension.shown.contains_key(&place)))
    }

    /// Only an extension that the calling module called in this request is blamed.
    async fn reject_extension(&mut self, module: String, reason: String) -> wasmtime::Result<()> {
        let reason = flatten_text(&reason, LONGEST_LINE);
        let took_part = |extension: &&Arc<Module>| {
            extension.name == module && self.extensions.iter().any(|it| Arc::ptr_eq(it, extension))
        };
        let found = self.running.points.iter().find_map(|(interface, extensions)| {
            Some((name_point(interface).into(), extensions.iter().find(took_part)?.clone()))
        });
        let Some((point, extension)) = found else {
            let why = format!("it blamed a module that did not extend it in this request: {reason}");
            return Err(self.stop(Failure::Fault(why)));
        };
        let why = format!("{} returned at a point: {reason}", extension.name);
        Err(blame(self, &extension, &point, Failure::Fault(why)))
    }
}

#[cfg(test)]
mod tests {
    use wasmtime::component::Component;

    use super::*;

    fn record(module: &str) -> Val {
        Val::Record(vec![("module".to_owned(), Val::String(module.to_owned())), ("amount".to_owned(), Val::U32(1))])
    }

    /// The shape of a function of these types.
    fn find_shape(types: &str) -> Option<PointShape> {
        let text = format!(
            "(component (import \"commerce:extension/checkout@0.1.0\" (instance
               (type $p (record (field \"code\" string) (field \"errors\" (list string))))
               (export \"problem\" (type $problem (eq $p)))
               (type $v (record (field \"module\" string)))
               (export \"value\" (type $value (eq $v)))
               (export \"ask\" (func {types})))))"
        );
        let bytes = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let engine = Engine::default();
        let component = Component::from_binary(&engine, &bytes).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let called = interface::points_called(&engine, &component);
        let (_, function) = interface::functions(&engine, &called[0].2).next().expect("a function");
        PointShape::from_function(&function)
    }

    #[test]
    fn the_type_of_a_function_decides_how_results_become_one() {
        let collect = |fallible, earlier| Some(PointShape::Collect { fallible, earlier });
        for (types, expected) in [
            ("(param \"total\" string) (result (result (error $problem)))", Some(PointShape::Check)),
            ("(result (list $value))", collect(false, None)),
            ("(param \"a\" string) (param \"earlier\" (list $value)) (result (list $value))", collect(false, Some(1))),
            ("(param \"ids\" (list string)) (result (list $value))", collect(false, None)),
            ("(param \"earlier\" (list $value)) (param \"a\" string) (result (list $value))", collect(false, None)),
            ("(result (result (list $value) (error $problem)))", collect(true, None)),
            ("(result (option $value))", Some(PointShape::First { fallible: false })),
            ("(result (result (option $value) (error $problem)))", Some(PointShape::First { fallible: true })),
            ("(param \"a\" string)", None),
            ("(result string)", None),
            ("(result (result (error string)))", None),
            ("(result (result $value (error $problem)))", None),
        ] {
            assert_eq!(find_shape(types), expected, "{types}");
        }
    }

    #[test]
    fn a_point_without_extensions_has_the_empty_result_of_its_shape() {
        for (shape, expected) in [
            (PointShape::Check, Val::Result(Ok(None))),
            (PointShape::Collect { fallible: false, earlier: None }, Val::List(Vec::new())),
            (
                PointShape::Collect { fallible: true, earlier: Some(1) },
                Val::Result(Ok(Some(Box::new(Val::List(Vec::new()))))),
            ),
            (PointShape::First { fallible: false }, Val::Option(None)),
            (PointShape::First { fallible: true }, Val::Result(Ok(Some(Box::new(Val::Option(None)))))),
        ] {
            assert_eq!(shape.compose(Vec::new()), expected, "{shape:?}");
        }
    }

    #[test]
    fn the_host_writes_the_name_of_the_extension() {
        assert_eq!(name_extension(record("somebody"), "acme"), record("acme"));
        for value in [Val::U32(1), Val::Record(vec![("module".to_owned(), Val::U32(1))])] {
            assert_eq!(name_extension(value.clone(), "acme"), value);
        }
    }
}
