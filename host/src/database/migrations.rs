//! The host's own tables, step by step. sqlx keeps the record of what was applied and refuses a step that was edited since.

use std::borrow::Cow;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

const SQLITE: &[(i64, &str, &str)] = &[
    (1, "platform", include_str!("../../../migrations/sqlite/0001_platform.sql")),
    (2, "governance", include_str!("../../../migrations/sqlite/0002_governance.sql")),
    (3, "modules", include_str!("../../../migrations/sqlite/0003_modules.sql")),
    (4, "audit subjects", include_str!("../../../migrations/sqlite/0004_audit_subjects.sql")),
    (5, "idempotency in place", include_str!("../../../migrations/sqlite/0005_idempotency_in_place.sql")),
    (6, "slots", include_str!("../../../migrations/sqlite/0006_places.sql")),
    (7, "estimates", include_str!("../../../migrations/sqlite/0007_estimates.sql")),
    (8, "webhooks", include_str!("../../../migrations/sqlite/0008_webhooks.sql")),
    (9, "clock", include_str!("../../../migrations/sqlite/0009_clock.sql")),
    (10, "history", include_str!("../../../migrations/sqlite/0010_history.sql")),
    (11, "long fan-outs", include_str!("../../../migrations/sqlite/0011_long_fan_outs.sql")),
    (12, "founded", include_str!("../../../migrations/sqlite/0012_founded.sql")),
    (13, "upgrade tries", include_str!("../../../migrations/sqlite/0013_upgrade_tries.sql")),
    (14, "traces", include_str!("../../../migrations/sqlite/0014_traces.sql")),
    (15, "extensions", include_str!("../../../migrations/sqlite/0015_extensions.sql")),
    (16, "company places", include_str!("../../../migrations/sqlite/0016_company_places.sql")),
];
const POSTGRES: &[(i64, &str, &str)] = &[
    (1, "platform", include_str!("../../../migrations/postgres/0001_platform.sql")),
    (2, "governance", include_str!("../../../migrations/postgres/0002_governance.sql")),
    (3, "modules", include_str!("../../../migrations/postgres/0003_modules.sql")),
    (4, "audit subjects", include_str!("../../../migrations/postgres/0004_audit_subjects.sql")),
    (5, "idempotency in place", include_str!("../../../migrations/postgres/0005_idempotency_in_place.sql")),
    (6, "slots", include_str!("../../../migrations/postgres/0006_places.sql")),
    (7, "estimates", include_str!("../../../migrations/postgres/0007_estimates.sql")),
    (8, "webhooks", include_str!("../../../migrations/postgres/0008_webhooks.sql")),
    (9, "clock", include_str!("../../../migrations/postgres/0009_clock.sql")),
    (10, "history", include_str!("../../../migrations/postgres/0010_history.sql")),
    (11, "long fan-outs", include_str!("../../../migrations/postgres/0011_long_fan_outs.sql")),
    (12, "founded", include_str!("../../../migrations/postgres/0012_founded.sql")),
    (13, "upgrade tries", include_str!("../../../migrations/postgres/0013_upgrade_tries.sql")),
    (14, "traces", include_str!("../../../migrations/postgres/0014_traces.sql")),
    (15, "extensions", include_str!("../../../migrations/postgres/0015_extensions.sql")),
    (16, "company places", include_str!("../../../migrations/postgres/0016_company_places.sql")),
];

pub fn sqlite() -> Migrator {
    migrator(SQLITE)
}

pub fn postgres() -> Migrator {
    migrator(POSTGRES)
}

/// Number of the newest step.
pub fn newest_postgres() -> i64 {
    POSTGRES.last().map_or(0, |(version, ..)| *version)
}

/// Numbers of the steps that this host contains, the oldest first.
pub fn known_steps(postgres: bool) -> impl Iterator<Item = i64> {
    let steps = if postgres { POSTGRES } else { SQLITE };
    steps.iter().map(|(version, ..)| *version)
}

fn migrator(steps: &[(i64, &'static str, &'static str)]) -> Migrator {
    let mut migrator = Migrator::with_migrations(
        steps
            .iter()
            .map(|(version, name, sql)| {
                Migration::new(*version, Cow::Borrowed(*name), MigrationType::Simple, (*sql).into_sql_str(), false)
            })
            .collect(),
    );
    // Steps only add: an older host runs on what a newer one has applied.
    migrator.set_ignore_missing(true);
    migrator
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The newest step of 0.1.0.
    const RELEASED: i64 = 13;

    /// Hosts of two versions serve one database, and an older host may come back (docs/versions.md).
    #[test]
    fn steps_after_the_first_release_only_add() {
        for (number, name, text) in SQLITE.iter().chain(POSTGRES).filter(|(number, ..)| *number > RELEASED) {
            let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("--"));
            let statements = lines.collect::<Vec<_>>().join(" ").to_lowercase();
            for word in ["drop table", "drop column", "rename", "alter column", "delete from", "truncate"] {
                assert!(!statements.contains(word), "step {number}, {name}: {word}");
            }
            for column in statements.split("add column").skip(1) {
                let column = column.split([',', ';']).next().unwrap_or_default();
                let needs_value = column.contains("not null") && !column.contains("default");
                assert!(!needs_value, "step {number}, {name}: an older host writes no value of {column}");
            }
        }
    }
}
