//! Removing a module and its data, at an operator's request.

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post;
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::answer::{Answer, apart, invalid, note, parse_body};
use super::{Console, Name};

pub(super) fn routes() -> Router<Console> {
    Router::new().route("/operator/modules/{module}/forget", post(forget))
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Forgetting {
    /// Without it nothing is forgotten, so that no operator is surprised.
    with_data: bool,
}

async fn forget(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    Path(name): Path<String>,
    body: Bytes,
) -> Answer {
    let (deployment, module, operator) = (console.deployment.clone(), name.clone(), by.clone());
    let forgotten = async {
        let Forgetting { with_data } = parse_body(&body)?;
        if !with_data {
            return Err(invalid("the rows of every company go as well: withData must be true").into());
        }
        apart(async move { deployment.forget(&module, &operator).await }).await
    };
    let forgotten = forgotten.await;
    if let Err(refused) = &forgotten {
        note(&console, &by, "forgetModule", refused, json!({ "module": name })).await;
    }
    Answer(forgotten.map(|collections| (StatusCode::OK, json!({ "name": name, "collections": collections }))))
}
