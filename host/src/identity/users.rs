//! People as the service knows them: a record made at the first valid token, keyed by issuer and subject, never by email.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use lru::LruCache;
use uuid::Uuid;

use super::Claims;
use crate::database::{Cell, Database, Error, Place, Session};

/// Records kept at hand. An (issuer, subject) never changes its id, so this caches no decision.
const CACHED: usize = 10_000;

#[derive(Debug, Clone, PartialEq)]
pub struct User {
    pub id: Uuid,
    pub issuer: String,
    pub subject: String,
    pub email: String,
    pub display_name: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

pub struct Users {
    cache: Mutex<LruCache<(String, String), Arc<User>>>,
}

impl Default for Users {
    fn default() -> Users {
        Users { cache: Mutex::new(LruCache::new(NonZeroUsize::new(CACHED).unwrap_or(NonZeroUsize::MIN))) }
    }
}

impl Users {
    /// The record of a verified token's holder, made or brought up to date where needed.
    pub async fn of(&self, database: &Database, claims: &Arc<Claims>) -> Result<Arc<User>, Error> {
        let key = (claims.issuer.clone(), claims.subject.clone());
        let cached = self.cache.lock().ok().and_then(|mut cache| cache.get(&key).cloned());
        if let Some(user) = cached
            && user.email == claims.email
            && user.display_name == claims.name
        {
            return Ok(user);
        }
        let user = database
            .write_plain(Place::Home, claims.clone(), |session, claims| Box::pin(upsert(session, claims)))
            .await?;
        let user = Arc::new(user);
        if let Ok(mut cache) = self.cache.lock() {
            cache.put(key, user.clone());
        }
        Ok(user)
    }
}

async fn upsert(session: &mut Session, claims: &Claims) -> Result<User, Error> {
    let now = session.now().await?;
    let rows = session
        .query(
            "insert into stoa_user (id, issuer, subject, email, display_name, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $6)
             on conflict (issuer, subject) do update
             set email = excluded.email, display_name = excluded.display_name, updated_at = excluded.updated_at
             returning id, created_at, updated_at",
            &[
                Cell::Id(crate::ids::Ids::new(now).make()),
                Cell::text(&claims.issuer),
                Cell::text(&claims.subject),
                Cell::text(&claims.email),
                Cell::optional(claims.name.clone(), Cell::Text),
                Cell::Instant(now),
            ],
        )
        .await?;
    let row = rows.first().ok_or_else(|| Error::Fault("the user record gave no row".into()))?;
    Ok(User {
        id: row.id(0)?,
        issuer: claims.issuer.clone(),
        subject: claims.subject.clone(),
        email: claims.email.clone(),
        display_name: claims.name.clone(),
        created_at: row.instant(1)?,
        updated_at: row.instant(2)?,
    })
}
