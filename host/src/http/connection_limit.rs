//! How many connections a listener has at once, in all and of one peer, so that no peer takes every descriptor. A proxy
//! that is trusted brings many callers over its connections: it is not counted as a peer, they are, request by request.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use super::peer::Network;

/// Peers that one listener has room for.
pub struct ConnectionLimit {
    most: usize,
    most_per_peer: usize,
    proxies: Vec<Network>,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    connections: usize,
    /// Connections by peer; of a proxy's callers the requests under way.
    peers: HashMap<IpAddr, usize>,
}

/// A pass that is given back when this is dropped.
pub struct Pass {
    connection_limit: Arc<ConnectionLimit>,
    connection: bool,
    peer: Option<IpAddr>,
}

impl ConnectionLimit {
    /// `most_per_peer`: never more than half of all, however few these are.
    pub fn new(most: usize, most_per_peer: usize, proxies: Vec<Network>) -> Arc<ConnectionLimit> {
        let most_per_peer = most_per_peer.min(most / 2).max(1);
        Arc::new(ConnectionLimit { most, most_per_peer, proxies, inside: Mutex::default() })
    }

    /// For a listener of a trusted network: no limit of one peer but that of all.
    pub fn for_private(most: usize) -> Arc<ConnectionLimit> {
        Arc::new(ConnectionLimit { most, most_per_peer: most, proxies: Vec::new(), inside: Mutex::default() })
    }

    /// A pass for a connection; `None`: there is none.
    pub fn admit(self: &Arc<ConnectionLimit>, peer: IpAddr) -> Option<Pass> {
        self.enter(true, (!self.is_proxy(peer)).then(|| subscriber(peer)))
    }

    /// A pass for a request that a trusted proxy brings from this address. One that came by a connection of its own has
    /// one already.
    pub fn admit_behind_proxy(self: &Arc<ConnectionLimit>, connection: IpAddr, caller: IpAddr) -> Option<Option<Pass>> {
        if !self.is_proxy(connection) || self.is_proxy(caller) {
            return Some(None);
        }
        self.enter(false, Some(subscriber(caller))).map(Some)
    }

    /// Connections that are open, and the most.
    pub fn load(&self) -> (usize, usize) {
        (self.inside().connections, self.most)
    }

    pub fn proxies(&self) -> &[Network] {
        &self.proxies
    }

    fn enter(self: &Arc<ConnectionLimit>, connection: bool, peer: Option<IpAddr>) -> Option<Pass> {
        let mut inside = self.inside();
        if connection && inside.connections >= self.most {
            return None;
        }
        if let Some(peer) = peer {
            let count = inside.peers.entry(peer).or_default();
            if *count >= self.most_per_peer {
                return None;
            }
            *count += 1;
        }
        inside.connections += usize::from(connection);
        Some(Pass { connection_limit: self.clone(), connection, peer })
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|network| network.contains(address.to_canonical()))
    }

    fn inside(&self) -> std::sync::MutexGuard<'_, Inside> {
        // Counts by plain arithmetic: a panic elsewhere leaves them whole.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut inside = self.connection_limit.inside();
        inside.connections -= usize::from(self.connection);
        if let Some(peer) = self.peer
            && let Some(count) = inside.peers.get_mut(&peer)
        {
            *count -= 1;
            if *count == 0 {
                inside.peers.remove(&peer);
            }
        }
    }
}

/// The subscriber of an address: one with an IPv6 address has a network of them (64 bits).
pub fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        four => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn one_peer_leaves_room_for_others() {
        let connection_limit = ConnectionLimit::new(10, 3, Vec::new());
        let mut held: Vec<Pass> = (0..3).map(|_| connection_limit.admit(ip("192.0.2.1")).expect("a pass")).collect();
        assert!(
            connection_limit.admit(ip("192.0.2.1")).is_none()
                && connection_limit.admit(ip("::ffff:192.0.2.1")).is_none()
        );
        held.extend((2..9).map(|n| connection_limit.admit(ip(&format!("192.0.2.{n}"))).expect("a pass")));
        assert!(connection_limit.admit(ip("192.0.2.99")).is_none(), "ten are inside");
        held.remove(0);
        assert!(connection_limit.admit(ip("192.0.2.1")).is_some());
        drop(held);
        assert!(connection_limit.inside().peers.is_empty() && connection_limit.inside().connections == 0);
    }

    #[test]
    fn a_network_of_ipv6_is_one_peer_and_nobody_takes_more_than_half() {
        let connection_limit = ConnectionLimit::new(4, 100, Vec::new());
        let _held = ["2001:db8::1", "2001:db8::2"].map(|text| connection_limit.admit(ip(text)).expect("a pass"));
        assert!(connection_limit.admit(ip("2001:db8::3")).is_none());
        assert!(connection_limit.admit(ip("2001:db8:0:1::1")).is_some());
    }

    #[test]
    fn callers_behind_a_trusted_proxy_are_distinguished() {
        let connection_limit = ConnectionLimit::new(100, 2, vec!["10.0.0.0/8".parse().expect("a network")]);
        let _proxy: Vec<Pass> =
            (0..5).map(|_| connection_limit.admit(ip("10.0.0.1")).expect("a proxy has no limit of its own")).collect();
        let ask = |caller: &str| connection_limit.admit_behind_proxy(ip("10.0.0.1"), ip(caller));
        let _one = [ask("192.0.2.1"), ask("192.0.2.1")].map(|pass| pass.expect("let in").expect("counted"));
        assert!(ask("192.0.2.1").is_none());
        assert!(ask("192.0.2.2").is_some_and(|pass| pass.is_some()));
        let direct = connection_limit.admit_behind_proxy(ip("192.0.2.3"), ip("192.0.2.3")).expect("let in");
        assert!(direct.is_none(), "its connection is counted");
    }
}
