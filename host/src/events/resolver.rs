//! Current addresses of a name: both kinds, asked of the system's name servers over DNS only. Nothing is kept, no
//! search domain is added and no file of hosts is read, so that what is judged is what the world sees, and each attempt asks again.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::system_conf::read_system_conf;

/// Servers that are asked.
const SERVERS: usize = 3;
/// How often one that says nothing is asked again.
const ATTEMPTS: usize = 1;
/// How long one server may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Result of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Never empty.
    To(Vec<IpAddr>),
    /// There is no such name, or it has no address.
    Nothing,
}

/// No name server returned a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no name server answers")]
pub struct NoAnswer;

#[derive(Clone)]
pub struct Resolver(TokioResolver);

impl Resolver {
    /// Asks the servers that the system is set up with; one on this machine where it names none.
    pub fn of_system() -> anyhow::Result<Resolver> {
        let mut servers = read_system_conf().map(|(config, _)| config.name_servers).unwrap_or_default();
        servers.truncate(SERVERS);
        if servers.is_empty() {
            servers.push(NameServerConfig::udp_and_tcp(Ipv4Addr::LOCALHOST.into()));
        }
        Resolver::build(servers)
    }

    /// Asks only this server.
    pub fn new(server: SocketAddr) -> anyhow::Result<Resolver> {
        let mut config = NameServerConfig::udp_and_tcp(server.ip());
        config.connections.iter_mut().for_each(|connection| connection.port = server.port());
        Resolver::build(vec![config])
    }

    fn build(servers: Vec<NameServerConfig>) -> anyhow::Result<Resolver> {
        let config = ResolverConfig::from_parts(None, Vec::new(), servers);
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        keep_nothing(builder.options_mut());
        Ok(Resolver(builder.build()?))
    }

    /// Every address of a name. If one kind of them cannot be resolved, the whole fails: it might be a forbidden one.
    pub async fn resolve(&self, name: &str) -> Result<Resolved, NoAnswer> {
        let mut name = Name::from_ascii(name).map_err(|_| NoAnswer)?;
        // Whole: no search domain is tried.
        name.set_fqdn(true);
        let (v4, v6) =
            futures_util::future::join(self.ask(name.clone(), RecordType::A), self.ask(name, RecordType::AAAA)).await;
        let all = [v4?, v6?].concat();
        Ok(if all.is_empty() { Resolved::Nothing } else { Resolved::To(all) })
    }

    async fn ask(&self, name: Name, kind: RecordType) -> Result<Vec<IpAddr>, NoAnswer> {
        match self.0.lookup(name, kind).await {
            Ok(found) => Ok(found.answers().iter().filter_map(|record| record.data.ip_addr()).collect()),
            Err(error) if is_denial(&error) => Ok(Vec::new()),
            Err(_) => Err(NoAnswer),
        }
    }
}

fn keep_nothing(options: &mut ResolverOpts) {
    options.cache_size = 0;
    options.positive_max_ttl = Some(Duration::ZERO);
    options.negative_max_ttl = Some(Duration::ZERO);
    options.use_hosts_file = ResolveHosts::Never;
    options.timeout = PATIENCE;
    options.attempts = ATTEMPTS;
}

/// Returns whether a server said that there is no such name, or no address of this kind.
fn is_denial(error: &NetError) -> bool {
    error.is_no_records_found() || error.is_nx_domain()
}

#[cfg(test)]
mod tests {
    use tokio::net::UdpSocket;

    use super::*;

    const NAME: &str = "hooks.example.com";
    const NAME_ERROR: u8 = 3;
    const FAILURE: u8 = 2;

    /// A server that answers each question with this code and, of questions for A, with these records: kind and data.
    async fn server(code: u8, records: Vec<(u8, Vec<u8>)>) -> Resolver {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
        let address = socket.local_addr().expect("an address");
        tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question).await {
                let answer = answer(&question[..length], code, &records);
                let _ = socket.send_to(&answer, from).await;
            }
        });
        Resolver::new(address).expect("a resolver")
    }

    fn answer(question: &[u8], code: u8, records: &[(u8, Vec<u8>)]) -> Vec<u8> {
        let name = question[12..].iter().position(|byte| *byte == 0).expect("a name's end");
        let end = 12 + name + 5;
        let is_v4 = question[end - 3] == 1;
        let mut message = question[..end].to_vec();
        message[2] |= 0x80;
        message[3] = code;
        message[6..12].fill(0);
        for (kind, data) in records.iter().filter(|_| is_v4) {
            message[7] += 1;
            message.extend([0xc0, 12, 0, *kind, 0, 1, 0, 0, 14, 16, 0, u8::try_from(data.len()).expect("short")]);
            message.extend(data);
        }
        message
    }

    #[tokio::test]
    async fn every_address_is_reported_and_a_denial_is_distinguished_from_silence() {
        let public = vec![192, 0, 2, 1];
        let loopback = vec![127, 0, 0, 1];
        let both = vec![(1, public.clone()), (1, loopback)];
        let all = vec![IpAddr::from([192, 0, 2, 1]), IpAddr::from([127, 0, 0, 1])];
        assert_eq!(server(0, both).await.resolve(NAME).await, Ok(Resolved::To(all)));
        assert_eq!(server(NAME_ERROR, vec![]).await.resolve(NAME).await, Ok(Resolved::Nothing));
        assert_eq!(server(0, vec![]).await.resolve(NAME).await, Ok(Resolved::Nothing));
        assert_eq!(server(FAILURE, vec![(1, public)]).await.resolve(NAME).await, Err(NoAnswer), "the server failed");
        for name in ["a..b", &"a".repeat(64), &["a"; 150].join(".")] {
            assert_eq!(server(0, vec![]).await.resolve(name).await, Err(NoAnswer), "{name}");
        }
    }

    #[tokio::test]
    async fn nobody_s_answer_is_kept() {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
        let resolver = Resolver::new(socket.local_addr().expect("an address")).expect("a resolver");
        tokio::spawn(async move {
            let mut question = [0; 512];
            for number in 0_u8.. {
                let (length, from) = socket.recv_from(&mut question).await.expect("a question");
                // Two questions for each name: of either kind.
                let records = [(1, vec![192, 0, 2, number / 2])];
                let _ = socket.send_to(&answer(&question[..length], 0, &records), from).await;
            }
        });
        for number in 0..4 {
            let reported = resolver.resolve(NAME).await;
            assert_eq!(
                reported,
                Ok(Resolved::To(vec![IpAddr::from([192, 0, 2, number])])),
                "an hour's answer was kept"
            );
        }
    }
}
