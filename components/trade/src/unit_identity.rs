//! The permanent identities of serial units: what a serial number and an IMEI are, how they compare, and how a body states a new
//! unit.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Item, item, text_enum};

use crate::goods::{Condition, Grade};

text_enum! {
    /// All IMEIs share one space, whichever slot they are in.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum IdentityKind { Serial => "SERIAL", Imei => "IMEI" }
}

text_enum! {
    /// Which of a unit's identities it is.
    #[allow(missing_docs, reason = "as above")]
    pub enum IdentitySlot { SerialNumber => "SERIAL_NUMBER", Imei1 => "IMEI1", Imei2 => "IMEI2" }
}

/// Serial numbers. Makers' numbers can collide: a prefix as in `ACME:00003` distinguishes them.
pub const SERIAL: &str = "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$";

/// 15 plain digits; the check digit and that not all are zero is checked when they are read.
pub const IMEI: &str = "^[0-9]{15}$";

/// In which space the identity of a slot is unique.
pub fn kind(slot: IdentitySlot) -> IdentityKind {
    if slot == IdentitySlot::SerialNumber { IdentityKind::Serial } else { IdentityKind::Imei }
}

fn member(slot: IdentitySlot) -> &'static str {
    match slot {
        IdentitySlot::SerialNumber => "serialNumber",
        IdentitySlot::Imei1 => "imei1",
        IdentitySlot::Imei2 => "imei2",
    }
}

/// A new unit, with at least one of serial number and IMEIs.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnitInput {
    /// Unique in the company for ever, ignoring case. If two manufacturers use the same serial number, add a prefix:
    /// `ACME:00003`.
    #[schemars(regex(pattern = SERIAL))]
    pub serial_number: Option<String>,
    /// 15 digits including the check digit. Unique in the company for ever, together with all other IMEIs.
    #[schemars(regex(pattern = IMEI))]
    pub imei1: Option<String>,
    /// IMEI of the second modem; must differ from `imei1`.
    #[schemars(regex(pattern = IMEI))]
    pub imei2: Option<String>,
    /// Required if the variant has no condition; otherwise omitted or equal to it.
    pub condition: Option<Condition>,
    /// Omitted: the grade of the variant.
    pub grade: Option<Grade>,
}

impl UnitInput {
    /// The stated identities, by slot.
    pub fn identities(&self) -> impl Iterator<Item = (IdentitySlot, &str)> {
        let slots = [
            (IdentitySlot::SerialNumber, &self.serial_number),
            (IdentitySlot::Imei1, &self.imei1),
            (IdentitySlot::Imei2, &self.imei2),
        ];
        slots.into_iter().filter_map(|(slot, value)| value.as_deref().map(|value| (slot, value)))
    }
}

/// How an identity is compared.
pub fn key(value: &str) -> String {
    value.to_ascii_lowercase()
}

/// 15 digits, not all zero, whose sum by Luhn ends in zero.
pub fn is_imei(text: &str) -> bool {
    text.len() == 15 && text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0') && {
        let sum: u32 = text
            .bytes()
            .enumerate()
            .map(|(index, byte)| {
                let digit = u32::from(byte - b'0');
                // Every second digit counts twice, its own digits summed.
                if index % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
            })
            .sum();
        sum.is_multiple_of(10)
    }
}

/// The faults of units that the schema cannot find, below their pointers: check digits, none or one identity twice, also
/// between units.
pub fn find_faults<'a>(units: impl IntoIterator<Item = (String, &'a UnitInput)>) -> Vec<Item> {
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    for (unit_pointer, unit) in units {
        if unit.identities().next().is_none() {
            faults.push(item(unit_pointer.clone(), "REQUIRED"));
        }
        for (slot, value) in unit.identities() {
            let pointer = format!("{unit_pointer}/{}", member(slot));
            if kind(slot) == IdentityKind::Imei && !is_imei(value) {
                faults.push(item(pointer, "FORMAT"));
            } else if !seen.insert((kind(slot).as_str(), key(value))) {
                faults.push(item(pointer, "REPEATED"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e28_imeis_by_luhn() {
        for right in ["490154203237518", "356938035643809", "352099001761481"] {
            assert!(is_imei(right), "{right}");
        }
        for wrong in [
            "490154203237517",
            "49015420323751",
            "4901542032375180",
            "000000000000000",
            "49015420323751 ",
            "49-015420-323751",
            "\u{664}90154203237518",
            "",
        ] {
            assert!(!is_imei(wrong), "{wrong}");
        }
        // Every single wrong digit is found out.
        for index in 0..15 {
            for digit in b'0'..=b'9' {
                let mut text = b"490154203237518".to_vec();
                let same = text[index] == digit;
                text[index] = digit;
                assert_eq!(is_imei(std::str::from_utf8(&text).unwrap()), same);
            }
        }
    }

    fn unit(serial: Option<&str>, imei1: Option<&str>, imei2: Option<&str>) -> UnitInput {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        UnitInput { serial_number: owned(serial), imei1: owned(imei1), imei2: owned(imei2), ..UnitInput::default() }
    }

    #[test]
    fn faults_stand_at_their_places() {
        let units = [
            unit(None, None, None),
            unit(Some("ab-1"), Some("490154203237518"), Some("490154203237518")),
            unit(Some("AB-1"), None, None),
            unit(None, Some("356938035643809"), None),
            unit(None, None, Some("356938035643809")),
            unit(None, Some("490154203237517"), None),
        ];
        let faults = find_faults(units.iter().enumerate().map(|(index, unit)| (format!("/units/{index}"), unit)));
        let found: Vec<(&str, &str)> = faults.iter().map(|item| (item.pointer.as_str(), item.code.as_str())).collect();
        assert_eq!(
            found,
            [
                ("/units/0", "REQUIRED"),
                ("/units/1/imei2", "REPEATED"),
                ("/units/2/serialNumber", "REPEATED"),
                ("/units/4/imei2", "REPEATED"),
                ("/units/5/imei1", "FORMAT"),
            ]
        );
    }
}
