//! Trust in modules: judged by what came with a module, before a byte of it is compiled. Trust is a setting, and is read
//! again while a host runs.

use super::admission::{Admission, Signer, Statement};
use super::refusal::Refusal;

/// Modules that are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Every module: for verbs that serve no requests and hold only the author's own data.
    Everything,
    /// Modules that one of these signed. `unsigned`: with --dev, unsigned modules as well: the files of its modules folder.
    Signed { by: Vec<Signer>, unsigned: bool },
}

impl Trust {
    /// The signer of the bytes of a digest, and its statement; `None` if no signature is needed.
    pub fn admit(
        &self,
        digest: &[u8; 32],
        admission: Option<&Admission>,
    ) -> Result<Option<(Statement, &Signer)>, Refusal> {
        match (self, admission) {
            (Trust::Everything, _) | (Trust::Signed { unsigned: true, .. }, None) => Ok(None),
            (Trust::Signed { by, .. }, Some(admission)) => admission.verify(digest, by).map(Some),
            (Trust::Signed { unsigned: false, .. }, None) => {
                Err(Refusal::new("SIGNATURE_MISSING", "this module has no signature"))
            }
        }
    }

    pub fn takes_unsigned(&self) -> bool {
        matches!(self, Trust::Signed { unsigned: true, .. })
    }
}
