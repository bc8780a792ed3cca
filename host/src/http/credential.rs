//! The credential of a request: a user's token or an API key.

use std::net::IpAddr;

use http::{HeaderMap, header};

use super::app::App;
use super::connection_limit::subscriber;
use crate::identity::api_keys::{Lookup, is_api_key};
use crate::pipeline::opening::KEY_REVOKED;
use crate::pipeline::request::Caller;
use crate::problem::Problem;

/// The caller by the credential: a user or an API key, distinguished by form.
pub async fn identify(app: &App, headers: &HeaderMap, peer: IpAddr) -> Result<Caller, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let malformed = || Problem::of_credential("The header Authorization is malformed.");
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value,
        (None, _) => return Err(Problem::new("UNAUTHENTICATED")),
        (Some(_), Some(_)) => return Err(malformed()),
    };
    let token = value
        .to_str()
        .ok()
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or_else(malformed)?;
    let unreadable = |error| {
        tracing::warn!(%error, "the caller's record cannot be read");
        Problem::new("UNAVAILABLE")
    };
    if is_api_key(token) {
        return match app.api_keys.look_up(&app.database, token, subscriber(peer)).await.map_err(unreadable)? {
            Lookup::Key(key) => Ok(Caller::Client(key)),
            Lookup::Nothing => Err(Problem::of_credential("There is no such key here.")),
            Lookup::Revoked => Err(Problem::of_credential(KEY_REVOKED)),
            Lookup::TooMany => Err(Problem { retry_after: Some(1), ..Problem::new("RATE_LIMITED") }),
        };
    }
    let claims = app.verifier.verify(token).await.map_err(Problem::from)?;
    app.users.bring_up_to_date(&app.database, &claims).await.map(Caller::User).map_err(unreadable)
}

/// A key that was found revoked is rejected without a look for a moment: it would cost one with each request, at any
/// rate.
pub fn note_revoked(app: &App, caller: &Caller, problem: &Problem) {
    if let Caller::Client(key) = caller
        && problem.credential == Some(KEY_REVOKED)
    {
        app.api_keys.note_revoked(key);
    }
}
