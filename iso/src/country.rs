//! Country codes of ISO 3166-1 alpha-2.

/// The 249 officially assigned codes as of January 2026 (the last change was the assignment of SS in 2011), sorted. Codes that
/// are only reserved (EU, UK) or left to users (XK, ZZ) are not among them.
const ASSIGNED: &str = "\
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA \
    CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA \
    GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP \
    KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS \
    MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS \
    RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW \
    TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

/// The assigned codes, sorted.
pub fn list_assigned() -> impl Iterator<Item = &'static str> {
    ASSIGNED.split(' ')
}

/// Returns whether the code is an officially assigned one, in upper case.
pub fn is_assigned(code: &str) -> bool {
    code.len() == 2 && list_assigned().any(|assigned| assigned == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_codes_only() {
        for code in ["AD", "BQ", "CW", "DE", "GB", "PS", "SS", "SX", "TR", "US", "ZW"] {
            assert!(is_assigned(code), "{code}");
        }
        for code in ["AN", "CS", "EU", "SU", "UK", "XK", "YU", "ZZ", "de", "D", "", "DEU", "DE ", "D "] {
            assert!(!is_assigned(code), "{code}");
        }
    }

    #[test]
    fn the_list_is_whole_and_in_order() {
        let codes: Vec<&str> = list_assigned().collect();
        assert_eq!(codes.len(), 249);
        assert!(codes.is_sorted_by(|one, next| one < next), "sorted, each once");
        assert!(codes.iter().all(|code| code.len() == 2 && code.bytes().all(|letter| letter.is_ascii_uppercase())));
    }
}
