//! Claims of a token about its user, and the conditions under which they are believed (RFC 7519, RFC 8725; platform.md 2).
//!
//! The checks are written out here, not left to a library's defaults: a claim of another type than expected (an exp in
//! quotes, an array of issuers) is refused, never skipped.

use serde_json::{Map, Value};

use super::issuer::{ClaimNames, Issuer};

/// How far the issuer's clock may run ahead of ours, in seconds, for `nbf` and `iat`. `exp` has no leeway.
const CLOCK_SKEW: u64 = 60;
const MAX_SUBJECT_CHARACTERS: usize = 255;
/// RFC 5321 4.5.3.1.3: what fits a mail path.
const MAX_EMAIL_CHARACTERS: usize = 254;
const MAX_NAME_CHARACTERS: usize = 200;

/// A verified human user, as the issuer describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// With `subject`, the user's identity. An email address moves from one person to another; this pair does not.
    pub issuer: String,
    /// 1 to 255 characters, none of them a control character.
    pub subject: String,
    /// An address that the issuer has verified.
    pub email: String,
    /// Display name, at most 200 characters, where the issuer states one.
    pub name: Option<String>,
    /// When the token ends, in seconds since 1970.
    pub expires_at: u64,
}

/// Why the claims of a token with a good signature are not believed, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ClaimFault {
    #[error("iss is not the issuer")]
    Issuer,
    #[error("no aud: configure the issuer to put the audience into its tokens")]
    NoAudience,
    #[error("aud does not name the configured audience")]
    Audience,
    #[error("exp is missing or no number of seconds")]
    NoExpiry,
    #[error("expired")]
    Expired,
    #[error("nbf or iat is no number of seconds, or lies in the future")]
    NotYet,
    #[error("sub is missing, or not 1 to 255 printable characters")]
    Subject,
    #[error("bound to a key (cnf), which the caller does not prove")]
    Bound,
    #[error("the email address is not verified")]
    Unverified,
    /// It may be found elsewhere: all else holds.
    #[error("no email address")]
    NoAddress,
    /// The same.
    #[error("no claim that says whether the email address is verified")]
    NoVerification,
}

impl Claims {
    /// Checks the claims of a token whose signature is good, at `now` (seconds since 1970). `Unverified`, `NoAddress` and
    /// `NoVerification` come last, so they mean that all else holds.
    pub(super) fn believe(members: &Map<String, Value>, issuer: &Issuer, now: u64) -> Result<Claims, ClaimFault> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        if text("iss") != Some(&issuer.issuer) {
            return Err(ClaimFault::Issuer);
        }
        match members.get("aud").ok_or(ClaimFault::NoAudience)? {
            Value::String(one) if *one == issuer.audience => {}
            Value::Array(several)
                if several.iter().all(Value::is_string) && several.iter().any(|one| *one == *issuer.audience) => {}
            _ => return Err(ClaimFault::Audience),
        }
        let expires_at = members.get("exp").and_then(read_seconds).ok_or(ClaimFault::NoExpiry)?;
        if expires_at <= now {
            return Err(ClaimFault::Expired);
        }
        for begin in ["nbf", "iat"].into_iter().filter_map(|name| members.get(name)) {
            let begin = read_seconds(begin).ok_or(ClaimFault::NotYet)?;
            if begin > now.saturating_add(CLOCK_SKEW) {
                return Err(ClaimFault::NotYet);
            }
        }
        let subject = text("sub").filter(|subject| is_subject(subject)).ok_or(ClaimFault::Subject)?;
        // RFC 9449 7.2, RFC 8705 3: such a token proves nothing without its key.
        if members.contains_key("cnf") {
            return Err(ClaimFault::Bound);
        }
        let names = &issuer.claims;
        let email = members.get(&names.email).ok_or(ClaimFault::NoAddress)?;
        let email = email.as_str().filter(|email| is_email_address(email)).ok_or(ClaimFault::Unverified)?;
        // The string "true" is what some issuers send for a claim that they did not check.
        match members.get(&names.email_verified) {
            _ if names.email_always_verified => {}
            Some(Value::Bool(true)) => {}
            None => return Err(ClaimFault::NoVerification),
            Some(_) => return Err(ClaimFault::Unverified),
        }
        Ok(Claims {
            issuer: issuer.issuer.clone(),
            subject: subject.to_owned(),
            email: email.to_owned(),
            name: text(&names.name).and_then(display_name),
            expires_at,
        })
    }

    /// The claims of a token with those that its issuer's userinfo adds; `None` where userinfo is about another user.
    pub(super) fn complete(
        members: &Map<String, Value>,
        userinfo: &Map<String, Value>,
        names: &ClaimNames,
    ) -> Option<Map<String, Value>> {
        if userinfo.get("sub").is_none() || userinfo.get("sub") != members.get("sub") {
            return None;
        }
        let mut all = members.clone();
        // The word on an address is of that address: both come from one source.
        if userinfo.contains_key(&names.email) {
            all.remove(&names.email_verified);
            for name in [&names.email, &names.email_verified, &names.name] {
                all.extend(userinfo.get(name).map(|value| (name.clone(), value.clone())));
            }
        }
        Some(all)
    }
}

/// Seconds since 1970, of which RFC 7519 allows fractions: the whole ones.
fn read_seconds(value: &Value) -> Option<u64> {
    let Value::Number(number) = value else { return None };
    let text = number.to_string();
    let whole = text.split_once('.').map_or(text.as_str(), |(whole, _)| whole);
    let plain = !text.contains(['e', 'E', '-', '+']);
    whole.parse().ok().filter(|_| plain)
}

fn is_subject(subject: &str) -> bool {
    (1..=MAX_SUBJECT_CHARACTERS).contains(&subject.chars().count()) && !subject.contains(char::is_control)
}

/// The form of an address as far as storing and showing it needs: something before and after an `@`, no white space, no
/// control characters, not too long. The issuer has verified that mail to it arrives.
pub(super) fn is_email_address(email: &str) -> bool {
    email.chars().count() <= MAX_EMAIL_CHARACTERS
        && !email.contains(|character: char| character.is_control() || character.is_whitespace())
        && email.rsplit_once('@').is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
}

/// A name is for show: characters that cannot be shown are left out, and one that is too long is cut.
fn display_name(name: &str) -> Option<String> {
    let name: String =
        name.trim().chars().filter(|character| !character.is_control()).take(MAX_NAME_CHARACTERS).collect();
    (!name.is_empty()).then_some(name)
}
