//! The points of the generation that runs here, their extensions in sequence, and a change of that sequence.

use std::collections::{BTreeMap, BTreeSet};

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{get, post};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use stoa_descriptor::extension::Moment;

use super::Console;
use super::answer::Answer;
use super::change::ChangeRequest;
use crate::deployment::ActivationRequest;
use crate::sandbox::arrangement::{self, AFTER_COMMIT, LISTENER, name_point};
use crate::sandbox::{Generation, Module};

pub(super) fn routes() -> Router<Console> {
    Router::new().route("/operator/points", get(points)).route("/operator/points/{point}", post(arrange))
}

async fn points(State(console): State<Console>) -> Answer {
    let edition = console.deployment.current.load_full();
    let points: Vec<Json> = list_points(&edition).into_iter().map(|point| describe_point(&edition, point)).collect();
    Answer(Ok((StatusCode::OK, json!({ "generation": edition.number, "points": points }))))
}

/// Every point that a module calls or extends, by name.
fn list_points(generation: &Generation) -> BTreeSet<&str> {
    let called = generation.modules.iter().flat_map(|module| &module.descriptor.points);
    let called = called.map(|point| name_point(&point.code));
    called.chain(generation.arrangement.keys().map(String::as_str)).collect()
}

/// Counts are this host's, since it runs the module.
fn describe_point(generation: &Generation, point: &str) -> Json {
    let callers: BTreeMap<&str, &str> = generation
        .modules
        .iter()
        .flat_map(|module| module.descriptor.points.iter().map(move |called| (module.name.as_str(), called)))
        .filter(|(_, called)| name_point(&called.code) == point)
        .map(|(module, called)| (module, called.description.as_str()))
        .collect();
    let called_by =
        callers.into_iter().map(|(module, description)| json!({ "module": module, "description": description }));
    let names = generation.arrangement.get(point).into_iter().flatten();
    let modules = names.filter_map(|name| generation.module(name));
    let extensions: Vec<Json> = modules.map(|module| describe_extension(module, point)).collect();
    json!({ "point": point, "calledBy": called_by.collect::<Vec<_>>(), "extensions": extensions })
}

fn describe_extension(module: &Module, point: &str) -> Json {
    let mut shown = json!(module.health.report_point(point));
    shown["module"] = json!(module.name);
    shown["version"] = json!(module.version);
    let moment = match point {
        LISTENER => Some(Moment::InTransaction),
        AFTER_COMMIT => Some(Moment::AfterCommit),
        _ => None,
    };
    if moment.is_some() {
        let received = module.descriptor.receives.iter().filter(|receiving| Some(receiving.moment) == moment);
        shown["kinds"] = received.map(|receiving| receiving.kind.as_str()).collect();
    }
    if point == arrangement::VIEWS {
        shown["places"] = module.descriptor.shows.iter().map(|place| place.place.as_str()).collect();
    }
    shown
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Arranging {
    /// Every extension of the point once, in the new sequence.
    modules: Vec<String>,
    expected_generation: Option<u64>,
}

async fn arrange(Path(point): Path<String>, request: ChangeRequest) -> Answer {
    let metadata = json!({ "point": point });
    let answer = request.answer("arrangePoint", metadata, move |deployment, by, body| {
        let Arranging { modules, expected_generation: expected } = body;
        let request = ActivationRequest { by: by.to_owned(), expected, allow: BTreeSet::new(), again: false };
        Ok(async move { deployment.arrange(&point, &modules, &request).await })
    });
    answer.await
}
