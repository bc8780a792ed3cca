//! What a name resolves to right now: both kinds of addresses, asked of the system's name servers over DNS alone. Nothing is kept, no
//! search domain is added and no file of hosts is read, so that what is judged is what the world sees, and each attempt asks anew.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

/// Where systems name their servers.
const SYSTEM: &str = "/etc/resolv.conf";
const PORT: u16 = 53;
/// Servers that are asked, one after the other, and how often all of them.
const SERVERS: usize = 3;
const ROUNDS: usize = 2;
/// How long one server may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes of an answer over UDP: a server that has more says so.
const DATAGRAM: usize = 4096;

const HEADER: usize = 12;
const CLASS_IN: u16 = 1;
const NAME_ERROR: u8 = 3;

/// What a name resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Never empty.
    To(Vec<IpAddr>),
    /// There is no such name, or it has no address.
    Nothing,
}

/// Nobody could say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no name server answers")]
pub struct NoAnswer;

#[derive(Debug, Clone)]
pub struct Resolver {
    servers: Vec<SocketAddr>,
}

/// Kinds of records that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    A = 1,
    Aaaa = 28,
}

impl Resolver {
    /// Asks the servers that the system is set up with.
    pub fn of_system() -> Resolver {
        let text = std::fs::read_to_string(SYSTEM).unwrap_or_default();
        let mut servers = parse_servers(&text);
        if servers.is_empty() {
            servers.push(SocketAddr::from(([127, 0, 0, 1], PORT)));
        }
        Resolver { servers }
    }

    /// Asks this server alone.
    pub fn of(server: SocketAddr) -> Resolver {
        Resolver { servers: vec![server] }
    }

    /// Every address of a name. One kind of them that nobody tells leaves the whole unanswered: it might be the forbidden one.
    pub async fn resolve(&self, name: &str) -> Result<Resolved, NoAnswer> {
        let (v4, v6) = futures_util::future::join(self.ask(name, Kind::A), self.ask(name, Kind::Aaaa)).await;
        let all = [v4?, v6?].concat();
        Ok(if all.is_empty() { Resolved::Nothing } else { Resolved::To(all) })
    }

    async fn ask(&self, name: &str, kind: Kind) -> Result<Vec<IpAddr>, NoAnswer> {
        let question = question(name, kind).ok_or(NoAnswer)?;
        for server in self.servers.iter().cycle().take(self.servers.len() * ROUNDS) {
            if let Ok(Ok(answer)) = timeout(PATIENCE, exchange(*server, &question)).await
                && let Some(addresses) = read_answer(&answer, &question, kind)
            {
                return Ok(addresses);
            }
        }
        Err(NoAnswer)
    }
}

fn parse_servers(text: &str) -> Vec<SocketAddr> {
    let addresses =
        text.lines().filter_map(|line| line.trim().strip_prefix("nameserver")?.trim().parse::<IpAddr>().ok());
    addresses.take(SERVERS).map(|address| SocketAddr::new(address, PORT)).collect()
}

