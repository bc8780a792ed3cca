//! Other reads: reports and settings.

use axum::response::Response;
use http::StatusCode;
use maud::html;
use serde_json::Value;

use super::list::{self, Filters};
use super::value::View;
use crate::call::Problem;
use crate::form::Faults;
use crate::form::reference::{Names, names};
use crate::page::{self, Visit};
use crate::site::operation::Operation;
use crate::site::words;

const MOST_NAMES: usize = 4;

pub async fn respond(visit: &Visit, operation: &Operation, known: &[(String, String)]) -> Result<Response, Problem> {
    let mut filters = match Filters::read(visit, operation, known).await? {
        Ok(filters) => filters,
        Err(response) => return Ok(response),
    };
    let query = filters.query();
    if visit.query.get("_as") == Some("csv") && operation.csv {
        return list::download(visit, operation, &query).await;
    }
    let (mut body, mut faults) = (Value::Null, Faults::default());
    if filters.is_complete() {
        match list::read_filtered(visit, &query).await? {
            Ok(read) => body = read,
            Err(problem) => faults = list::find_faults(visit, operation, &problem),
        }
    }
    let mut view = View { visit, operation, known, clock: visit.clock().await?, names: Names::default() };
    let mut wanted = Vec::new();
    view.collect(&body, &mut wanted);
    wanted.truncate(MOST_NAMES);
    view.names = names(visit, &wanted).await;
    if filters.offers.is_empty() {
        filters.load(visit, known).await?;
    }
    filters.offers.add_to(&mut view.names);
    let frame = visit.frame().await?;
    let edits = visit.site.operations.iter().filter(|edit| {
        !edit.is_read() && edit.path == operation.path && edit.access.permits(&frame.context.permissions)
    });
    let edits: Vec<&Operation> = edits.collect();
    let status = if faults.title.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let title = words::to_title(&operation.id, &operation.summary);
    let markup = html! {
        div.actions {
            @for edit in edits { a.button href=(format!("{}?_form={}", visit.address(), edit.id)) { (edit.summary) } }
            (list::file_link(visit, operation, &query))
        }
        (filters.draw(visit, &faults))
        @if body.is_null() { p.hint { "State the filters to see the report." } }
        @else { (view.object(&operation.response, &body, &[], 0)) }
    };
    Ok(page::draw_with_status(&frame, status, &title, markup))
}
