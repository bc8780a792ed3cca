//! The reasons to reject a user's token, one by one: for the log and for `stoa token check`. A caller receives a `CredentialRefusal`.

use super::claims::ClaimFault;
use super::refusal::CredentialRefusal;
use super::token::FormFault;

/// Why a token is rejected, in the order in which the verifier looks.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenFault {
    #[error("longer than any token may be")]
    Long,
    #[error(transparent)]
    Form(FormFault),
    #[error("iss is no configured issuer")]
    Issuer,
    #[error("alg is not on the issuer's list")]
    Algorithm,
    #[error("typ is not on the issuer's list")]
    Type,
    /// Also if it cannot be known now.
    #[error("no key: {0}")]
    Key(CredentialRefusal),
    #[error("the signature is not by the key that the token names")]
    Signature,
    #[error(transparent)]
    Claims(ClaimFault),
    /// The address is missing, and the issuer's userinfo failed.
    #[error("userinfo: {0}")]
    Userinfo(String),
}

impl From<&TokenFault> for CredentialRefusal {
    fn from(fault: &TokenFault) -> CredentialRefusal {
        match fault {
            TokenFault::Long => CredentialRefusal::Explained("The token is longer than 8 KiB."),
            TokenFault::Form(_) => CredentialRefusal::Explained("The token is malformed."),
            TokenFault::Issuer | TokenFault::Algorithm | TokenFault::Type | TokenFault::Signature => {
                CredentialRefusal::Unauthenticated
            }
            TokenFault::Key(refusal) => *refusal,
            TokenFault::Userinfo(_) => CredentialRefusal::Unavailable,
            TokenFault::Claims(fault) => refuse_claims(*fault),
        }
    }
}

/// The signature is good, so its owner may receive the reason, as far as a setting or a new token helps.
fn refuse_claims(fault: ClaimFault) -> CredentialRefusal {
    match fault {
        ClaimFault::Unverified => CredentialRefusal::Unverified,
        ClaimFault::NoAddress => CredentialRefusal::NoAddress,
        ClaimFault::NoVerification => CredentialRefusal::NoVerification,
        ClaimFault::NoAudience | ClaimFault::Audience => {
            CredentialRefusal::Explained("The token is for another audience.")
        }
        ClaimFault::Expired => CredentialRefusal::Explained("The token has expired."),
        ClaimFault::Bound => CredentialRefusal::Explained("The token is bound to a key and is no bearer token."),
        ClaimFault::Issuer | ClaimFault::NoExpiry | ClaimFault::NotYet | ClaimFault::Subject => {
            CredentialRefusal::Unauthenticated
        }
    }
}
