//! The modules that hosts run: that their bytes are there and trusted, and how hosts and backfills fare.

use super::{DAY_MS, Diagnosis, Notes};
use crate::database::{Cell, Error, Session};
use crate::deployment::records::{self, Set};
use crate::deployment::{backfills, development, extensions_shown, follow};
use crate::gate::trust::Trust;
use crate::settings::Settings;

pub async fn examine(session: &mut Session, settings: &Settings, notes: &Notes) {
    let active = match records::active(session).await {
        Ok(Some(active)) => active,
        Ok(None) => {
            let says = "no module was ever activated: the first host that starts does it";
            return notes.note("modules.active", Diagnosis::warn(says));
        }
        Err(error) => return notes.note("modules.active", Diagnosis::from_error(&error)),
    };
    let (generation, set) = active;
    notes.note("modules.hosts", hosts(session, generation).await);
    notes.note("modules.backfills", pending_backfills(session, generation).await);
    notes.note("modules.extensions", troubled_extensions(session, generation).await);
    match trust(settings) {
        Ok(trust) => notes.note("modules.trusted", signers(session, &set, &trust).await),
        Err(_) => notes.note("modules.trusted", Diagnosis::skip("see settings.trust")),
    }
    notes.note("modules.active", artifacts(session, &set).await);
}

/// A --dev host makes a key of its own where there is none: this does not.
fn trust(settings: &Settings) -> anyhow::Result<Trust> {
    if settings.dev && !development::signing_key_file(&settings.data_dir).exists() {
        return Ok(Trust::Signed { by: settings.trusted_signers.clone(), unsigned: true });
    }
    settings.trust()
}

async fn artifacts(session: &mut Session, set: &Set) -> Result<Diagnosis, Error> {
    let mut broken = Vec::new();
    for (name, digest) in set {
        match records::artifact(session, *digest).await {
            Ok(Some(_)) => {}
            Ok(None) | Err(Error::Fault(_)) => broken.push(name.clone()),
            Err(error) => return Err(error),
        }
    }
    let says = format!("the bytes of all {} modules are there", set.len());
    Ok(Diagnosis::fail_if_any(&broken, "modules have no bytes, or others than they had", &says))
}

async fn signers(session: &mut Session, set: &Set, trust: &Trust) -> Result<Diagnosis, Error> {
    let mut refused = Vec::new();
    for (name, digest) in set {
        let admission = records::admission(session, *digest).await?;
        if let Err(refusal) = trust.admit(digest, admission.as_ref()) {
            refused.push(format!("{name} ({})", refusal.code));
        }
    }
    Ok(Diagnosis::fail_if_any(&refused, "active modules are not trusted", "every active module is trusted"))
}

async fn hosts(session: &mut Session, generation: u64) -> Result<Diagnosis, Error> {
    let now = session.now().await?;
    let rows = session
        .query(
            "select generation, seen_at, trouble from stoa_host where seen_at > $1 limit 1000",
            &[Cell::Instant(now - DAY_MS)],
        )
        .await?;
    let (mut in_trouble, mut behind, mut silent) = (0, 0, 0);
    for row in &rows {
        if row.instant(1)? < now - follow::SILENCE {
            silent += 1;
        } else if !row.is_null(2) {
            in_trouble += 1;
        } else if records::number(row, 0)? != generation {
            behind += 1;
        }
    }
    let says = format!(
        "{} hosts: {in_trouble} cannot run the active modules, {behind} run others, {silent} are silent",
        rows.len()
    );
    Ok(match (in_trouble, behind + silent) {
        (0, 0) => Diagnosis::pass(format!("{} hosts run the active modules", rows.len())),
        (0, _) => Diagnosis::warn(says),
        _ => Diagnosis::fail(says),
    })
}

async fn pending_backfills(session: &mut Session, generation: u64) -> Result<Diagnosis, Error> {
    let all = backfills::list(session, generation).await?;
    let pending: Vec<_> = all.iter().filter(|backfill| backfill["doneAt"].is_null()).collect();
    let stuck: Vec<String> = pending
        .iter()
        .filter(|backfill| !backfill["trouble"].is_null())
        .filter_map(|backfill| backfill["module"].as_str().map(str::to_owned))
        .collect();
    let says = format!("{} backfills are under way, none has failed", pending.len());
    Ok(Diagnosis::fail_if_any(&stuck, "backfills fail", &says))
}

async fn troubled_extensions(session: &mut Session, generation: u64) -> Result<Diagnosis, Error> {
    let troubled = extensions_shown::find_troubled(session, generation).await?;
    Ok(Diagnosis::fail_if_any(&troubled, "modules fail at events or timers", "no module fails at an event or a timer"))
}
