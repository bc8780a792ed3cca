//! JWKS documents: which keys of a set are used, and which sets are refused whole.

use serde_json::{Value, json};

use super::super::keys::{KeySet, KeySetFault};
use super::signer::{Signer, base64url, jwks, with, without};

fn read(document: &Value) -> Result<KeySet, KeySetFault> {
    KeySet::read(document.as_object().expect("an object"))
}

fn fault(document: &Value) -> Option<KeySetFault> {
    read(document).err()
}

#[test]
fn a_set_that_is_none_is_refused_whole() {
    let [rs, ps, es, ed] = &Signer::one_of_each();
    assert_eq!(fault(&json!({})), Some(KeySetFault::Shape));
    assert_eq!(fault(&json!({ "keys": null })), Some(KeySetFault::Shape));
    assert_eq!(fault(&json!({ "keys": es.jwk })), Some(KeySetFault::Shape));
    assert_eq!(fault(&json!({ "keys": [es.jwk, "x"] })), Some(KeySetFault::Shape));
    assert_eq!(fault(&json!({ "keys": [] })), Some(KeySetFault::NoKey));
    assert_eq!(fault(&jwks([rs, ps, es, ed])), None);

    assert_eq!(fault(&jwks([es, &Signer::es256("es")])), Some(KeySetFault::RepeatedKid));
    assert_eq!(fault(&jwks([es, ed, es])), Some(KeySetFault::RepeatedKid));
    assert_eq!(fault(&jwks([rs, &Signer::eddsa("rs")])), Some(KeySetFault::RepeatedKid));
    // Two names alike matter only between keys that could be mistaken for each other.
    let encrypts = with(&Signer::es256("es").jwk, "use", "enc");
    assert_eq!(fault(&json!({ "keys": [es.jwk, encrypts] })), None);
}

#[test]
fn keys_that_cannot_verify_are_left_out() {
    let [rs, _, es, ed] = &Signer::one_of_each();
    let secret = json!({ "kty": "oct", "kid": "k", "k": base64url([7; 32]), "alg": "HS256" });
    let even = base64url([[0xff; 255].as_slice(), &[0xfe]].concat());
    let unusable = [
        ("symmetric", secret),
        ("no type", without(&es.jwk, "kty")),
        ("type a number", with(&es.jwk, "kty", 1)),
        ("unknown type", with(&es.jwk, "kty", "LATTICE")),
        ("type in other letters", with(&es.jwk, "kty", "ec")),
        ("for encryption", with(&es.jwk, "use", "enc")),
        ("use a number", with(&es.jwk, "use", 1)),
        ("for signing only", with(&without(&es.jwk, "use"), "key_ops", json!(["sign"]))),
        ("key_ops no array", with(&es.jwk, "key_ops", "verify")),
        ("a private key", with(&es.jwk, "d", base64url([1; 32]))),
        ("kid a number", with(&es.jwk, "kid", 1)),
        ("alg of HMAC", with(&es.jwk, "alg", "HS256")),
        ("alg none", with(&rs.jwk, "alg", "none")),
        ("alg of another type", with(&es.jwk, "alg", "RS256")),
        ("alg of RSA encryption", with(&rs.jwk, "alg", "RSA-OAEP")),
        ("curve P-384", with(&es.jwk, "crv", "P-384")),
        ("no curve", without(&es.jwk, "crv")),
        ("no y", without(&es.jwk, "y")),
        ("x too short", with(&es.jwk, "x", base64url([1; 31]))),
        ("x too long", with(&es.jwk, "x", base64url([1; 33]))),
        ("x no base64url", with(&es.jwk, "x", "+/+/")),
        ("a point that is not on the curve", with(&es.jwk, "x", base64url([1; 32]))),
        ("the point at infinity", with(&with(&es.jwk, "x", base64url([0; 32])), "y", base64url([0; 32]))),
        ("Ed448", with(&ed.jwk, "crv", "Ed448")),
        ("X25519", with(&ed.jwk, "crv", "X25519")),
        ("Ed25519 too short", with(&ed.jwk, "x", base64url([1; 31]))),
        ("RSA without n", without(&rs.jwk, "n")),
        ("RSA without e", without(&rs.jwk, "e")),
        ("RSA of 1024 bits", with(&rs.jwk, "n", base64url([0xff; 128]))),
        ("RSA of 2047 bits", with(&rs.jwk, "n", base64url([[0x7f].as_slice(), &[0xff; 255]].concat()))),
        ("RSA of 1024 bits and zeros", with(&rs.jwk, "n", base64url([[0; 128].as_slice(), &[0xff; 128]].concat()))),
        ("RSA of 16384 bits", with(&rs.jwk, "n", base64url([0xff; 2048]))),
        ("RSA with an even modulus", with(&rs.jwk, "n", even)),
        ("RSA with e = 0", with(&rs.jwk, "e", base64url([0]))),
        ("RSA with e = 1", with(&rs.jwk, "e", base64url([1]))),
        ("RSA with e = 2", with(&rs.jwk, "e", base64url([2]))),
        ("RSA with e = 65536", with(&rs.jwk, "e", base64url([1, 0, 0]))),
        ("RSA with an empty e", with(&rs.jwk, "e", "")),
        ("RSA with a huge e", with(&rs.jwk, "e", base64url([0xff; 256]))),
        ("RSA with e of 34 bits", with(&rs.jwk, "e", base64url([2, 0, 0, 0, 1]))),
    ];
    for (name, jwk) in unusable {
        assert_eq!(fault(&json!({ "keys": [jwk] })), Some(KeySetFault::NoKey), "{name}");
        // Next to a good key it does no harm.
        let other = Signer::es256("other");
        let set = read(&json!({ "keys": [jwk, other.jwk] })).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert!(set.find(Some("other")).is_some() && set.find(None).is_some(), "{name}");
    }
}

