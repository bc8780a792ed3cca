//! A command's own connection to PostgreSQL, by either driver.

use sqlx::{Executor as _, PgConnection};

use super::address::Address;
use super::numbers::Numbers;
use super::{Error, Transaction, Transport, administer};
use crate::database::own::OwnLimits;

/// A server's address that was read and is not connected to yet.
pub struct OwnAddress {
    address: Address,
    session: &'static str,
}

impl OwnAddress {
    /// # Errors
    /// An address that no host could use. The text names a setting or a file of certificates, never a password.
    pub fn parse(url: &str, transport: &Transport, limits: OwnLimits) -> anyhow::Result<OwnAddress> {
        let session = limits.session;
        let address = Address::parse(url, transport, &[session.to_owned()])?;
        Ok(OwnAddress { address, session })
    }

    /// Returns whether data that is sent there leaves this machine in plain text.
    pub fn is_plain_text_elsewhere(&self) -> bool {
        self.address.is_plain_text_elsewhere()
    }

    /// A connection without a transaction. Until one begins, a statement that fails ends no other.
    ///
    /// # Errors
    /// The server's rejection: `database fault: CODE`.
    pub async fn connect(self) -> Result<Transaction, Error> {
        let connection = self.address.connect().await?;
        Ok(Transaction::on(connection, None, Numbers::start(self.address), false))
    }

    /// The same by the driver of migrations, which copies whole tables too.
    ///
    /// # Errors
    /// The server's rejection.
    pub async fn connect_to_copy(self) -> Result<PgConnection, Error> {
        let mut connection = administer::connect(&self.address.options).await?;
        connection.execute(self.session).await.map_err(Error::from_sqlx)?;
        Ok(connection)
    }
}
