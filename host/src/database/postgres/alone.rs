//! A connection with a transaction of its own, for commands that read or write everything that a company has.

use super::address::Address;
use super::numbers::Numbers;
use super::{Error, Transaction};
use crate::database::DatabaseSettings;

/// The time limits of requests do not apply. Another command of this kind may hold a lock as long as it runs.
const NO_LIMITS: &str =
    "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '60s'";

impl Transaction {
    /// Begins a transaction: a snapshot, or a write. Dropped before its commit, it rolls back.
    pub async fn begin_alone(url: &str, settings: &DatabaseSettings, read_only: bool) -> anyhow::Result<Transaction> {
        let address = Address::parse(url, &settings.transport, &[])?;
        let mut connection = address.connect().await?;
        connection.send_text(NO_LIMITS).await.map_err(Error::from)?;
        let mut transaction = Transaction::on(connection, None, Numbers::start(address), false);
        transaction.begin(read_only, "").await?;
        Ok(transaction)
    }
}
