//! A name server of the test's own, which says of every name what the test wants, and can change its mind.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

pub struct NameServer {
    pub address: SocketAddr,
    addresses: Arc<Mutex<Vec<IpAddr>>>,
}

const A: u8 = 1;
const AAAA: u8 = 28;

impl NameServer {
    /// Every name has these addresses.
    pub fn start(addresses: &[&str]) -> NameServer {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let server = NameServer { address: socket.local_addr().expect("an address"), addresses: Arc::default() };
        server.set(addresses);
        let addresses = server.addresses.clone();
        thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question) {
                let addresses = addresses.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let _ = socket.send_to(&answer(&question[..length], &addresses), from);
            }
        });
        server
    }

    /// From now on every name has these.
    pub fn set(&self, addresses: &[&str]) {
        let parsed = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        *self.addresses.lock().unwrap_or_else(PoisonError::into_inner) = parsed;
    }
}

/// The question, with an answer of its kind for each address.
fn answer(question: &[u8], addresses: &[IpAddr]) -> Vec<u8> {
    let kind = question[question.len() - 3];
    let mut answer = question.to_vec();
    answer[2] |= 0x80;
    for address in addresses {
        let data = match address {
            IpAddr::V4(address) if kind == A => address.octets().to_vec(),
            IpAddr::V6(address) if kind == AAAA => address.octets().to_vec(),
            _ => continue,
        };
        answer[7] += 1;
        answer.extend([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, data.len() as u8]);
        answer.extend(data);
    }
    answer
}
