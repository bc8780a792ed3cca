//! The permissions there are: the host's own and those that the active modules bring.

use serde_json::{Value as Json, json};

use super::super::routes::{array, object, text};
use super::super::{Call, shown};
use crate::pipeline::run::Done;

pub fn schema() -> Json {
    object(json!({ "items": array(object(json!({ "code": text(), "description": text(), "module": text() }))) }))
}

pub fn list(call: &Call<'_>) -> Done {
    let items: Vec<Json> = call
        .request
        .generation
        .permissions
        .iter()
        .map(|(code, known)| json!({ "code": code, "description": known.description, "module": known.module }))
        .collect();
    shown(json!({ "items": items }))
}
