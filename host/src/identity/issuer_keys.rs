//! The keys of one issuer over time: the last good set, when it was confirmed, and when it may be fetched again.
//!
//! Readers never wait: the set lies in an `ArcSwap`. Fetches are single flights in a task of their own, so that a
//! caller who hangs up neither ends a fetch that others wait for nor wastes it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use reqwest::Url;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::clock::Clock;
use super::discovery::{Discovery, FetchFault};
use super::keys::{Key, KeySet, Thumbprint};
use super::refusal::CredentialRefusal;
use crate::watchdog::Pulse;

/// How often keys are fetched again while all is well.
const REFRESH_EVERY: Duration = Duration::from_secs(10 * 60);
/// Fetches that an unknown key or a failure asks for are at least this far apart. Without it, tokens with invented key
/// names would be a way to make this host attack the issuer.
const FETCH_GAP: Duration = Duration::from_secs(30);

pub(super) struct IssuerKeys {
    /// The issuer's identifier, for the log and the metrics.
    issuer: String,
    source: Source,
    held: ArcSwapOption<Held>,
    fetching: Mutex<Fetching>,
    /// True if the newest fetch failed: then a key that is not held may exist all the same.
    behind: AtomicBool,
    clock: Clock,
}

enum Source {
    /// Keys at hand: nothing to fetch, nothing to grow old.
    AtHand,
    Discovery {
        discovery: Discovery,
        /// How long the last good set goes on while the issuer is down, in seconds.
        grace: u64,
    },
}

struct Held {
    set: KeySet,
    /// The issuer's userinfo endpoint.
    userinfo: Option<Url>,
    confirmed_at: u64,
}

#[derive(Default)]
struct Fetching {
    /// Closed when the fetch has ended.
    under_way: Option<watch::Receiver<()>>,
    last_asked_for: Option<u64>,
}

/// The response of an issuer's userinfo.
pub(super) enum Userinfo {
    Fetched(Map<String, Value>),
    /// The discovery document names no userinfo.
    NotPublished,
    /// 401 or 403, with the provider's `WWW-Authenticate`.
    Rejected {
        status: u16,
        challenge: String,
    },
}

enum LookUp {
    Found(Arc<Key>),
    /// There are keys, but none that the token could mean.
    NoMatch,
    NoKeys,
}

impl IssuerKeys {
    pub(super) fn at_hand(issuer: &str, set: KeySet, clock: Clock) -> IssuerKeys {
        let held = Held { set, userinfo: None, confirmed_at: clock.unix_seconds() };
        IssuerKeys { held: ArcSwapOption::from_pointee(held), ..IssuerKeys::from(issuer, Source::AtHand, clock) }
    }

    pub(super) fn from_discovery(issuer: &str, discovery: Discovery, grace: Duration, clock: Clock) -> IssuerKeys {
        IssuerKeys::from(issuer, Source::Discovery { discovery, grace: grace.as_secs() }, clock)
    }

    fn from(issuer: &str, source: Source, clock: Clock) -> IssuerKeys {
        IssuerKeys {
            issuer: issuer.to_owned(),
            source,
            held: ArcSwapOption::empty(),
            fetching: Mutex::default(),
            behind: AtomicBool::new(false),
            clock,
        }
    }

    /// The key that a token names (or the only key, where it names none), fetching once if it is not known.
    ///
    /// # Errors
    /// `Unauthenticated` where the issuer has no such key, `Unavailable` where that cannot be reported: no keys at all,
    /// keys past their grace, or an unknown key while the issuer does not answer.
    pub(super) async fn find(self: &Arc<Self>, kid: Option<&str>) -> Result<Arc<Key>, CredentialRefusal> {
        match self.look_up(kid) {
            LookUp::Found(key) => return Ok(key),
            // Several keys and no name: a newer set would not show which.
            LookUp::NoMatch if kid.is_none() => return Err(CredentialRefusal::Unauthenticated),
            LookUp::NoMatch | LookUp::NoKeys => {}
        }
        if let Some(fetch) = self.fetch_if_due() {
            wait_for_end(fetch).await;
        }
        match self.look_up(kid) {
            LookUp::Found(key) => Ok(key),
            // Issuers publish their keys: the message helps only a caller who sent another host's token, and no attacker.
            LookUp::NoMatch if !self.behind.load(Ordering::Acquire) => Err(CredentialRefusal::Explained(
                "The token is signed with a key that its issuer does not publish here.",
            )),
            LookUp::NoMatch | LookUp::NoKeys => Err(CredentialRefusal::Unavailable),
        }
    }

    /// The response of the issuer's userinfo to this token.
    ///
    /// # Errors
    /// The issuer does not respond in time, responds with another status, or sends a body that is no userinfo.
    pub(super) async fn fetch_userinfo(&self, token: &str) -> Result<Userinfo, FetchFault> {
        let address = self.held.load().as_ref().and_then(|held| held.userinfo.clone());
        let (Source::Discovery { discovery, .. }, Some(address)) = (&self.source, address) else {
            return Ok(Userinfo::NotPublished);
        };
        let fetched = discovery.fetch_person(address, token).await;
        let outcome = if fetched.is_ok() { "fetched" } else { "failed" };
        metrics::counter!("stoa_userinfo_total", "issuer" => self.issuer.clone(), "outcome" => outcome).increment(1);
        match fetched {
            Ok(fetched) => Ok(Userinfo::Fetched(fetched)),
            Err(FetchFault::Status { status: status @ (401 | 403), mut challenge }) => {
                // A provider that repeats the token in its reason must not bring it into the log.
                if token.split('.').filter_map(|part| part.get(..16)).any(|part| challenge.contains(part)) {
                    challenge.clear();
                }
                tracing::info!(
                    issuer = %self.issuer,
                    status,
                    challenge,
                    "userinfo rejects a user's token: it may be bound to a resource (RFC 8707) or lack the scope openid"
                );
                Ok(Userinfo::Rejected { status, challenge })
            }
            Err(fault) => {
                tracing::warn!(issuer = %self.issuer, %fault, "userinfo failed: its issuer reports no address of a user");
                Err(fault)
            }
        }
    }

