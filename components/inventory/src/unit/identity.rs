//! The permanent identities of serial units: what a serial number and an IMEI are, how they compare, and the ledger that
//! keeps each of them for one unit of the company for ever.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::Clash;
use stoa_sdk::{Id, Instant, Item, Problem, item, new_ids};

use crate::unit::row::{Condition, Grade, IdentityKind, IdentitySlot, UnitIdentityRow};

/// Serial numbers. Makers' numbers can collide: `ACME:00003` tells them apart.
pub const SERIAL: &str = "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$";
/// 15 plain digits; the check digit and that not all are zero is checked when they are read.
pub const IMEI: &str = "^[0-9]{15}$";

/// Units of one request.
pub const MOST_UNITS: usize = 100;

fn kind(slot: IdentitySlot) -> IdentityKind {
    if slot == IdentitySlot::SerialNumber { IdentityKind::Serial } else { IdentityKind::Imei }
}

fn member(slot: IdentitySlot) -> &'static str {
    match slot {
        IdentitySlot::SerialNumber => "serialNumber",
        IdentitySlot::Imei1 => "imei1",
        IdentitySlot::Imei2 => "imei2",
    }
}

/// A new unit: at least one identity, any combination.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnitInput {
    /// Unique in the company for ever, ignoring case. Makers' numbers can collide: `ACME:00003` tells them apart.
    #[serde(default)]
    #[schemars(regex(pattern = SERIAL))]
    pub serial_number: Option<String>,
    /// 15 digits with their check digit. All IMEIs of the company share one space, for ever.
    #[serde(default)]
    #[schemars(regex(pattern = IMEI))]
    pub imei1: Option<String>,
    /// Of a second modem; differs from `imei1`.
    #[serde(default)]
    #[schemars(regex(pattern = IMEI))]
    pub imei2: Option<String>,
    /// Required where the variant states none; otherwise the variant's.
    #[serde(default)]
    pub condition: Option<Condition>,
    /// Omitted: the variant's.
    #[serde(default)]
    pub grade: Option<Grade>,
}

impl UnitInput {
    fn identities(&self) -> impl Iterator<Item = (IdentitySlot, &str)> {
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
            .map(|(at, byte)| {
                let digit = u32::from(byte - b'0');
                // Every second digit counts twice, its own digits summed.
                if at % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
            })
            .sum();
        sum.is_multiple_of(10)
    }
}

/// The faults of units that the schema cannot tell, below `at`: check digits, none or one identity twice, also between units.
pub fn faults<'a>(units: impl IntoIterator<Item = (String, &'a UnitInput)>) -> Vec<Item> {
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    for (at, unit) in units {
        if unit.identities().next().is_none() {
            faults.push(item(at.clone(), "REQUIRED"));
        }
        for (slot, value) in unit.identities() {
            let pointer = format!("{at}/{}", member(slot));
            if kind(slot) == IdentityKind::Imei && !is_imei(value) {
                faults.push(item(pointer, "FORMAT"));
            } else if !seen.insert((kind(slot).as_str(), key(value))) {
                faults.push(item(pointer, "REPEATED"));
            }
        }
    }
    faults
}

/// The identities of new units, for the ledger that keeps each of them for ever.
pub struct New {
    pub rows: Vec<UnitIdentityRow>,
    /// For each row, where its unit stands in the request.
    pointers: Vec<String>,
}

impl New {
    /// Of these units, in their order; `pointers` of each.
    pub fn of<'a>(units: impl IntoIterator<Item = (Id, &'a UnitInput)>, pointers: &[String]) -> New {
        let units: Vec<(Id, &UnitInput)> = units.into_iter().collect();
        let count: usize = units.iter().map(|(_, unit)| unit.identities().count()).sum();
        let mut ids = new_ids(u32::try_from(count).unwrap_or(u32::MAX)).into_iter();
        let mut new = New { rows: Vec::new(), pointers: Vec::new() };
        for ((unit_id, unit), pointer) in units.into_iter().zip(pointers) {
            for ((slot, value), id) in unit.identities().zip(ids.by_ref()) {
                let (created_at, updated_at) = (Instant(0), Instant(0));
                let (kind, value_key) = (kind(slot), key(value));
                new.rows.push(UnitIdentityRow { id, created_at, updated_at, kind, value_key, slot, unit_id });
                new.pointers.push(pointer.clone());
            }
        }
        new
    }

    /// 409 at every unit of which an identity is taken.
    pub fn taken(&self, clashes: &[Clash]) -> Problem {
        // An identity is the only one of these keys that somebody else may hold.
        let row = |clash: &Clash| self.pointers.get(usize::try_from(clash.row).ok()?);
        let mut errors: Vec<Item> = Vec::new();
        for pointer in clashes.iter().filter_map(row) {
            if errors.last().is_none_or(|last| last.pointer != *pointer) {
                errors.push(item(pointer.clone(), "DUPLICATE"));
            }
        }
        errors.truncate(200);
        Problem { code: "DUPLICATE".to_owned(), errors }
    }
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
        for at in 0..15 {
            for digit in b'0'..=b'9' {
                let mut text = b"490154203237518".to_vec();
                let same = text[at] == digit;
                text[at] = digit;
                assert_eq!(is_imei(std::str::from_utf8(&text).unwrap()), same);
            }
        }
    }

    fn unit(serial: Option<&str>, imei1: Option<&str>, imei2: Option<&str>) -> UnitInput {
        let own = |text: Option<&str>| text.map(str::to_owned);
        UnitInput { serial_number: own(serial), imei1: own(imei1), imei2: own(imei2), ..UnitInput::default() }
    }

    #[test]
    fn faults_are_told_at_their_places() {
        let units = [
            unit(None, None, None),
            unit(Some("ab-1"), Some("490154203237518"), Some("490154203237518")),
            unit(Some("AB-1"), None, None),
            unit(None, Some("356938035643809"), None),
            unit(None, None, Some("356938035643809")),
            unit(None, Some("490154203237517"), None),
        ];
        let faults = faults(units.iter().enumerate().map(|(at, unit)| (format!("/units/{at}"), unit)));
        let told: Vec<(&str, &str)> = faults.iter().map(|item| (item.pointer.as_str(), item.code.as_str())).collect();
        assert_eq!(
            told,
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
