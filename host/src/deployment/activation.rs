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
use super::places::{self, Absence};
use super::records::{self, Cause, Digest, Recorded, Set};
use super::watch::put_back;
use super::withdrawn::{self, Earlier, Withdrawals};
use super::{Deployment, DeploymentError, Edition, trust, upgrade};
use crate::database::{Error, Session, Shard};
use crate::gate::artifact::Artifact;
use crate::gate::diff::{self, Change, codes};
use crate::gate::names;
use crate::gate::refusal::Refusal;
use crate::gate::surface::Surface;
use crate::gate::tables::{self, Extent, Wanted};
use crate::sandbox::{Arrangement, Generation, Module, Vetted};

/// Parameters of an activation besides the module.
#[derive(Debug, Clone)]
pub struct ActivationRequest {
    pub by: String,
    /// The generation that the operator has seen: another one is active, nothing happens.
    pub expected: Option<u64>,
    /// Codes of breaking changes that the operator allows.
    pub allow: BTreeSet<String>,
    /// Modules that were withdrawn may come back.
    pub again: bool,
}

impl ActivationRequest {
    /// The host's own, about the generation that it has seen fail.
    pub fn host(active: u64) -> ActivationRequest {
        ActivationRequest { by: audit::HOST.to_string(), expected: Some(active), allow: BTreeSet::new(), again: false }
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

/// A candidate with the changes that it would bring.
pub type ComparedModule = (Arc<Vetted>, Vec<Change>);

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

    /// Changes that a module would make, against its predecessor here, and all for which its activation by itself
    /// would be rejected now, whatever the operator allows.
    pub async fn preview(&self, vetted: &Arc<Vetted>) -> Result<(Vec<Change>, Vec<String>), DeploymentError> {
        let edition = self.current.load_full();
        let predecessor = self.find_predecessor(&edition, vetted).await?;
        let changes = compare(&edition, predecessor.as_ref(), vetted);
        let claims = edition.find_conflicts(vetted);
        if !claims.is_empty() {
            return Ok((changes, claims));
        }
        let (active, set) = self.active(None).await?;
        let rejection = self.find_rejection(active, &set, std::slice::from_ref(vetted)).await?;
        Ok((changes, rejection.iter().map(Refusal::to_string).collect()))
    }

    /// Why the host would reject an activation of these modules now. Rows that break a new rule show only once it is
    /// tried.
    async fn find_rejection(
        &self,
        active: u64,
        set: &Set,
        candidates: &[Arc<Vetted>],
    ) -> Result<Option<Refusal>, DeploymentError> {
        let wanted = put_in(set, candidates);
        if wanted == *set {
            return Ok(None);
        }
        let edition = match self.link(active + 1, &wanted, candidates, active).await {
            Ok(edition) => edition,
            Err(DeploymentError::Refusal(refusal)) => return Ok(Some(refusal)),
            Err(error) => return Err(error),
        };
        let wanted = tables::wanted_tables(&edition.modules);
        let refusal = self
            .database
            .read_plain(Shard::Global, wanted, |session, wanted| Box::pin(tables::find_refusal(session, wanted)));
        if let Some(refusal) = refusal.await? {
            return Ok(Some(refusal));
        }
        let digests = candidates.iter().map(|candidate| &candidate.digest);
        Ok(withdrawn::check(&self.read_withdrawals().await?, digests).err())
    }

    /// The active module of a candidate's name. Where none is active, the last one, as far as it can be read: a
    /// deactivation is no way around what guards callers. One that cannot run here any more leaves its signer and its
    /// tables.
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
                let Some(digest) = records::digests(session, name).await?.first().copied() else { return Ok(None) };
                let signer = records::signer(session, digest).await?;
                Ok(Some((digest, signer, tables::read_collections(session, name).await?)))
            })
        });
        let Some((digest, signer, collections)) = recorded.await? else { return Ok(None) };
        match self.find_or_fetch(digest).await {
            // The tables are the recorded ones: tables that were forgotten bind no module.
            Ok(last) => {
                let shown = Surface::from_vetted(&active.engine, &last);
                let descriptor = Descriptor { collections, ..shown.descriptor };
                Ok(Some(Surface { signer, descriptor, ..shown }))
            }
            Err(DeploymentError::Refusal(why)) => {
                tracing::info!(name, %why, "a candidate is compared only with the tables of its predecessor");
                let nothing = Surface::nothing(&candidate.descriptor);
                let descriptor = Descriptor { collections, ..nothing.descriptor };
                // No version is compared.
                Ok(Some(Surface { digest: hex::encode(candidate.digest), signer, descriptor, ..nothing }))
            }
            Err(error) => Err(error),
        }
    }

    /// The changes that a set of pushed modules would bring, each with its module, and why the set could not run, where
    /// it could not.
    pub async fn compare_set(
        &self,
        digests: &[Digest],
    ) -> Result<(Vec<ComparedModule>, Option<Refusal>), DeploymentError> {
        let (active, set) = self.active(None).await?;
        let before = self.generation(active, &set).await?;
        let candidates = self.find_candidates(digests).await?;
        let mut compared = Vec::with_capacity(candidates.len());
        for candidate in &candidates {
            let predecessor = self.find_predecessor(&before, candidate).await?;
            compared.push((candidate.clone(), compare(&before, predecessor.as_ref(), candidate)));
        }
        let rejection = self.find_rejection(active, &set, &candidates).await?;
        Ok((compared, rejection))
    }

    async fn find_candidates(&self, digests: &[Digest]) -> Result<Vec<Arc<Vetted>>, DeploymentError> {
        let invalid = |what: String| DeploymentError::from(Refusal::new("VALIDATION_FAILED", what));
        let mut candidates: Vec<Arc<Vetted>> = Vec::with_capacity(digests.len());
        for digest in digests {
            let candidate = self.find_or_fetch(*digest).await?;
            let name = &candidate.descriptor.name;
            if candidates.iter().any(|other| other.descriptor.name == *name) {
                return Err(invalid(format!("two modules of the set bear the name `{name}`")));
            }
            candidates.push(candidate);
        }
        match candidates.is_empty() {
            true => Err(invalid("no module is named".into())),
            false => Ok(candidates),
        }
    }

    /// Makes pushed modules the active ones of their names, all of them in one generation or none.
    pub async fn activate(
        &self,
        digests: &[Digest],
        request: &ActivationRequest,
    ) -> Result<Activated, DeploymentError> {
        if let Some(unknown) = request.allow.iter().find(|code| codes::find(code).is_none()) {
            return Err(Refusal::new("VALIDATION_FAILED", format!("no change has the code `{unknown}`")).into());
        }
        let _lock = self.change_lock.lock().await;
        let candidates = self.find_candidates(digests).await?;
        let (active, set) = self.active(request.expected).await?;
        let before = self.generation(active, &set).await?;
        let mut changes = Vec::with_capacity(candidates.len());
        for candidate in &candidates {
            let predecessor = self.find_predecessor(&before, candidate).await?;
            names::check_owner(predecessor.as_ref(), candidate)?;
            let found = compare(&before, predecessor.as_ref(), candidate);
            changes.push((candidate.descriptor.name.clone(), found));
        }
        if !request.again {
            withdrawn::check(&self.read_withdrawals().await?, digests.iter())?;
        }
        check_changes(&changes, &request.allow)?;
        // A module that is active already needs no generation of its own.
        let wanted = put_in(&set, &candidates);
        if wanted == set {
            return Ok(Activated { generation: active, changes: Vec::new(), tables: Vec::new() });
        }
        let names: Vec<&str> = changes.iter().map(|(name, _)| name.as_str()).collect();
        let recorded = Recorded {
            number: active + 1,
            cause: Cause::Activation,
            module: Some(names.join(", ")),
            restores: None,
            allowed: request.allow.iter().cloned().collect(),
            reason: None,
            by: request.by.clone(),
        };
        let after = self.link(recorded.number, &wanted, &candidates, active).await?;
        self.install(recorded, active, after, wanted, changes).await
    }

    async fn read_withdrawals(&self) -> Result<Withdrawals, DeploymentError> {
        let read = self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(withdrawn::find(session)));
        Ok(read.await?)
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
        let after = self.link(recorded.number, &set, &[], active).await?;
        let changes = list_changes(&before, &after);
        self.install(recorded, active, after, set, changes).await
    }

    /// Makes the modules of an earlier generation the active ones again. The host reports the removed parts and rejects
    /// none of them: a rollback must not need a confirmation. A generation with a withdrawn module becomes active again if the
    /// operator names it. `module`: the module that caused the rollback.
    pub async fn restore(
        &self,
        target: u64,
        request: &ActivationRequest,
        cause: Cause,
        module: Option<String>,
        reason: Option<String>,
    ) -> Result<Activated, DeploymentError> {
        let _lock = self.change_lock.lock().await;
        let (active, now) = self.active(request.expected).await?;
        let set = self
            .database
            .read_plain(Shard::Global, target, |session, target| Box::pin(records::set(session, *target)))
            .await?;
        let set = set.ok_or(DeploymentError::NotFound("generation"))?;
        let withdrawals = self.read_withdrawals().await?;
        let brings_back = !withdrawn::is_good(&withdrawals, &set);
        if brings_back && !request.again {
            withdrawn::check(&withdrawals, set.iter().map(|(_, digest)| digest))?;
        }
        let before = self.generation_to_leave(active, &now).await?;
        // The sequence of extensions comes back with the modules.
        let after = self.link(active + 1, &set, &[], target).await?;
        let changes = list_changes(&before, &after);
        let recorded = Recorded {
            number: active + 1,
            // A rollback would withdraw what it takes out.
            cause: if brings_back { Cause::Activation } else { cause },
            module,
            restores: Some(target),
            allowed: Vec::new(),
            reason,
            by: request.by.clone(),
        };
        self.install(recorded, active, after, set, changes).await
    }

    /// Goes back to the newest earlier generation that can run here, of modules that are trusted and were not
    /// withdrawn. `module`: the one for whose sake it is, which must not come along.
    pub async fn go_back(
        &self,
        request: &ActivationRequest,
        cause: Cause,
        module: Option<String>,
        reason: Option<String>,
    ) -> Result<Activated, DeploymentError> {
        let (active, now) = self.active(request.expected).await?;
        let fails = |member: &(String, Digest)| Some(&member.0) == module.as_ref() && now.contains(member);
        // Another change meanwhile makes this one void.
        let request = ActivationRequest { expected: Some(active), ..request.clone() };
        let mut refused = DeploymentError::NotFound("earlier generation to go back to");
        for (target, set) in trust::find_trusted(&self.database, &self.gate, active, &now).await? {
            if set.iter().any(fails) {
                continue;
            }
            match self.restore(target, &request, cause, module.clone(), reason.clone()).await {
                Err(DeploymentError::Refusal(why)) => {
                    tracing::warn!(generation = target, %why, "an earlier generation cannot come back");
                    refused = why.of(&format!("generation {target}")).into();
                }
                done => return done,
            }
        }
        Err(refused)
    }

    /// Puts one module back to its last version that was not withdrawn, or takes it out where there is none; the others
    /// stay.
    pub async fn retreat(
        &self,
        name: &str,
        request: &ActivationRequest,
        cause: Cause,
        reason: Option<String>,
    ) -> Result<Activated, DeploymentError> {
        let _lock = self.change_lock.lock().await;
        let (active, now) = self.active(request.expected).await?;
        let digest = now.iter().find(|(module, _)| module == name).map(|(_, digest)| *digest);
        let digest = digest.ok_or(DeploymentError::NotFound("active module"))?;
        let earlier = self.database.read_plain(Shard::Global, (name.to_owned(), digest), |session, (name, digest)| {
            Box::pin(async move {
                let withdrawals = withdrawn::find(session).await?;
                withdrawn::find_earlier(session, &withdrawals, name, *digest).await
            })
        });
        let earlier = earlier.await?;
        if earlier == Earlier::Nothing {
            return Err(DeploymentError::NotFound("earlier version of the module"));
        }
        let set = put_back(&now, name, earlier);
        let before = self.generation_to_leave(active, &now).await?;
        let after = self.link(active + 1, &set, &[], active).await?;
        let changes = list_changes(&before, &after);
        let recorded = Recorded {
            number: active + 1,
            cause,
            module: Some(name.to_owned()),
            restores: None,
            allowed: Vec::new(),
            reason,
            by: request.by.clone(),
        };
        self.install(recorded, active, after, set, changes).await
    }

    /// The active generation by the database, if it is the one expected.
    pub(super) async fn active(&self, expected: Option<u64>) -> Result<(u64, Set), DeploymentError> {
        let found =
            self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::active(session))).await?;
        let (number, set) = found.ok_or(DeploymentError::NotFound("generation"))?;
        match expected {
            Some(expected) if expected != number => Err(refuse_outdated(number).into()),
            _ => Ok((number, set)),
        }
    }

    /// The generation of a set: the one that runs here, or one linked for it.
    pub(super) async fn generation(&self, number: u64, set: &Set) -> Result<Arc<Generation>, DeploymentError> {
        let current = self.current.load().generation.clone();
        if current.number == number {
            return Ok(current);
        }
        Ok(self.link(number, set, &[], number).await?.generation)
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

    pub(super) async fn install(
        &self,
        recorded: Recorded,
        before: u64,
        edition: Edition,
        set: Set,
        changes: Vec<(String, Vec<Change>)>,
    ) -> Result<Activated, DeploymentError> {
        let wanted = Arc::new(tables::wanted_tables(&edition.modules));
        // A rollback must work in an emergency: a place that does not answer prevents none.
        let absence = match recorded.cause {
            Cause::First | Cause::Activation => Absence::Refused,
            Cause::Rollback | Cause::AutomaticRollback => Absence::Allowed,
        };
        let versions = upgrade::versions(&edition.modules);
        let number = recorded.number;
        let arrangement = edition.arrangement.clone();
        let plan = Plan { before, recorded, set, wanted: wanted.clone(), versions, arrangement };
        let committed = self.prepare_and_commit(plan, absence).await;
        if committed.is_err() {
            places::loosen_places(&self.database, &wanted).await;
        }
        let tables = committed?;
        places::complete_places(&self.database, number, &wanted).await;
        self.swap(edition);
        Ok(Activated { generation: number, changes, tables })
    }

    /// The places first, then the transaction at home.
    async fn prepare_and_commit(&self, plan: Plan, absence: Absence) -> Result<Vec<String>, DeploymentError> {
        places::check_places(&self.database, &plan.wanted, absence).await?;
        places::build_indexes(&self.database, Shard::Global, &plan.wanted).await?;
        places::extend_places(&self.database, &plan.wanted, absence).await?;
        self.commit(plan).await
    }

    /// The transaction at home.
    async fn commit(&self, plan: Plan) -> Result<Vec<String>, DeploymentError> {
        let plan = Arc::new(plan);
        let written = places::retry_locks(Duration::MAX, || {
            self.database
                .write_unless_refused(Shard::Global, plan.clone(), |session, plan| Box::pin(write(session, plan)))
        });
        Ok(written.await??)
    }
}

