//! The challenge of a registry that asks for credentials (RFC 9110, 11.6.1; the token specification of the
//! distribution project): the password itself, or a token for which another server takes it.

use http::{HeaderMap, header};
use reqwest::Url;

use super::fault::RegistryFault;

/// A registry's demand.
#[derive(Debug, PartialEq, Eq)]
pub enum Challenge {
    Basic,
    /// The address that gives out tokens.
    Bearer(Url),
}

impl Challenge {
    /// The first that can be answered, of the headers of a response. A token comes before a password.
    pub fn read(headers: &HeaderMap) -> Result<Challenge, RegistryFault> {
        let stated = headers.get_all(header::WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        let stated: Vec<(&str, &str)> = stated.map(|text| text.split_once(' ').unwrap_or((text, ""))).collect();
        let find = |wanted: &str| stated.iter().find(|(scheme, _)| scheme.eq_ignore_ascii_case(wanted));
        if let Some((_, parameters)) = find("bearer") {
            return read_token_address(parameters).map(Challenge::Bearer);
        }
        let unknown = || RegistryFault::Malformed("the registry asks for no password and no token".to_owned());
        find("basic").map(|_| Challenge::Basic).ok_or_else(unknown)
    }
}

fn read_token_address(parameters: &str) -> Result<Url, RegistryFault> {
    let parameters = split_parameters(parameters);
    let value =
        |name: &str| parameters.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let realm = value("realm").and_then(|realm| Url::parse(realm).ok());
    let mut address =
        realm.ok_or_else(|| RegistryFault::Malformed("the registry's challenge has no realm".to_owned()))?;
    for name in ["service", "scope"] {
        if let Some(value) = value(name) {
            address.query_pairs_mut().append_pair(name, value);
        }
    }
    Ok(address)
}

/// `name="value"` and `name=value`, separated by commas. A comma between quotes is part of the value.
fn split_parameters(text: &str) -> Vec<(String, String)> {
    let (mut parameters, mut rest) = (Vec::new(), text);
    while let Some((name, after)) = rest.split_once('=') {
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(',').unwrap_or(after.len())),
        };
        parameters.push((name.trim_matches([',', ' ']).to_owned(), value.trim().to_owned()));
        rest = next;
    }
    parameters
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(stated: &[&'static str]) -> Result<Challenge, RegistryFault> {
        let mut headers = HeaderMap::new();
        for text in stated {
            headers.append(header::WWW_AUTHENTICATE, HeaderValue::from_static(text));
        }
        Challenge::read(&headers)
    }

    #[test]
    fn challenges_of_known_registries_are_read() {
        let docker =
            r#"Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull,push""#;
        let Ok(Challenge::Bearer(address)) = read(&["Basic realm=\"x\"", docker]) else { panic!("no token") };
        let asked: Vec<(String, String)> =
            address.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let expected = [("service", "registry.example"), ("scope", "repository:a/b:pull,push")];
        assert_eq!(asked, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(address.host_str(), Some("auth.example"));
        let Ok(Challenge::Bearer(address)) = read(&["bearer realm=https://auth.example/token, service=x"]) else {
            panic!("no token")
        };
        assert_eq!(address.as_str(), "https://auth.example/token?service=x");
        assert!(matches!(read(&["Basic realm=\"Registry Realm\""]), Ok(Challenge::Basic)));
        for stated in [&["Bearer service=\"x\""][..], &["Bearer realm=\"no address\""], &["Digest realm=\"x\""], &[]] {
            assert!(read(stated).is_err(), "{stated:?}");
        }
    }
}
