//! Where the database is and how it is reached: over TLS, verified against a CA, everywhere but on this machine. With
//! several servers, the driver looks for the primary.

mod members;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::FutureExt as _;
use percent_encoding::percent_decode_str;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use super::connection::Connection;
use super::{Error, Transport};

pub use members::ServerGroup;

/// From the first packet to a server that answers statements.
pub const CONNECT: Duration = Duration::from_secs(3);
/// How long a server may leave what was sent to it unacknowledged.
const SILENCE: Duration = Duration::from_secs(10);
/// Below the request's own time-out, so that the innermost limit fires first.
const STATEMENT_TIMEOUT_MS: u32 = 5_000;
const LOCK_TIMEOUT_MS: u32 = 3_000;
const IDLE_IN_TRANSACTION_MS: u32 = 15_000;

/// ServerGroup, a database and a role, ready to be connected to.
#[derive(Clone)]
pub struct Address {
    members: ServerGroup<Config>,
    tls: Option<MakeRustlsConnect>,
    /// The same for the driver of migrations.
    pub options: Box<ServerGroup<PgConnectOptions>>,
    /// Texts that each connection runs when it is opened.
    prepare: Arc<str>,
}

impl Address {
    /// Reads `postgres://role@host/database?sslmode=...&sslrootcert=FILE`. Modes that may fall back to plain text are for this
    /// machine; elsewhere the transport must allow it, where a network encrypts by itself. Several hosts, `one:5432,two:5432`, are
    /// servers of which the primary is used, as is a single one with `target_session_attrs=read-write`.
    pub fn parse(url: &str, transport: &Transport, prepare: &[String]) -> anyhow::Result<Address> {
        let urls = members::split(url)?;
        let are_several = urls.len() > 1;
        let (_, query) = url.split_once('?').unwrap_or((url, ""));
        let value = |wanted: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(name, _)| *name == wanted).map(|(_, value)| percent_decode_str(value).decode_utf8_lossy())
        };
        let (mode, roots) = (value("sslmode"), value("sslrootcert"));
        let primary_only = match value("target_session_attrs").as_deref() {
            None => are_several,
            Some("read-write" | "primary") => true,
            Some("any") if !are_several => false,
            Some(_) => anyhow::bail!("STOA_DATABASE_URL: target_session_attrs must be read-write: hosts write"),
        };
        anyhow::ensure!(
            !are_several || ["host", "hostaddr", "port"].iter().all(|name| value(name).is_none()),
            "STOA_DATABASE_URL lists servers twice: before the name of the database and in its query"
        );
        let mut configs = urls.iter().map(|url| config_of(url)).collect::<anyhow::Result<Vec<Config>>>()?;
        let are_here = configs.iter().all(is_here);
        let encrypted = match mode.as_deref() {
            None => !are_here,
            Some("disable" | "allow" | "prefer") => false,
            Some("require" | "verify-ca" | "verify-full") => true,
            Some(other) => anyhow::bail!("STOA_DATABASE_URL: there is no sslmode {other:?}"),
        };
        anyhow::ensure!(
            encrypted || transport.plain_text || are_here,
            "STOA_DATABASE_URL asks for plain text to another machine: take sslmode=verify-full, or set STOA_DATABASE_PLAINTEXT=allow"
        );
        for config in &mut configs {
            let options_of_session = with_options(config);
            config
                .application_name("stoa")
                .ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable })
                .connect_timeout(CONNECT)
                .keepalives_idle(SILENCE)
                .keepalives_interval(SILENCE / 4)
                .keepalives_retries(3)
                .tcp_user_timeout(SILENCE)
                .options(options_of_session)
                .target_session_attrs(match primary_only {
                    true => TargetSessionAttrs::ReadWrite,
                    false => TargetSessionAttrs::Any,
                });
        }
        let ca = transport.ca.clone().or_else(|| roots.map(|path| PathBuf::from(&*path)));
        let tls = encrypted.then(|| connector(ca.as_deref())).transpose()?.map(MakeRustlsConnect::new);
        let options = |url: &String| -> anyhow::Result<PgConnectOptions> {
            let options = PgConnectOptions::from_str(&without(url, &["target_session_attrs"]));
            let options = options.context("STOA_DATABASE_URL")?.application_name("stoa");
            let options = options.ssl_mode(if encrypted { PgSslMode::VerifyFull } else { PgSslMode::Disable });
            Ok(match &ca {
                Some(path) => options.ssl_root_cert(path),
                None => options,
            })
        };
        let options = urls.iter().map(options).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Address {
            members: ServerGroup::new(configs, primary_only),
            tls,
            options: Box::new(ServerGroup::new(options, primary_only)),
            prepare: prepare.join("; ").into(),
        })
    }

    /// Returns whether what is sent there leaves this machine in plain text.
    pub fn is_plain_text_elsewhere(&self) -> bool {
        self.tls.is_none() && !self.members.iter().all(is_here)
    }

    /// A connection that statements can be sent on.
    pub async fn connect(&self) -> Result<Connection, Error> {
        let connect = self.members.connect(|server| self.connect_to(server));
        let late = |_| Error::Unavailable("the database server does not answer".into());
        tokio::time::timeout(CONNECT, connect).await.map_err(late)?
    }

    async fn connect_to(&self, server: Config) -> Result<Connection, Error> {
        let (client, driver) = match &self.tls {
            Some(tls) => {
                let (client, driver) = server.connect(tls.clone()).await.map_err(Error::from_postgres)?;
                (client, driver.boxed())
            }
            None => {
                let (client, driver) = server.connect(NoTls).await.map_err(Error::from_postgres)?;
                (client, driver.boxed())
            }
        };
        let mut connection = Connection::new(client, driver);
        if !self.prepare.is_empty() {
            connection.send_text(&self.prepare).await?;
        }
        Ok(connection)
    }
}

