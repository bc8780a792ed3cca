//! The private listener: metrics. Never on a public address.

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;

pub fn router(metrics: PrometheusHandle) -> Router {
    Router::new().route("/metrics", get(move || std::future::ready(metrics.render())))
}
