//! The header `Idempotency-Key`: a UUID of version 4 or 7, in the one spelling of RFC 4122.

use stoa_descriptor::Idempotency;
use uuid::Uuid;

use super::format;
use crate::problem::{Item, Problem};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub uuid: Uuid,
    /// Milliseconds since 1970 at which the caller made the key; only version 7 contains it.
    pub made_at: Option<u64>,
}

impl IdempotencyKey {
    /// 36 characters, RFC 4122 variant, version 4 or 7; nothing around it.
    pub fn parse(header: &[u8]) -> Option<IdempotencyKey> {
        let text = std::str::from_utf8(header).ok().filter(|text| format::is_uuid(text))?;
        let uuid = Uuid::parse_str(text).ok().filter(|uuid| uuid.get_variant() == uuid::Variant::RFC4122)?;
        match uuid.get_version_num() {
            4 => Some(IdempotencyKey { uuid, made_at: None }),
            7 => Some(IdempotencyKey { uuid, made_at: u64::try_from(uuid.as_u128() >> 80).ok() }),
            _ => None,
        }
    }
}

/// The key of a request, from all values of its header. An operation that takes none does not look at it. Two keys are
/// no key.
pub fn demand<'a>(
    rule: Idempotency,
    mut headers: impl Iterator<Item = &'a [u8]>,
) -> Result<Option<IdempotencyKey>, Problem> {
    if rule == Idempotency::None {
        return Ok(None);
    }
    let refusal = |code, item| Problem::new(code).with(vec![Item::new("/header/Idempotency-Key", item)]);
    match (headers.next(), headers.next()) {
        (None, _) if rule == Idempotency::Optional => Ok(None),
        (None, _) => Err(refusal("IDEMPOTENCY_KEY_REQUIRED", "REQUIRED")),
        (Some(header), None) => {
            IdempotencyKey::parse(header).map(Some).ok_or_else(|| refusal("IDEMPOTENCY_KEY_INVALID", "FORMAT"))
        }
        (Some(_), Some(_)) => Err(refusal("IDEMPOTENCY_KEY_INVALID", "REPEATED")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let v4 = IdempotencyKey::parse(b"0f8fad5b-d9cb-469f-a165-70867728950e").unwrap();
        assert_eq!(v4.made_at, None);
        let v7 = IdempotencyKey::parse(b"017F22E2-79B0-7CC3-98C4-DC0C0C07398F").unwrap();
        assert_eq!(v7.made_at, Some(1_645_557_742_000));
        assert_eq!(v7.uuid.to_string(), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
        for bad in [
            "",
            "x",
            "00000000-0000-0000-0000-000000000000",
            "017f22e2-79b0-1cc3-98c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-18c4-dc0c0c07398f",
            "017f22e279b07cc398c4dc0c0c07398f",
            "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
            " 017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f,017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        ] {
            assert_eq!(IdempotencyKey::parse(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(IdempotencyKey::parse(b"\xff17f22e2-79b0-7cc3-98c4-dc0c0c07398f"), None);
    }

    #[test]
    fn what_each_rule_demands() {
        let good: &[u8] = b"0f8fad5b-d9cb-469f-a165-70867728950e";
        let outcome = |rule, headers: &[&'static [u8]]| {
            let answer = demand(rule, headers.iter().copied());
            answer.map(|key| key.is_some()).map_err(|problem| problem.code.into_owned())
        };
        assert_eq!(outcome(Idempotency::None, &[b"x"]), Ok(false));
        assert_eq!(outcome(Idempotency::Optional, &[]), Ok(false));
        assert_eq!(outcome(Idempotency::Optional, &[good]), Ok(true));
        assert_eq!(outcome(Idempotency::Required, &[good]), Ok(true));
        assert_eq!(outcome(Idempotency::Required, &[]), Err("IDEMPOTENCY_KEY_REQUIRED".into()));
        for headers in [&[b"x" as &[u8]] as &[_], &[good, good]] {
            assert_eq!(outcome(Idempotency::Optional, headers), Err("IDEMPOTENCY_KEY_INVALID".into()));
        }
    }
}