/// The changes that a candidate brings, each new call of a service with what its callers must hold now.
fn compare(before: &Generation, predecessor: Option<&Surface>, candidate: &Vetted) -> Vec<Change> {
    let mut changes = diff::diff(predecessor, &Surface::from_vetted(&before.engine, candidate));
    let descriptors: Vec<&Descriptor> = before.modules.iter().map(|module| &*module.descriptor).collect();
    diff::name_needs(&mut changes, &descriptors);
    changes
}

fn surface(generation: &Generation, module: &Module) -> Surface {
    Surface::from_vetted(&generation.engine, module)
}

/// A set with these modules in the place of those of their names.
fn put_in(set: &Set, candidates: &[Arc<Vetted>]) -> Set {
    let mut set = set.clone();
    for candidate in candidates {
        set.retain(|(module, _)| *module != candidate.descriptor.name);
        set.push((candidate.descriptor.name.clone(), candidate.digest));
    }
    set.sort();
    set
}

/// The changes of each module that is another one afterwards, or gone.
fn list_changes(before: &Generation, after: &Generation) -> Vec<(String, Vec<Change>)> {
    let is_new = |module: &&Arc<Module>| before.modules.iter().all(|old| old.digest != module.digest);
    let is_gone = |module: &&Arc<Module>| after.module(&module.name).is_none();
    let comes = after.modules.iter().filter(is_new).map(|module| {
        let old = before.module(&module.name).map(|old| surface(before, old));
        (module.name.clone(), diff::diff(old.as_ref(), &surface(after, module)))
    });
    let goes = before.modules.iter().filter(is_gone).map(|module| {
        let nothing = Surface::nothing(&module.descriptor);
        (module.name.clone(), diff::diff(Some(&surface(before, module)), &nothing))
    });
    comes.chain(goes).collect()
}

