//! The private listener: metrics, and the operators' side with its pages. Never on a public address.
//!
//! A page of the open internet can have a name point to a private address and ask there by the visitor's browser. It
//! cannot choose another name than its own: so this side answers to addresses, to `localhost`, and to names in the
//! settings.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use http::header;
use http::uri::Authority;
use metrics_exporter_prometheus::PrometheusHandle;

use super::operator::pages::OperatorPages;
use super::operator::problem;

/// Connections to this listener at once. They have descriptors of their own, whatever the public one is asked.
pub const CONNECTIONS: usize = 64;

/// `operators`: their API. `pages`: their console, if it is served. `names`: what this listener is called besides its address.
pub fn router(
    metrics: PrometheusHandle,
    operators: Router,
    pages: Option<Arc<OperatorPages>>,
    names: Vec<String>,
) -> Router {
    let pages = pages.map(|pages| stoa_console::operator_router(pages)).unwrap_or_default();
    let names: Arc<[String]> = names.into();
    Router::new()
        .route("/metrics", get(move || std::future::ready(metrics.render())))
        .merge(operators)
        .merge(pages)
        .layer(middleware::from_fn(move |request, next| require_own_name(names.clone(), request, next)))
}

async fn require_own_name(names: Arc<[String]>, request: Request, next: Next) -> Response {
    let header = request.headers().get(header::HOST).map(|name| name.as_bytes());
    let asked = request.uri().authority().map(|name| name.as_str().as_bytes());
    if [header, asked].into_iter().flatten().all(|name| is_own(name, &names)) {
        return next.run(request).await;
    }
    let detail = "The private listener answers to addresses, localhost and the names of STOA_PRIVATE_NAMES.";
    problem(StatusCode::MISDIRECTED_REQUEST, "MISDIRECTED", detail, &[])
}

fn is_own(name: &[u8], names: &[String]) -> bool {
    let Ok(authority) = Authority::try_from(name) else { return false };
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    address.parse::<std::net::IpAddr>().is_ok()
        || host.eq_ignore_ascii_case("localhost")
        || names.iter().any(|name| name.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn addresses_and_known_names_are_its_own() {
        let names = ["stoa-metrics.internal".to_owned()];
        for (name, expected) in [
            ("127.0.0.1:9464", true),
            ("10.0.0.7", true),
            ("[::1]:9464", true),
            ("LocalHost:9464", true),
            ("stoa-metrics.internal:9464", true),
            ("rebound.example:9464", false),
            ("localhost.rebound.example", false),
            ("127.0.0.1.rebound.example", false),
            ("", false),
        ] {
            assert_eq!(is_own(name.as_bytes(), &names), expected, "{name}");
        }
    }
}
