//! The seam: what the console needs of the host that serves it. The console defines it and the host implements it.

use std::net::IpAddr;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response};

pub type Later<'a, T> = BoxFuture<'a, T>;

/// The address of the other end of the connection, which the host inserts as an extension of each request.
#[derive(Debug, Clone, Copy)]
pub struct Connection(pub IpAddr);

/// Seals texts that only this deployment can read again. `purpose` separates the uses: a text sealed for one cannot be opened for another.
pub trait Seals: Send + Sync + 'static {
    /// Returns base64url without padding. None: the text cannot be sealed.
    fn seal(&self, purpose: &str, plain: &[u8]) -> Option<String>;

    /// Returns None for a text of another purpose, of another deployment, or with a byte changed.
    fn unseal(&self, purpose: &str, sealed: &str) -> Option<Vec<u8>>;
}

/// The contract that this host serves now.
#[derive(Clone)]
pub struct Contract {
    pub etag: String,
    pub bytes: Bytes,
}

/// The host as the pages of users see it.
pub trait UserHost: Seals {
    /// Responds as to any caller: the request has its path from `/v1` on, its headers and its whole body. `peer`: the address of
    /// the user.
    fn send(&self, request: Request<Bytes>, peer: IpAddr) -> Later<'_, Response<Bytes>>;

    fn contract(&self) -> Contract;

    /// The address of the user, by the same rule as for every request (trusted proxies).
    fn find_peer(&self, connection: IpAddr, headers: &HeaderMap) -> IpAddr;

    /// Names of the providers at which a user can sign in, in the sequence of the settings.
    fn provider_names(&self) -> &[String];

    /// Returns the address to which the browser goes, and what must be kept for the way back.
    fn begin_sign_in<'a>(&'a self, provider: usize, callback: &'a str) -> Later<'a, Result<Departure, SignInFault>>;

    fn finish_sign_in<'a>(&'a self, arrival: Arrival<'a>) -> Later<'a, Result<Tokens, SignInFault>>;

    fn refresh<'a>(&'a self, provider: usize, refresh_token: &'a str) -> Later<'a, Result<Tokens, SignInFault>>;

    /// True with --dev: a user signs in with only an e-mail address.
    fn is_development(&self) -> bool;

    /// With --dev: an access token of the development issuer. None otherwise, and for a text that is not an address.
    fn mint_token(&self, email: &str) -> Option<Tokens>;

    /// `https://shop.example`, as STOA_CONSOLE_URL states it. None: the name by which the request came (--dev only).
    fn own_address(&self) -> Option<&str>;
}

pub struct Departure {
    pub location: String,
    pub state: String,
    pub verifier: String,
}

pub struct Arrival<'a> {
    pub provider: usize,
    pub callback: &'a str,
    pub code: &'a str,
    pub verifier: &'a str,
    /// The parameter `iss` (RFC 9207), if the provider sent one.
    pub issuer: Option<&'a str>,
}

pub struct Tokens {
    pub access: String,
    pub refresh: Option<String>,
    /// Until the access token expires.
    pub seconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInFault {
    /// The provider does not respond.
    Unreachable,
    /// The provider rejects the code or the refresh token, or is another one than was asked.
    Rejected,
    /// The response has no token that can be used.
    Unusable,
}

/// The host as the pages of operators see it.
pub trait OperatorHost: Seals {
    /// Responds as to any operator: the request has `Authorization: Bearer`, and its path from `/operator` on.
    fn send(&self, request: Request<Bytes>) -> Later<'_, Response<Bytes>>;

    /// With --dev: the token in the data folder.
    fn development_token(&self) -> Option<&str>;
}
