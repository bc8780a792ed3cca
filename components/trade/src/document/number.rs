//! Numbers of documents: typed ones are kept as typed, generated ones are those of an extension, else a prefix and the
//! next figure of the entity. All are unique in the entity and kind, ignoring case.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Number, insert, number, run};
use stoa_sdk::{Entity, Id, Problem, reject_extension, text};

use crate::points;

/// How often a generated number may meet one that a person typed before.
const TRIES: usize = 16;

/// A number as a body states it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct DocumentNumber(#[schemars(regex(pattern = text::ANY_CASE_CODE), length(min = 1, max = MOST))] pub String);

/// Characters of a number at most.
const MOST: usize = 64;

impl DocumentNumber {
    /// Returns whether a body could state this text as a number.
    fn is_valid(text: &str) -> bool {
        let mut bytes = text.bytes();
        let is_letter = bytes.next().is_some_and(|first| first.is_ascii_alphabetic());
        is_letter && text.len() <= MOST && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
    }
}

/// Numbers of one kind of document in one legal entity.
#[derive(Debug, Clone, Copy)]
pub struct NumberRange<'a> {
    /// Prefix of generated ones: `SO` makes `SO-000001`.
    pub prefix: &'a str,
    /// The legal entity in which they are unique.
    pub entity: Id,
    /// Where a body states one, such as `/number`.
    pub pointer: &'a str,
}

/// Gives a document its number: the stated one, or one of an extension, or the next free one of the range. `insert`
/// puts the row with this number in and says whether it went in; see [`insert_unless_taken`].
///
/// # Errors
/// DUPLICATE at the pointer where the stated one is taken, LIMIT_EXCEEDED where sixteen generated ones are, the problem of an
/// extension, and what `insert` answers.
pub fn assign_number(
    range: NumberRange<'_>,
    stated: Option<DocumentNumber>,
    insert: impl FnMut(&str) -> Result<bool, Problem>,
) -> Result<String, Problem> {
    assign_number_from(range, stated, None, insert)
}

/// The next figure of a range, to be asked for in a batch with other calls: what [`assign_number_from`] begins with. If
/// an extension may return the number, a caller does not ask for the figure: see [`points::numbers_are_extended`].
pub fn next_figure(range: NumberRange<'_>) -> Number {
    number(&sequence_of(range), None)
}

fn sequence_of(range: NumberRange<'_>) -> String {
    format!("{}:{}", range.prefix, range.entity)
}

/// As [`assign_number`], where the first figure may have been asked for before.
pub fn assign_number_from(
    range: NumberRange<'_>,
    stated: Option<DocumentNumber>,
    mut first: Option<u64>,
    mut insert: impl FnMut(&str) -> Result<bool, Problem>,
) -> Result<String, Problem> {
    let sequence = sequence_of(range);
    if let Some(DocumentNumber(stated)) = stated {
        if !insert(&stated)? {
            return Err(Problem::duplicate(range.pointer));
        }
        advance_sequence(range, &stated)?;
        return Ok(stated);
    }
    if points::numbers_are_extended()
        && let Some(number) = assign_extension_number(range, &mut insert)?
    {
        return Ok(number);
    }
    for _ in 0..TRIES {
        let figure = match first.take() {
            Some(first) => first,
            None => run(number(&sequence, None))?,
        };
        let generated = format!("{}-{figure:06}", range.prefix);
        if insert(&generated)? {
            return Ok(generated);
        }
    }
    Err(problem_of_taken(range))
}

fn problem_of_taken(range: NumberRange<'_>) -> Problem {
    Problem::limit_exceeded(range.pointer, TRIES, "TAKEN_NUMBERS")
}

/// Generated numbers go on after another one of their own form.
fn advance_sequence(range: NumberRange<'_>, taken: &str) -> Result<(), Problem> {
    if let Some(figure) = figure(range.prefix, taken) {
        run(number(&sequence_of(range), Some(figure.saturating_sub(1))))?;
    }
    Ok(())
}

/// Gives the document a number of an extension: none if no extension has one.
fn assign_extension_number(
    range: NumberRange<'_>,
    insert: &mut impl FnMut(&str) -> Result<bool, Problem>,
) -> Result<Option<String>, Problem> {
    for attempt in (0..).take(TRIES) {
        let Some(numbered) = points::number(range.prefix, range.entity, attempt)? else { return Ok(None) };
        if !DocumentNumber::is_valid(&numbered.number) {
            reject_extension(&numbered.module, "a number of another form");
        }
        if insert(&numbered.number)? {
            advance_sequence(range, &numbered.number)?;
            return Ok(Some(numbered.number));
        }
    }
    Err(problem_of_taken(range))
}

/// Inserts a row and says whether it went in; it stays out where one of its unique keys is taken.
pub fn insert_unless_taken<E: Entity>(row: &E) -> Result<bool, Problem> {
    Ok(run(insert([row]).unless_taken())?.iter().all(|went_in| *went_in))
}

/// Puts a document in with its lines, under the stated number or the next free one of the range; `first` is a figure of
/// it that was asked for before, and `set` writes a number into the document.
pub fn insert_numbered<D: Entity, L: Entity>(
    document: &mut D,
    lines: &[L],
    range: NumberRange<'_>,
    stated: Option<DocumentNumber>,
    first: Option<u64>,
    set: impl Fn(&mut D, &str),
) -> Result<(), Problem> {
    let mut with_lines = true;
    assign_number_from(range, stated, first, |number| {
        set(document, number);
        if !std::mem::take(&mut with_lines) {
            return insert_unless_taken(&*document);
        }
        // The lines go in once, whatever number the document gets in the end.
        let (went_in, _) = run((insert([&*document]).unless_taken(), insert(lines)))?;
        Ok(went_in.iter().all(|went_in| *went_in))
    })?;
    Ok(())
}

