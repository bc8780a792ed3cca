//! `stoa token check` says whether a host takes a token, and why not. Which rule finds which fault is in the host's unit tests
//! (host/src/identity/tests/explained.rs).

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;
use stoa_tests::company::{with, without};
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::{Database, Folder, Issuer, Signer, company, host, on_one_database};

// No database is asked.
on_one_database![
    a_token_of_the_dev_issuer_is_taken,
    a_missing_address_is_explained_with_userinfo,
    a_token_that_a_host_takes_passes,
    an_unknown_issuer_is_named,
];

const AUDIENCE: &str = "stoa-suite";

/// Exit status, and the text on stdout and stderr.
struct Checked {
    status: Option<i32>,
    said: String,
    error: String,
}

impl Checked {
    /// The line of a step.
    fn line(&self, verdict: &str, step: &str) -> &str {
        let found = self.said.lines().find(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some(verdict) && words.next() == Some(step)
        });
        found.unwrap_or_else(|| panic!("no step {verdict} {step}: {}{}", self.said, self.error))
    }
}

/// Runs the command with the token on stdin.
fn check(mut command: Command, token: &str) -> Checked {
    command.args(["token", "check"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("cannot run stoa");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    stdin.write_all(token.as_bytes()).expect("cannot write the token");
    drop(stdin);
    let output = child.wait_with_output().expect("stoa ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Checked { status: output.status.code(), said: text(output.stdout), error: text(output.stderr) }
}

/// A deployment that trusts the issuer; none of it runs.
fn deployment(folder: &Folder, issuer: &Issuer) -> Command {
    let file = format!("[[oidc]]\nissuer = \"{}\"\naudience = \"{AUDIENCE}\"\n", issuer.url);
    fs::write(folder.path().join("stoa.toml"), file).expect("cannot write stoa.toml");
    host::program_in(folder)
}

fn a_token_of_the_dev_issuer_is_taken(database: Database) {
    let shop = company(database);
    let checked = check(shop.host.command(), &format!("Bearer {}\n", shop.token));
    assert_eq!(checked.status, Some(0), "{}{}", checked.said, checked.error);
    checked.line("pass", "signature");
    checked.line("pass", "address");
    let mut by_flag = shop.host.command();
    let output = by_flag.args(["token", "check", "--token", shop.token.as_str()]).output().expect("cannot run stoa");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn a_token_that_a_host_takes_passes(_: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    issuer.tell_of_people(Manner::Keys(
        json!({ "sub": "alice", "email": "alice@reported.test", "email_verified": true }),
    ));
    let folder = Folder::new("token-check");
    let addressless = without(&without(&claims(&issuer.url, AUDIENCE, "alice"), "email"), "email_verified");
    let checked = check(deployment(&folder, &issuer), &signer.sign(&signer.header(), &addressless));
    assert_eq!(checked.status, Some(0), "{}{}", checked.said, checked.error);
    assert!(checked.line("pass", "issuer").contains(&issuer.url));
    checked.line("note", "userinfo");
    assert!(checked.line("pass", "address").contains("alice@reported.test"), "{}", checked.said);
    assert!(!folder.path().join("data").exists(), "it writes nothing");
}

fn a_missing_address_is_explained_with_userinfo(_: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    issuer.tell_of_people(Manner::Status(401));
    let folder = Folder::new("token-check");
    let addressless = without(&without(&claims(&issuer.url, AUDIENCE, "alice"), "email"), "email_verified");
    let checked = check(deployment(&folder, &issuer), &signer.sign(&signer.header(), &addressless));
    assert_eq!(checked.status, Some(1), "{}{}", checked.said, checked.error);
    checked.line("pass", "subject");
    let userinfo = checked.line("note", "userinfo");
    assert!(userinfo.contains("401") && userinfo.contains("RFC 8707"), "{userinfo}");
    let address = checked.line("FAIL", "address");
    assert!(address.contains("no claim \"email\"") && address.contains("identity-providers.md"), "{address}");
    assert!(checked.error.contains("rejects the token: address"), "{}", checked.error);
}

fn an_unknown_issuer_is_named(_: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let folder = Folder::new("token-check");
    let slash = with(&claims(&issuer.url, AUDIENCE, "alice"), json!({ "iss": format!("{}/", issuer.url) }));
    let checked = check(deployment(&folder, &issuer), &signer.sign(&signer.header(), &slash));
    assert_eq!(checked.status, Some(1), "{}{}", checked.said, checked.error);
    let line = checked.line("FAIL", "issuer");
    assert!(line.contains(&format!("{:?}", issuer.url)) && line.contains("character by character"), "{line}");
}
