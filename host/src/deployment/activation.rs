//! A change of what runs, in order: fetch, vet, link, compare; then one transaction that extends the tables and records the
//! generation; then the swap. A host that dies in between has changed nothing or everything: only the transaction counts.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::json;
use stoa_descriptor::Descriptor;

use super::audit::{self, OperatorEntry};
use super::link::vet;
use super::records::{self, Cause, Digest, Recorded, Set};
use super::{Deployment, DeploymentError, Release, upgrade};
use crate::database::{Database, Error, Session, Shard};
use crate::gate::artifact::Artifact;
use crate::gate::diff::{self, Change, codes};
use crate::gate::names;
use crate::gate::refusal::Refusal;
use crate::gate::surface::Surface;
use crate::gate::tables::{self, Wanted};
use crate::sandbox::{Generation, Module, Vetted};

/// How often a table that requests hold is asked for again, and how long each time.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Parameters of an activation besides the module.
#[derive(Debug, Clone)]
pub struct ActivationRequest {
    pub by: String,
    /// The generation that the operator has seen: another one is active, nothing happens.
    pub expected: Option<u64>,
    /// Codes of breaking changes that are meant.
    pub allow: BTreeSet<String>,
}

impl ActivationRequest {
    /// The host's own, about the generation that it has seen fail.
    pub fn host(active: u64) -> ActivationRequest {
        ActivationRequest { by: audit::HOST.to_string(), expected: Some(active), allow: BTreeSet::new() }
    }
}

/// Result of an activation.
#[derive(Debug, Clone)]
pub struct Activated {
    pub generation: u64,
    pub changes: Vec<(String, Vec<Change>)>,
    /// Changes in the tables.
    pub tables: Vec<String>,
}

impl Deployment {
    /// Vets and keeps an artifact, and activates nothing. Answers what it is, and whether it was not there before.
    pub async fn push(&self, artifact: Artifact, by: String) -> Result<(Arc<Vetted>, bool), DeploymentError> {
        let vetted = Arc::new(vet(self, artifact.clone()).await?);
        let before = self.current.load().generation.clone();
        names::check_owner(self.find_predecessor(&before, &vetted).await?.as_ref(), &vetted)?;
        let trust = self.gate.trust.load_full();
        let new = self
            .database
            .write_plain(
                Shard::Global,
                (artifact, vetted.clone(), by, trust),
                |session, (artifact, vetted, by, trust)| {
                    Box::pin(async move {
                        let now = session.now().await?;
                        let before = records::admission(session, artifact.digest).await?;
                        let stale = before.is_some_and(|before| trust.admit(&artifact.digest, Some(&before)).is_err());
                        let new = records::keep(session, now, by, artifact, vetted, stale).await?;
                        let entry = OperatorEntry {
                            actor: by.clone(),
                            operation: "pushModule",
                            result: "SUCCESS".into(),
                            metadata: json!({
                                "digest": hex::encode(artifact.digest),
                                "name": vetted.descriptor.name,
                                "version": vetted.descriptor.version,
                                "signer": vetted.signer,
                            }),
                        };
                        audit::write(session, now, &entry).await?;
                        Ok(new)
                    })
                },
            )
            .await?;
        Ok((vetted, new))
    }

    /// Changes that a module would make, against its predecessor here.
    pub async fn changes(&self, vetted: &Vetted) -> Result<Vec<Change>, DeploymentError> {
        let active = self.current.load().generation.clone();
        let predecessor = self.find_predecessor(&active, vetted).await?;
        Ok(diff::diff(predecessor.as_ref(), &Surface::from_vetted(&active.engine, vetted)))
    }