/// Refuses what no allowance helps, and what breaks and is not allowed: each module with its count, the codes once.
fn check_changes(changes: &[(String, Vec<Change>)], allowed: &BTreeSet<String>) -> Result<(), Refusal> {
    let hopeless = codes::SCHEMA_NOT_ADDITIVE.name;
    refuse_changes(hopeless, changes, |change| change.code == hopeless, |_| "no allowance helps".into())?;
    let breaks = |change: &Change| change.breaking && !allowed.contains(change.code);
    refuse_changes("CONTRACT_BREAKING", changes, breaks, |refused| {
        let codes: BTreeSet<&str> = refused.iter().map(|change| change.code).collect();
        let flags: Vec<String> = codes.into_iter().map(|code| format!("--allow {code}")).collect();
        format!("allow them by name: {}", flags.join(" "))
    })
}

fn refuse_changes(
    code: &'static str,
    changes: &[(String, Vec<Change>)],
    is_refused: impl Fn(&Change) -> bool,
    advice: impl FnOnce(&[Change]) -> String,
) -> Result<(), Refusal> {
    let (mut counts, mut refused) = (Vec::new(), Vec::new());
    for (name, changes) in changes {
        let theirs: Vec<Change> = changes.iter().filter(|change| is_refused(change)).cloned().collect();
        match theirs.len() {
            0 => continue,
            1 => counts.push(format!("{name}: 1 breaking change")),
            count => counts.push(format!("{name}: {count} breaking changes")),
        }
        refused.extend(theirs);
    }
    if refused.is_empty() {
        return Ok(());
    }
    let what = format!("{}; {}", counts.join(", "), advice(&refused));
    Err(Refusal { changes: refused, ..Refusal::new(code, what).with_status(StatusCode::CONFLICT) })
}

