//! Both sides of an account, and what follows from them.

use stoa_trade::quantity::Amount;

use crate::records::role::AccountType;

/// Both sides of an account, since the start of the books.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    pub debit: Amount,
    pub credit: Amount,
}

impl Sums {
    pub fn add(self, other: Sums) -> Option<Sums> {
        Some(Sums { debit: self.debit.checked_add(other.debit)?, credit: self.credit.checked_add(other.credit)? })
    }

    /// Amounts added since `earlier`.
    pub fn since(self, earlier: Sums) -> Option<Sums> {
        Some(Sums { debit: self.debit.checked_sub(earlier.debit)?, credit: self.credit.checked_sub(earlier.credit)? })
    }

    /// Debit minus credit.
    pub fn balance(self) -> Option<Amount> {
        self.debit.checked_sub(self.credit)
    }

    /// Positive where the balance is on its type's usual side.
    pub fn natural(self, of_type: AccountType) -> Option<Amount> {
        match of_type.stands_in_debit() {
            true => self.debit.checked_sub(self.credit),
            false => self.credit.checked_sub(self.debit),
        }
    }
}