    /// The active module of a candidate's name. Where none is active, the signer of the last one and its tables, which are still
    /// there: a deactivation is no way around what guards them.
    async fn find_predecessor(
        &self,
        active: &Generation,
        candidate: &Vetted,
    ) -> Result<Option<Surface>, DeploymentError> {
        let name = &candidate.descriptor.name;
        if let Some(module) = active.module(name) {
            return Ok(Some(surface(active, module)));
        }
        let recorded = self.database.read_plain(Shard::Global, name.clone(), |session, name| {
            Box::pin(async move {
                let Some(signer) = records::last_signer(session, name).await? else { return Ok(None) };
                Ok(Some((signer, tables::read_collections(session, name).await?)))
            })
        });
        Ok(recorded.await?.map(|(signer, collections)| {
            let nothing = Surface::nothing(&candidate.descriptor);
            let descriptor = Descriptor { collections, ..nothing.descriptor };
            // No version is compared with that of a module that is not active.
            Surface { digest: hex::encode(candidate.digest), signer, descriptor, ..nothing }
        }))
    }

    /// Makes a pushed module the active one of its name.
    pub async fn activate(&self, digest: Digest, request: &ActivationRequest) -> Result<Activated, DeploymentError> {
        if let Some(unknown) = request.allow.iter().find(|code| codes::find(code).is_none()) {
            return Err(Refusal::new("VALIDATION_FAILED", format!("no change has the code `{unknown}`")).into());
        }
        let _lock = self.change_lock.lock().await;
        let vetted = self.find_or_fetch(digest).await?;
        let (active, mut set) = self.active(request.expected).await?;
        let name = vetted.descriptor.name.clone();
        let before = self.generation(active, &set).await?;
        let predecessor = self.find_predecessor(&before, &vetted).await?;
        names::check_owner(predecessor.as_ref(), &vetted)?;
        let changes = diff::diff(predecessor.as_ref(), &Surface::from_vetted(&before.engine, &vetted));
        if changes.iter().any(|change| change.code == codes::SCHEMA_NOT_ADDITIVE.name) {
            return Err(refusal("SCHEMA_NOT_ADDITIVE", &name, changes).into());
        }
        let meant = |change: &&Change| change.breaking && !request.allow.contains(change.code);
        let breaking: Vec<Change> = changes.iter().filter(meant).cloned().collect();
        if !breaking.is_empty() {
            return Err(refusal("CONTRACT_BREAKING", &name, breaking).into());
        }
        // A module that is active already needs no generation of its own.
        if set.contains(&(name.clone(), digest)) {
            return Ok(Activated { generation: active, changes: Vec::new(), tables: Vec::new() });
        }
        set.retain(|(module, _)| *module != name);
        set.push((name.clone(), digest));
        set.sort();
        let recorded = Recorded {
            number: active + 1,
            cause: Cause::Activation,
            module: Some(name.clone()),
            restores: None,
            allowed: request.allow.iter().cloned().collect(),
            reason: None,
            by: request.by.clone(),
        };
        let after = self.link(recorded.number, &set).await?;
        self.install(recorded, active, after, set, vec![(name, changes)]).await
    }

