//! The facts of a request that its log line, its metrics and its trace share.

use std::sync::{Arc, OnceLock};

use stoa_descriptor::Route;
use uuid::Uuid;

use super::parent::{TraceId, TraceParent};
use super::trace::{Attributes, OpenSpan, Trace};

/// Facts of one request, noted as they become known.
#[derive(Debug, Default)]
pub struct RequestTrail {
    pub request_id: Uuid,
    /// Id of the operation that the path names. Unset where no operation has the path.
    pub operation: OnceLock<String>,
    /// Its path as the contract has it, below `/v1`: names of parameters, not values.
    pub route: OnceLock<String>,
    /// Module of the operation; unset for one of the host's own.
    pub module: OnceLock<String>,
    /// Company that the request is about, of a caller who may know it.
    pub tenant: OnceLock<Uuid>,
    /// The place of the request in a trace of its caller.
    pub parent: Option<TraceParent>,
    /// Its own trace, where it is sampled.
    pub trace: Option<Arc<Trace>>,
}

impl RequestTrail {
    pub fn new(request_id: Uuid) -> RequestTrail {
        RequestTrail { request_id, ..RequestTrail::default() }
    }

    /// Begins the next step of a traced request.
    pub fn step(&self, name: &'static str) {
        if let Some(trace) = &self.trace {
            trace.step(name, Vec::new());
        }
    }

    /// Names a traced request by its route.
    pub fn note_route(&self, route: &Route) {
        if let Some(trace) = &self.trace {
            let path = format!("/v1{}", route.path);
            let attributes = vec![
                ("http.request.method", route.method.clone().into()),
                ("http.route", path.clone().into()),
                ("stoa.operation", route.operation.clone().into()),
            ];
            trace.describe(Some(format!("{} {path}", route.method)), attributes);
        }
    }

    /// Notes why a traced request was refused. `code`: the problem's.
    pub fn note_problem(&self, code: &str) {
        if let Some(trace) = &self.trace {
            trace.describe(None, vec![("stoa.problem", code.to_owned().into())]);
        }
    }

    /// A span of a traced request, until the guard is dropped. `describe`: its name and attributes.
    pub fn enter(&self, describe: impl FnOnce() -> (String, Attributes)) -> Option<OpenSpan> {
        let trace = self.trace.as_ref()?;
        let (name, attributes) = describe();
        trace.enter(name, attributes)
    }

    /// The trace that log lines name: the request's own, or its caller's.
    pub fn trace_id(&self) -> Option<TraceId> {
        self.successor().map(|parent| parent.trace)
    }

    /// The parent of what continues the request elsewhere. A request that is not traced passes on its caller's.
    pub fn successor(&self) -> Option<TraceParent> {
        self.trace.as_ref().map(|trace| trace.successor()).or(self.parent)
    }
}
