//! Admission: a vetter's signed word that one artifact may run in this deployment. It is checked before a byte of the artifact
//! is compiled, offline, with the keys that the deployment's settings name.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use stoa_descriptor::names::NamePattern;

use super::reach::Reach;
use super::refusal::Refusal;
use crate::secret_file;

/// Prefix of the bytes that are signed, so that a signature can be taken for nothing else.
const DOMAIN: &[u8] = b"stoa module admission v1\n";
const KEY_PREFIX: &str = "stoa-signing-key";

/// Role of a vetter: the deployment itself, or another party that it lets in. One partner's key is enough to harden the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Deployment,
    Partner,
}

/// The signed statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// SHA-256 of the component's bytes, in hex.
    pub artifact: String,
    pub name: String,
    pub version: String,
    /// SHA-256 of the descriptor's text, in hex.
    pub descriptor: String,
    pub signer: String,
    pub role: Role,
}

/// A statement and its signature: the file that `stoa module sign` writes next to a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admission {
    /// The statement as JSON: these very bytes are signed.
    pub statement: String,
    /// Ed25519, in hex.
    pub signature: String,
}

/// A key that a deployment trusts: `name:role:hex`, or `name:role:hex:NAMES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    pub name: String,
    pub role: Role,
    key: [u8; 32],
    /// Reach of the entry. Absent: every module, of the deployment's own; of a partner's those that no other's bytes are active for.
    reach: Option<Reach>,
}

/// A vetter's secret: `stoa-signing-key:name:role:hex`, in a file that no other user can read.
pub struct SigningKey {
    signer: Signer,
    seed: [u8; 32],
}

impl Admission {
    /// The statement and who made it, if that is a trusted signer, who may bring this module, about an artifact of this digest.
    pub fn verify<'a>(&self, digest: &[u8; 32], trusted: &'a [Signer]) -> Result<(Statement, &'a Signer), Refusal> {
        let untrusted = |why: &str| Refusal::new("SIGNER_UNTRUSTED", why).with_status(StatusCode::FORBIDDEN);
        let statement: Statement = serde_json::from_str(&self.statement)
            .map_err(|_| Refusal::new("SIGNATURE_MISSING", "the admission holds no statement"))?;
        // A signer has two keys while one takes the place of the other.
        let mut keys =
            trusted.iter().filter(|signer| signer.name == statement.signer && signer.role == statement.role).peekable();
        if keys.peek().is_none() {
            return Err(untrusted("no trusted key has the statement's signer and role"));
        }
        let signature = hex::decode(&self.signature).map_err(|_| untrusted("the signature is no hex"))?;
        let signed = signed_bytes(&self.statement);
        let signer = keys
            .find(|signer| UnparsedPublicKey::new(&ED25519, signer.key).verify(&signed, &signature).is_ok())
            .ok_or_else(|| untrusted("the signature is not the signer's"))?;
        if statement.artifact != hex::encode(digest) {
            return Err(Refusal::new("DIGEST_MISMATCH", "the statement is about another artifact"));
        }
        if !signer.may_bring(&statement.name) {
            let what = format!("{} may bring no module `{}`", signer.name, statement.name);
            return Err(Refusal::new("SIGNER_OUT_OF_REACH", what).with_status(StatusCode::FORBIDDEN));
        }
        Ok((statement, signer))
    }
}

impl Signer {
    fn may_bring(&self, module: &str) -> bool {
        self.reach.as_ref().is_none_or(|reach| reach.has_module(module))
    }

    /// Returns whether a module of this signer may offer a service, `commerce:area/interface`. Its own name is always its own.
    pub fn may_offer(&self, module: &str, service: &str) -> bool {
        let service = service.strip_prefix("commerce:").unwrap_or(service);
        service.split_once('/').is_some_and(|(area, _)| area == module)
            || match &self.reach {
                Some(reach) => reach.has_service(service),
                None => self.role == Role::Deployment,
            }
    }

