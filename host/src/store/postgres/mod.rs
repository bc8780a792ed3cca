//! The store on PostgreSQL.
use sqlx::PgConnection;

use super::Stop;
use super::call::Checked;
use super::migrate::Change;
use super::schema::Schema;
use super::scope::Scope;
use crate::database::Error;
use crate::wit::store::Reply;

pub(super) async fn run(
    _: &mut PgConnection,
    _: &Schema,
    _: &mut Scope,
    _: Vec<Checked>,
    _: &mut bool,
) -> Result<Vec<Reply>, Stop> {
    Err(Stop::Database(Error::Unavailable("PostgreSQL is not there yet".to_owned())))
}
pub(super) async fn apply(_: &mut PgConnection, _: &Schema, _: &[Change]) -> Result<(), Error> {
    Err(Error::Unavailable("PostgreSQL is not there yet".to_owned()))
}
