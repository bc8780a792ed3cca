//! Programs that are asked over the network: the identity providers and the host on this machine.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::{Diagnosis, Notes};
use crate::identity::try_issuer;
use crate::settings::Settings;

/// For one that is asked.
const LIMIT: Duration = Duration::from_millis(1_500);

pub async fn examine_issuers(settings: Arc<Settings>, notes: Notes) {
    let issuers = match settings.issuers() {
        Ok(issuers) if !issuers.is_empty() => issuers,
        _ => return notes.note("identity.issuer", Diagnosis::skip("no identity provider is set")),
    };
    let answers = join_all(issuers.iter().map(|issuer| tokio::time::timeout(LIMIT, try_issuer(issuer)))).await;
    let count = answers.len();
    let (mut faults, mut late) = (Vec::new(), 0);
    for answer in answers {
        match answer {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => faults.push(fault),
            Err(_) => late += 1,
        }
    }
    let diagnosis = match (faults.as_slice(), late) {
        ([], 0) => Diagnosis::pass(format!("{count} identity providers publish their keys")),
        ([], late) => Diagnosis::warn(format!("{late} of {count} identity providers do not answer in time")),
        (faults, _) => Diagnosis::fail_if_any(faults, "identity providers publish no keys", ""),
    };
    notes.note("identity.issuer", diagnosis);
}

pub async fn examine_host(settings: Arc<Settings>, notes: Notes) {
    notes.note("host.answers", ask_host(settings.listen).await);
}

async fn ask_host(listen: SocketAddr) -> Diagnosis {
    let mut address = listen;
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        // Plain text: no certificate is read.
        .tls_certs_only([])
        .timeout(LIMIT)
        .build();
    let Ok(client) = client else { return Diagnosis::skip("there is no HTTP client") };
    match client.get(format!("http://{address}/v1/ready")).send().await {
        Ok(response) => match response.status().as_u16() {
            200 => Diagnosis::pass("the host on this machine is ready"),
            503 => Diagnosis::fail("the host on this machine is not ready"),
            status => Diagnosis::warn(format!("another program answers at STOA_LISTEN, with status {status}")),
        },
        Err(error) if error.is_connect() => Diagnosis::skip("no host answers at STOA_LISTEN"),
        Err(_) => Diagnosis::fail("the host on this machine does not answer in time"),
    }
}
