//! The generation that a host starts with: the one that the database records; where it records none, the first, made of the
//! modules folder. With `--dev` the folder goes on counting: a module that differs there is activated at every start.
//! Without, it has a second word in one case: the recorded modules were built for a platform that this host no longer is.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Context as _;
use semver::Version;
use serde_json::json;

use super::audit::{self, OperatorEntry};
use super::link::{Found, fetch, link};
use super::places::{self, Absence};
use super::records::{self, Cause, Digest, Recorded, Set};
use super::{Edition, trust, upgrade};
use crate::database::{Database, Error, Session, Shard};
use crate::gate::artifact::{self, Artifact};
use crate::gate::names;
use crate::gate::refusal::Refusal;
use crate::gate::tables::{self, Extent};
use crate::gate::vetting::Gate;
use crate::sandbox::{Arrangement, Generation};

/// Author of the first generation.
const STARTER: &str = "system:serve";
/// Hosts that start together on an empty database: one is first, the others follow it.
const TRIES: u32 = 5;

/// The edition to begin with. `folder`: read where nothing is recorded, and with `--dev`.
pub async fn edition(database: &Database, gate: &Arc<Gate>, folder: &std::path::Path) -> anyhow::Result<Edition> {
    for _ in 0..TRIES {
        let recorded = database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::active(session))).await?;
        let mut found = match &recorded {
            // Without --dev the folder has had its say.
            Some(_) if !gate.takes_unsigned() => Vec::new(),
            _ => read(gate, folder).await?,
        };
        let (recorded, set) = recorded.unwrap_or_default();
        let of_others: Set =
            replace_by_name(&set, &found).into_iter().filter(|(_, digest)| !is_among(&found, digest)).collect();
        if let Err(refused) = trust::check(database, gate, &of_others).await? {
            return read_trusted_edition(database, gate, recorded, &refused).await;
        }
        let mut wanted = replace_by_name(&set, &found);
        let same = |wanted: &Set| recorded > 0 && *wanted == set;
        let number = |wanted: &Set| if same(wanted) { recorded } else { recorded + 1 };
        let edition = match link(database, gate, &found, number(&wanted), &wanted, recorded).await {
            // A database that does not answer now says nothing of what it records.
            Err(why) if same(&wanted) && why.downcast_ref::<Error>().is_none() => {
                // Modules for this host's platform come with it, signed as ever; those that are recorded stay for the way back.
                found = read(gate, folder).await?;
                wanted = replace_by_name(&set, &found);
                if same(&wanted) {
                    return Err(why);
                }
                tracing::warn!("what is recorded cannot run here: the modules folder takes its place: {why:#}");
                link(database, gate, &found, number(&wanted), &wanted, recorded).await?
            }
            linked => linked?,
        };
        let reason = match gate.takes_unsigned() {
            true => "the modules folder of --dev",
            false => "what was recorded cannot run here",
        };
        if same(&wanted) {
            return Ok(edition);
        }
        let replaced = find_replaced(database, &set, &found).await?;
        if record(database, &edition, found, wanted, reason).await? {
            replaced.iter().for_each(|what| tracing::warn!("{what}"));
            return Ok(edition);
        }
    }
    anyhow::bail!("other hosts keep changing what runs")
}

/// The set with what was found in the place of what bears the same name.
fn replace_by_name(set: &Set, found: &[Found]) -> Set {
    let mut wanted = set.clone();
    for (artifact, vetted) in found {
        wanted.retain(|(name, _)| *name != vetted.descriptor.name);
        wanted.push((vetted.descriptor.name.clone(), artifact.digest));
    }
    wanted.sort();
    wanted
}