    /// Takes modules out of what runs, all of them or none; their rows and tables stay. Refused while others need one of them, or
    /// while one that stays is not trusted: modules that need each other, or share a revoked signer, leave together.
    pub async fn deactivate(
        &self,
        names: &BTreeSet<String>,
        request: &ActivationRequest,
    ) -> Result<Activated, DeploymentError> {
        let _lock = self.change_lock.lock().await;
        let (active, now) = self.active(request.expected).await?;
        let set: Set = now.iter().filter(|(module, _)| !names.contains(module)).cloned().collect();
        if set.len() + names.len() != now.len() {
            return Err(DeploymentError::NotFound("active module"));
        }
        let before = self.generation_to_leave(active, &now).await?;
        let recorded = Recorded {
            number: active + 1,
            cause: Cause::Activation,
            module: Some(names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            restores: None,
            allowed: Vec::new(),
            reason: Some("deactivated".into()),
            by: request.by.clone(),
        };
        let after = self.link(recorded.number, &set).await?;
        let changes = names.iter().map(|name| {
            let goes = before.module(name).map(|module| {
                let nothing = Surface::nothing(&module.descriptor);
                diff::diff(Some(&surface(&before, module)), &nothing)
            });
            (name.clone(), goes.unwrap_or_default())
        });
        self.install(recorded, active, after, set, changes.collect()).await
    }

    /// Makes the modules of an earlier generation the active ones again. What it takes away is reported, and refused by nothing: a
    /// way back that asks questions is none.
    pub async fn restore(
        &self,
        target: u64,
        request: &ActivationRequest,
        cause: Cause,
        reason: Option<String>,
    ) -> Result<Activated, DeploymentError> {
        let _lock = self.change_lock.lock().await;
        let (active, now) = self.active(request.expected).await?;
        let set = self
            .database
            .read_plain(Shard::Global, target, |session, target| Box::pin(records::set(session, *target)))
            .await?;
        let set = set.ok_or(DeploymentError::NotFound("generation"))?;
        let before = self.generation_to_leave(active, &now).await?;
        let after = self.link(active + 1, &set).await?;
        let changed =
            after.modules.iter().filter(|module| before.modules.iter().all(|old| old.digest != module.digest));
        let changes = changed
            .map(|module| {
                let old = before.module(&module.name).map(|old| surface(&before, old));
                (module.name.clone(), diff::diff(old.as_ref(), &surface(&after, module)))
            })
            .collect();
        let recorded = Recorded {
            number: active + 1,
            cause,
            module: None,
            restores: Some(target),
            allowed: Vec::new(),
            reason,
            by: request.by.clone(),
        };
        self.install(recorded, active, after, set, changes).await
    }

    /// The active generation by the database, if it is the one expected.
    async fn active(&self, expected: Option<u64>) -> Result<(u64, Set), DeploymentError> {
        let found =
            self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::active(session))).await?;
        let (number, set) = found.ok_or(DeploymentError::NotFound("generation"))?;
        match expected {
            Some(expected) if expected != number => Err(refuse_outdated(number).into()),
            _ => Ok((number, set)),
        }
    }

    /// The generation of a set: the one that runs here, or one linked for it.
    async fn generation(&self, number: u64, set: &Set) -> Result<Arc<Generation>, DeploymentError> {
        let current = self.current.load().generation.clone();
        if current.number == number {
            return Ok(current);
        }
        Ok(self.link(number, set).await?.generation)
    }

    /// The same of a generation that is left: where it cannot run here any more, what runs instead is what is left.
    async fn generation_to_leave(&self, number: u64, set: &Set) -> Result<Arc<Generation>, DeploymentError> {
        match self.generation(number, set).await {
            Err(DeploymentError::Refusal(why)) => {
                tracing::warn!(number, %why, "the active generation cannot run here, and is left");
                Ok(self.current.load().generation.clone())
            }
            linked => linked,
        }
    }

    async fn install(
        &self,
        recorded: Recorded,
        before: u64,
        release: Release,
        set: Set,
        changes: Vec<(String, Vec<Change>)>,
    ) -> Result<Activated, DeploymentError> {
        let wanted = Arc::new(tables::wanted_tables(&release.modules));
        build_indexes(&self.database, &wanted).await?;
        let versions = upgrade::versions(&release.modules);
        let (number, cause) = (recorded.number, recorded.cause);
        let tables = self.commit(before, recorded, set, wanted, versions).await?;
        self.swap(release, cause);
        Ok(Activated { generation: number, changes, tables })
    }

    /// The transaction. Its locks on tables wait shortly and try again: whoever waits for a table holds up those behind.
    async fn commit(
        &self,
        before: u64,
        recorded: Recorded,
        set: Set,
        wanted: Arc<Wanted>,
        versions: Vec<(String, String)>,
    ) -> Result<Vec<String>, DeploymentError> {
        let part = Arc::new((before, recorded, set, wanted, versions));
        for attempt in 1.. {
            let written = self.database.write_unless_refused(Shard::Global, part.clone(), |session, part| {
                let (before, recorded, set, wanted, versions) = &**part;
                Box::pin(write(session, recorded, *before, set, wanted, versions))
            });
            match written.await {
                Ok(reported) => return Ok(reported?),
                Err(Error::Unavailable(why)) if attempt < LOCK_TRIES => {
                    tracing::info!(%why, attempt, "an activation tries again");
                    tokio::time::sleep(LOCK_PAUSE).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Unavailable("the tables never became free".into()).into())
    }
}

fn surface(generation: &Generation, module: &Module) -> Surface {
    Surface::from_vetted(&generation.engine, module)
}

fn refusal(code: &'static str, module: &str, changes: Vec<Change>) -> Refusal {
    let changes: Vec<Change> = changes.into_iter().filter(|change| change.breaking).collect();
    let items: Vec<String> = changes.iter().map(|change| format!("{} {}", change.code, change.item)).collect();
    Refusal {
        changes,
        ..Refusal::new(code, format!("{module}: {}", items.join("; "))).with_status(StatusCode::CONFLICT)
    }
}

fn refuse_outdated(active: u64) -> Refusal {
    let what = format!("generation {active} is the active one");
    Refusal::new("GENERATION_CHANGED", what).with_status(StatusCode::CONFLICT)
}

async fn build_indexes(database: &Database, wanted: &Arc<Wanted>) -> Result<(), DeploymentError> {
    let statements = database
        .read_plain(Shard::Global, wanted.clone(), |session, wanted| Box::pin(tables::indexes_ahead(session, wanted)))
        .await?;
    if let (Database::Postgres(database), false) = (database, statements.is_empty())
        && let Some(key) = database.build_indexes(statements).await?
    {
        let what = format!("rows that are there break the new unique key {key}");
        return Err(Refusal::new("SCHEMA_NOT_ADDITIVE", what).with_status(StatusCode::CONFLICT).into());
    }
    Ok(())
}

async fn write(
    session: &mut Session,
    recorded: &Recorded,
    before: u64,
    set: &Set,
    wanted: &Wanted,
    versions: &[(String, String)],
) -> Result<Result<Vec<String>, Refusal>, Error> {
    if matches!(session, Session::Postgres(_)) {
        session.query("select set_config('lock_timeout', '250ms', true)", &[]).await?;
    }
    tables::lock(session).await?;
    let active = records::newest(session).await?.unwrap_or(0);
    if active != before {
        return Ok(Err(refuse_outdated(active)));
    }
    let now = session.now().await?;
    let reported = match tables::extend(session, wanted).await? {
        Ok(reported) => reported,
        Err(refusal) => return Ok(Err(refusal)),
    };
    records::record(session, now, recorded, set).await?;
    if recorded.cause == Cause::Activation {
        upgrade::schedule(session, before, recorded.number, versions).await?;
    }
    let metadata = json!({
        "generation": recorded.number,
        "cause": recorded.cause.name(),
        "module": recorded.module,
        "restores": recorded.restores,
        "allowed": recorded.allowed,
        "reason": recorded.reason,
        "modules": set.iter().map(|(name, digest)| json!({ "name": name, "digest": hex::encode(digest) })).collect::<Vec<_>>(),
    });
    let is_left = |name: &String| set.iter().all(|(module, _)| module != name);
    let operation = match &recorded.module {
        _ if recorded.restores.is_some() => "activateGeneration",
        Some(name) if is_left(name) => "deactivateModule",
        _ => "activateModule",
    };
    let entry = OperatorEntry { actor: recorded.by.clone(), operation, result: "SUCCESS".into(), metadata };
    audit::write(session, now, &entry).await?;
    Ok(Ok(reported))
}
