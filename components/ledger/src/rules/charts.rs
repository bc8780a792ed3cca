//! The charts of accounts that the ledger offers by name.

use stoa_sdk::text_enum;

use crate::rules::template::Template;
use crate::rules::template_detailed::DETAILED;
use crate::rules::template_standard::STANDARD;

text_enum! {
    /// STANDARD: a small trading company, 28 accounts without headings. DETAILED: the same codes for all posting roles, plus
    /// headings, fixed assets, loans, staff and running costs, about 100 accounts.
    pub enum TemplateCode { Standard => "STANDARD", Detailed => "DETAILED" }
}

impl TemplateCode {
    pub fn template(self) -> &'static Template {
        match self {
            TemplateCode::Standard => &STANDARD,
            TemplateCode::Detailed => &DETAILED,
        }
    }
}

text_enum! {
    /// Which chart of accounts is installed.
    #[derive(Default)]
    pub enum Chart { #[default] None => "NONE", Standard => "STANDARD", Detailed => "DETAILED" }
}

impl Chart {
    pub fn template(self) -> Option<&'static Template> {
        match self {
            Chart::None => None,
            Chart::Standard => Some(&STANDARD),
            Chart::Detailed => Some(&DETAILED),
        }
    }
}

#[cfg(test)]
mod tests {
    use stoa_trade::payment_method::METHODS;

    use super::*;
    use crate::rules::roles::ROLES;

    #[test]
    fn templates_satisfy_what_the_ledger_demands() {
        for template in [&STANDARD, &DETAILED] {
            let accounts = template.accounts();
            let find_account = |code: &str| accounts.iter().find(|account| account.code == code).unwrap();
            let mut codes: Vec<&str> = accounts.iter().map(|account| account.code).collect();
            assert!(codes.is_sorted(), "by number, and a heading before the accounts below it");
            codes.dedup();
            assert_eq!(codes.len(), accounts.len());
            for account in &accounts {
                if let Some(parent) = account.parent.map(find_account) {
                    assert!(parent.heading && parent.account_type == account.account_type, "{}", account.code);
                    assert!(parent.code < account.code, "{}", account.code);
                }
            }
            for facts in &ROLES {
                let account = find_account(facts.account);
                assert!(!account.heading && facts.types.contains(&account.account_type), "{}", facts.account);
                let shared = ROLES.iter().filter(|other| other.account == facts.account).count();
                assert!(!facts.control || shared == 1, "{}", facts.account);
            }
            for facts in &METHODS {
                let account = facts.money_account.account;
                assert!(!find_account(account).heading && ROLES.iter().all(|role| role.account != account));
            }
        }
    }
}