/// Modules that the folder puts in the place of a higher version, or of a version that an operator or a host activated.
async fn find_replaced(database: &Database, set: &Set, found: &[Found]) -> Result<Vec<String>, Error> {
    let mut sentences = Vec::new();
    for (name, digest) in set {
        let by_name = |(_, vetted): &&Found| vetted.descriptor.name == *name;
        let Some((_, vetted)) = found.iter().find(by_name).filter(|(artifact, _)| artifact.digest != *digest) else {
            continue;
        };
        let part = (name.clone(), *digest);
        let recorded = database.read_plain(Shard::Global, part, |session, (name, digest)| {
            Box::pin(records::find_activation(session, name, *digest))
        });
        let Some((old, by)) = recorded.await? else { continue };
        let new = &vetted.descriptor.version;
        let read = |version: &str| Version::parse(version).ok();
        if by != STARTER || read(&old) > read(new) {
            sentences.push(format!("the modules folder takes {name} from {old}, which {by} activated, to {new}"));
        }
    }
    Ok(sentences)
}

fn is_among(found: &[Found], digest: &Digest) -> bool {
    found.iter().any(|(artifact, _)| artifact.digest == *digest)
}

/// The newest generation before one that is wholly trusted here; else that one's trusted modules.
async fn read_trusted_edition(
    database: &Database,
    gate: &Arc<Gate>,
    active: u64,
    refused: &Refusal,
) -> anyhow::Result<Edition> {
    let set = database.read_plain(Shard::Global, active, |session, active| Box::pin(records::set(session, *active)));
    let left = set.await?.unwrap_or_default();
    for (number, set) in trust::find_trusted(database, gate, active, &left).await? {
        match link(database, gate, &[], number, &set, number).await {
            Ok(edition) => {
                tracing::error!(
                    active,
                    runs = number,
                    %refused,
                    "the active generation is not wholly trusted: this host runs an earlier one; roll back or deactivate"
                );
                return Ok(edition);
            }
            Err(why) => tracing::warn!(number, "a trusted generation cannot run here: {why:#}"),
        }
    }
    let set = trust::keep_trusted(database, gate, &left).await?;
    let mut trusted = Vec::with_capacity(set.len());
    for (name, digest) in set {
        match fetch(database, gate, digest).await {
            Ok(vetted) => trusted.push(Arc::new(vetted)),
            Err(why) if why.downcast_ref::<Error>().is_some() => return Err(why),
            Err(why) => tracing::error!(name, "a module is left out: {why:#}"),
        }
    }
    let gate = gate.clone();
    let arrangement =
        database.read_plain(Shard::Global, active, |session, active| Box::pin(records::arrangement(session, *active)));
    let arrangement = arrangement.await?;
    let linked = tokio::task::spawn_blocking(move || trust::link_what_runs(&gate, trusted, &arrangement)).await??;
    let edition =
        linked.with_context(|| format!("{refused}; no earlier generation is wholly trusted and can run here"))?;
    tracing::error!(
        active,
        %refused,
        "no earlier generation is wholly trusted: this host runs the trusted modules only; deactivate the others"
    );
    Ok(edition)
}

/// The recorded edition, for verbs that serve no requests; the folder's modules where the database records none. As on
/// a host, modules that are not trusted do not run.
pub async fn read_active_edition(
    database: &Database,
    gate: &Arc<Gate>,
    folder: &std::path::Path,
) -> anyhow::Result<Edition> {
    match database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::active(session))).await? {
        Some((number, set)) => match trust::check(database, gate, &set).await? {
            Ok(()) => link(database, gate, &[], number, &set, number).await,
            Err(refused) => read_trusted_edition(database, gate, number, &refused).await,
        },
        None => Edition::from_folder(gate, folder),
    }
}

