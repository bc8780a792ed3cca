//! Where a webhook may point: the form of its URL, and which addresses are public. Pure: nothing is resolved here.
//!
//! Addresses are judged by the IANA special-purpose registries (IPv4, IPv6, as of 2026-10); an address that is not globally
//! reachable is forbidden.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Characters of a URL at most.
pub const LONGEST_URL: usize = 2048;

/// Names that lead nowhere public, whatever a resolver says (RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476).
const NOWHERE: &[&str] =
    &["localhost", "local", "internal", "invalid", "onion", "alt", "arpa", "lan", "home", "corp", "intranet"];

/// Networks of IPv4 that are not public.
const FORBIDDEN_V4: &[(Ipv4Addr, u32)] = &[
    // This network.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // Private.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared by customers of a carrier.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Loopback.
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, where clouds serve credentials to machines.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Private.
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    // IETF protocol assignments.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // 6to4 relays.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Private.
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Benchmarks.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Documentation.
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and limited broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The one network of IPv6 that is given out for public use.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks within it that are not public.
const FORBIDDEN_V6: &[(Ipv6Addr, u32)] = &[
    // IETF protocol assignments: Teredo, benchmarks, ORCHID, drones.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4: an IPv4 address within.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // Documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// IPv4 behind a translator (RFC 6052): as public as the address within.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Returns whether a webhook may be sent to this address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !FORBIDDEN_V4.iter().any(|network| is_in_v4(address, *network)),
        IpAddr::V6(address) if is_in_v6(address, NAT64) => {
            let [.., a, b, c, d] = address.octets();
            is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
        }
        IpAddr::V6(address) => {
            is_in_v6(address, GLOBAL_V6) && !FORBIDDEN_V6.iter().any(|network| is_in_v6(address, *network))
        }
    }
}

fn is_in_v4(address: Ipv4Addr, (network, length): (Ipv4Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= length
}

fn is_in_v6(address: Ipv6Addr, (network, length): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= length
}

/// A receiver, as its URL names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Name in the `Host` header and, with TLS, in the certificate.
    pub host: String,
    /// Path of the request.
    pub path: String,
    pub reached: Reached,
}

/// How a receiver is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Over TLS at what its name resolves to.
    ByName,
    /// In plain text: a receiver on this machine that a development host allows.
    Locally(SocketAddr),
}

impl Target {
    /// As `parse`, for a URL that is set now: one that a parser would correct is rejected as well, since it says
    /// something else than what would be called. Endpoints from the time before that rule go on.
    pub fn parse_new(text: &str, local: &[SocketAddr]) -> Option<Target> {
        Target::parse(text, local)
            .filter(|target| target.reached != Reached::ByName || is_written_so(text, &target.host, &target.path))
    }

    /// Reads a URL: https, port 443, the name of a host in DNS, no user, query or fragment. `local`: receivers that a development host
    /// takes as well, in plain text.
    pub fn parse(text: &str, local: &[SocketAddr]) -> Option<Target> {
        // Text that a parser would skip is rejected: it is no intended URL.
        let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
        if text.len() > LONGEST_URL || !text.bytes().all(plain) {
            return None;
        }
        let url = reqwest::Url::parse(text).ok()?;
        let is_bare = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
            && !authority(text).contains('@');
        if !is_bare {
            return None;
        }
        let path = url.path().to_owned();
        match url.scheme() {
            "https" if matches!(url.port(), None | Some(443)) => {
                let host = url.domain()?.to_owned();
                is_public_name(&host).then_some(Target { host, path, reached: Reached::ByName })
            }
            "http" => {
                let host = url.host_str()?;
                let port = url.port_or_known_default()?;
                let address: SocketAddr = match host {
                    "localhost" => SocketAddr::from(([127, 0, 0, 1], port)),
                    host => format!("{host}:{port}").parse().ok()?,
                };
                let known = local.contains(&address) && address.ip().is_loopback();
                known.then(|| Target { host: format!("{host}:{port}"), path, reached: Reached::Locally(address) })
            }
            _ => None,
        }
    }
}

/// Returns whether the text of an https URL is the URL itself: a parser may add a slash where the path is empty, write the
/// scheme and the name in lower case and leave out the port of https. Everything else that it would change is a mistake
/// of the text, or a trap.
fn is_written_so(text: &str, host: &str, path: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let (authority, written) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let name = authority.strip_suffix(":443").unwrap_or(authority);
    scheme.eq_ignore_ascii_case("https")
        && name.eq_ignore_ascii_case(host)
        && (written == path || (written.is_empty() && path == "/"))
}

/// The text between `//` and the path, as it was written.
fn authority(text: &str) -> &str {
    let rest = text.split_once("//").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Returns whether a name, as a URL's parser leaves it, can be one of a public host.
fn is_public_name(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let is_label = |label: &&str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let top = labels.last().copied().unwrap_or_default();
    name.len() <= 253
        && labels.len() >= 2
        && labels.iter().all(is_label)
        && !top.bytes().all(|byte| byte.is_ascii_digit())
        && !NOWHERE.iter().any(|nowhere| top.eq_ignore_ascii_case(nowhere))
}

#[cfg(test)]
mod tests;
