//! The destination of a transaction: the shard that has its rows, and the key of the queue in which it waits for the
//! database. Most transactions wait in the queue of their company. A request that belongs to no company, or comes from
//! a stranger, waits in a queue of its caller: it takes no slot of a company, and delays no other caller.

use uuid::Uuid;

use super::Shard;

/// The queue in which a transaction waits. The queues are served round robin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueueKey {
    /// Work of the host itself. It may use every slot.
    Global,
    /// Requests of this company. They have at most half of the slots, as those of a caller have.
    Company(Uuid),
    /// Requests of this caller outside of a company.
    Caller(Uuid),
}

/// The shard and the queue of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination {
    pub shard: Shard,
    pub queue: QueueKey,
}

impl From<Shard> for Destination {
    fn from(shard: Shard) -> Destination {
        let queue = match shard {
            Shard::Global | Shard::Place(_) => QueueKey::Global,
            Shard::Company(tenant) => QueueKey::Company(tenant),
        };
        Destination { shard, queue }
    }
}

impl Shard {
    /// This shard, by another queue than its own.
    pub fn with_queue(self, queue: QueueKey) -> Destination {
        Destination { shard: self, queue }
    }
}
