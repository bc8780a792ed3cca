//! A request of each operation and its answer. The texts lie in `examples/`.

/// The operation id and the JSON text of its `stoa_descriptor::Example`.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("createAccount", include_str!("../examples/createAccount.json")),
    ("replaceAccount", include_str!("../examples/replaceAccount.json")),
    ("archiveAccount", include_str!("../examples/archiveAccount.json")),
    ("createBranch", include_str!("../examples/createBranch.json")),
    ("replaceBranch", include_str!("../examples/replaceBranch.json")),
    ("archiveBranch", include_str!("../examples/archiveBranch.json")),
    ("createLegalEntity", include_str!("../examples/createLegalEntity.json")),
    ("replaceLegalEntity", include_str!("../examples/replaceLegalEntity.json")),
    ("archiveLegalEntity", include_str!("../examples/archiveLegalEntity.json")),
];
