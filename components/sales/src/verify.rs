//! stub
use stoa_sdk::Findings;
pub fn verify(_: Option<String>) -> Findings {
    Findings { findings: Vec::new(), next: None }
}