#[test]
fn keys_in_unusual_but_lawful_dress_are_used() {
    let [rs, ps, es, ed] = &Signer::one_of_each();
    let padded = [[0].as_slice(), &base64url_bytes(&rs.jwk, "n")].concat();
    let lawful = [
        ("no use", without(&es.jwk, "use")),
        ("no alg", without(&rs.jwk, "alg")),
        ("no kid", without(&es.jwk, "kid")),
        ("key_ops", with(&without(&es.jwk, "use"), "key_ops", json!(["verify"]))),
        ("a leading zero in n", with(&rs.jwk, "n", base64url(padded))),
        ("e = 3", with(&ps.jwk, "e", base64url([3]))),
        ("Ed25519 as RFC 9864 names it", with(&ed.jwk, "alg", "Ed25519")),
        ("certificates next to it", with(&es.jwk, "x5c", json!(["MIIB"]))),
    ];
    for (name, jwk) in lawful {
        assert_eq!(fault(&json!({ "keys": [jwk] })), None, "{name}");
    }
}

#[test]
fn a_thumbprint_changes_with_the_key_its_name_and_its_purpose() {
    let rs = Signer::rs256("k", 0);
    let thumbprint = |jwk: Value| read(&json!({ "keys": [jwk] })).expect("a key").find(None).expect("a key").thumbprint;
    let original = thumbprint(rs.jwk.clone());
    assert_eq!(thumbprint(with(&rs.jwk, "x5t", "other")), original);
    for changed in [
        with(&rs.jwk, "kid", "other"),
        without(&rs.jwk, "kid"),
        with(&rs.jwk, "alg", "PS256"),
        with(&rs.jwk, "e", base64url([3])),
        Signer::rs256("k", 1).jwk,
    ] {
        assert_ne!(thumbprint(changed), original);
    }
}

fn base64url_bytes(jwk: &Value, member: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(jwk[member].as_str().expect("text")).expect("base64url")
}
