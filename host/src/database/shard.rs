//! The shard of a transaction. All rows of a company are in one shard, and rows of no company are in the global shard. A transaction
//! uses one shard, so that a deployment can outgrow one server. Today one server has every shard.

use uuid::Uuid;

use super::Database;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shard {
    /// Users, API keys, generations, hosts, and the companies of a user.
    Global,
    /// Rows of this company.
    Company(Uuid),
}

impl Shard {
    /// The shard of a company. The nil UUID means no company: the global shard.
    pub fn of_tenant(tenant: Uuid) -> Shard {
        if tenant.is_nil() { Shard::Global } else { Shard::Company(tenant) }
    }

    pub fn name(self) -> &'static str {
        match self {
            Shard::Global => "home",
            Shard::Company(_) => "company",
        }
    }
}

impl Database {
    /// Every shard once. Work for all companies is one transaction in each.
    pub fn shards(&self) -> Vec<Shard> {
        vec![Shard::Global]
    }

    /// Separates items of several companies by their shards. Work of some companies is a transaction for each part.
    pub fn by_shard<T>(&self, items: Vec<T>, tenant: fn(&T) -> Uuid) -> Vec<(Shard, Vec<T>)> {
        let shard = items.first().map(|first| Shard::of_tenant(tenant(first)));
        shard.map(|shard| (shard, items)).into_iter().collect()
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
    }
}
