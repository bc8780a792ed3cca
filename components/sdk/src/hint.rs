//! Hints of a manifest for the console: how it names, groups and links the module's records. All of them are optional.

use stoa_descriptor as descriptor;

/// The hints of a module. Without any, the console makes its pages only from the schemas.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    /// One for each list that needs one.
    pub lists: &'static [ListHint],
    /// Members that hold ids, where their names do not say of which list.
    pub references: &'static [ReferenceHint],
}

impl Hints {
    /// A module without hints.
    pub const NONE: Hints = Hints { lists: &[], references: &[] };

    pub(crate) fn describe(&self) -> Option<descriptor::Console> {
        let Hints { lists, references } = self;
        (!lists.is_empty() || !references.is_empty()).then(|| descriptor::Console {
            lists: lists.iter().map(ListHint::describe).collect(),
            references: references.iter().map(ReferenceHint::describe).collect(),
        })
    }
}

/// How a list and its records are shown.
#[derive(Debug, Clone, Copy)]
pub struct ListHint {
    list: &'static str,
    title: &'static [&'static str],
    columns: &'static [&'static str],
    group: Option<&'static str>,
    position: Option<u32>,
}

impl ListHint {
    /// The hint for a list of this module, by its operation id.
    pub const fn new(list: &'static str) -> ListHint {
        ListHint { list, title: &[], columns: &[], group: None, position: None }
    }

    /// Members that name a record, at most two: `&["code", "name"]`.
    pub const fn title(mut self, members: &'static [&'static str]) -> ListHint {
        self.title = members;
        self
    }

    /// Members shown as columns, at most seven, in this sequence.
    pub const fn columns(mut self, members: &'static [&'static str]) -> ListHint {
        self.columns = members;
        self
    }

    /// Heading in the navigation. Modules may share one.
    pub const fn group(mut self, heading: &'static str) -> ListHint {
        self.group = Some(heading);
        self
    }

    /// Place in the navigation, from 0 to 999.
    pub const fn position(mut self, place: u32) -> ListHint {
        self.position = Some(place);
        self
    }

    fn describe(&self) -> descriptor::ListHint {
        descriptor::ListHint {
            list: self.list.to_owned(),
            title: own(self.title),
            columns: own(self.columns),
            group: self.group.map(str::to_owned),
            position: self.position,
        }
    }
}

/// A member that holds ids of a list which may be of another module.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceHint {
    member: &'static str,
    list: &'static str,
    below: Option<&'static str>,
}

impl ReferenceHint {
    /// The member, such as `accountId`, and the operation id of the list of any module.
    pub const fn new(member: &'static str, list: &'static str) -> ReferenceHint {
        ReferenceHint { member, list, below: None }
    }

    /// Only for operations below this path: `/sales/`.
    pub const fn below(mut self, path: &'static str) -> ReferenceHint {
        self.below = Some(path);
        self
    }

    fn describe(&self) -> descriptor::ReferenceHint {
        descriptor::ReferenceHint {
            member: self.member.to_owned(),
            list: self.list.to_owned(),
            below: self.below.map(str::to_owned),
        }
    }
}

fn own(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
