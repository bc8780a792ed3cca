//! Where a transaction runs. What a company has stands together in one place, what belongs to no company stands at home, and a
//! transaction is of one place: so a deployment can outgrow one server. Today one server is every place.

use uuid::Uuid;

use super::Database;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Where people, API keys, generations and hosts are, and which companies a user belongs to.
    Home,
    /// Where this company's rows are.
    Company(Uuid),
}

impl Place {
    /// Of a company's rows. The nil uuid stands for no company: those rows are at home.
    pub fn of(tenant: Uuid) -> Place {
        if tenant.is_nil() { Place::Home } else { Place::Company(tenant) }
    }

    pub fn name(self) -> &'static str {
        match self {
            Place::Home => "home",
            Place::Company(_) => "company",
        }
    }
}

impl Database {
    /// Every place once. Work of all companies is a transaction in each.
    pub fn places(&self) -> Vec<Place> {
        vec![Place::Home]
    }

    /// Parts what is of several companies by their places. Work of some companies is a transaction for each part.
    pub fn by_place<T>(&self, items: Vec<T>, tenant: fn(&T) -> Uuid) -> Vec<(Place, Vec<T>)> {
        let place = items.first().map(|first| Place::of(tenant(first)));
        place.map(|place| (place, items)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_no_company_are_at_home() {
        let company = Uuid::from_u128(1);
        assert_eq!([Place::of(Uuid::nil()), Place::of(company)], [Place::Home, Place::Company(company)]);
    }
}
