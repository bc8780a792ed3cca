//! A connection that only reads, for who explains a database that a host rejects: no version, role or step is required.

use super::address::Address;
use super::numbers::Numbers;
use super::{Error, Session, Transaction, Transport};

pub use super::administer::LIMITS_LOCK_WAITS;

/// The session writes nothing and waits for nobody.
const READ_ONLY: &str =
    "set default_transaction_read_only = on; set statement_timeout = '700ms'; set lock_timeout = '300ms'";

/// A server's address that was read and is not connected to yet.
pub struct InspectedAddress(Address);

impl InspectedAddress {
    /// # Errors
    /// An address that no host could use. The text names a setting or a file of certificates, never a password.
    pub fn parse(url: &str, transport: &Transport) -> anyhow::Result<InspectedAddress> {
        Address::parse(url, transport, &[READ_ONLY.to_owned()]).map(InspectedAddress)
    }

    /// Whether what is sent there leaves this machine in plain text.
    pub fn is_plain_text_elsewhere(&self) -> bool {
        self.0.is_plain_text_elsewhere()
    }

    /// A session without a transaction: each statement is one of its own, so that one which fails ends no other.
    ///
    /// # Errors
    /// The server's refusal: `database fault: CODE`.
    pub async fn connect(self) -> Result<Session, Error> {
        let connection = self.0.connect().await?;
        Ok(Session::Postgres(Transaction::on(connection, None, Numbers::start(self.0), false)))
    }
}
