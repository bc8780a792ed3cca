//! Why a registry brought no module.

use std::time::Duration;

use http::StatusCode;

use crate::gate::refusal::Refusal;

/// A failure of a conversation with a registry. No text of it holds a credential: addresses are written without their
/// query.
#[derive(Debug, thiserror::Error)]
pub enum RegistryFault {
    #[error("{0}")]
    Forbidden(String),
    #[error("the registry cannot be reached: {0}")]
    Unreachable(String),
    #[error("the registry answered {1} for {0}")]
    Status(String, StatusCode),
    #[error("the registry has no {0}")]
    NotFound(String),
    #[error("the registry did not finish within {} seconds", .0.as_secs())]
    Slow(Duration),
    #[error("{0} is larger than {1} bytes")]
    TooLarge(&'static str, usize),
    #[error("the registry sent other bytes than those of {0}")]
    OtherBytes(String),
    #[error("{0}")]
    Malformed(String),
    #[error("the file of credentials: {0}")]
    Credentials(String),
}

impl RegistryFault {
    /// A failure of the transport. `reqwest` names the whole address, and a redirected one may hold a signature.
    pub fn from_transport(error: reqwest::Error) -> RegistryFault {
        let error = error.without_url();
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            text = format!("{text}: {inner}");
            cause = inner.source();
        }
        RegistryFault::Unreachable(text)
    }
}

impl From<RegistryFault> for Refusal {
    fn from(fault: RegistryFault) -> Refusal {
        let (code, status) = match fault {
            RegistryFault::Forbidden(_) => ("REGISTRY_FORBIDDEN", StatusCode::FORBIDDEN),
            RegistryFault::NotFound(_) | RegistryFault::Malformed(_) => ("REFERENCE_INVALID", StatusCode::BAD_REQUEST),
            RegistryFault::TooLarge(..) => ("MODULE_TOO_LARGE", StatusCode::PAYLOAD_TOO_LARGE),
            RegistryFault::OtherBytes(_) => ("DIGEST_MISMATCH", StatusCode::BAD_REQUEST),
            RegistryFault::Unreachable(_)
            | RegistryFault::Status(..)
            | RegistryFault::Slow(_)
            | RegistryFault::Credentials(_) => ("UNAVAILABLE", StatusCode::SERVICE_UNAVAILABLE),
        };
        Refusal::new(code, fault.to_string()).with_status(status)
    }
}