fn refuse_outdated(active: u64) -> Refusal {
    let what = format!("generation {active} is the active one");
    Refusal::new("GENERATION_CHANGED", what).with_status(StatusCode::CONFLICT)
}

/// A change of what runs, as its transaction writes it.
struct Plan {
    /// The generation that is left.
    before: u64,
    recorded: Recorded,
    set: Set,
    wanted: Arc<Wanted>,
    versions: Vec<(String, String)>,
    arrangement: Arrangement,
}

async fn write(session: &mut Session, plan: &Plan) -> Result<Result<Vec<String>, Refusal>, Error> {
    let Plan { before, recorded, set, wanted, versions, arrangement } = plan;
    places::limit_lock_waits(session).await?;
    tables::lock(session).await?;
    let active = records::newest(session).await?.unwrap_or(0);
    if active != *before {
        return Ok(Err(refuse_outdated(active)));
    }
    let now = session.now().await?;
    let reported = match tables::extend(session, wanted, Extent::All).await? {
        Ok(reported) => reported,
        Err(refusal) => return Ok(Err(refusal)),
    };
    records::record(session, now, recorded, set, arrangement).await?;
    if recorded.cause == Cause::Activation {
        upgrade::schedule(session, *before, recorded.number, versions).await?;
    }
    let metadata = json!({
        "generation": recorded.number,
        "cause": recorded.cause.name(),
        "module": recorded.module,
        "restores": recorded.restores,
        "allowed": recorded.allowed,
        "reason": recorded.reason,
        "points": arrangement,
        "modules": set.iter().map(|(name, digest)| json!({ "name": name, "digest": hex::encode(digest) })).collect::<Vec<_>>(),
    });
    let is_gone = |name: &str| set.iter().all(|(module, _)| module != name);
    let operation = match (&recorded.module, recorded.cause) {
        _ if recorded.restores.is_some() => "activateGeneration",
        (_, Cause::Rollback | Cause::AutomaticRollback) => "rollbackModule",
        (None, Cause::Activation) => "arrangePoint",
        (Some(names), _) if names.split(", ").all(is_gone) => "deactivateModule",
        _ => "activateModule",
    };
    let entry = OperatorEntry { actor: recorded.by.clone(), operation, result: "SUCCESS".into(), metadata };
    audit::write(session, now, &entry).await?;
    Ok(Ok(reported))
}