/// The driver's reading of one server's address, without those members of its query that are read here.
fn config_of(url: &str) -> anyhow::Result<Config> {
    // The driver's errors may quote the address, which holds a password.
    Config::from_str(&without(url, &["sslmode", "sslrootcert", "target_session_attrs"]))
        .map_err(|_| anyhow::anyhow!("STOA_DATABASE_URL has a part that is not understood"))
}

/// An address without these members of its query.
fn without(url: &str, names: &[&str]) -> String {
    let Some((front, query)) = url.split_once('?') else { return url.to_owned() };
    let is_kept = |member: &&str| !member.split_once('=').is_some_and(|(name, _)| names.contains(&name));
    let members: Vec<&str> = query.split('&').filter(|member| !member.is_empty()).filter(is_kept).collect();
    format!("{front}?{}", members.join("&"))
}

/// Sockets and loopback: data sent there never leaves this machine.
fn is_here(config: &Config) -> bool {
    let is_here = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
    };
    config.get_hosts().iter().all(is_here) && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

/// The server's settings for the session; the settings of the address come last and win. Plans are made once for each
/// statement, for any values: texts are made so that such a plan is the right one, and a plan for the values at hand would
/// cost more than most statements do.
fn with_options(config: &Config) -> String {
    format!(
        "-c statement_timeout={STATEMENT_TIMEOUT_MS} -c lock_timeout={LOCK_TIMEOUT_MS} \
         -c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_MS} -c timezone=UTC \
         -c default_text_search_config=simple -c plan_cache_mode=force_generic_plan {}",
        config.get_options().unwrap_or_default()
    )
}

/// Verifies the server's name and its certificate, against a CA of the deployment's own or the public ones.
fn connector(ca: Option<&Path>) -> anyhow::Result<ClientConfig> {
    let mut trusted = RootCertStore::empty();
    match ca {
        None => trusted.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            for certificate in
                CertificateDer::pem_file_iter(path).with_context(|| format!("certificates of {}", path.display()))?
            {
                trusted.add(certificate.with_context(|| format!("certificates of {}", path.display()))?)?;
            }
            anyhow::ensure!(!trusted.is_empty(), "{} holds no certificate", path.display());
        }
    }
    let provider = Arc::new(crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(trusted).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str, plain_text: bool) -> Result<bool, String> {
        let transport = Transport { ca: None, plain_text };
        Address::parse(url, &transport, &[]).map(|address| address.tls.is_some()).map_err(|error| error.to_string())
    }

    #[test]
    fn plain_text_stays_on_this_machine() {
        for here in ["127.0.0.1:5599", "localhost", "[::1]", "%2Frun%2Fpostgresql"] {
            assert_eq!(parse(&format!("postgres://stoa@{here}/stoa"), false), Ok(false), "{here}");
        }
        assert_eq!(parse("postgres://stoa@db.example/stoa", false), Ok(true));
        for mode in ["disable", "allow", "prefer"] {
            let url = format!("postgres://stoa:s3cret@db.example/stoa?sslmode={mode}");
            let refused = parse(&url, false).expect_err("plain text to another machine");
            assert!(refused.contains("plain text") && !refused.contains("s3cret"), "{refused}");
            assert_eq!(parse(&url, true), Ok(false));
        }
        for mode in ["require", "verify-ca", "verify-full"] {
            assert_eq!(parse(&format!("postgres://stoa@localhost/stoa?sslmode={mode}"), false), Ok(true));
        }
        assert!(parse("postgres://stoa@localhost/stoa?sslmode=none", false).is_err());
    }

    #[test]
    fn several_servers_have_one_primary() {
        let read = |url: &str| Address::parse(url, &Transport::default(), &[]).map_err(|error| error.to_string());
        let pair = read("postgres://stoa:s3cret@localhost:6001,[::1]:6002/stoa").unwrap();
        assert!(pair.members.primary_only && pair.options.primary_only);
        let ports: Vec<&[u16]> = pair.members.iter().map(Config::get_ports).collect();
        assert_eq!(ports, [[6001], [6002]]);
        let options: Vec<(&str, u16)> = pair.options.iter().map(|one| (one.get_host(), one.get_port())).collect();
        assert_eq!(options, [("localhost", 6001), ("[::1]", 6002)]);
        for (parameter, primary_only) in
            [("", false), ("?target_session_attrs=read-write", true), ("?target_session_attrs=any", false)]
        {
            assert_eq!(
                read(&format!("postgres://stoa@localhost/stoa{parameter}")).unwrap().members.primary_only,
                primary_only
            );
        }
        for wrong in ["?target_session_attrs=any", "?target_session_attrs=standby", "?port=6003", "?host=db"] {
            let refused = read(&format!("postgres://stoa:s3cret@localhost,[::1]/stoa{wrong}")).err().unwrap();
            assert!(!refused.contains("s3cret"), "{refused}");
        }
        assert_eq!(parse("postgres://stoa@localhost,db.example/stoa", false), Ok(true), "one of them is elsewhere");
    }
}
