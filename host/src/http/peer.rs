//! The address of the other end: the connection's, or the one that trusted proxies state.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use http::HeaderMap;
use ipnet::IpNet;
use serde::Serialize;

/// A network, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Network(IpNet);

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let address = || text.parse::<IpAddr>().map(IpNet::from);
        text.parse().or_else(|_| address()).map(Network).map_err(|_| format!("`{text}` is no address and no network"))
    }
}

/// The caller's address. Each proxy adds its client's address at the end, so the list is read from there: the first
/// that is not a trusted proxy is the caller, and what it claims of others counts for nothing.
pub fn address(connection: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let mut heard_from = connection.to_canonical();
    if !is_proxy(heard_from, trusted) {
        return heard_from;
    }
    for hop in chain(headers).into_iter().rev() {
        let Some(address) = hop else { break };
        heard_from = address.to_canonical();
        if !is_proxy(heard_from, trusted) {
            break;
        }
    }
    heard_from
}

/// Returns whether a trusted proxy is at the other end.
pub fn is_proxy(connection: IpAddr, trusted: &[Network]) -> bool {
    trusted.iter().any(|network| network.contains(connection.to_canonical()))
}

/// Addresses in the order of the proxies, `None` for a value that is not an address: `Forwarded` (RFC 7239) where there
/// is one, else `X-Forwarded-For`.
fn chain(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let words = |name: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).map(str::trim).map(str::to_string).collect::<Vec<String>>()
    };
    if headers.contains_key("forwarded") {
        return words("forwarded").iter().map(|element| forwarded_for(element)).collect();
    }
    words("x-forwarded-for").iter().map(|word| node(word)).collect()
}

fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    node(values.next()?.1.trim().trim_matches('"'))
}

/// An address, with or without a port; IPv6 may be in brackets.
fn node(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let trusted: Vec<Network> =
            ["10.0.0.0/8", "127.0.0.1", "fd00::/8"].iter().map(|text| text.parse().expect("a network")).collect();
        type Sent<'a> = &'a [(&'a str, &'a str)];
        let cases: &[(&str, Sent<'_>, &str)] = &[
            ("203.0.113.9", &[("x-forwarded-for", "198.51.100.1")], "203.0.113.9"),
            ("10.0.0.1", &[("x-forwarded-for", "198.51.100.1")], "198.51.100.1"),
            ("10.0.0.1", &[("x-forwarded-for", "1.2.3.4, 198.51.100.1, 10.0.0.2")], "198.51.100.1"),
            ("10.0.0.1", &[("x-forwarded-for", "1.2.3.4"), ("x-forwarded-for", "198.51.100.1")], "198.51.100.1"),
            ("10.0.0.1", &[("x-forwarded-for", "198.51.100.1, unknown")], "10.0.0.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("127.0.0.1", &[("forwarded", "for=192.0.2.60;proto=http;by=203.0.113.43")], "192.0.2.60"),
            ("127.0.0.1", &[("forwarded", "for=1.1.1.1, For=\"[2001:db8:cafe::17]:4711\"")], "2001:db8:cafe::17"),
            ("127.0.0.1", &[("forwarded", "for=_hidden"), ("x-forwarded-for", "9.9.9.9")], "127.0.0.1"),
            ("::ffff:127.0.0.1", &[("x-forwarded-for", "192.0.2.1:8080")], "192.0.2.1"),
        ];
        for (connection, headers, expected) in cases {
            let mut map = HeaderMap::new();
            for (name, value) in *headers {
                map.append(
                    http::HeaderName::from_bytes(name.as_bytes()).expect("a name"),
                    value.parse().expect("a value"),
                );
            }
            let hop = address(connection.parse().expect("an address"), &map, &trusted);
            assert_eq!(hop, expected.parse::<IpAddr>().expect("an address"), "{connection} {headers:?}");
        }
    }
}
