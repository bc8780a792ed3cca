//! Records as a change begins on them, and as it ends.

use stoa_sdk::store::{find, get, run};
use stoa_sdk::{Answer, Entity, EventData, EventKind, Field, Id, Problem, Record, Reply, View, emit};
use stoa_trade::Change;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::taken::show_readable;

use crate::records::permission::READ;

/// The row of this id, held until the request ends, at the version that the caller expects.
pub fn lock_expected<R: Record>(id: Id, expected: ExpectedVersion) -> Result<R, Problem> {
    let row: R = run(get(id).locked())?.ok_or_else(Problem::not_found)?;
    expected.check(row.version())?;
    Ok(row)
}

/// Writes a change and emits it; answers the row as `show` answers it, with the names of what changed.
pub fn finish<R: Entity, T: EventData>(
    change: &Change<R>,
    kind: &EventKind<T>,
    data: impl Fn(&R) -> T,
    show: impl Fn(&R) -> Reply,
) -> Answer {
    run(change.update())?;
    let after = change.after();
    emit([kind.of(after.id(), None, &data(after))]);
    Ok(show(after).changed(change.members()))
}

/// A refused number with the document of the entity that has it, if the caller reads such documents.
pub fn name_owner<V: View>(
    refusal: Problem,
    entity: Id,
    number_key: &str,
    id: fn(&V) -> Id,
) -> Result<Problem, Problem> {
    if refusal.code != "DUPLICATE" {
        return Ok(refusal);
    }
    let named = run(find::<V>("number", [vec![entity.put(), number_key.to_owned().put()]]))?;
    Ok(match named.first().and_then(|document| show_readable(id(document), READ)) {
        Some(id) => {
            Problem { errors: refusal.errors.into_iter().map(|item| item.with_conflict(id)).collect(), ..refusal }
        }
        None => refusal,
    })
}
