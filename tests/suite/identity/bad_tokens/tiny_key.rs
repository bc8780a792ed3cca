//! An RSA key of 511 bits with a good signature: no library makes one any more, so its arithmetic stands here.

use aws_lc_rs::digest;
use serde_json::{Value as Json, json};
use stoa_tests::signer::base64url;

stoa_tests::tests![the_signature_is_good];

/// 512 bits, the lowest first.
type Number = [u64; 8];

const MODULUS: Number = [
    0xc7aa_873e_fbec_db45,
    0xe1a6_807b_3bfc_7d83,
    0x565c_09d9_8b1b_d089,
    0x7574_6b41_4346_a96c,
    0x4b5f_85d6_f3ed_2ac6,
    0x35ae_6258_b8f2_5287,
    0x48ea_a5e3_4db1_e3b8,
    0x6d1f_0d3b_ab03_103e,
];

/// The private exponent; the public one is 65537.
const EXPONENT: Number = [
    0x61b5_61bd_33aa_8295,
    0xb58a_6a49_fb3f_0bb7,
    0xcde9_e302_fafd_777b,
    0x68ec_5c14_662c_fe49,
    0x571f_c4c2_838c_62b2,
    0xd4c0_fae3_b557_5779,
    0x2897_bfb9_ff80_b98d,
    0x5d8f_552a_46bb_2eaf,
];

pub fn jwk(kid: &str) -> Json {
    let n = base64url(bytes(&MODULUS));
    json!({ "kty": "RSA", "n": n, "e": "AQAB", "kid": kid, "alg": "RS256", "use": "sig" })
}

pub fn token(kid: &str, claims: &Json) -> String {
    let header = json!({ "alg": "RS256", "typ": "at+jwt", "kid": kid });
    let signed = format!("{}.{}", base64url(header.to_string()), base64url(claims.to_string()));
    format!("{signed}.{}", base64url(signature(signed.as_bytes())))
}

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 8.2.1).
fn signature(message: &[u8]) -> [u8; 64] {
    const PREFIX: [u8; 19] = [48, 49, 48, 13, 6, 9, 96, 134, 72, 1, 101, 3, 4, 2, 1, 5, 0, 4, 32];
    let mut encoded = [0xff; 64];
    (encoded[0], encoded[1], encoded[12]) = (0, 1, 0);
    encoded[13..32].copy_from_slice(&PREFIX);
    encoded[32..].copy_from_slice(digest::digest(&digest::SHA256, message).as_ref());
    let message = number(&encoded);
    let mut power: Number = [1, 0, 0, 0, 0, 0, 0, 0];
    for bit in (0..512).rev() {
        power = product(&power, &power);
        if EXPONENT[bit / 64] >> (bit % 64) & 1 == 1 {
            power = product(&power, &message);
        }
    }
    bytes(&power)
}

/// The product modulo `MODULUS`, whose highest bit is free: nothing overflows.
fn product(a: &Number, b: &Number) -> Number {
    let mut result = [0; 8];
    for bit in (0..512).rev() {
        result = sum(&result, &result);
        if b[bit / 64] >> (bit % 64) & 1 == 1 {
            result = sum(&result, a);
        }
    }
    result
}

fn sum(a: &Number, b: &Number) -> Number {
    let (mut result, mut carry) = ([0; 8], false);
    for limb in 0..8 {
        let (low, first) = a[limb].overflowing_add(b[limb]);
        let (low, second) = low.overflowing_add(u64::from(carry));
        (result[limb], carry) = (low, first || second);
    }
    if result.iter().rev().ge(MODULUS.iter().rev()) {
        let mut borrow = false;
        for limb in 0..8 {
            let (low, first) = result[limb].overflowing_sub(MODULUS[limb]);
            let (low, second) = low.overflowing_sub(u64::from(borrow));
            (result[limb], borrow) = (low, first || second);
        }
    }
    result
}

fn number(bytes: &[u8; 64]) -> Number {
    std::array::from_fn(|limb| {
        let end = 64 - limb * 8;
        bytes[end - 8..end].iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
    })
}

fn bytes(number: &Number) -> [u8; 64] {
    std::array::from_fn(|index| number[7 - index / 8].to_be_bytes()[index % 8])
}

/// The arithmetic is right: what the public exponent makes of a signature is the encoded message.
fn the_signature_is_good() {
    let signature = number(&signature(b"message"));
    let mut power = signature;
    for _ in 0..16 {
        power = product(&power, &power);
    }
    let opened = bytes(&product(&power, &signature));
    assert_eq!(opened[..2], [0, 1]);
    assert_eq!(opened[32..], *digest::digest(&digest::SHA256, b"message").as_ref());
}
