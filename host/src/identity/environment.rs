//! The purpose of a deployment: keys for tests open no live one.

use serde::{Deserialize, Serialize};

/// The purpose of a deployment; its API keys state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    Test,
    Live,
}

impl std::fmt::Display for Environment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Environment::Test => "test",
            Environment::Live => "live",
        })
    }
}
