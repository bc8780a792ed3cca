//! A request of each of the host's own operations and its answer. The texts lie in `examples/`.

use stoa_descriptor::Example;

/// The operation id and the JSON text of its example.
const EXAMPLES: &[(&str, &str)] = &[];

/// The example of an operation.
pub fn find(operation: &str) -> Option<Example> {
    let (_, text) = EXAMPLES.iter().find(|(name, _)| *name == operation)?;
    serde_json::from_str(text).ok()
}
