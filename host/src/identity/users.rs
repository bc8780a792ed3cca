//! The users of the service: a record made at the first valid token, keyed by issuer and subject, never by email.

use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lru::LruCache;
use uuid::Uuid;

use super::Claims;
use crate::database::{Cell, Database, Error, QueueKey, Row, Session, Shard};

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

/// Least time between two changes of one record: two tokens of one user, with two names, would else write with each request.
const REST: Duration = Duration::from_secs(60);

pub struct Users {
    cache: Mutex<LruCache<(String, String), Kept>>,
    hash: RandomState,
}

/// A record as it is in the database.
#[derive(Clone)]
struct Kept {
    user: Arc<User>,
    /// Before this it is not written again.
    rests_until: Option<Instant>,
}

impl Default for Users {
    fn default() -> Users {
        let cached = NonZeroUsize::new(CACHED).unwrap_or(NonZeroUsize::MIN);
        Users { cache: Mutex::new(LruCache::new(cached)), hash: RandomState::new() }
    }
}

impl Users {
    /// The record of a verified token's holder, made or brought up to date where needed. A change within a minute after
    /// the last is reported only to its own request, and written with the first one after that.
    pub async fn bring_up_to_date(&self, database: &Database, claims: &Arc<Claims>) -> Result<Arc<User>, Error> {
        let key = (claims.issuer.clone(), claims.subject.clone());
        // Sign-ins of one subject wait for each other and delay no other caller.
        let queue = QueueKey::Caller(Uuid::from_u64_pair(self.hash.hash_one(&key), 0));
        let destination = Shard::Global.with_queue(queue);
        let cached = self.cache.lock().ok().and_then(|mut cache| cache.get(&key).cloned());
        let kept = match cached {
            Some(kept) => Some(kept),
            None => {
                database
                    .read_plain(destination, claims.clone(), |session, claims| Box::pin(read(session, claims)))
                    .await?
            }
        };
        let kept = match kept {
            Some(kept) if is_current(&kept.user, claims) => kept,
            Some(kept) if kept.rests_until.is_some_and(|until| Instant::now() < until) => {
                self.keep(key, kept.clone());
                let user =
                    User { email: claims.email.clone(), display_name: claims.name.clone(), ..(*kept.user).clone() };
                return Ok(Arc::new(user));
            }
            _ => {
                let written = database
                    .write_plain(destination, claims.clone(), |session, claims| Box::pin(upsert(session, claims)))
                    .await?;
                let user = Arc::new(written);
                update_copies(database, &user).await;
                Kept { user, rests_until: Some(Instant::now() + REST) }
            }
        };
        let user = kept.user.clone();
        self.keep(key, kept);
        Ok(user)
    }

    fn keep(&self, key: (String, String), kept: Kept) {
        if let Ok(mut cache) = self.cache.lock() {
            cache.put(key, kept);
        }
    }
}

fn is_current(user: &User, claims: &Claims) -> bool {
    user.email == claims.email && user.display_name == claims.name
}

/// The record, if there is one.
async fn read(session: &mut Session, claims: &Claims) -> Result<Option<Kept>, Error> {
    let now = session.now().await?;
    let sql =
        "select id, created_at, updated_at, email, display_name from stoa_user where issuer = $1 and subject = $2";
    let rows = session.query(sql, &[Cell::text(&claims.issuer), Cell::text(&claims.subject)]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let user = User {
        id: row.id(0)?,
        issuer: claims.issuer.clone(),
        subject: claims.subject.clone(),
        email: row.text(3)?,
        display_name: row.optional(4, Row::text)?,
        created_at: row.instant(1)?,
        updated_at: row.instant(2)?,
    };
    // A clock that went back keeps no user waiting longer.
    let age = u64::try_from(now.saturating_sub(user.updated_at)).map_or(Duration::ZERO, Duration::from_millis);
    Ok(Some(Kept { user: Arc::new(user), rests_until: Some(Instant::now() + REST.saturating_sub(age)) }))
}

/// Copies a user's record from the home server to the place of the transaction, where lists of members show it.
pub async fn copy_to_place(session: &mut Session, user: Uuid) -> Result<(), Error> {
    if !session.is_away() {
        return Ok(());
    }
    let sql = "select id, issuer, subject, email, display_name, created_at, updated_at from stoa_user where id = $1";
    for row in &session.query_home(sql, &[Cell::Id(user)]).await? {
        let copied = User {
            id: row.id(0)?,
            issuer: row.text(1)?,
            subject: row.text(2)?,
            email: row.text(3)?,
            display_name: row.optional(4, Row::text)?,
            created_at: row.instant(5)?,
            updated_at: row.instant(6)?,
        };
        write_copy(session, &copied).await?;
    }
    Ok(())
}

/// Writes a record as it is at home. A newer copy stays.
async fn write_copy(session: &mut Session, user: &User) -> Result<(), Error> {
    session
        .query(
            "insert into stoa_user (id, issuer, subject, email, display_name, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (id) do update
             set email = excluded.email, display_name = excluded.display_name, updated_at = excluded.updated_at
             where stoa_user.updated_at < excluded.updated_at",
            &[
                Cell::Id(user.id),
                Cell::text(&user.issuer),
                Cell::text(&user.subject),
                Cell::text(&user.email),
                Cell::optional(user.display_name.clone(), Cell::Text),
                Cell::Instant(user.created_at),
                Cell::Instant(user.updated_at),
            ],
        )
        .await?;
    Ok(())
}

/// Brings the copies of a changed record up to date. A place that does not answer keeps the former name and address until the record
/// changes again.
async fn update_copies(database: &Database, user: &Arc<User>) {
    let Database::Postgres(servers) = database else { return };
    if servers.count() == 1 {
        return;
    }
    let written = async {
        let places = database.read_plain(Shard::Global, user.id, |session, user| Box::pin(read_places(session, *user)));
        for place in places.await?.iter().filter_map(|name| servers.find(name)) {
            database.write_plain(place, user.clone(), |session, user| Box::pin(write_copy(session, user))).await?;
        }
        Ok::<(), Error>(())
    };
    if let Err(error) = written.await {
        tracing::warn!(user = %user.id, %error, "a place keeps the former name and address of a user");
    }
}

/// The places of the user's companies, without the home server.
async fn read_places(session: &mut Session, user: Uuid) -> Result<Vec<String>, Error> {
    let sql = "select distinct p.place from stoa_user_company c
               join stoa_company_place p on p.tenant_id = c.tenant_id where c.user_id = $1";
    let rows = session.query(sql, &[Cell::Id(user)]).await?;
    rows.iter().map(|row| row.text(0)).collect()
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
