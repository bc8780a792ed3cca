//! A request as the pipeline takes it, and its answer.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use uuid::Uuid;

use crate::database::{Destination, HeavyPermit, QueueKey, Shard};
use crate::identity::api_keys::ApiKey;
use crate::identity::users::User;
use crate::observe::trail::RequestTrail;
use crate::operations::Operation;
use crate::problem::Problem;
use crate::sandbox::Generation;
use crate::wit::module;

/// Everything known of a request before its transaction.
pub struct Request {
    /// The generation that it ends on.
    pub generation: Arc<Generation>,
    /// Says that the generation is in use until nothing of the request runs any more, also where the caller has left.
    pub presence: Arc<()>,
    pub operation: Arc<Operation>,
    pub request_id: Uuid,
    /// Facts for its log line, metrics and trace.
    pub trail: Arc<RequestTrail>,
    pub caller: Caller,
    /// Company of the path or of the API key; `None`: the operation is outside any company.
    pub tenant: Option<Uuid>,
    /// The verdict on path, query, headers and body: made early, reported after authorization.
    pub input: Result<Input, Problem>,
    /// Result of the check before the transaction: a rejection is reported to a caller who may call and did not call before with this
    /// key.
    pub asked_ahead: Result<(), Problem>,
    /// The permit of heavy work: returned when nothing of the request runs any more.
    pub heavy: Option<Arc<HeavyPermit>>,
    pub peer: Option<IpAddr>,
    pub user_agent: Option<String>,
}

impl Request {
    /// The shard and the queue of the company. Outside of any company the request waits in a queue of its caller.
    pub fn destination(&self) -> Destination {
        match self.tenant {
            Some(tenant) => Shard::of_tenant(tenant).into(),
            None => Shard::Global.with_queue(QueueKey::Caller(self.caller.id())),
        }
    }

    /// Returns whether it runs with the time of a report.
    pub fn is_report(&self) -> bool {
        self.heavy.is_some() && self.operation.route.heavy
    }

    /// The same again, for a generation that is asked what it would have done.
    pub fn repeat(&self, generation: Arc<Generation>, operation: Arc<Operation>) -> Request {
        let request_id = Uuid::now_v7();
        Request {
            generation,
            presence: self.presence.clone(),
            operation,
            request_id,
            trail: Arc::new(RequestTrail::new(request_id)),
            caller: self.caller.clone(),
            tenant: self.tenant,
            input: self.input.clone(),
            asked_ahead: self.asked_ahead.clone(),
            heavy: None,
            peer: self.peer,
            user_agent: self.user_agent.clone(),
        }
    }
}

/// The caller, as far as the credential shows: its permissions are read in the transaction.
#[derive(Debug, Clone)]
pub enum Caller {
    User(Arc<User>),
    Client(Arc<ApiKey>),
}

impl Caller {
    /// The user or the API client: a client's keys are one actor, so that a rotated key finishes its predecessor's retry.
    pub fn id(&self) -> Uuid {
        match self {
            Caller::User(user) => user.id,
            Caller::Client(key) => key.client,
        }
    }

    /// As audit entries spell it.
    pub fn actor_type(&self) -> &'static str {
        match self {
            Caller::User(_) => "USER",
            Caller::Client(_) => "API_CLIENT",
        }
    }
}

/// Valid and normalized.
#[derive(Clone)]
pub struct Input {
    /// As a module takes it; the body is the text that was made of it once it was found valid.
    pub call: module::Call,
    /// Entries of the list that the route names: limits grow with them.
    pub lines: usize,
    pub key: Option<Key>,
}

/// An idempotency key and what it was sent with.
#[derive(Debug, Clone)]
pub struct Key {
    pub id: Uuid,
    /// A v7 key's own time, milliseconds since 1970.
    pub made_at: Option<i64>,
    pub fingerprint: [u8; 32],
}

/// A success, as it is sent and, for a keyed write, stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub body: Bytes,
    /// Without quotes.
    pub etag: Option<String>,
    pub replayed: bool,
    /// The body holds a secret: it is sent once and never stored.
    pub credential: bool,
}

/// The nil uuid means "no company".
pub fn tenant_or_nil(tenant: Option<Uuid>) -> Uuid {
    tenant.unwrap_or(Uuid::nil())
}
