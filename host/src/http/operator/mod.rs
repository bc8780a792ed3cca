//! The operators' side (platform.md 9), on the private listener: what runs, what could, and the change from one to the
//! other. Operators are not tenants: they come with a token of the deployment. They see the host's own records of a
//! company (status, entitlements, clients, keys without secrets, endpoints, deliveries without bodies) and no row of a
//! module: a verification names rows that are broken, and none of their content.

mod answer;
mod artifact;
mod change;
mod companies;
mod compare;
mod forget;
mod history;
mod logs;
pub mod pages;
mod points;
mod push;
mod show;
mod verify;

use std::str::FromStr;
use std::sync::Arc;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use http::{StatusCode, header};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use answer::Answer;
use push::Pushes;

use crate::deployment::{Deployment, DeploymentError};
use crate::gate::artifact::LARGEST;
use crate::oci::registries::Registries;

pub use answer::problem;
pub use artifact::ADMISSION;
pub use change::activation;
pub use push::COMPILING;

/// Someone who may change what runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Operator {
    /// For the audit.
    pub name: String,
    #[serde(skip)]
    pub token_sha256: [u8; 32],
}

impl FromStr for Operator {
    type Err = String;

    fn from_str(text: &str) -> Result<Operator, String> {
        let (name, hash) = text.split_once('=').unwrap_or(("operator", text));
        let hash = hex::decode(hash).ok().and_then(|hash| hash.try_into().ok());
        let token_sha256 = hash.ok_or("an operator's token is known by its SHA-256, in hex")?;
        Ok(Operator { name: name.to_string(), token_sha256 })
    }
}

#[derive(Clone)]
struct Console {
    deployment: Arc<Deployment>,
    operators: Arc<Vec<Operator>>,
    /// Where modules may come from that a push names by reference.
    registries: Arc<Registries>,
    pushes: Arc<Pushes>,
    /// One verification at a time: it takes a slot of a reader of the database.
    verifying: Arc<tokio::sync::Mutex<()>>,
}

/// Name of the operator whose token was recognized.
#[derive(Clone)]
struct Name(String);

pub fn router(deployment: Arc<Deployment>, operators: Vec<Operator>, registries: Registries) -> Router {
    let console = Console {
        deployment,
        operators: Arc::new(operators),
        registries: Arc::new(registries),
        pushes: Arc::default(),
        verifying: Arc::default(),
    };
    Router::new()
        .merge(push::routes())
        .merge(compare::routes())
        .merge(change::routes())
        .merge(points::routes())
        .merge(show::routes())
        .merge(history::routes())
        .merge(verify::routes())
        .merge(logs::routes())
        .merge(forget::routes())
        .merge(companies::routes())
        .fallback(|| async { Answer(Err(DeploymentError::NotFound("operation"))) })
        .layer(DefaultBodyLimit::max(LARGEST + (1 << 16)))
        .layer(middleware::from_fn_with_state(console.clone(), require_operator))
        .with_state(console)
}

/// Admits a caller with an operator's token; other callers learn nothing.
async fn require_operator(State(console): State<Console>, mut request: Request, next: Next) -> Response {
    let token = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or_default();
    let hash: [u8; 32] = Sha256::digest(token).into();
    // Every one is compared, whichever fits.
    let mut found = None;
    for operator in console.operators.iter() {
        if verify_slices_are_equal(&operator.token_sha256, &hash).is_ok() {
            found = Some(operator.name.clone());
        }
    }
    match found {
        Some(name) => {
            request.extensions_mut().insert(Name(name));
            next.run(request).await
        }
        None => problem(StatusCode::UNAUTHORIZED, "UNAUTHENTICATED", "An operator's token is required.", &[]),
    }
}
