//! A request of each operation and its answer. The texts lie in `examples/`.

/// The operation id and the JSON text of its `stoa_descriptor::Example`.
pub const EXAMPLES: &[(&str, &str)] = &[];
