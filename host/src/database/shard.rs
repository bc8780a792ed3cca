//! The shard of a transaction: the rows that it reads and writes. A transaction uses one shard, and so one server. Rows of no company
//! are in the global shard, on the home server. All rows of a company are at one place: on the home server, or on another PostgreSQL
//! server that the deployment names (see [`servers`](super::servers)).

use uuid::Uuid;

use super::servers::HOME;
use super::{Database, Error};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shard {
    /// Users, the directory of companies, generations and hosts, and every company at home: work for all of those.
    Global,
    /// Rows of this company, wherever they are.
    Company(Uuid),
    /// Every company of this place: work for all of them. The number is the place's position in the settings, from 1 on; home has
    /// [`Shard::Global`].
    Place(usize),
}

impl Shard {
    /// The shard of a company. The nil UUID means no company: the global shard.
    pub fn of_tenant(tenant: Uuid) -> Shard {
        if tenant.is_nil() { Shard::Global } else { Shard::Company(tenant) }
    }

    /// The shard of all companies on the server with this number.
    pub(super) fn of_server(number: usize) -> Shard {
        if number == 0 { Shard::Global } else { Shard::Place(number) }
    }

    pub fn name(self) -> &'static str {
        match self {
            Shard::Global => "home",
            Shard::Company(_) => "company",
            Shard::Place(_) => "place",
        }
    }
}

impl Database {
    /// The shards that hold all rows, each once. Work for all companies is one transaction in each.
    pub fn shards(&self) -> Vec<Shard> {
        match self {
            Database::Sqlite(_) => vec![Shard::Global],
            Database::Postgres(servers) => (0..servers.count()).map(Shard::of_server).collect(),
        }
    }

    /// The place for a new company.
    ///
    /// # Errors
    /// The home server does not answer, or no place takes new companies.
    pub async fn choose_place(&self) -> Result<Shard, Error> {
        match self {
            Database::Sqlite(_) => Ok(Shard::Global),
            Database::Postgres(servers) => servers.choose_place().await,
        }
    }

    /// The shard of a place by its name.
    pub fn find_place(&self, name: &str) -> Option<Shard> {
        match self {
            Database::Sqlite(_) => (name == HOME).then_some(Shard::Global),
            Database::Postgres(servers) => servers.find(name),
        }
    }

    /// Name of the place of all companies of a shard.
    pub fn place_name(&self, shard: Shard) -> &str {
        match self {
            Database::Sqlite(_) => HOME,
            Database::Postgres(servers) => servers.name(shard),
        }
    }

    /// Separates items of several companies by the place of their rows. Work of some companies is a transaction for
    /// each part. Items of a company whose place is unknown now are a part of their own.
    pub async fn by_shard<T>(&self, items: Vec<T>, tenant: fn(&T) -> Uuid) -> Vec<(Shard, Vec<T>)> {
        let mut parts: Vec<(Shard, Vec<T>)> = Vec::new();
        for item in items {
            let shard = match self {
                Database::Sqlite(_) => Shard::Global,
                Database::Postgres(servers) => {
                    let company = Shard::of_tenant(tenant(&item));
                    servers.shard_of(tenant(&item)).await.unwrap_or(company)
                }
            };
            match parts.iter_mut().find(|(known, _)| *known == shard) {
                Some((_, part)) => part.push(item),
                None => parts.push((shard, vec![item])),
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_no_company_are_in_the_global_shard() {
        let company = Uuid::from_u128(1);
        assert_eq!(
            [Shard::of_tenant(Uuid::nil()), Shard::of_tenant(company)],
            [Shard::Global, Shard::Company(company)]
        );
        assert_eq!([Shard::of_server(0), Shard::of_server(2)], [Shard::Global, Shard::Place(2)]);
    }
}
