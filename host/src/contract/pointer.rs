//! The position of a value in a document: steps from the root, kept on the stack while a walk goes down and made an RFC
//! 6901 pointer only when there is something to report.

use std::borrow::Cow;

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    Name(Cow<'a, str>),
    Index(usize),
    /// A member whose name the schema does not have. The caller typed it, so a pointer ends before it.
    Hidden,
}

/// The steps to the value that a walk looks at: a list through the callers' stack frames.
#[derive(Debug, Clone, Copy)]
pub struct Trail<'a> {
    up: Option<&'a Trail<'a>>,
    step: Option<&'a Step<'a>>,
}

impl<'a> Trail<'a> {
    /// The whole document.
    pub const ROOT: Trail<'static> = Trail { up: None, step: None };

    pub fn down(&'a self, step: &'a Step<'a>) -> Trail<'a> {
        Trail { up: Some(self), step: Some(step) }
    }

    /// The steps from the root, owned.
    pub fn steps(&self) -> Vec<Step<'static>> {
        let mut steps = Vec::new();
        let mut next = Some(self);
        while let Some(trail) = next {
            match trail.step {
                Some(Step::Name(name)) => steps.push(Step::Name(Cow::Owned(name.clone().into_owned()))),
                Some(Step::Index(index)) => steps.push(Step::Index(*index)),
                Some(Step::Hidden) => steps.push(Step::Hidden),
                None => {}
            }
            next = trail.up;
        }
        steps.reverse();
        steps
    }

    pub fn pointer(&self) -> String {
        pointer(&self.steps())
    }
}

/// The pointer of these steps, up to the first hidden one.
pub fn pointer(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Name(name) => {
                text.push('/');
                for c in name.chars() {
                    match c {
                        '~' => text.push_str("~0"),
                        '/' => text.push_str("~1"),
                        c => text.push(c),
                    }
                }
            }
            Step::Index(index) => {
                text.push('/');
                text.push_str(&index.to_string());
            }
            Step::Hidden => break,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_escape_and_stop_before_hidden_names() {
        let name = |text: &'static str| Step::Name(Cow::Borrowed(text));
        for (steps, text) in [
            (vec![], ""),
            (vec![name("a"), Step::Index(3), name("b/c~d")], "/a/3/b~1c~0d"),
            (vec![name("")], "/"),
            (vec![name("attributes"), Step::Hidden, Step::Index(1)], "/attributes"),
        ] {
            assert_eq!(pointer(&steps), text);
        }
        let (a, b) = (name("a"), Step::Index(7));
        let first = Trail::ROOT.down(&a);
        assert_eq!(first.down(&b).pointer(), "/a/7");
    }
}