    /// Returns whether this very key still verifies: it is in the newest good set, and that is within its grace.
    pub(super) fn still_holds(&self, thumbprint: &Thumbprint) -> bool {
        let held = self.held.load();
        held.as_ref().is_some_and(|held| self.is_in_force(held) && held.set.holds(thumbprint))
    }

    fn look_up(&self, kid: Option<&str>) -> LookUp {
        match self.held.load().as_ref() {
            Some(held) if self.is_in_force(held) => match held.set.find(kid) {
                Some(key) => LookUp::Found(Arc::clone(key)),
                None => LookUp::NoMatch,
            },
            _ => LookUp::NoKeys,
        }
    }

    fn is_in_force(&self, held: &Held) -> bool {
        match &self.source {
            Source::AtHand => true,
            Source::Discovery { grace, .. } => self.clock.unix_seconds().saturating_sub(held.confirmed_at) <= *grace,
        }
    }

    /// Keeps the set fresh until dropped: at once, then every ten minutes, sooner while the issuer fails. Ends at once
    /// for keys at hand.
    pub(super) async fn keep_fresh(self: Arc<Self>, pulse: Pulse) {
        self.keep_fresh_at(REFRESH_EVERY, FETCH_GAP, pulse).await;
    }

    /// `keep_fresh` at another pace, for tests.
    pub(super) async fn keep_fresh_at(self: Arc<Self>, refresh_every: Duration, retry_every: Duration, pulse: Pulse) {
        if matches!(self.source, Source::AtHand) {
            return;
        }
        let mut fetch = self.fetch_now();
        loop {
            if let Some(fetch) = fetch {
                wait_for_end(fetch).await;
            }
            let behind = self.behind.load(Ordering::Acquire);
            pulse.rest(if behind { retry_every } else { refresh_every }).await;
            fetch = if behind { self.fetch_if_due() } else { self.fetch_now() };
        }
    }

    /// The fetch under way, or a new one.
    fn fetch_now(self: &Arc<Self>) -> Option<watch::Receiver<()>> {
        self.begin(&mut self.lock_fetching())
    }

    /// The fetch under way, or a new one unless one was asked for within `FETCH_GAP`. Scheduled fetches do not count:
    /// keys that rotate just after one must not have to wait.
    fn fetch_if_due(self: &Arc<Self>) -> Option<watch::Receiver<()>> {
        let mut fetching = self.lock_fetching();
        if let Some(under_way) = fetching.current() {
            return Some(under_way);
        }
        let now = self.clock.unix_seconds();
        // A clock that was set back must not silence fetches until it has caught up.
        if fetching.last_asked_for.is_some_and(|last| last <= now && now - last < FETCH_GAP.as_secs()) {
            return None;
        }
        fetching.last_asked_for = Some(now);
        self.begin(&mut fetching)
    }

    /// The fetch under way, or a new one; `None` where there is nothing to fetch.
    fn begin(self: &Arc<Self>, fetching: &mut Fetching) -> Option<watch::Receiver<()>> {
        if let Some(under_way) = fetching.current() {
            return Some(under_way);
        }
        if matches!(self.source, Source::AtHand) {
            return None;
        }
        let (end, under_way) = watch::channel(());
        fetching.under_way = Some(under_way.clone());
        let keys = Arc::clone(self);
        tokio::spawn(async move {
            keys.fetch().await;
            drop(end);
        });
        Some(under_way)
    }

    async fn fetch(&self) {
        let Source::Discovery { discovery, .. } = &self.source else { return };
        let outcome = match discovery.fetch().await {
            Ok((set, userinfo)) => {
                let confirmed_at = self.clock.unix_seconds();
                self.held.store(Some(Arc::new(Held { set, userinfo, confirmed_at })));
                if self.behind.swap(false, Ordering::AcqRel) {
                    tracing::info!(issuer = %self.issuer, "the issuer's keys are available again");
                }
                metrics::gauge!("stoa_jwks_confirmed_timestamp_seconds", "issuer" => self.issuer.clone())
                    .set(confirmed_at as f64);
                "fetched"
            }
            Err(fault) => {
                self.behind.store(true, Ordering::Release);
                let fault: &(dyn std::error::Error + 'static) = &fault;
                tracing::warn!(issuer = %self.issuer, fault, "the issuer's keys could not be fetched");
                "failed"
            }
        };
        metrics::counter!("stoa_jwks_fetches_total", "issuer" => self.issuer.clone(), "outcome" => outcome)
            .increment(1);
    }

    fn lock_fetching(&self) -> std::sync::MutexGuard<'_, Fetching> {
        self.fetching.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fetching {
    fn current(&self) -> Option<watch::Receiver<()>> {
        self.under_way.clone().filter(|under_way| under_way.has_changed().is_ok())
    }
}

/// Nothing is ever sent: the channel closes when the fetch has ended, however it ended.
async fn wait_for_end(mut fetch: watch::Receiver<()>) {
    while fetch.changed().await.is_ok() {}
}
