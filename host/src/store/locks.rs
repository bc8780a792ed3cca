//! Named locks: which of the names asked for are not yet held by the request, as keys in one fixed order.

use sha2::{Digest, Sha256};

use super::schema::Tables;
use super::scope::Scope;

/// The lock's key: the first 8 bytes of SHA-256 over tenant, module and name. A chance collision only waits longer.
fn key(schema: &Tables, scope: &Scope, name: &str) -> i64 {
    let mut hash = Sha256::new();
    hash.update(scope.tenant.as_bytes());
    hash.update(schema.module().as_bytes());
    hash.update([0]);
    hash.update(name.as_bytes());
    let digest = hash.finalize();
    let mut first = [0u8; 8];
    first.copy_from_slice(digest.get(..8).unwrap_or(&[0; 8]));
    i64::from_be_bytes(first)
}

/// Notes the names as held and answers what must be taken for it: keys ascending, true for exclusive.
///
/// A lock held shared cannot become exclusive: two requests that tried would wait for each other.
pub(super) fn claim(schema: &Tables, scope: &mut Scope, names: &[(String, bool)]) -> Result<Vec<(i64, bool)>, String> {
    let mut wanted: Vec<(i64, bool)> =
        names.iter().map(|(name, exclusive)| (key(schema, scope, name), *exclusive)).collect();
    // Exclusive first, so that of one name's two modes the stronger stays.
    wanted.sort_by_key(|(key, exclusive)| (*key, !exclusive));
    wanted.dedup_by_key(|(key, _)| *key);
    let mut taken = Vec::with_capacity(wanted.len());
    for (key, exclusive) in wanted {
        match scope.held.get(&key) {
            Some(false) if exclusive => return Err("a lock held shared cannot become exclusive".to_owned()),
            Some(_) => {}
            None => taken.push((key, exclusive)),
        }
    }
    scope.held.extend(taken.iter().copied());
    Ok(taken)
}