async fn read(gate: &Arc<Gate>, folder: &std::path::Path) -> anyhow::Result<Vec<Found>> {
    let (gate, folder) = (gate.clone(), folder.to_path_buf());
    let vetted = tokio::task::spawn_blocking(move || {
        let mut names = BTreeSet::new();
        let files = artifact::read_folder(&folder)?;
        let count = files.len();
        files
            .into_iter()
            .zip(1..)
            .map(|((file, artifact), nth): (_, usize)| {
                tracing::info!("module {nth} of {count}: {file}");
                // With --dev the folder is trusted as it is, whichever signer signed its modules.
                let admission = artifact.admission.clone().filter(|_| !gate.takes_unsigned());
                let artifact = Artifact { admission, ..artifact };
                let refused = |refusal| anyhow::anyhow!("{file}: {refusal}");
                let vetted = gate.vet(&artifact).map_err(refused)?;
                // The folder is compared with no predecessor.
                names::check_owner(None, &vetted).map_err(refused)?;
                let name = &vetted.descriptor.name;
                anyhow::ensure!(
                    names.insert(name.clone()),
                    "{file}: DESCRIPTOR_INVALID: module `{name}` is claimed twice"
                );
                Ok((artifact, Arc::new(vetted)))
            })
            .collect()
    });
    vetted.await?
}

/// Tables and the generation in one transaction, after the artifacts, which are large and change nothing by themselves. `false`:
/// another host was faster.
async fn record(
    database: &Database,
    generation: &Generation,
    found: Vec<Found>,
    set: Set,
    reason: &'static str,
) -> anyhow::Result<bool> {
    for found in found {
        let kept = database.write_plain(Shard::Global, found, |session, (artifact, vetted)| {
            Box::pin(async move {
                let now = session.now().await?;
                records::keep(session, now, STARTER, artifact, vetted, false).await
            })
        });
        kept.await?;
    }
    let versions = upgrade::versions(&generation.modules);
    let wanted = Arc::new(tables::wanted_tables(&generation.modules));
    // A host starts without a place that does not answer, which is out of service until it has its tables.
    let prepared = async {
        places::check_places(database, &wanted, Absence::Allowed).await?;
        places::extend_places(database, &wanted, Absence::Allowed).await
    };
    if let Err(refused) = prepared.await {
        places::loosen_places(database, &wanted).await;
        return Err(refused.into());
    }
    let part = (generation.number, wanted.clone(), set, versions, reason, generation.arrangement.clone());
    let written = database.write_unless_refused(
        Shard::Global,
        part,
        |session, (number, wanted, set, versions, reason, points)| {
            Box::pin(async move {
                tables::lock(session).await?;
                if records::newest(session).await?.unwrap_or(0) + 1 != *number {
                    return Ok(Ok((false, Vec::new())));
                }
                let reported = match tables::extend(session, wanted, Extent::All).await? {
                    Ok(reported) => reported,
                    Err(refusal) => return Ok(Err::<_, Refusal>(refusal)),
                };
                write(session, *number, set, reason, points).await?;
                if *number > 1 {
                    upgrade::schedule(session, number - 1, *number, versions).await?;
                }
                Ok(Ok((true, reported)))
            })
        },
    );
    let (recorded, tables) = written.await??;
    for change in tables {
        tracing::info!(change, "tables changed");
    }
    if recorded {
        places::complete_places(database, generation.number, &wanted).await;
    }
    Ok(recorded)
}

async fn write(session: &mut Session, number: u64, set: &Set, reason: &str, points: &Arrangement) -> Result<(), Error> {
    let now = session.now().await?;
    let recorded = Recorded {
        number,
        cause: if number == 1 { Cause::First } else { Cause::Activation },
        module: None,
        restores: None,
        allowed: Vec::new(),
        reason: (number > 1).then(|| reason.to_string()),
        by: STARTER.to_string(),
    };
    records::record(session, now, &recorded, set, points).await?;
    let modules: Vec<_> =
        set.iter().map(|(name, digest)| json!({ "name": name, "digest": hex::encode(digest) })).collect();
    let entry = OperatorEntry {
        actor: STARTER.to_string(),
        operation: "activateModule",
        result: "SUCCESS".into(),
        metadata: json!({
            "generation": number,
            "cause": recorded.cause.name(),
            "points": points,
            "modules": modules,
        }),
    };
    audit::write(session, now, &entry).await.map(drop)
}
