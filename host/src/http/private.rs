//! The private listener: metrics, and the operators' side. Never on a public address.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;

use super::operator::{self, Operator};
use crate::deployment::Deployment;

pub fn router(metrics: PrometheusHandle, deployment: Arc<Deployment>, operators: Vec<Operator>) -> Router {
    Router::new()
        .route("/metrics", get(move || std::future::ready(metrics.render())))
        .merge(operator::router(deployment, operators))
}
