//! A name server of the test's own, which resolves every name as the test sets it, and the test can change that.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

pub struct NameServer {
    pub address: SocketAddr,
    addresses: Arc<Mutex<Vec<IpAddr>>>,
    asked: Arc<AtomicUsize>,
}

const HEADER: usize = 12;
const A: u8 = 1;
const AAAA: u8 = 28;

impl NameServer {
    /// Every name has these addresses.
    pub fn start(addresses: &[&str]) -> NameServer {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let address = socket.local_addr().expect("an address");
        let server = NameServer { address, addresses: Arc::default(), asked: Arc::default() };
        server.set(addresses);
        let (addresses, asked) = (server.addresses.clone(), server.asked.clone());
        thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question) {
                asked.fetch_add(1, Ordering::SeqCst);
                let addresses = addresses.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let _ = socket.send_to(&answer(&question[..length], &addresses), from);
            }
        });
        server
    }

    /// Questions so far.
    pub fn count_questions(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// From now on every name has these.
    pub fn set(&self, addresses: &[&str]) {
        let parsed = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        *self.addresses.lock().unwrap_or_else(PoisonError::into_inner) = parsed;
    }
}

/// The question, with an answer of its kind for each address.
fn answer(question: &[u8], addresses: &[IpAddr]) -> Vec<u8> {
    // Only the question, without the other parts of the message.
    let name = question[HEADER..].iter().position(|byte| *byte == 0).expect("a name's end");
    let mut answer = question[..HEADER + name + 5].to_vec();
    let kind = answer[answer.len() - 3];
    answer[2] |= 0x80;
    answer[6..HEADER].fill(0);
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