    /// Returns whether its modules may call a service, `commerce:area/interface`, for callers who lack what the service needs.
    pub fn may_act_in(&self, service: &str) -> bool {
        let service = service.strip_prefix("commerce:").unwrap_or(service);
        self.role == Role::Deployment || self.reach.as_ref().is_some_and(|reach| reach.acts_in(service))
    }

    /// Words with which names may begin that modules of this signer introduce, besides their own.
    pub fn granted_names(&self) -> &[NamePattern] {
        self.reach.as_ref().map_or(&[], Reach::names)
    }

    /// Returns whether names of this partner's modules may begin with a word that is not their own.
    pub fn may_name(&self, word: &str) -> bool {
        self.role == Role::Deployment || self.granted_names().iter().any(|pattern| pattern.fits(word))
    }

    /// Returns whether it may take the place of a module that another signed, once an operator allows the change.
    pub fn may_replace_others(&self) -> bool {
        self.role == Role::Deployment || self.reach.is_some()
    }
}

impl Statement {
    /// Checks that the artifact's name, version and descriptor are the signed ones.
    pub fn describes(&self, name: &str, version: &str, descriptor: &str) -> Result<(), Refusal> {
        let differs = |what| Err(Refusal::new("DIGEST_MISMATCH", format!("the statement has another {what}")));
        if self.name != name {
            return differs("name");
        }
        if self.version != version {
            return differs("version");
        }
        if self.descriptor != hex::encode(Sha256::digest(descriptor)) {
            return differs("descriptor");
        }
        Ok(())
    }
}

impl SigningKey {
    pub fn generate(name: &str, role: Role) -> anyhow::Result<SigningKey> {
        SigningKey::from_seed(name, role, secret_file::random()?)
    }

    fn from_seed(name: &str, role: Role, seed: [u8; 32]) -> anyhow::Result<SigningKey> {
        anyhow::ensure!(
            super::describe::is_name(name, 64, b"-."),
            "`{name}` is no name: lower-case letters, digits, - and ."
        );
        let pair = pair(&seed)?;
        let key = pair.public_key().as_ref().try_into()?;
        Ok(SigningKey { signer: Signer { name: name.to_string(), role, key, reach: None }, seed })
    }

    /// The signer for the settings of a deployment that trusts this key.
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The admission of a component that describes itself by this text.
    pub fn sign(&self, artifact: &[u8], name: &str, version: &str, descriptor: &str) -> anyhow::Result<Admission> {
        let statement = serde_json::to_string(&Statement {
            artifact: hex::encode(Sha256::digest(artifact)),
            name: name.to_string(),
            version: version.to_string(),
            descriptor: hex::encode(Sha256::digest(descriptor)),
            signer: self.signer.name.clone(),
            role: self.signer.role,
        })?;
        let signature = hex::encode(pair(&self.seed)?.sign(&signed_bytes(&statement)));
        Ok(Admission { statement, signature })
    }

    /// The Ed25519 signature of a list of checksums, as `sha256sum` writes it. Its bytes are signed without a prefix, so that
    /// `openssl` verifies them: a line of digits is never the beginning of a statement.
    pub fn sign_list(&self, list: &str) -> anyhow::Result<Vec<u8>> {
        let is_line = |line: &str| {
            let (digest, name) = line.split_once("  ").unwrap_or_default();
            digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) && !name.is_empty()
        };
        anyhow::ensure!(
            !list.is_empty() && list.lines().all(is_line),
            "no list of SHA-256 sums, each with two spaces and a name"
        );
        Ok(pair(&self.seed)?.sign(list.as_bytes()).as_ref().to_vec())
    }

    /// The key's file. It is a secret.
    pub fn text(&self) -> String {
        format!("{KEY_PREFIX}:{}:{}:{}\n", self.signer.name, self.signer.role, hex::encode(self.seed))
    }
}

impl FromStr for SigningKey {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<SigningKey> {
        let wrong = || anyhow::anyhow!("no signing key of `stoa module keygen`");
        let rest = text.trim().strip_prefix(KEY_PREFIX).and_then(|rest| rest.strip_prefix(':')).ok_or_else(wrong)?;
        let (name, role, seed) = parts(rest).ok_or_else(wrong)?;
        SigningKey::from_seed(name, role, seed)
    }
}

