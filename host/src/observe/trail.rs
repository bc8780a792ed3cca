//! The facts of a request that its log line, its metrics and its trace share.

use std::sync::OnceLock;

use uuid::Uuid;

/// Facts of one request, noted as they become known.
#[derive(Debug, Default)]
pub struct Trail {
    pub request_id: Uuid,
    /// Id of the operation that the path names. Unset where no operation has the path.
    pub operation: OnceLock<String>,
    /// Its path as the contract has it, below `/v1`: names of parameters, not values.
    pub route: OnceLock<String>,
    /// Module of the operation; unset for one of the host's own.
    pub module: OnceLock<String>,
    /// Company that the request is about, of a caller who may know it.
    pub tenant: OnceLock<Uuid>,
}

impl Trail {
    pub fn new(request_id: Uuid) -> Trail {
        Trail { request_id, ..Trail::default() }
    }
}
