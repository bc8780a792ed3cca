//! A client that does not give up: the same request with the same key until there is an answer, as across a power cut.

use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

use crate::{Answer, Company};

/// Tries before the host counts as gone: forty seconds and more.
const TRIES: usize = 2_000;

impl Company {
    /// Sends until there is a response that is not "not now".
    pub fn post_until_answered(&self, path: &str, body: &Json) -> Answer {
        let key = uuid::Uuid::new_v4().to_string();
        for _ in 0..TRIES {
            match self.request("POST", path).key(&key).json(body).unchecked().try_send() {
                Ok(answer) if answer.status != 503 => return answer,
                _ => thread::sleep(Duration::from_millis(20)),
            }
        }
        panic!("the host did not come back");
    }
}
