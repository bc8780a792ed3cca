//! The record of a move, on the home server: how far it has come, so that one that was killed goes on or is undone.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use crate::database::DatabaseSettings;
use crate::database::own::WHOLE_COMPANY;
use crate::database::postgres::own::OwnAddress;
use crate::database::servers::HOME;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveStep {
    /// The old place has the company.
    Copying,
    /// The directory names the new place, which is not open yet.
    Switched,
    /// The new place is open. Both servers have what the copy needed.
    Open,
    /// The old place has rows that no request reads.
    OldRows,
}

#[derive(Debug, Clone)]
pub struct MoveRecord {
    pub source: String,
    pub target: String,
    pub step: MoveStep,
    /// Rows that the new place gets when it opens, by table.
    pub carried: Json,
}

impl MoveStep {
    fn name(self) -> &'static str {
        match self {
            MoveStep::Copying => "COPYING",
            MoveStep::Switched => "SWITCHED",
            MoveStep::Open => "OPEN",
            MoveStep::OldRows => "OLD_ROWS",
        }
    }

    fn parse(name: &str) -> anyhow::Result<MoveStep> {
        let all = [MoveStep::Copying, MoveStep::Switched, MoveStep::Open, MoveStep::OldRows];
        all.into_iter().find(|step| step.name() == name).with_context(|| format!("a move has the step {name}"))
    }
}

/// Looks whether another command has ended, and the time between two. The connection of one that was killed lives on for a moment.
const TRIES: u32 = 30;
const PAUSE: Duration = Duration::from_millis(100);

/// The home server, and the right to move one company.
pub struct Home {
    connection: PgConnection,
    company: Uuid,
}

impl Home {
    /// # Errors
    /// The server does not answer, or another command moves the company.
    pub async fn open(settings: &DatabaseSettings, company: Uuid) -> anyhow::Result<Home> {
        let address = OwnAddress::parse(&settings.url, &settings.transport, WHOLE_COMPANY)?;
        let mut connection = address.connect_to_copy().await.context("the home server")?;
        // Held until this command ends.
        for _ in 0..TRIES {
            let lock = sqlx::query_scalar("select pg_try_advisory_lock(hashtextextended($1, 7310589))");
            if lock.bind(company.to_string()).fetch_one(&mut connection).await? {
                return Ok(Home { connection, company });
            }
            tokio::time::sleep(PAUSE).await;
        }
        anyhow::bail!("another command moves this company now")
    }

    pub async fn read(&mut self) -> anyhow::Result<Option<MoveRecord>> {
        let read = sqlx::query_as::<_, (String, String, String, Option<String>)>(
            "select source, target, step, carried from stoa_move where tenant_id = $1",
        );
        let row = read.bind(self.company).fetch_optional(&mut self.connection).await?;
        let Some((source, target, step, carried)) = row else { return Ok(None) };
        let carried = carried.map_or(Ok(Json::Null), |text| serde_json::from_str(&text))?;
        Ok(Some(MoveRecord { source, target, step: MoveStep::parse(&step)?, carried }))
    }

    /// Name of the place that has the company.
    pub async fn find_place(&mut self) -> anyhow::Result<String> {
        let read = sqlx::query_scalar("select place from stoa_company_place where tenant_id = $1");
        let place: Option<String> = read.bind(self.company).fetch_optional(&mut self.connection).await?;
        Ok(place.unwrap_or_else(|| HOME.to_owned()))
    }

    pub async fn begin(&mut self, source: &str, target: &str) -> anyhow::Result<()> {
        let insert = sqlx::query(
            "insert into stoa_move (tenant_id, source, target, step, started_at, changed_at)
             values ($1, $2, $3, 'COPYING', clock_timestamp(), clock_timestamp())",
        );
        insert.bind(self.company).bind(source).bind(target).execute(&mut self.connection).await?;
        Ok(())
    }

    pub async fn note_step(&mut self, step: MoveStep) -> anyhow::Result<()> {
        let update = sqlx::query("update stoa_move set step = $2, changed_at = clock_timestamp() where tenant_id = $1");
        update.bind(self.company).bind(step.name()).execute(&mut self.connection).await?;
        Ok(())
    }

    /// Makes the new place the company's, in one transaction with the move's step. A company that comes home has a row until it is
    /// purged elsewhere: hosts read changes of the directory, and no row is no change.
    pub async fn switch(&mut self, target: &str, carried: &Json) -> anyhow::Result<()> {
        let mut transaction = self.connection.begin().await?;
        let place = sqlx::query(
            "insert into stoa_company_place (tenant_id, place, changed_at) values ($1, $2, clock_timestamp())
             on conflict (tenant_id) do update set place = excluded.place, changed_at = excluded.changed_at",
        );
        place.bind(self.company).bind(target).execute(&mut *transaction).await?;
        let step = sqlx::query(
            "update stoa_move set step = 'SWITCHED', carried = $2, changed_at = clock_timestamp()
             where tenant_id = $1 and step = 'COPYING'",
        );
        let step = step.bind(self.company).bind(carried.to_string()).execute(&mut *transaction).await?;
        anyhow::ensure!(step.rows_affected() == 1, "the move has another step: run the command again");
        let audit = sqlx::query(
            "insert into stoa_operator_audit (id, actor, operation, result, metadata, created_at)
             values ($1, 'system:operator', 'moveCompany', 'SUCCESS', $2, clock_timestamp())",
        );
        let metadata = json!({ "tenantId": self.company, "place": target });
        audit.bind(Uuid::now_v7()).bind(metadata.to_string()).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Forgets the move. A company at home needs no row in the directory.
    pub async fn end(&mut self) -> anyhow::Result<()> {
        let mut transaction = self.connection.begin().await?;
        let place = sqlx::query("delete from stoa_company_place where tenant_id = $1 and place = $2");
        place.bind(self.company).bind(HOME).execute(&mut *transaction).await?;
        let moved = sqlx::query("delete from stoa_move where tenant_id = $1");
        moved.bind(self.company).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The users with these ids, as rows of `stoa_user`.
    pub async fn read_users(&mut self, ids: &[Uuid]) -> anyhow::Result<Json> {
        let read = "select coalesce(json_agg(u), '[]')::text from stoa_user u where id = any($1)";
        let text: String = sqlx::query_scalar(read).bind(ids).fetch_one(&mut self.connection).await?;
        serde_json::from_str(&text).context("users")
    }
}
