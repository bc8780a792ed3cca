//! The list of checks, in the order in which they are printed, with their remedies: the same as in
//! `docs/operate/doctor.md`.

/// A check.
#[derive(Debug)]
pub struct Probe {
    pub id: &'static str,
    /// The state in which it passes.
    pub about: &'static str,
    /// The operator's step if it warns or fails, in one line.
    pub remedy: &'static str,
}

const fn probe(id: &'static str, about: &'static str, remedy: &'static str) -> Probe {
    Probe { id, about, remedy }
}

#[rustfmt::skip]
pub const PROBES: &[Probe] = &[
    probe("settings.valid", "Every setting can be read, and they fit each other.",
        "Correct the setting; `stoa serve --print-config` prints the whole message."),
    probe("settings.names", "No setting has a former name. Warns.",
        "Rename the setting in the environment or in stoa.toml."),
    probe("settings.key", "There is a key for stored secrets.",
        "Set STOA_ENCRYPTION_KEY as the other hosts have it; for a new deployment, `openssl rand -hex 32` makes one."),
    probe("settings.identity", "There is an identity provider.",
        "Set STOA_OIDC_ISSUER and STOA_OIDC_AUDIENCE, or `[[oidc]]` in stoa.toml."),
    probe("settings.operators", "There is an operator. Warns.",
        "Set STOA_OPERATOR_TOKEN_SHA256 to the SHA-256 of an operator's token."),
    probe("settings.private_listener", "Metrics and the operators' API are at a private address. Warns.",
        "Set STOA_PRIVATE_LISTEN to a loopback or private address."),
    probe("settings.trust", "A signer is trusted. Warns if a partner is trusted and the sandbox is `fast`.",
        "Set STOA_TRUSTED_SIGNERS to the line of `stoa module keygen`; leave STOA_SANDBOX unset with partners."),
    probe("settings.precompiled", "The release's machine code can be used. Warns; fails if the SHA-256 is malformed.",
        "Set STOA_PRECOMPILED_SHA256 to the SHA-256 that `stoa module precompile --out` printed for this release."),
    probe("files.rights", "Files with secrets in the data folder are closed to other users.",
        "Run `chmod o-rwx` on the files, and change the keys that others could read."),
    probe("files.room", "The disk of the data folder has room. Warns below 1 GiB or 5 %, fails below 100 MiB.",
        "Free room on the disk, or move the data folder to a larger one."),
    probe("database.address", "The address of the database can be used, with its certificates.",
        "Correct STOA_DATABASE_URL, STOA_DATABASE_TLS_CA or STOA_DATABASE_PLAINTEXT."),
    probe("database.tls", "Nothing leaves this machine in plain text. Warns.",
        "Add sslmode=verify-full to STOA_DATABASE_URL, unless the network encrypts by itself."),
    probe("database.reach", "The database answers.",
        "Start the database, and compare STOA_DATABASE_URL with its address, role and password."),
    probe("database.version", "PostgreSQL is version 15 or newer.",
        "Update PostgreSQL."),
    probe("database.role", "Row-level security binds the role.",
        "Connect as a role without SUPERUSER and BYPASSRLS that owns the database."),
    probe("database.rights", "The role owns the tables and may make others.",
        "Run `grant create on schema` for the role, and make it the owner of the tables."),
    probe("database.lock_timeout", "The database limits waits for locks of the role. Warns.",
        "Run `stoa migrate` as this role."),
    probe("database.indexes", "Every index is valid.",
        "Restart a host, which builds its indexes again; drop an index that you made."),
    probe("database.connections", "The server accepts the connections of all hosts.",
        "Raise max_connections of the server, or lower STOA_DATABASE_CONNECTIONS."),
    probe("database.steps", "Every migration is applied. Warns if a newer host has applied others.",
        "Run `stoa migrate`; if a newer host was here, update this one."),
    probe("database.places", "Every place in stoa.toml answers, has every migration, and row-level security binds the role there.",
        "Start the server, correct its entry in `[[places]]`, or run `stoa migrate`: its companies are not served."),
    probe("database.tables", "The tables of all modules are there.",
        "Restore a backup: the table was dropped outside of Stoa."),
    probe("database.row_security", "Row-level security is forced on every table of modules.",
        "Run `alter table T enable row level security, force row level security`; check who changed it."),
    probe("database.append_only", "The audit, the history and every ledger reject changes.",
        "Make the triggers again as the migrations do, or restore a backup; run `stoa verify`."),
    probe("database.file", "Every page of the SQLite file can be read.",
        "Stop the host and restore a backup. Never copy the file while a host runs: `stoa backup` does it."),
    probe("clock.database", "This machine's clock and the database's agree. Warns above 1 s, fails above 60 s.",
        "Set the clock by NTP on both machines."),
    probe("clock.purge", "A host purges old answers. Warns after a day, fails if the last purge is in the future.",
        "Start a host; correct the clock of the machine of the database, and wait until the time has come."),
    probe("clock.limits", "No rate limit is counted in the future. Warns.",
        "Set the clocks of all hosts by NTP; the windows end by themselves."),
    probe("modules.active", "Modules are active, and their bytes are as they were pushed.",
        "Start a host; if bytes are broken, push the module again or restore a backup."),
    probe("modules.trusted", "The signer of every active module is trusted.",
        "Add the signer to STOA_TRUSTED_SIGNERS, or activate a module of a trusted signer."),
    probe("modules.hosts", "Every host runs the active modules and reports. Warns if one is silent.",
        "Read `stoa module list` and the log of the host; restart a silent one."),
    probe("modules.backfills", "No backfill fails.",
        "Read the reason in `stoa module list`, then push a corrected module or roll back."),
    probe("modules.extensions", "No module fails at a committed event or a timer.",
        "Read the reason in `stoa module list`, then push a corrected module or roll back."),
    probe("webhooks.keys", "Every stored secret can be decrypted.",
        "Append the missing key to STOA_ENCRYPTION_KEY on every host."),
    probe("webhooks.failing", "No receiver fails for over an hour. Warns.",
        "Ask the company to repair its receiver and to enable the endpoint again."),
    probe("webhooks.late", "No delivery is late by over five minutes.",
        "Start a host; read its log for the task that sends webhooks."),
    probe("webhooks.events", "Events have their deliveries after five minutes. Warns.",
        "Start a host; read its log for the task that sends webhooks."),
    probe("identity.issuer", "The identity providers publish their keys. Warns if one is slow.",
        "Open the provider's `.well-known/openid-configuration` from this machine; correct STOA_OIDC_ISSUER."),
    probe("host.answers", "The host at STOA_LISTEN is ready.",
        "Read the log of the host, and the failures above."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_page_lists_every_check_with_its_remedy() {
        let page = include_str!("../../../docs/operate/doctor.md");
        let listed: BTreeSet<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
        let row = |probe: &Probe| format!("| `{}` | {} | {} |", probe.id, probe.about, probe.remedy);
        let rows: Vec<String> = PROBES.iter().map(row).collect();
        assert_eq!(listed, rows.iter().map(String::as_str).collect());
        assert_eq!(listed.len(), PROBES.len(), "an id twice");
    }
}