/// The figure of a typed number that looks like a generated one. Figures larger than a shop can reach are ignored.
fn figure(prefix: &str, number: &str) -> Option<u64> {
    let (head, digits) = number.split_once('-')?;
    let is_figure = (6..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (head.eq_ignore_ascii_case(prefix) && is_figure).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::script;
    use stoa_sdk::stand_in_extended;
    use stoa_sdk::store::{Call, Reply};

    use super::*;
    use crate::points::Numbered;

    const RANGE: NumberRange<'_> = NumberRange { prefix: "TO", entity: Id(0, 5), pointer: "/orderNumber" };

    fn number_of(number: &str) -> Option<DocumentNumber> {
        Some(DocumentNumber(number.to_owned()))
    }

    #[test]
    fn an_extension_returns_what_a_body_could_state() {
        for (text, expected) in [
            ("X-0001", true),
            ("a", true),
            ("A_b.c-9", true),
            ("", false),
            ("1A", false),
            ("A/1", false),
            ("A 1", false),
            ("\u{c4}1", false),
            (&"A".repeat(64), true),
            (&"A".repeat(65), false),
        ] {
            assert_eq!(DocumentNumber::is_valid(text), expected, "{text}");
        }
    }

    #[test]
    fn an_extension_numbers_a_document_until_a_number_is_free() {
        stand_in_extended(points::NUMBERING.0);
        points::numbering::stand_in::number(|document| {
            let number = format!("Y-{}-{}", document.prefix, document.attempt);
            Ok(Some(Numbered { module: "years".to_owned(), number }))
        });
        script([]);
        assert_eq!(assign_number(RANGE, None, |number| Ok(number == "Y-TO-2")).unwrap(), "Y-TO-2");
        assert_eq!(assign_number(RANGE, number_of("A-1"), |_| Ok(true)).unwrap(), "A-1", "a stated one stays");
        assert_eq!(assign_number(RANGE, None, |_| Ok(false)).unwrap_err().code, "LIMIT_EXCEEDED");
        // It has the form of a generated number: the generated numbers go on after it.
        points::numbering::stand_in::number(|_| {
            Ok(Some(Numbered { module: "years".to_owned(), number: "TO-000120".to_owned() }))
        });
        let log = script([vec![Reply::Number(120)]]);
        assert_eq!(assign_number(RANGE, None, |_| Ok(true)).unwrap(), "TO-000120");
        assert_eq!(log.borrow().runs.len(), 1);
        points::numbering::stand_in::number(|_| Ok(None));
        script([vec![Reply::Number(7)]]);
        assert_eq!(assign_number(RANGE, None, |_| Ok(true)).unwrap(), "TO-000007", "no extension has one");
        points::numbering::stand_in::number(|_| Err(Problem::new("ILLEGAL_STATE")));
        assert_eq!(assign_number(RANGE, None, |_| Ok(true)).unwrap_err().code, "ILLEGAL_STATE");
    }

    #[test]
    #[should_panic(expected = "years returned at a point")]
    fn a_number_of_another_form_is_the_failure_of_the_extension() {
        stand_in_extended(points::NUMBERING.0);
        points::numbering::stand_in::number(|_| {
            Ok(Some(Numbered { module: "years".to_owned(), number: "2026/1".to_owned() }))
        });
        script([]);
        let _ = assign_number(RANGE, None, |_| Ok(true));
    }

    #[test]
    fn typed_figures_move_the_sequence() {
        for (number, expected) in [
            ("TO-000120", Some(120)),
            ("to-000120", Some(120)),
            ("TO-120", None),
            ("TO-0000000001", None),
            ("PO-000120", None),
            ("TO000120", None),
            ("TO-00012x", None),
        ] {
            assert_eq!(figure("TO", number), expected, "{number}");
        }
        let log = script([vec![Reply::Number(120)]]);
        assert_eq!(assign_number(RANGE, number_of("to-000120"), |_| Ok(true)).unwrap(), "to-000120");
        match log.borrow().runs.as_slice() {
            [calls] => match calls.as_slice() {
                [Call::Number(call)] => {
                    assert_eq!(call.sequence, format!("TO:{}", Id(0, 5)));
                    assert_eq!(call.at_least, Some(119));
                }
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_generated_number_steps_over_a_typed_one_and_a_taken_one_is_refused() {
        script([vec![Reply::Number(1)], vec![Reply::Number(2)]]);
        assert_eq!(assign_number(RANGE, None, |number| Ok(number != "TO-000001")).unwrap(), "TO-000002");
        let log = script([vec![Reply::Number(8)]]);
        assert_eq!(assign_number_from(RANGE, None, Some(7), |number| Ok(number != "TO-000007")).unwrap(), "TO-000008");
        assert_eq!(log.borrow().runs.len(), 1, "the first figure was asked for before");
        script([]);
        let refused = assign_number(RANGE, number_of("A-1"), |_| Ok(false)).unwrap_err();
        assert_eq!((refused.code.as_str(), refused.errors[0].pointer.as_str()), ("DUPLICATE", "/orderNumber"));
        script((1..=16).map(|figure| vec![Reply::Number(figure)]));
        assert_eq!(assign_number(RANGE, None, |_| Ok(false)).unwrap_err().code, "LIMIT_EXCEEDED");
    }
}
