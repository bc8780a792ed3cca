//! Settings of the console: where it is served, and as which client its users sign in.

use serde::{Deserialize, Serialize};

use super::Settings;
use crate::identity::sign_in::ConsoleClient;
use crate::identity::{Issuer, is_http_on_loopback};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsoleSwitch {
    On,
    Off,
}

impl Settings {
    /// The issuers at which users of the console sign in, each with the console's client there.
    pub fn console_clients(&self) -> anyhow::Result<Vec<(Issuer, ConsoleClient)>> {
        let single = self.console_client_id.as_ref().map(|client_id| ConsoleClient {
            client_id: client_id.clone(),
            client_secret: self.console_client_secret.clone(),
            scopes: self.console_scopes.clone(),
            parameters: self.console_parameters.clone(),
            name: None,
        });
        anyhow::ensure!(
            single.is_none() || self.oidc_issuer.is_some(),
            "STOA_CONSOLE_CLIENT_ID is a client at STOA_OIDC_ISSUER, which is not set"
        );
        // As `issuers` lists them.
        let clients = self.oidc_issuer.iter().map(|_| single.clone());
        let clients = clients.chain(self.oidc.iter().map(|oidc| oidc.console.clone()));
        Ok(self.issuers()?.into_iter().zip(clients).filter_map(|(issuer, client)| Some((issuer, client?))).collect())
    }

    /// The origin of the console, as browsers state it.
    pub fn console_address(&self) -> anyhow::Result<Option<String>> {
        let Some(text) = &self.console_url else { return Ok(None) };
        let url = reqwest::Url::parse(text).ok().filter(|url| {
            let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
            let is_anonymous = url.username().is_empty() && url.password().is_none();
            is_bare && is_anonymous && (url.scheme() == "https" || is_http_on_loopback(url))
        });
        let url = url.ok_or_else(|| {
            anyhow::anyhow!(
                "STOA_CONSOLE_URL is no address as https://shop.example is: https (http on loopback), no path"
            )
        })?;
        Ok(Some(url.origin().ascii_serialization()))
    }

    /// Checks that a provider can lead its users back.
    pub(super) fn check_console(&self) -> anyhow::Result<()> {
        let has_clients = self.console_client_id.is_some() || self.oidc.iter().any(|oidc| oidc.console.is_some());
        if has_clients {
            self.console_clients()?;
        }
        anyhow::ensure!(
            self.console_address()?.is_some() || !has_clients || self.console == ConsoleSwitch::Off,
            "the console has a client at an identity provider, and STOA_CONSOLE_URL is not set"
        );
        Ok(())
    }
}
