//! `stoa tenant move`: a company goes from one PostgreSQL server to another while it is used. Its rows are copied by logical replication;
//! its writes wait for less than a second while the directory is switched.
//!
//! Each step is safe to repeat, and the home server has the record of how far a move has come. A command that was killed goes on where it
//! was, or gives up as long as the old place has the company. At no moment do two places accept writes: the old place ends them for good
//! before the directory is switched, and the new place accepts them after the old one has forgotten the company.

mod carry;
mod changes;
mod copying;
mod equality;
mod fence;
pub mod plan;
mod purge;
mod record;
mod replication;
mod server;
mod switch;
mod tables;
mod timers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;
use tokio::time::Instant;
use uuid::Uuid;

use crate::database::{DatabaseSettings, Transport};
use plan::Plan;
use record::{Home, MoveRecord, MoveStep};
use server::Server;

/// A server of the deployment, as a move reaches it.
#[derive(Debug, Clone)]
pub struct MovePlace {
    pub name: String,
    /// The address with the role for moves.
    pub move_url: Option<String>,
    pub transport: Transport,
}

impl MovePlace {
    fn move_url(&self) -> anyhow::Result<&str> {
        let url = self.move_url.as_deref();
        url.with_context(|| format!("[[places]]: {} has no move_url, the address with the role for moves", self.name))
    }
}

/// A company and the servers that it can be on.
pub struct Moving {
    pub company: Uuid,
    pub home: DatabaseSettings,
    pub places: Vec<MovePlace>,
    /// Longest time in which writes of the company wait.
    pub pause: Duration,
    /// Writes a line about what is done.
    pub report: fn(&str),
    /// Set when the command is to end as soon as it can.
    pub stop: AtomicBool,
}

/// A move that is done.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    pub company: Uuid,
    pub from: String,
    pub to: String,
    pub rows: i64,
    pub seconds: u64,
    /// How long writes waited, in milliseconds. None: an earlier command switched.
    pub pause_ms: Option<u64>,
}

/// Something that a move waits for, so that it is tried again.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotYet(String);

/// Both ends of a move.
struct Ends {
    source: Server,
    target: Server,
}

impl Ends {
    /// Limits the time of each statement at both places; at zero there is no limit.
    async fn limit_statements(&mut self, limit: Duration) -> anyhow::Result<()> {
        let statement = format!("set statement_timeout = {}", limit.as_millis());
        self.source.run(statement.as_str()).await?;
        self.target.run(statement).await
    }
}

impl Moving {
    fn find(&self, name: &str) -> anyhow::Result<&MovePlace> {
        let place = self.places.iter().find(|place| place.name == name);
        place.with_context(|| format!("the settings name no place {name}"))
    }

    async fn connect(&self, source: &str, target: &str) -> anyhow::Result<Ends> {
        let mut source = Server::connect(self.find(source)?, self.company).await?;
        let mut target = Server::connect(self.find(target)?, self.company).await?;
        source.end_other_commands(self.company).await?;
        target.end_other_commands(self.company).await?;
        Ok(Ends { source, target })
    }

    /// # Errors
    /// The command is to end.
    fn check_stop(&self) -> anyhow::Result<()> {
        let is_stopped = self.stop.load(Ordering::Relaxed);
        anyhow::ensure!(
            !is_stopped,
            "the move is not done: run the command again to go on, or with --undo to give it up"
        );
        Ok(())
    }

    /// Lists the rows that a move would copy and what it lacks. Nothing is changed.
    pub async fn plan(&self, to: &str) -> anyhow::Result<Plan> {
        self.find(to)?;
        let mut home = Home::open(&self.home, self.company).await?;
        let from = home.find_place().await?;
        anyhow::ensure!(from != to, "the company is at {to} already");
        let mut ends = self.connect(&from, to).await?;
        let (mut plan, _) = Plan::make(&mut ends.source, &mut ends.target, self.company).await?;
        if let Some(record) = home.read().await? {
            plan.missing.push(explain_earlier(&record));
        }
        Ok(plan)
    }

