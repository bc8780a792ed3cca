//! The ways in which a user's token is refused.

use crate::problem::Problem;

/// Why a token opens nothing. Of one that is malformed, whose signature is good, or whose key its issuer does not publish, as everybody
/// may look up, the caller hears what is wrong (RFC 6750, 3); of every other which check failed is reported to the log only: a caller who
/// forges tokens learns nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CredentialRefusal {
    /// 401 UNAUTHENTICATED: forged, or of nobody who is trusted.
    #[error("the token is not valid")]
    Unauthenticated,
    /// 401 UNAUTHENTICATED, with what is wrong.
    #[error("{0}")]
    Explained(&'static str),
    /// 403 IDENTITY_UNVERIFIED: valid, but of a user without a verified email address.
    #[error("the user's email address is not verified")]
    Unverified,
    /// 503 UNAVAILABLE: it cannot be reported, since the issuer's keys are not at hand.
    #[error("the issuer's keys are not available")]
    Unavailable,
}

impl From<CredentialRefusal> for Problem {
    fn from(refusal: CredentialRefusal) -> Problem {
        match refusal {
            CredentialRefusal::Unauthenticated => Problem::of_credential("The token is not valid."),
            CredentialRefusal::Explained(why) => Problem::of_credential(why),
            CredentialRefusal::Unverified => Problem::new("IDENTITY_UNVERIFIED"),
            CredentialRefusal::Unavailable => Problem::new("UNAVAILABLE"),
        }
    }
}
