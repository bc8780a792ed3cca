//! Records as a change begins on them, and as it ends.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Entity, EventData, EventKind, Id, Problem, Record, Reply, emit};
use stoa_trade::Change;
use stoa_trade::document::version::ExpectedVersion;

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
