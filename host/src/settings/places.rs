//! Settings of the PostgreSQL servers over which companies are distributed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::shown::without_password;
use crate::database::servers::HOME;
use crate::database::{PlaceSettings, ServerSettings, Transport};
use crate::tenant_move::MovePlace;

/// One PostgreSQL server of several. The one of `database_url` is called `home`: an entry of that name states no url.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub name: String,
    #[serde(serialize_with = "without_password")]
    pub url: Option<String>,
    /// The address with the role for moves, which the other servers use too: only `stoa tenant move` needs it.
    #[serde(default, serialize_with = "without_password")]
    pub move_url: Option<String>,
    /// The address of a standby of the server, which runs heavy reads such as reports. Absent: the server runs them.
    #[serde(default, serialize_with = "without_password")]
    pub standby_url: Option<String>,
    /// Certificates, PEM, that the server's is verified against. Absent: `database_tls_ca`.
    pub ca: Option<PathBuf>,
    /// The place's share of new companies, relative to the others' weights. Absent: 1. At 0 it gets none.
    pub weight: Option<u32>,
}

impl Place {
    fn server(&self) -> ServerSettings {
        ServerSettings { weight: self.weight.unwrap_or(1), standby_url: self.standby_url.clone() }
    }
}

impl Settings {
    pub(super) fn home_server(&self) -> ServerSettings {
        self.place(HOME).map(Place::server).unwrap_or_default()
    }

    pub(super) fn places(&self) -> Vec<PlaceSettings> {
        let place = |place: &Place| {
            let url = place.url.clone()?;
            Some(PlaceSettings { name: place.name.clone(), url, ca: place.ca.clone(), server: place.server() })
        };
        self.places.iter().filter_map(place).collect()
    }

    fn place(&self, name: &str) -> Option<&Place> {
        self.places.iter().find(|place| place.name == name)
    }

    /// The home server and every place, as moves of companies reach them.
    pub fn move_places(&self) -> Vec<MovePlace> {
        let transport = self.database().transport;
        let place = |name: &str| MovePlace {
            name: name.to_owned(),
            move_url: self.place(name).and_then(|place| place.move_url.clone()),
            transport: match self.place(name).and_then(|place| place.ca.clone()) {
                Some(ca) => Transport { ca: Some(ca), ..transport.clone() },
                None => transport.clone(),
            },
        };
        let others = self.places.iter().map(|place| &*place.name).filter(|name| *name != HOME);
        [HOME].into_iter().chain(others).map(place).collect()
    }

    /// Each place has a name of its own, which the directory keeps, and an address.
    pub(super) fn check_places(&self) -> anyhow::Result<()> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        for (nth, place) in self.places.iter().enumerate() {
            let name = &place.name;
            anyhow::ensure!(
                (1..=63).contains(&name.len()) && name.bytes().all(plain),
                "[[places]]: the name {name:?} has other characters than a-z, 0-9 and -, or more than 63"
            );
            anyhow::ensure!(
                !self.places.iter().take(nth).any(|other| other.name == *name),
                "[[places]]: two places are called {name}"
            );
            anyhow::ensure!(
                (name == HOME) != place.url.is_some(),
                "[[places]]: {name} {}",
                if name == HOME { "is the server of database_url: state no url" } else { "has no url" }
            );
        }
        Ok(())
    }
}
