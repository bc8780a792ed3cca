//! The header `Host`: a request of HTTP/1 names one host, or is invalid (RFC 9112, 3.2). A server that reads it differently
//! from the proxy in front would take the request for another host's. HTTP/2 has `:authority` in its place.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Response, Version, header};

use super::problem;
use crate::problem::{Item, Problem};

/// Answers what names no host, or several, before it is routed.
pub async fn require(request: Request, next: Next) -> Response<Body> {
    match check(request.version(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => problem::refuse(&refusal),
    }
}

fn check(version: Version, headers: &HeaderMap) -> Result<(), Problem> {
    if version > Version::HTTP_11 {
        return Ok(());
    }
    let mut names = headers.get_all(header::HOST).iter();
    let fault = match (names.next(), names.next()) {
        (None, _) if version < Version::HTTP_11 => return Ok(()),
        (None, _) => "REQUIRED",
        (Some(_), Some(_)) => "REPEATED",
        (Some(name), None) if is_host(name) => return Ok(()),
        (Some(_), None) => "FORMAT",
    };
    Err(Problem::new("VALIDATION_FAILED").with(vec![Item::new("/header/Host", fault)]))
}

/// A host with or without a port; or nothing, where the target has no authority.
fn is_host(name: &HeaderValue) -> bool {
    let bytes = name.as_bytes();
    bytes.is_empty() || (!bytes.contains(&b'@') && Authority::try_from(bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_http_1_names_one_host() {
        let cases: &[(Version, &[&str], Option<&str>)] = &[
            (Version::HTTP_11, &["shop.example"], None),
            (Version::HTTP_11, &["shop.example:8080"], None),
            (Version::HTTP_11, &["[::1]:8080"], None),
            (Version::HTTP_11, &[""], None),
            (Version::HTTP_11, &[], Some("REQUIRED")),
            (Version::HTTP_11, &["shop.example", "shop.example"], Some("REPEATED")),
            (Version::HTTP_11, &["shop.example, other.example"], Some("FORMAT")),
            (Version::HTTP_11, &["someone@shop.example"], Some("FORMAT")),
            (Version::HTTP_11, &["shop.example/path"], Some("FORMAT")),
            (Version::HTTP_10, &[], None),
            (Version::HTTP_10, &["shop.example", "other.example"], Some("REPEATED")),
            (Version::HTTP_2, &[], None),
        ];
        for (version, names, fault) in cases {
            let mut headers = HeaderMap::new();
            for name in *names {
                headers.append(header::HOST, HeaderValue::from_str(name).unwrap());
            }
            let refused = check(*version, &headers).err();
            let reported = refused.map(|problem| (problem.status, problem.errors[0].code.to_string()));
            assert_eq!(reported, fault.map(|code| (400, code.to_string())), "{version:?} {names:?}");
        }
    }
}
