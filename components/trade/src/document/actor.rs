//! The actor and the request: the last columns of every ledger.

use stoa_sdk::{ActorKind, Facts, Id, facts, text_enum};

text_enum! {
    // Which family of callers acted. No doc comment: it would be the description of every member of this type.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum ActorType { User => "USER", ApiClient => "API_CLIENT", System => "SYSTEM" }
}

/// The values of the columns `actor_type`, `actor_id` and `request_id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Which of the families.
    pub actor_type: ActorType,
    /// As the host names it.
    pub actor_id: String,
    /// The request's.
    pub request_id: Id,
}

impl Actor {
    /// The actor of the request that is running.
    pub fn current() -> Actor {
        Actor::from_facts(&facts())
    }

    /// The actor of the request with these facts.
    pub fn from_facts(facts: &Facts) -> Actor {
        Actor {
            actor_type: match facts.actor_kind {
                ActorKind::User => ActorType::User,
                ActorKind::ApiClient => ActorType::ApiClient,
                ActorKind::System => ActorType::System,
            },
            actor_id: facts.actor.clone(),
            request_id: facts.request.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::script;

    use super::*;

    #[test]
    fn the_actor_is_the_requests() {
        script([]);
        let alice = Actor { actor_type: ActorType::User, actor_id: "alice".to_owned(), request_id: Id(2, 2) };
        assert_eq!(Actor::current(), alice);
    }
}