    /// Moves the company, or goes on with a move that was interrupted.
    pub async fn run(&self, to: &str) -> anyhow::Result<Moved> {
        let began = Instant::now();
        self.find(to)?;
        let mut home = Home::open(&self.home, self.company).await?;
        let earlier = home.read().await?;
        let goes_on = earlier.is_some();
        let record = match earlier {
            Some(record) => {
                let is_same = record.target == to && record.step != MoveStep::OldRows;
                anyhow::ensure!(is_same, "{}", explain_earlier(&record));
                (self.report)(&format!("an earlier move from {} to {to} goes on", record.source));
                record
            }
            None => self.begin(&mut home, to).await?,
        };
        let mut ends = self.connect(&record.source, to).await?;
        let mut pause = None;
        if record.step == MoveStep::Copying {
            if goes_on {
                carry::reopen(&mut ends.source, &mut ends.target, self.company).await?;
            }
            pause = Some(self.copy_and_switch(&mut home, &mut ends).await?);
        } else if record.step == MoveStep::Switched {
            switch::finish(&mut ends, self.company, &record.carried).await?;
            home.note_step(MoveStep::Open).await?;
        }
        let rows = switch::count_rows(&mut ends.target, self.company).await?;
        replication::end(&mut ends.source, &mut ends.target, self.company).await?;
        home.note_step(MoveStep::OldRows).await?;
        let pause_ms = pause.map(|pause| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
        let (from, to) = (record.source, to.to_owned());
        Ok(Moved { company: self.company, from, to, rows, seconds: began.elapsed().as_secs(), pause_ms })
    }

    async fn begin(&self, home: &mut Home, to: &str) -> anyhow::Result<MoveRecord> {
        let from = home.find_place().await?;
        anyhow::ensure!(from != to, "the company is at {to} already");
        let mut ends = self.connect(&from, to).await?;
        let (plan, _) = Plan::make(&mut ends.source, &mut ends.target, self.company).await?;
        anyhow::ensure!(plan.missing.is_empty(), "the company cannot move:\n{}", plan.missing.join("\n"));
        home.begin(&from, to).await?;
        (self.report)(&format!("move from {from} to {to} begun"));
        home.read().await?.context("the record of the move")
    }

    /// Gives up a move as long as the old place has the company. Returns the number of rows that were deleted at the new place.
    pub async fn undo(&self) -> anyhow::Result<u64> {
        let mut home = Home::open(&self.home, self.company).await?;
        let record = home.read().await?.context("no move of this company is under way")?;
        anyhow::ensure!(
            record.step == MoveStep::Copying,
            "the company is at {} already: run `stoa tenant move {} --to {}` to finish",
            record.target,
            self.company,
            record.target
        );
        let mut ends = self.connect(&record.source, &record.target).await?;
        carry::reopen(&mut ends.source, &mut ends.target, self.company).await?;
        replication::end(&mut ends.source, &mut ends.target, self.company).await?;
        let rows = purge::purge(&mut ends.target, self.company).await?;
        home.end().await?;
        Ok(rows)
    }

    /// Deletes the rows that the company left behind. Returns their number.
    pub async fn purge(&self) -> anyhow::Result<u64> {
        let mut home = Home::open(&self.home, self.company).await?;
        let record = home.read().await?.context("the company has left no rows behind")?;
        anyhow::ensure!(record.step == MoveStep::OldRows, "the move is under way: finish it first");
        anyhow::ensure!(home.find_place().await? != record.source, "the company is at {}", record.source);
        let mut source = Server::connect(self.find(&record.source)?, self.company).await?;
        let rows = purge::purge(&mut source, self.company).await?;
        home.end().await?;
        Ok(rows)
    }
}

fn explain_earlier(record: &MoveRecord) -> String {
    let MoveRecord { source, target, step, .. } = record;
    match step {
        MoveStep::OldRows => {
            format!("{source} has rows from before the company moved to {target}: run it with --purge first")
        }
        _ => format!("the company is on its way from {source} to {target}: finish that, or give it up with --undo"),
    }
}
