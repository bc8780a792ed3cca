//! Records that the caller of a request reads: users read all of them; API clients read what is on sale, and clients that write
//! the catalog read what they wrote, drafts included.

use stoa_sdk::{Problem, holds};
use stoa_trade::Caller;

use crate::records::permission::WRITE;
use crate::records::product::ProductHead;

/// Returns whether the caller reads products and variants in every state.
pub fn may_read_every_state(caller: Caller) -> bool {
    !caller.is_client() || WRITE.iter().all(|scope| holds(scope))
}

/// Returns whether the caller reads the variants of the product.
pub fn may_read_variants(caller: Caller, product: &ProductHead) -> bool {
    product.is_public() || may_read_every_state(caller)
}

/// Returns whether the caller reads the media of the product.
pub fn may_read_media(caller: Caller, product: &ProductHead) -> bool {
    product.is_public() || !caller.is_client()
}

/// Rejects a list with drafts unless the caller reads them.
///
/// # Errors
/// SCOPE_DENIED.
pub fn require_may_list_drafts(stated: bool) -> Result<(), Problem> {
    if !stated || may_read_every_state(Caller::current()) { Ok(()) } else { Err(Problem::new("SCOPE_DENIED")) }
}
