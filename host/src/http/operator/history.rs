//! The generations that ran here, the newest first.

use axum::Router;
use axum::extract::{Query, State};
use axum::routing::get;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::Console;
use super::answer::{Answer, invalid};
use crate::database::Shard;
use crate::deployment::{records, withdrawn};

/// Rows of a page of the history.
const PAGE: u32 = 50;

pub(super) fn routes() -> Router<Console> {
    Router::new().route("/operator/generations", get(history))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    before: Option<u64>,
    limit: Option<u32>,
}

async fn history(
    State(console): State<Console>,
    query: Result<Query<HistoryQuery>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let read = async {
        let Query(HistoryQuery { before, limit }) = query.map_err(|_| invalid("before and limit are numbers"))?;
        let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
        let items = console
            .deployment
            .database
            .read_plain(Shard::Global, (before, limit), |session, (before, limit)| {
                Box::pin(async move {
                    let mut items = records::history(session, *before, *limit).await?;
                    withdrawn::mark_generations(session, &mut items).await?;
                    Ok(items)
                })
            })
            .await?;
        let next = items.last().filter(|_| items.len() == limit as usize).map(|item| item["generation"].clone());
        Ok((StatusCode::OK, json!({ "items": items, "nextBefore": next })))
    };
    Answer(read.await)
}