impl FromStr for Signer {
    type Err = String;

    fn from_str(text: &str) -> Result<Signer, String> {
        let (key, names) = match text.match_indices(':').nth(2) {
            Some((colon, _)) => (&text[..colon], Some(&text[colon + 1..])),
            None => (text, None),
        };
        let (name, role, key) = parts(key).ok_or(
            "a trusted signer is name:role:hex, as `stoa module keygen` prints it, or name:role:hex:NAMES, joined by +",
        )?;
        let reach = names.map(str::parse).transpose()?;
        Ok(Signer { name: name.to_string(), role, key, reach })
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.name, self.role, hex::encode(self.key))?;
        self.reach.as_ref().map_or(Ok(()), |reach| write!(out, ":{reach}"))
    }
}

impl Serialize for Signer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Role::Deployment => "deployment",
            Role::Partner => "partner",
        })
    }
}

fn parts(text: &str) -> Option<(&str, Role, [u8; 32])> {
    let mut parts = text.split(':');
    let (name, role, key) = (parts.next()?, parts.next()?, parts.next()?);
    let role = match role {
        "deployment" => Role::Deployment,
        "partner" => Role::Partner,
        _ => return None,
    };
    let known = !name.is_empty() && parts.next().is_none();
    known.then_some((name, role, hex::decode(key).ok()?.try_into().ok()?))
}

fn pair(seed: &[u8; 32]) -> anyhow::Result<Ed25519KeyPair> {
    Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| anyhow::anyhow!("a seed that makes no key"))
}

