//! Condition and grade of a unit against those that its variant states.

use stoa_sdk::{Item, Problem, item};
use stoa_trade::clients::articles::Article;
use stoa_trade::refusal::refuse;

use crate::records::unit::{Condition, Grade};

/// Every condition, to read the variant's.
const CONDITIONS: [Condition; 5] =
    [Condition::New, Condition::Used, Condition::Refurbished, Condition::OpenBox, Condition::AsIs];

const GRADES: [Grade; 3] = [Grade::A, Grade::B, Grade::C];

/// The condition of this text.
pub fn parse_condition(text: &str) -> Option<Condition> {
    CONDITIONS.into_iter().find(|condition| condition.as_str() == text)
}

/// The grade of this text.
pub fn parse_grade(text: &str) -> Option<Grade> {
    GRADES.into_iter().find(|grade| grade.as_str() == text)
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
        let of_variant = article.condition.as_deref().and_then(parse_condition);
        match (of_variant, stated) {
            (None, None) => self.required.push(item(format!("{pointer}/condition"), "UNIT_CONDITION_REQUIRED")),
            (Some(of_variant), Some(stated)) if of_variant != stated => {
                self.mismatch.push(item(format!("{pointer}/condition"), "UNIT_CONDITION_MISMATCH"));
            }
            _ => {}
        }
        (of_variant.or(stated), graded.or(article.grade.as_deref().and_then(parse_grade)))
    }

    /// # Errors
    /// UNIT_CONDITION_MISMATCH, UNIT_CONDITION_REQUIRED.
    pub fn refuse(self) -> Result<(), Problem> {
        refuse("UNIT_CONDITION_MISMATCH", self.mismatch)?;
        refuse("UNIT_CONDITION_REQUIRED", self.required)
    }
}
