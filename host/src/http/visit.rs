//! One request as the record of admissions sees it: what of it is audited outside its own transaction.

use std::net::IpAddr;

use stoa_descriptor::Route;
use uuid::Uuid;

use crate::governance::recorder::What;
use crate::governance::{AccessEntry, Recorder};
use crate::pipeline::request::Caller;
use crate::problem::Problem;

pub struct Visit<'a> {
    pub caller: Caller,
    pub tenant: Option<Uuid>,
    pub route: &'a Route,
    pub path: &'a [(String, String)],
    pub request_id: Uuid,
    pub peer: IpAddr,
    pub user_agent: Option<String>,
}

impl Visit<'_> {
    /// Not let in. An invalid credential leaves no entry.
    pub fn record_refusal(&self, recorder: &Recorder, problem: &Problem) {
        if let Caller::Client(key) = &self.caller
            && problem.status == 429
        {
            let what = What::Refused { key: key.id, status: problem.status, reason: problem.code.to_string() };
            recorder.record(self.of_client(key.tenant, what));
        }
    }

    /// Records an admitted request with its response: a problem's code, or an empty one for a success. Users' writes
    /// have entries of their own; their denials, and reads that disclose identifiers, are recorded here.
    pub fn record_answer(&self, recorder: &Recorder, status: u16, code: &str) {
        if let Caller::Client(key) = &self.caller {
            recorder.record(self.of_client(key.tenant, What::Admitted { key: key.id, status }));
        }
        let Some(tenant) = self.tenant else { return };
        if matches!(code, "PERMISSION_DENIED" | "SCOPE_DENIED") {
            recorder.record(self.of_record(tenant, What::Denied { status }));
        }
        if code.is_empty() && self.route.read_only && self.route.discloses_identifiers {
            recorder.record(self.of_record(tenant, What::Disclosed { status }));
        }
    }

    fn of_client(&self, tenant: Uuid, what: What) -> AccessEntry {
        self.entry(tenant, "API_REQUEST", self.caller.id(), what)
    }

    fn of_record(&self, tenant: Uuid, what: What) -> AccessEntry {
        let named = self.path.iter().rev().filter(|(name, _)| name != "tenantId");
        let resource = named.filter_map(|(_, value)| Uuid::try_parse(value).ok()).next();
        self.entry(tenant, self.route.audit.as_deref().unwrap_or("API_REQUEST"), resource.unwrap_or(tenant), what)
    }

    fn entry(&self, tenant: Uuid, resource_type: &str, resource: Uuid, what: What) -> AccessEntry {
        AccessEntry {
            tenant,
            request_id: self.request_id,
            actor_type: self.caller.actor_type(),
            actor: self.caller.id(),
            operation: self.route.operation.clone(),
            resource_type: resource_type.to_string(),
            resource,
            peer: Some(self.peer),
            user_agent: self.user_agent.clone(),
            what,
        }
    }
}
