//! After a start: the active generation's tables get the indexes that this host makes, where an older one made others, and lose
//! those that the generation no longer declares. Until then they stay, so that a way back soon after an activation builds none.
//! Requests are answered meanwhile.

use std::sync::Arc;
use std::time::Duration;

use super::{Deployment, records};
use crate::database::{Error, Shard};
use crate::gate::tables;
use crate::watchdog::Pulse;

/// Between two looks: the result is checked again.
const PAUSE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(60);

impl Deployment {
    /// Runs until nothing is left to do at the shard.
    pub(super) async fn reindex(self: Arc<Self>, shard: Shard, pulse: Pulse) {
        loop {
            match self.reindex_tables(shard, &pulse).await {
                Ok(true) => return,
                Ok(false) => pulse.rest(PAUSE).await,
                Err(error) => {
                    tracing::warn!(%error, "cannot bring the indexes up to date now");
                    pulse.rest(RETRY).await;
                }
            }
        }
    }

    /// Answers whether there was nothing to do.
    async fn reindex_tables(&self, shard: Shard, pulse: &Pulse) -> Result<bool, Error> {
        let edition = self.current.load_full();
        let part = Arc::new((edition.number, tables::wanted_tables(&edition.modules)));
        drop(edition);
        let found = self.database.read_plain(shard, part.clone(), |session, part| {
            Box::pin(async move {
                let active = records::newest(session).await? == Some(part.0);
                Ok(if active { Some(tables::find_reindex(session, &part.1).await?) } else { None })
            })
        });
        // Another generation is on its way here.
        let Some(reindex) = found.await? else { return Ok(false) };
        if reindex.statements.is_empty() && reindex.collections.is_empty() {
            return Ok(true);
        }
        for statement in &reindex.statements {
            tracing::info!(statement = statement.trim_end(), "an older host's table is brought up to date");
        }
        // An index of a large table takes as long as it takes.
        pulse.excuse();
        self.database.build_indexes(shard, reindex.statements).await?;
        pulse.beat();
        let done = self.database.write_plain(shard, part, |session, part| {
            Box::pin(async move {
                tables::lock(session).await?;
                if records::newest(session).await? == Some(part.0) {
                    let reindex = tables::find_reindex(session, &part.1).await?;
                    tables::end_reindex(session, reindex).await?;
                }
                Ok(())
            })
        });
        done.await.map(|()| false)
    }
}