fn signed_bytes(statement: &str) -> Vec<u8> {
    [DOMAIN, statement.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_component() -> (Vec<u8>, SigningKey, Admission) {
        let bytes = b"a component".to_vec();
        let key = SigningKey::generate("acme", Role::Partner).expect("a key");
        let admission = key.sign(&bytes, "pricing", "1.2.0", "{}").expect("a signature");
        (bytes, key, admission)
    }

    fn digest(bytes: &[u8]) -> [u8; 32] {
        Sha256::digest(bytes).into()
    }

    #[test]
    fn a_key_comes_back_from_its_file_and_its_signer_from_the_settings() {
        let (bytes, key, admission) = sign_component();
        let again: SigningKey = key.text().parse().expect("the key's file");
        assert_eq!(again.sign(&bytes, "pricing", "1.2.0", "{}").expect("a signature"), admission);
        let signer: Signer = key.signer().to_string().parse().expect("the setting");
        let signers = [signer];
        let (statement, _) = admission.verify(&digest(&bytes), &signers).expect("admitted");
        assert_eq!(statement.describes("pricing", "1.2.0", "{}"), Ok(()));
    }

    #[test]
    fn whatever_was_touched_is_refused() {
        let (bytes, key, admission) = sign_component();
        let trusted = [key.signer().clone()];
        let code = |admission: &Admission, bytes: &[u8], trusted: &[Signer]| {
            admission.verify(&digest(bytes), trusted).expect_err("refused").code
        };
        let stranger = SigningKey::generate("acme", Role::Partner).expect("a key");
        let promoted = Signer { role: Role::Deployment, ..key.signer().clone() };
        assert_eq!(code(&admission, b"another component", &trusted), "DIGEST_MISMATCH");
        assert_eq!(code(&admission, &bytes, &[]), "SIGNER_UNTRUSTED");
        assert_eq!(code(&admission, &bytes, &[stranger.signer().clone()]), "SIGNER_UNTRUSTED");
        assert_eq!(code(&admission, &bytes, &[promoted]), "SIGNER_UNTRUSTED");
        for (statement, signature, expected) in [
            (admission.statement.replace("1.2.0", "1.2.1"), admission.signature.clone(), "SIGNER_UNTRUSTED"),
            (admission.statement.clone() + " ", admission.signature.clone(), "SIGNER_UNTRUSTED"),
            (
                admission.statement.clone(),
                admission.signature.replace(&admission.signature[..2], "zz"),
                "SIGNER_UNTRUSTED",
            ),
            (admission.statement.clone(), String::new(), "SIGNER_UNTRUSTED"),
            ("{}".into(), admission.signature.clone(), "SIGNATURE_MISSING"),
        ] {
            assert_eq!(code(&Admission { statement, signature }, &bytes, &trusted), expected);
        }
        let (statement, _) = admission.verify(&digest(&bytes), &trusted).expect("admitted");
        for (name, version, descriptor) in
            [("prices", "1.2.0", "{}"), ("pricing", "1.3.0", "{}"), ("pricing", "1.2.0", "{ }")]
        {
            assert_eq!(statement.describes(name, version, descriptor).expect_err("differs").code, "DIGEST_MISMATCH");
        }
    }

    #[test]
    fn a_signer_brings_what_its_entry_names() {
        let (bytes, key, admission) = sign_component();
        let entry = |names: &str| format!("{}{names}", key.signer()).parse::<Signer>().expect("an entry");
        let brings = |names: &str| admission.verify(&digest(&bytes), &[entry(names)]).map(|_| ()).map_err(|it| it.code);
        for names in ["", ":pricing", ":loyalty-*+pri*", ":*"] {
            assert_eq!(brings(names), Ok(()), "{names}");
            assert_eq!(entry(names).to_string(), format!("{}{names}", key.signer()));
        }
        for names in [":loyalty-*", ":pricing-*", ":pricing/prices"] {
            assert_eq!(brings(names), Err("SIGNER_OUT_OF_REACH"), "{names}");
        }
        let offers = |names: &str, service: &str| entry(names).may_offer("pricing", service);
        assert!(offers("", "commerce:pricing/prices") && !offers("", "commerce:catalog/articles"));
        assert!(
            offers(":pricing+catalog/*", "commerce:catalog/articles") && !offers(":*", "commerce:catalog/articles")
        );
        let vendor = SigningKey::generate("vendor", Role::Deployment).expect("a key");
        assert!(vendor.signer().may_offer("pricing", "commerce:catalog/articles"));
        assert!(entry(":pricing").may_replace_others() && !entry("").may_replace_others());
        assert!(entry(":pricing+names:price").may_name("price") && !entry(":pricing").may_name("price"));
        assert!(!entry("").may_name("price") && vendor.signer().may_name("price"));
    }

    #[test]
    fn only_a_list_of_checksums_is_signed_without_a_prefix() {
        let key = SigningKey::generate("vendor", Role::Deployment).expect("a key");
        let list = format!("{}  stoa\n{}  modules/catalog.wasm\n", "0a".repeat(32), "1b".repeat(32));
        let signature = key.sign_list(&list).expect("a signature");
        assert!(UnparsedPublicKey::new(&ED25519, key.signer().key).verify(list.as_bytes(), &signature).is_ok());
        let statement = String::from_utf8(signed_bytes("{}")).expect("text");
        for other in ["", &statement, &format!("{list}{statement}"), &list.replace("  ", " "), &list[1..]] {
            assert!(key.sign_list(other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_signer_may_have_two_keys() {
        let (bytes, key, admission) = sign_component();
        let other = SigningKey::generate("acme", Role::Partner).expect("a key");
        let both = [other.signer().clone(), key.signer().clone()];
        assert!(admission.verify(&digest(&bytes), &both).is_ok());
    }

    #[test]
    fn what_is_no_signer_is_refused() {
        for text in ["", "acme", "acme:partner", "acme:owner:00", "acme:partner:00", ":partner:", "acme:partner:zz"] {
            assert!(text.parse::<Signer>().is_err(), "{text}");
        }
        let key = "00".repeat(32);
        for names in [":", ":Loyalty", ":a:b", ":a+"] {
            assert!(format!("acme:partner:{key}{names}").parse::<Signer>().is_err(), "{names}");
        }
    }
}
