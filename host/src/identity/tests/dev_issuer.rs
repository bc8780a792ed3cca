//! The dev issuer: its key file, its documents, and that its tokens take the same road as any other's.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Barrier;
use std::time::Duration;

use serde_json::json;

use super::super::{Clock, CredentialRefusal, DEV_AUDIENCE, DEV_ISSUER, DevIssuer, DevIssuerError, Verifier};
use super::STRANGE_KEY;

const HOUR: Duration = Duration::from_secs(3600);

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        Folder(std::env::temp_dir().join(format!("stoa-dev-issuer-{}", uuid::Uuid::new_v4())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn verifier(issuer: &DevIssuer) -> Verifier {
    Verifier::new(vec![issuer.settings()], HOUR, Clock::system()).expect("good settings")
}

#[tokio::test]
async fn its_tokens_verify_across_starts() {
    let folder = Folder::new();
    assert!(matches!(DevIssuer::load(&folder.0), Err(DevIssuerError::NoKey(_))));
    let first = DevIssuer::load_or_create(&folder.0).expect("a new key");
    let mode = fs::metadata(folder.0.join("issuer.key")).expect("the key file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let pem = fs::read_to_string(folder.0.join("issuer.key")).expect("the key file");
    assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n") && pem.lines().all(|line| line.len() <= 64));

    let later = DevIssuer::load_or_create(&folder.0).expect("the same key");
    let command = DevIssuer::load(&folder.0).expect("the same key");
    assert_eq!(first.jwks(), later.jwks());
    let token = command.mint("alice@example.test", HOUR, DEV_AUDIENCE, DEV_ISSUER).expect("a token");
    let alice = verifier(&later).verify(&token).await.expect("a good token");
    assert_eq!(alice.issuer, DEV_ISSUER);
    assert_eq!(alice.email, "alice@example.test");
    assert_eq!(alice.name.as_deref(), Some("alice"));

    // One address is one user, however it is written and whenever the token was made.
    let again = first.mint("Alice@Example.test", 2 * HOUR, DEV_AUDIENCE, DEV_ISSUER).expect("a token");
    let bob = first.mint("bob@example.test", HOUR, DEV_AUDIENCE, DEV_ISSUER).expect("a token");
    assert_eq!(verifier(&first).verify(&again).await.expect("a good token").subject, alice.subject);
    assert_ne!(verifier(&first).verify(&bob).await.expect("a good token").subject, alice.subject);
}

const EXPIRED: CredentialRefusal = CredentialRefusal::Explained("The token has expired.");
const ELSEWHERE: CredentialRefusal = CredentialRefusal::Explained("The token is for another audience.");

#[tokio::test]
async fn its_tokens_are_refused_like_any_other() {
    let (folder, other_folder) = (Folder::new(), Folder::new());
    let ours = DevIssuer::load_or_create(&folder.0).expect("a key");
    let other = DevIssuer::load_or_create(&other_folder.0).expect("a key");
    let verifier = verifier(&ours);
    let email = "alice@example.test";
    for token in [
        other.mint(email, HOUR, DEV_AUDIENCE, DEV_ISSUER),
        ours.mint(email, HOUR, "other", DEV_ISSUER),
        ours.mint(email, HOUR, DEV_AUDIENCE, "https://issuer.example.test"),
        ours.mint(email, Duration::ZERO, DEV_AUDIENCE, DEV_ISSUER),
    ] {
        let verdict = verifier.verify(&token.expect("a token")).await;
        let refused = [CredentialRefusal::Unauthenticated, STRANGE_KEY, EXPIRED, ELSEWHERE];
        assert!(verdict.as_ref().is_err_and(|refusal| refused.contains(refusal)), "{verdict:?}");
    }
    for no_address in ["", "alice", "@example.test", "alice@example.test\0", "alice bob@example.test"] {
        assert!(matches!(ours.mint(no_address, HOUR, DEV_AUDIENCE, DEV_ISSUER), Err(DevIssuerError::Email)));
    }
}

#[test]
fn its_documents_say_where_the_keys_are() {
    let folder = Folder::new();
    let issuer = DevIssuer::load_or_create(&folder.0).expect("a key");
    let discovery = issuer.discovery("http://127.0.0.1:8080/dev/issuer");
    assert_eq!(discovery["issuer"], DEV_ISSUER);
    assert_eq!(discovery["jwks_uri"], "http://127.0.0.1:8080/dev/issuer/jwks.json");
    let jwks = issuer.jwks();
    assert_eq!(jwks["keys"][0]["alg"], json!("ES256"));
    assert!(jwks["keys"][0].get("d").is_none(), "the private key stays at home");
}

#[test]
fn many_processes_that_start_at_once_share_one_key() {
    for _ in 0..50 {
        let (folder, start) = (Folder::new(), Barrier::new(4));
        let kids: Vec<_> = std::thread::scope(|scope| {
            let begin = || {
                start.wait();
                DevIssuer::load_or_create(&folder.0).expect("a key").jwks()
            };
            let starting: Vec<_> = (0..4).map(|_| scope.spawn(begin)).collect();
            starting.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(kids.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn a_file_that_is_no_key_is_reported_and_kept() {
    let folder = Folder::new();
    fs::create_dir_all(&folder.0).expect("a folder");
    let path = folder.0.join("issuer.key");
    for content in ["x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        fs::write(&path, content).expect("a file");
        assert!(matches!(DevIssuer::load(&folder.0), Err(DevIssuerError::BadKey(_))));
        assert!(matches!(DevIssuer::load_or_create(&folder.0), Err(DevIssuerError::BadKey(_))));
        assert_eq!(fs::read_to_string(&path).expect("the file"), content);
    }
    // A host that died between making the file and writing the key leaves it empty; the next one goes on.
    fs::write(&path, "").expect("a file");
    assert!(matches!(DevIssuer::load(&folder.0), Err(DevIssuerError::NoKey(_))));
    assert!(DevIssuer::load_or_create(&folder.0).is_ok());
}
