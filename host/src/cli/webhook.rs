//! `stoa webhook listen`: a receiver of webhooks on this machine that verifies and prints deliveries, for developers
//! of receivers.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use clap::Subcommand;
use http::{HeaderMap, StatusCode};

use crate::events::sign;

/// Seconds that a timestamp may be off.
const STALE: i64 = 300;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Receive webhooks, verify and print them.
    ///
    /// Start the host with STOA_WEBHOOK_DEV_TARGETS set to this address, and create an endpoint with the URL `http://ADDRESS/`.
    #[command(after_help = "Example: stoa webhook listen --secret whsec_... --status 500")]
    Listen(Flags),
}

#[derive(clap::Args)]
struct Flags {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:9000")]
    listen: SocketAddr,
    /// The endpoint's signing secret. Without it no signature is verified.
    #[arg(long, env = "STOA_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Option<String>,
    /// Status code of the response.
    #[arg(long, default_value_t = 200)]
    status: u16,
}

struct Listener {
    secret: Option<String>,
    status: StatusCode,
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let Verb::Listen(flags) = args.verb;
    let listener = Arc::new(Listener { secret: flags.secret, status: StatusCode::from_u16(flags.status)? });
    let router = Router::new().fallback(post(take)).with_state(listener);
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let socket = tokio::net::TcpListener::bind(flags.listen).await?;
        println!("listening on http://{}", socket.local_addr()?);
        Ok(axum::serve(socket, router).await?)
    })
}

async fn take(State(listener): State<Arc<Listener>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let now = chrono::Utc::now().timestamp();
    let verdict = match &listener.secret {
        None => "not verified",
        Some(secret) => judge(secret, &header, &body, now),
    };
    let is_taken = listener.secret.is_none() || verdict == VERIFIED;
    println!("{} {verdict}", header("x-event-id"));
    println!("{}", String::from_utf8_lossy(&body));
    if is_taken { listener.status } else { StatusCode::BAD_REQUEST }
}

const VERIFIED: &str = "verified";

/// Judges a delivery: signed by the secret, now or announced, and not stale.
fn judge<'a>(secret: &str, header: &impl Fn(&str) -> &'a str, body: &[u8], now: i64) -> &'static str {
    let Ok(timestamp) = header("x-webhook-timestamp").parse::<i64>() else { return "without a timestamp" };
    let by = |name: &str| sign::verify(secret, timestamp, body, header(name));
    match by("x-webhook-signature") || by("x-webhook-signature-next") {
        false => "NOT SIGNED BY THIS SECRET",
        true if now.abs_diff(timestamp) > STALE.unsigned_abs() => "STALE",
        true => VERIFIED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_verified() {
        let (now, body) = (1_767_225_600, b"{}");
        let judged = |secret: &str, name: &'static str, time: i64| {
            let signature = sign::sign("whsec_a", time, body);
            let timestamp = time.to_string();
            let header = |wanted: &str| match wanted {
                "x-webhook-timestamp" => timestamp.as_str(),
                wanted if wanted == name => signature.as_str(),
                _ => "",
            };
            judge(secret, &header, body, now)
        };
        assert_eq!(judged("whsec_a", "x-webhook-signature", now), VERIFIED);
        assert_eq!(judged("whsec_a", "x-webhook-signature-next", now - 300), VERIFIED);
        assert_eq!(judged("whsec_a", "x-webhook-signature", now - 301), "STALE");
        assert_eq!(judged("whsec_b", "x-webhook-signature", now), "NOT SIGNED BY THIS SECRET");
        assert_eq!(judged("whsec_a", "x-other", now), "NOT SIGNED BY THIS SECRET");
    }
}
