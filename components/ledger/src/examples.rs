//! A request of each operation and its answer. The texts lie in `examples/`.

/// The operation id and the JSON text of its `stoa_descriptor::Example`.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("createAccount", include_str!("../examples/createAccount.json")),
    ("replaceAccount", include_str!("../examples/replaceAccount.json")),
    ("archiveAccount", include_str!("../examples/archiveAccount.json")),
    ("createBranch", include_str!("../examples/createBranch.json")),
    ("replaceBranch", include_str!("../examples/replaceBranch.json")),
    ("archiveBranch", include_str!("../examples/archiveBranch.json")),
    ("createJournalEntry", include_str!("../examples/createJournalEntry.json")),
    ("reverseJournalEntry", include_str!("../examples/reverseJournalEntry.json")),
    ("createLegalEntity", include_str!("../examples/createLegalEntity.json")),
    ("replaceLegalEntity", include_str!("../examples/replaceLegalEntity.json")),
    ("archiveLegalEntity", include_str!("../examples/archiveLegalEntity.json")),
    ("installChart", include_str!("../examples/installChart.json")),
    ("replaceMappings", include_str!("../examples/replaceMappings.json")),
    ("closePeriod", include_str!("../examples/closePeriod.json")),
    ("reopenPeriod", include_str!("../examples/reopenPeriod.json")),
    ("createMoneyAccount", include_str!("../examples/createMoneyAccount.json")),
    ("replaceMoneyAccount", include_str!("../examples/replaceMoneyAccount.json")),
    ("archiveMoneyAccount", include_str!("../examples/archiveMoneyAccount.json")),
];