/// The message that asks: under a number that nobody guesses, over a port that the system chose.
fn question(name: &str, kind: Kind) -> Option<Vec<u8>> {
    let mut message = rand::random::<u16>().to_be_bytes().to_vec();
    // A standard query, recursion desired, one question.
    message.extend([0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.trim_end_matches('.').split('.') {
        let length = u8::try_from(label.len()).ok().filter(|length| (1..=63).contains(length))?;
        message.push(length);
        message.extend(label.to_ascii_lowercase().bytes());
    }
    message.push(0);
    message.extend((kind as u16).to_be_bytes());
    message.extend(CLASS_IN.to_be_bytes());
    (message.len() - HEADER <= 259).then_some(message)
}

async fn exchange(server: SocketAddr, question: &[u8]) -> std::io::Result<Vec<u8>> {
    let own = if server.is_ipv4() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { IpAddr::V6(Ipv6Addr::UNSPECIFIED) };
    let socket = UdpSocket::bind((own, 0)).await?;
    // Connected: what others send is not received.
    socket.connect(server).await?;
    socket.send(question).await?;
    let mut answer = vec![0; DATAGRAM];
    loop {
        let length = socket.recv(&mut answer).await?;
        let received = answer.get(..length).unwrap_or_default();
        if !is_reply(received, question) {
            continue;
        }
        let is_cut = received.get(2).is_some_and(|flags| flags & 0x02 != 0);
        return if is_cut { exchange_whole(server, question).await } else { Ok(received.to_vec()) };
    }
}

/// Over TCP, where an answer is too long for a datagram.
async fn exchange_whole(server: SocketAddr, question: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(question.len()).unwrap_or_default().to_be_bytes();
    stream.write_all(&[&length, question].concat()).await?;
    let length = stream.read_u16().await?;
    let mut answer = vec![0; usize::from(length)];
    stream.read_exact(&mut answer).await?;
    Ok(answer)
}

/// Whether a message answers the question: its number, and the question itself repeated.
fn is_reply(answer: &[u8], question: &[u8]) -> bool {
    let asked = question.get(HEADER..).unwrap_or_default();
    let repeated = answer.get(HEADER..HEADER + asked.len()).unwrap_or_default();
    answer.get(..2) == question.get(..2)
        && answer.get(2).is_some_and(|flags| flags & 0x80 != 0)
        && answer.get(4..6) == Some(&[0, 1])
        && repeated.eq_ignore_ascii_case(asked)
}

/// Every address of this kind that an answer holds, whatever names lead there; none where the answer is none.
fn read_answer(answer: &[u8], question: &[u8], kind: Kind) -> Option<Vec<IpAddr>> {
    if !is_reply(answer, question) {
        return None;
    }
    match answer.get(3)? & 0x0f {
        0 => {}
        NAME_ERROR => return Some(Vec::new()),
        _ => return None,
    }
    let number = |at: usize| Some(u16::from_be_bytes([*answer.get(at)?, *answer.get(at + 1)?]));
    let mut at = question.len();
    let mut addresses = Vec::new();
    for _ in 0..number(6)? {
        at = skip_name(answer, at)?;
        let (found, class, length) = (number(at)?, number(at + 2)?, usize::from(number(at + 8)?));
        let data = answer.get(at + 10..at + 10 + length)?;
        if class == CLASS_IN && found == kind as u16 {
            addresses.push(match kind {
                Kind::A => IpAddr::from(<[u8; 4]>::try_from(data).ok()?),
                Kind::Aaaa => IpAddr::from(<[u8; 16]>::try_from(data).ok()?),
            });
        }
        at += 10 + length;
    }
    Some(addresses)
}

/// Where a name ends: labels up to an empty one, or to a pointer.
fn skip_name(message: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = *message.get(at)?;
        match length {
            0 => return Some(at + 1),
            1..=63 => at += 1 + usize::from(length),
            0xc0..=0xff => return Some(at + 2),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer with these records: kind and data.
    fn answer(question: &[u8], code: u8, records: &[(u16, &[u8])]) -> Vec<u8> {
        let mut message = question.to_vec();
        message[2] |= 0x80;
        message[3] = code;
        message[7] = u8::try_from(records.len()).expect("few");
        for (kind, data) in records {
            message.extend([0xc0, 12]);
            message.extend(kind.to_be_bytes());
            message.extend([0, 1, 0, 0, 0, 0]);
            message.extend(u16::try_from(data.len()).expect("short").to_be_bytes());
            message.extend(*data);
        }
        message
    }

    #[test]
    fn every_address_of_the_kind_is_read() {
        let asked = question("Hooks.example.com.", Kind::A).expect("a question");
        let cname: &[u8] = &[1, b'a', 0xc0, 12];
        let records: &[(u16, &[u8])] = &[(5, cname), (1, &[192, 0, 2, 1]), (28, &[0; 16]), (1, &[127, 0, 0, 1])];
        let read = read_answer(&answer(&asked, 0, records), &asked, Kind::A);
        assert_eq!(read, Some(vec![IpAddr::from([192, 0, 2, 1]), IpAddr::from([127, 0, 0, 1])]));
        assert_eq!(read_answer(&answer(&asked, NAME_ERROR, &[]), &asked, Kind::A), Some(Vec::new()));
        assert_eq!(read_answer(&answer(&asked, 0, &[]), &asked, Kind::A), Some(Vec::new()));
        assert_eq!(read_answer(&answer(&asked, 2, &[]), &asked, Kind::A), None, "the server failed");
        assert_eq!(read_answer(&answer(&asked, 0, &[(1, &[1, 2, 3])]), &asked, Kind::A), None, "three bytes");
    }

    #[test]
    fn what_answers_another_question_is_no_answer() {
        let asked = question("hooks.example.com", Kind::A).expect("a question");
        let good = answer(&asked, 0, &[(1, &[192, 0, 2, 1])]);
        assert!(is_reply(&good, &asked));
        for at in [0, 1, 2, 5, 13, asked.len() - 3] {
            let mut other = good.clone();
            other[at] ^= 0x80;
            assert!(!is_reply(&other, &asked), "byte {at}");
        }
        for length in 0..good.len() {
            let cut = &good[..length];
            assert_eq!(read_answer(cut, &asked, Kind::A), None, "cut to {length}");
        }
    }

    #[test]
    fn a_name_that_fits_no_question() {
        assert_eq!(question("a..b", Kind::A), None);
        assert_eq!(question(&"a".repeat(64), Kind::A), None);
        assert_eq!(question(&["a"; 150].join("."), Kind::A), None);
    }

    #[test]
    fn servers_of_the_system() {
        let text = "# x\nsearch example\nnameserver 10.0.0.1\n nameserver fe80::1\nnameserver no\nnameserver 1.1.1.1\nnameserver 2.2.2.2\n";
        let servers: Vec<String> = parse_servers(text).iter().map(ToString::to_string).collect();
        assert_eq!(servers, ["10.0.0.1:53", "[fe80::1]:53", "1.1.1.1:53"]);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_upset_the_reader(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let asked = question("hooks.example.com", Kind::Aaaa).expect("a question");
            let mut message = answer(&asked, 0, &[]);
            message[7] = 9;
            message.extend(&bytes);
            let _ = read_answer(&message, &asked, Kind::Aaaa);
            let _ = read_answer(&bytes, &asked, Kind::Aaaa);
        }
    }
}
