//! The PostgreSQL servers besides the home server: whether each can serve its companies.

use std::sync::Arc;

use futures_util::future::join_all;

use super::{Diagnosis, Notes, Status, database, postgres};
use crate::database::DatabaseSettings;
use crate::database::own::INSPECTION;
use crate::database::postgres::own::OwnAddress;
use crate::settings::Settings;

pub async fn examine(settings: Arc<Settings>, notes: Notes) {
    let home = settings.database();
    if home.places.is_empty() {
        notes.note("database.places", Diagnosis::skip("there is one server"));
        return;
    }
    let dev = settings.dev;
    let looks = home.places.iter().map(|place| {
        let (name, settings) = (&place.name, home.of_place(place));
        async move { Some(format!("{name} ({})", find_fault(&settings, dev).await?)) }
    });
    let faulty: Vec<String> = join_all(looks).await.into_iter().flatten().collect();
    let diagnosis = Diagnosis::fail_if_any(&faulty, "places cannot serve", "every place answers and is up to date");
    notes.note("database.places", diagnosis);
}

/// The first fault of a place.
async fn find_fault(settings: &DatabaseSettings, dev: bool) -> Option<String> {
    let address = match OwnAddress::parse(&settings.url, &settings.transport, INSPECTION) {
        Ok(address) => address,
        Err(error) => return Some(format!("its address cannot be used: {error}")),
    };
    let mut session = match database::connect(address).await {
        Ok(session) => session,
        Err(why) => return Some(why),
    };
    let steps = database::steps(&mut session).await;
    let role = Diagnosis::from(postgres::role(&mut session, dev).await);
    let faulty = |diagnosis: &Diagnosis| !matches!(diagnosis.status, Status::Pass | Status::Warn);
    [steps, role].into_iter().find(faulty).map(|diagnosis| diagnosis.says)
}
