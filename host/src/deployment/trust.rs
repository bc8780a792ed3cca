//! Trust, while hosts run: a host runs a generation if it trusts every signer of its modules. If it no longer trusts the active
//! one (a key was revoked), it runs the newest earlier one that it trusts, reports that, and waits for an operator. Each host trusts
//! by its own settings, so one host changes nothing for the others. If it trusts no earlier one, it runs the active one without the
//! modules that it does not trust and without those that need them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::records::{self, Digest, Set};
use super::watch::read_set;
use super::{Deployment, DeploymentError, Edition, withdrawn};
use crate::database::{Database, Error, Shard};
use crate::gate::refusal::Refusal;
use crate::gate::trust::Trust;
use crate::gate::vetting::Gate;
use crate::sandbox::{Arrangement, Generation, Vetted};

/// Generations of one look into the history.
const PAGE: u32 = 100;

/// Checks that this host trusts every signer of these modules. The refusal names the first other signer and its module.
pub async fn check(database: &Database, gate: &Gate, set: &Set) -> Result<Result<(), Refusal>, Error> {
    let trust = gate.trust.load_full();
    for (name, digest) in set {
        if let Err(refusal) = judge(database, &trust, *digest).await? {
            return Ok(Err(refusal.of(name)));
        }
    }
    Ok(Ok(()))
}

async fn judge(database: &Database, trust: &Trust, digest: Digest) -> Result<Result<(), Refusal>, Error> {
    let admission = database
        .read_plain(Shard::Global, digest, |session, digest| Box::pin(records::admission(session, *digest)))
        .await?;
    Ok(trust.admit(&digest, admission.as_ref()).map(drop))
}

/// The earlier generations to go back to from a set, the newest first: of other modules, wholly trusted here, and of no
/// module that was withdrawn.
pub async fn find_trusted(database: &Database, gate: &Gate, below: u64, left: &Set) -> Result<Vec<(u64, Set)>, Error> {
    let trust = gate.trust.load_full();
    let mut known: BTreeMap<Digest, bool> = BTreeMap::new();
    let mut found = Vec::new();
    let mut before = below;
    loop {
        let page = database.read_plain(Shard::Global, before, |session, before| {
            Box::pin(async move {
                let mut page = Vec::new();
                for number in records::numbers(session, *before, PAGE).await? {
                    page.push((number, records::set(session, number).await?.unwrap_or_default()));
                }
                Ok((page, withdrawn::find(session).await?))
            })
        });
        let (page, withdrawals) = page.await?;
        let length = page.len();
        for (number, set) in page {
            before = number;
            let mut whole = set != *left && withdrawn::is_good(&withdrawals, &set);
            for (_, digest) in &set {
                if whole && !known.contains_key(digest) {
                    known.insert(*digest, judge(database, &trust, *digest).await?.is_ok());
                }
                whole &= known.get(digest) == Some(&true);
            }
            if whole {
                found.push((number, set));
            }
        }
        // The search ends at this page.
        if length < PAGE as usize || !found.is_empty() {
            return Ok(found);
        }
    }
}

/// The modules of a set whose signers are trusted here.
pub async fn keep_trusted(database: &Database, gate: &Gate, set: &Set) -> Result<Set, Error> {
    let trust = gate.trust.load_full();
    let mut kept = Set::new();
    for (name, digest) in set {
        match judge(database, &trust, *digest).await? {
            Ok(()) => kept.push((name.clone(), *digest)),
            Err(refused) => tracing::error!(name, %refused, "a module is left out"),
        }
    }
    Ok(kept)
}

/// The edition of those of these modules that can run without the others. It is no recorded generation, so its number is 0: the host
/// goes on trying to run the active one. `None`: nothing can run.
pub fn link_what_runs(
    gate: &Gate,
    mut vetted: Vec<Arc<Vetted>>,
    arrangement: &Arrangement,
) -> Result<Option<Edition>, Refusal> {
    loop {
        let incomplete = Generation::find_incomplete(&gate.engine, &gate.host, &vetted);
        if incomplete.is_empty() {
            break;
        }
        tracing::error!(modules = ?incomplete, "modules are left out that need one that was left out");
        vetted.retain(|module| !incomplete.contains(&module.descriptor.name));
    }
    match vetted.is_empty() {
        true => Ok(None),
        false => Edition::link(gate, 0, &vetted, arrangement).map(Some),
    }
}

impl Deployment {
    /// Takes other settings of trust, and looks again at what runs.
    pub fn trust(&self, trust: Trust) {
        if **self.gate.trust.load() != trust {
            tracing::warn!("whose modules may run has changed: what runs is judged again");
            self.gate.trust.store(Arc::new(trust));
            self.unjudged.store(true, Ordering::Release);
            self.changed.notify_waiters();
        }
    }

    /// Steps off modules whose signer is no longer trusted: to the newest earlier generation that is wholly trusted.
    pub(super) async fn step_off(&self) -> Result<(), DeploymentError> {
        let _lock = self.change_lock.lock().await;
        let running = self.current.load_full();
        running.modules.iter().for_each(|module| self.gate.renew_grants(module));
        let set = read_set(&running);
        let offers_too_much = |digest: &Digest| {
            running.find_vetted(digest).and_then(|vetted| self.gate.check_offers_again(&vetted).err())
        };
        let refused = match check(&self.database, &self.gate, &set).await? {
            Ok(()) => set.iter().find_map(|(_, digest)| offers_too_much(digest)),
            Err(refused) => Some(refused),
        };
        let Some(refused) = refused else { return Ok(()) };
        for (number, set) in find_trusted(&self.database, &self.gate, running.number, &set).await? {
            if set.iter().any(|(_, digest)| offers_too_much(digest).is_some()) {
                continue;
            }
            match self.link(number, &set, &[], number).await {
                Ok(edition) => {
                    tracing::error!(
                        left = running.number,
                        runs = number,
                        %refused,
                        "a module's signer is not trusted any more: this host runs an earlier generation; roll back or deactivate"
                    );
                    self.swap(edition);
                    return Ok(());
                }
                Err(why) => tracing::warn!(number, %why, "a trusted generation cannot run here"),
            }
        }
        let set = keep_trusted(&self.database, &self.gate, &set).await?;
        let trusted = set.iter().filter(|(_, digest)| offers_too_much(digest).is_none());
        let trusted = trusted.filter_map(|(_, digest)| running.find_vetted(digest)).collect();
        let gate = self.gate.clone();
        let arrangement = running.arrangement.clone();
        let linked = tokio::task::spawn_blocking(move || link_what_runs(&gate, trusted, &arrangement)).await;
        match linked.map_err(|error| Error::Fault(format!("linking panicked: {error}")))?? {
            Some(edition) => {
                tracing::error!(
                    left = running.number,
                    %refused,
                    "no earlier generation is wholly trusted: this host runs the trusted modules only; deactivate the others"
                );
                self.swap(edition);
                Ok(())
            }
            None => {
                tracing::error!(%refused, "no module is trusted: what runs goes on; deactivate the modules");
                Err(refused.into())
            }
        }
    }
}
