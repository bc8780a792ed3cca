//! Writing the change of a record.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Entity, Reply};
use stoa_trade::Change;

/// Writes the change and answers the record as it stands after it, with the names of what changed.
pub fn write_change<R: Entity>(change: Change<R>, answer: impl FnOnce(R) -> Reply) -> Answer {
    run(change.update())?;
    Ok(change.show(answer))
}
