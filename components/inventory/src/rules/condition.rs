//! Condition and grade of a unit against those that its variant states.

use stoa_sdk::store::Value;
use stoa_sdk::{Field, Item, Problem, item};
use stoa_trade::clients::articles::Article;
use stoa_trade::refusal::refuse;

use crate::records::unit::{Condition, Grade};

/// The condition or grade of this text.
pub fn parse<T: Field>(text: &str) -> Option<T> {
    T::take(Value::Text(text.to_owned()))
}

/// Conditions and grades that are missing or do not fit, at their units.
#[derive(Debug, Default)]
pub struct Objections {
    required: Vec<Item>,
    mismatch: Vec<Item>,
}

impl Objections {
    /// The condition of a unit: the variant's where it states one, else the stated one; never assumed. The grade: the stated
    /// one, else the variant's.
    pub fn settle(
        &mut self,
        article: &Article,
        stated: Option<Condition>,
        graded: Option<Grade>,
        pointer: &str,
    ) -> (Option<Condition>, Option<Grade>) {
        let of_variant = article.condition.as_deref().and_then(parse);
        match (of_variant, stated) {
            (None, None) => self.required.push(item(format!("{pointer}/condition"), "UNIT_CONDITION_REQUIRED")),
            (Some(of_variant), Some(stated)) if of_variant != stated => {
                self.mismatch.push(item(format!("{pointer}/condition"), "UNIT_CONDITION_MISMATCH"));
            }
            _ => {}
        }
        (of_variant.or(stated), graded.or(article.grade.as_deref().and_then(parse)))
    }

    pub fn refuse(self) -> Result<(), Problem> {
        refuse("UNIT_CONDITION_MISMATCH", self.mismatch)?;
        refuse("UNIT_CONDITION_REQUIRED", self.required)
    }
}
