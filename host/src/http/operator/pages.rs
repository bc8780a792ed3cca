//! The pages of operators: the console's way in to the operators' API, which asks each request for the token.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use stoa_console::host::{Later, OperatorHost, Seals};
use tower::ServiceExt as _;

use super::super::console::{collect, seal, unseal};
use crate::keyring::KeyRing;

pub struct OperatorPages {
    /// The operators' API.
    operators: Router,
    keys: Arc<KeyRing>,
    /// With --dev: the token in the data folder.
    token: Option<String>,
}

impl OperatorPages {
    pub fn new(operators: Router, keys: Arc<KeyRing>, token: Option<String>) -> OperatorPages {
        OperatorPages { operators, keys, token }
    }
}

impl Seals for OperatorPages {
    fn seal(&self, purpose: &str, plain: &[u8]) -> Option<String> {
        seal(&self.keys, purpose, plain)
    }

    fn unseal(&self, purpose: &str, sealed: &str) -> Option<Vec<u8>> {
        unseal(&self.keys, purpose, sealed)
    }
}

impl OperatorHost for OperatorPages {
    fn send(&self, request: Request<Bytes>) -> Later<'_, Response<Bytes>> {
        Box::pin(async move {
            let response = self.operators.clone().oneshot(request.map(Body::from)).await;
            collect(response.unwrap_or_else(|never| match never {})).await
        })
    }

    fn development_token(&self) -> Option<&str> {
        self.token.as_deref()
    }
}
