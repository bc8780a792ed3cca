//! A PostgreSQL that is far away: a proxy before it whose answers take as long as a test says. How often a request waits for the
//! database is then a matter of how long it takes, whatever its driver sends at once and whatever it does not wait for.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use reqwest::Url;

/// How long a trip there and back takes. Clones name the same.
#[derive(Clone, Default)]
pub struct Distance(Arc<AtomicU64>);

/// A trip while it is measured: far longer than a request computes on a busy machine.
const TRIP: Duration = Duration::from_millis(200);

impl Distance {
    /// How often a request waits for the database that is behind this distance: by the fastest of several, after others have
    /// prepared what is prepared once.
    pub fn count_waits(&self, request: impl Fn()) -> u128 {
        (0..5).for_each(|_| request());
        self.0.store(u64::try_from(TRIP.as_millis()).unwrap_or(u64::MAX), Ordering::SeqCst);
        let time = || {
            let begin = Instant::now();
            request();
            begin.elapsed()
        };
        let fastest = (0..5).map(|_| time()).min().unwrap_or_default();
        self.0.store(0, Ordering::SeqCst);
        fastest.as_millis() / TRIP.as_millis()
    }

    /// The address of a database as it is reached over this distance.
    pub fn lead_to(&self, url: &str) -> String {
        let mut url = Url::parse(url).expect("the database's address is no URL");
        let host = url.host_str().expect("a server that is reached by TCP");
        let target = format!("{host}:{}", url.port().unwrap_or(5432));
        let listener = TcpListener::bind("127.0.0.1:0").expect("cannot listen");
        let port = listener.local_addr().expect("a listener has an address").port();
        let distance = self.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if let Ok(server) = TcpStream::connect(&target) {
                    distance.join(client, server);
                }
            }
        });
        url.set_host(Some("127.0.0.1")).expect("a host");
        url.set_port(Some(port)).expect("a port");
        url.to_string()
    }

    fn join(&self, client: TcpStream, server: TcpStream) {
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (Ok(mut requests), Ok(mut to_server)) = (client.try_clone(), server.try_clone()) else { return };
        thread::spawn(move || {
            let _ = std::io::copy(&mut requests, &mut to_server);
            let _ = to_server.shutdown(std::net::Shutdown::Both);
        });
        // What comes together arrives together: each part is on its way while the next one is read.
        let (leave, arrive) = mpsc::channel::<(Instant, Vec<u8>)>();
        let (mut answers, mut to_client, trip) = (server, client, self.0.clone());
        thread::spawn(move || {
            let mut part = vec![0; 64 << 10];
            while let Ok(size @ 1..) = answers.read(&mut part) {
                let due = Instant::now() + Duration::from_millis(trip.load(Ordering::SeqCst));
                if leave.send((due, part[..size].to_vec())).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            for (due, part) in arrive {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                if to_client.write_all(&part).is_err() {
                    break;
                }
            }
            let _ = to_client.shutdown(std::net::Shutdown::Both);
        });
    }
}
