//! Sign-in at an issuer on loopback: the requests that it receives, and its faults.

use serde_json::{Value, json};
use stoa_console::host::{Arrival, SignInFault, Tokens};

use super::super::Issuer;
use super::super::sign_in::{ConsoleClient, SignIn};
use super::issuer_server::{IssuerServer, Manner};
use super::signer::AUDIENCE;

const CALLBACK: &str = "https://shop.example/console/callback";

fn sign_in(server: &IssuerServer, secret: Option<&str>) -> SignIn {
    let client = ConsoleClient {
        client_id: "console".to_owned(),
        client_secret: secret.map(str::to_owned),
        scopes: None,
        parameters: Some("resource=urn:stoa&prompt=login".to_owned()),
        name: None,
    };
    SignIn::new(&Issuer::new(&server.issuer, AUDIENCE), client).expect("good settings")
}

async fn exchange(sign_in: &SignIn, issuer: Option<&str>) -> Result<Tokens, SignInFault> {
    let arrival = Arrival { provider: 0, callback: CALLBACK, code: "c 1", verifier: "v", issuer };
    sign_in.exchange(&arrival).await
}

async fn server(status: u16, response: Value) -> IssuerServer {
    let server = IssuerServer::start(Manner::Status(404)).await;
    server.respond_with_tokens(status, response);
    server
}

#[tokio::test]
async fn a_code_is_exchanged_with_the_verifier() {
    let server = server(200, json!({ "access_token": "a", "token_type": "Bearer", "expires_in": 60 })).await;
    let public = sign_in(&server, None);
    let departure = public.depart(CALLBACK).await.expect("a departure");
    assert!(departure.location.starts_with(&format!("{}/authorize?response_type=code", server.issuer)));
    assert_eq!((departure.state.len(), departure.verifier.len()), (43, 43));
    let tokens = exchange(&public, None).await.expect("tokens");
    assert_eq!((tokens.access.as_str(), tokens.refresh, tokens.seconds), ("a", None, 60));
    exchange(&sign_in(&server, Some("s 1")), None).await.expect("tokens");
    public.refresh("r").await.expect("tokens");
    let requests = server.exchanges();
    let body = |index: usize| requests[index].split("\r\n\r\n").nth(1).unwrap_or_default();
    let form = "grant_type=authorization_code&code=c%201\
                &redirect_uri=https%3A%2F%2Fshop.example%2Fconsole%2Fcallback&code_verifier=v&resource=urn:stoa";
    assert_eq!(body(0), format!("{form}&client_id=console"));
    assert_eq!(body(1), form, "a secret identifies the client");
    // `console:s%201` in base64.
    assert!(requests[1].contains("Basic Y29uc29sZTpzJTIwMQ=="), "{}", requests[1]);
    assert_eq!(body(2), "grant_type=refresh_token&refresh_token=r&resource=urn:stoa&client_id=console");
    assert_eq!(server.discoveries(), 2, "the addresses are kept");
}

#[tokio::test]
async fn faults_of_an_issuer_are_told_apart() {
    for (status, response, expected) in [
        (400, json!({ "error": "invalid_grant" }), SignInFault::Rejected),
        (401, json!({ "error": "invalid_client" }), SignInFault::Rejected),
        (503, json!({}), SignInFault::Unreachable),
        (200, json!({ "id_token": "i" }), SignInFault::Unusable),
        (200, json!([]), SignInFault::Unusable),
    ] {
        let server = server(status, response.clone()).await;
        let fault = exchange(&sign_in(&server, None), None).await.err();
        assert_eq!(fault, Some(expected), "{status} {response}");
    }
    let gone = IssuerServer::start(Manner::HangUp).await;
    assert_eq!(exchange(&sign_in(&gone, None), None).await.err(), Some(SignInFault::Unusable), "no endpoints");
}

#[tokio::test]
async fn another_issuer_on_the_way_back_is_rejected() {
    let server = server(200, json!({ "access_token": "a", "token_type": "Bearer" })).await;
    assert_eq!(
        exchange(&sign_in(&server, None), Some("https://evil.example")).await.err(),
        Some(SignInFault::Rejected)
    );
    assert!(exchange(&sign_in(&server, None), Some(&server.issuer)).await.is_ok());
    server.configure("authorization_response_iss_parameter_supported", true);
    assert_eq!(exchange(&sign_in(&server, None), None).await.err(), Some(SignInFault::Rejected));
    assert_eq!(server.exchanges().len(), 1, "a code of another issuer is sent nowhere");
}
