//! The ways in which a user's token is refused.

use crate::problem::{Item, Problem};

/// The reason why a token is rejected. The caller receives it (RFC 6750, 3) if the token is malformed, if its signature is good, or if
/// its issuer does not publish its key, which every reader can look up. For any other token only the log names the failed check: a
/// caller who forges tokens learns nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CredentialRefusal {
    /// 401 UNAUTHENTICATED: forged, or of no trusted issuer.
    #[error("the token is not valid")]
    Unauthenticated,
    /// 401 UNAUTHENTICATED, with what is wrong.
    #[error("{0}")]
    Explained(&'static str),
    /// 403 IDENTITY_UNVERIFIED: valid, but the address is not verified.
    #[error("the user's email address is not verified")]
    Unverified,
    /// 403 IDENTITY_UNVERIFIED: valid, but neither token nor userinfo has an address.
    #[error("the token has no email address")]
    NoAddress,
    /// 403 IDENTITY_UNVERIFIED: valid, with an address of which nothing says whether it is verified.
    #[error("the token does not say whether its email address is verified")]
    NoVerification,
    /// 503 UNAVAILABLE: it cannot be reported, since the issuer's keys are not at hand.
    #[error("the issuer's keys are not available")]
    Unavailable,
}

impl From<CredentialRefusal> for Problem {
    fn from(refusal: CredentialRefusal) -> Problem {
        match refusal {
            CredentialRefusal::Unauthenticated => Problem::of_credential("The token is not valid."),
            CredentialRefusal::Explained(why) => Problem::of_credential(why),
            CredentialRefusal::Unverified => {
                refuse_unverified("FORMAT", "The token has an e-mail address that is not verified.")
            }
            CredentialRefusal::NoAddress => refuse_unverified("REQUIRED", "The token has no e-mail address."),
            CredentialRefusal::NoVerification => {
                refuse_unverified("REQUIRED", "The token does not say whether its e-mail address is verified.")
            }
            CredentialRefusal::Unavailable => Problem::new("UNAVAILABLE"),
        }
    }
}

/// One sentence for the code, so the item and the challenge say which of the two it is: an address is missing, or is not verified.
fn refuse_unverified(item: &'static str, why: &'static str) -> Problem {
    let problem = Problem::new("IDENTITY_UNVERIFIED").with(vec![Item::new("/header/Authorization", item)]);
    Problem { credential: Some(why), ..problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_address_differs_from_an_unverified_one() {
        for (refusal, item, why) in [
            (CredentialRefusal::Unverified, "FORMAT", "not verified"),
            (CredentialRefusal::NoAddress, "REQUIRED", "no e-mail address"),
            (CredentialRefusal::NoVerification, "REQUIRED", "does not say whether"),
        ] {
            let problem = Problem::from(refusal);
            assert_eq!((problem.status, &*problem.code), (403, "IDENTITY_UNVERIFIED"));
            assert_eq!(problem.errors, [Item::new("/header/Authorization", item)]);
            assert!(problem.credential.is_some_and(|said| said.contains(why)), "{refusal:?}");
        }
    }
}
