//! Settings as `stoa serve --print-config` shows them: without secrets.

use serde::Serialize as _;

/// A secret is never shown.
pub(super) fn whether_set<S: serde::Serializer>(secret: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(|_| "(set)").serialize(serializer)
}

pub(super) fn without_password<S: serde::Serializer>(url: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    let shown = url.as_ref().map(|url| match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at_sign)) if at_sign > scheme => {
            let user = url[scheme + 3..at_sign].split(':').next().unwrap_or_default();
            format!("{}{user}{}", &url[..scheme + 3], without_secrets(&url[at_sign..]))
        }
        _ => without_secrets(url),
    });
    shown.serialize(serializer)
}

/// Members of an address's query that are no secret.
const PLAIN: &[&str] = &[
    "sslmode",
    "sslrootcert",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "application_name",
    "target_session_attrs",
];

/// An address with every other member of its query left out: a password may be there as well.
fn without_secrets(address: &str) -> String {
    let Some((address, query)) = address.split_once('?') else { return address.to_owned() };
    let show = |member: &str| match member.split_once('=') {
        Some((name, _)) if !PLAIN.contains(&name) => format!("{name}=(set)"),
        _ => member.to_owned(),
    };
    format!("{address}?{}", query.split('&').map(show).collect::<Vec<_>>().join("&"))
}
