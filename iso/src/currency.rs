//! Currency codes of ISO 4217.

/// The active alphabetic codes as of January 2026 (BGN withdrawn on its first day), sorted; funds, metals and the
/// testing code included.
const ACTIVE: &str = "\
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF \
    CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD \
    HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD \
    MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN \
    PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD \
    TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD \
    XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG";

/// The active codes, sorted.
pub fn list_active() -> impl Iterator<Item = &'static str> {
    ACTIVE.split(' ')
}

/// Returns whether the code is an active one, in upper case. Withdrawn codes are not.
pub fn is_active(code: &str) -> bool {
    code.len() == 3 && list_active().any(|active| active == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_codes_only() {
        for code in ["EUR", "USD", "AED", "ZWG", "SLE", "XTS"] {
            assert!(is_active(code), "{code}");
        }
        for code in ["DEM", "HRK", "BGN", "ZWL", "ANG", "eur", "EU", "", "XYZ", "EUR "] {
            assert!(!is_active(code), "{code}");
        }
        assert_eq!(list_active().count(), 178);
        assert!(list_active().is_sorted_by(|one, next| one < next));
    }
}
