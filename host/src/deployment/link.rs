//! An edition from a set of modules: each fetched where it is not here, vetted, and linked to the others.

use std::sync::Arc;

use anyhow::Context as _;

use super::records::{self, Digest, Set};
use super::{Deployment, DeploymentError, Edition};
use crate::database::{Database, Error, Shard};
use crate::gate::artifact::Artifact;
use crate::gate::vetting::Gate;
use crate::sandbox::{Arrangement, Vetted};

/// A vetted file of the modules folder.
pub(super) type Found = (Artifact, Arc<Vetted>);

impl Deployment {
    /// A vetted module by its digest: one that runs, else fetched and vetted.
    pub async fn find_or_fetch(&self, digest: Digest) -> Result<Arc<Vetted>, DeploymentError> {
        if let Some(running) = self.current.load().find_vetted(&digest) {
            return Ok(running);
        }
        let artifact = self
            .database
            .read_plain(Shard::Global, digest, |session, digest| Box::pin(records::artifact(session, *digest)))
            .await?;
        let artifact = artifact.ok_or(DeploymentError::NotFound("module"))?;
        Ok(Arc::new(vet(self, artifact).await?))
    }

    /// Everything that a set names, fetched and linked. `known`: modules that were vetted already. `follows`: the generation whose sequence
    /// of extensions it keeps.
    pub(super) async fn link(
        &self,
        number: u64,
        set: &Set,
        known: &[Arc<Vetted>],
        follows: u64,
    ) -> Result<Edition, DeploymentError> {
        let arrangement = read_arrangement(&self.database, follows).await?;
        self.link_arranged(number, set, known, arrangement).await
    }

    /// The same with this sequence of extensions.
    pub(super) async fn link_arranged(
        &self,
        number: u64,
        set: &Set,
        known: &[Arc<Vetted>],
        arrangement: Arrangement,
    ) -> Result<Edition, DeploymentError> {
        let mut vetted = Vec::with_capacity(set.len());
        for (_, digest) in set {
            vetted.push(match known.iter().find(|known| known.digest == *digest) {
                Some(known) => known.clone(),
                None => self.find_or_fetch(*digest).await?,
            });
        }
        let gate = self.gate.clone();
        // Linking and composing the contract takes a processor for a while: not one that answers requests.
        let linked = tokio::task::spawn_blocking(move || Edition::link(&gate, number, &vetted, &arrangement)).await;
        Ok(linked.map_err(|error| Error::Fault(format!("linking panicked: {error}")))??)
    }
}

pub(super) async fn vet(deployment: &Deployment, artifact: Artifact) -> Result<Vetted, DeploymentError> {
    let gate = deployment.gate.clone();
    let vetted = tokio::task::spawn_blocking(move || gate.vet(&artifact)).await;
    Ok(vetted.map_err(|error| Error::Fault(format!("vetting panicked: {error}")))??)
}

/// The sequence of the extensions of a generation; none where it is not recorded.
async fn read_arrangement(database: &Database, generation: u64) -> Result<Arrangement, Error> {
    let read = database.read_plain(Shard::Global, generation, |session, generation| {
        Box::pin(records::arrangement(session, *generation))
    });
    read.await
}

/// The edition of a set, before a host runs. `found`: files that were vetted already. `follows`: the generation whose sequence of
/// extensions it keeps.
pub(super) async fn link(
    database: &Database,
    gate: &Arc<Gate>,
    found: &[Found],
    number: u64,
    set: &Set,
    follows: u64,
) -> anyhow::Result<Edition> {
    let arrangement = read_arrangement(database, follows).await?;
    let mut vetted = Vec::with_capacity(set.len());
    for ((name, digest), nth) in set.iter().zip(1_usize..) {
        let here = found.iter().find(|(artifact, _)| artifact.digest == *digest);
        vetted.push(match here {
            Some((_, vetted)) => vetted.clone(),
            None => {
                tracing::info!("module {nth} of {}: {name}", set.len());
                Arc::new(fetch(database, gate, *digest).await.with_context(|| format!("module {name}"))?)
            }
        });
    }
    let gate = gate.clone();
    Ok(tokio::task::spawn_blocking(move || Edition::link(&gate, number, &vetted, &arrangement)).await??)
}

pub(super) async fn fetch(database: &Database, gate: &Arc<Gate>, digest: Digest) -> anyhow::Result<Vetted> {
    let artifact = database
        .read_plain(Shard::Global, digest, |session, digest| Box::pin(records::artifact(session, *digest)))
        .await?;
    let artifact = artifact.ok_or_else(|| anyhow::anyhow!("an active module's artifact is not in the database"))?;
    let gate = gate.clone();
    Ok(tokio::task::spawn_blocking(move || gate.vet(&artifact)).await??)
}
