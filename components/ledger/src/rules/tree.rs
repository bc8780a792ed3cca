//! The tree of a chart of accounts: who may stand below whom.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem, map};

use crate::records::account::ChartNode;
use crate::records::role::AccountType;
use crate::records::status::Status;

/// Levels of a chart, the top included.
const DEEPEST: usize = 5;

pub struct Node {
    pub parent: Option<Id>,
    pub account_type: AccountType,
    pub postable: bool,
    pub active: bool,
}

/// The accounts of one entity.
pub struct Tree(pub BTreeMap<Id, Node>);

impl Tree {
    pub fn of(nodes: Vec<ChartNode>) -> Tree {
        Tree(map(nodes.into_iter().map(|node| {
            let parent = Node {
                parent: node.parent_id,
                account_type: node.account_type,
                postable: node.postable,
                active: node.status == Status::Active,
            };
            (node.id, parent)
        })))
    }

    pub fn knows(&self, id: Id) -> bool {
        self.0.contains_key(&id)
    }

    pub fn has_children(&self, id: Id) -> bool {
        self.0.values().any(|node| node.parent == Some(id) && node.active)
    }

    /// The account and what it stands below, up to the top.
    fn line(&self, from: Id) -> impl Iterator<Item = Id> {
        // One step more than any lawful line has, so that a circle ends.
        std::iter::successors(Some(from), |id| self.0.get(id)?.parent).take(DEEPEST + 1)
    }

    /// Levels of the accounts below `of`, itself included.
    fn height(&self, of: Id) -> usize {
        let below = |id: Id| self.line(id).position(|above| above == of).map(|steps| steps + 1);
        self.0.keys().filter_map(|id| below(*id)).max().unwrap_or(1)
    }

    /// Whether `of` (none: a new account) of this type may stand below `parent`.
    fn takes(&self, parent: Id, of: Option<Id>, account_type: AccountType) -> bool {
        let Some(heading) = self.0.get(&parent) else { return false };
        let depth = self.line(parent).count();
        heading.active
            && !heading.postable
            && heading.account_type == account_type
            && of.is_none_or(|of| self.line(parent).all(|above| above != of))
            && depth + of.map_or(1, |of| self.height(of)) <= DEEPEST
    }

    /// Refuses a parent below which the account (none: a new one) cannot stand.
    ///
    /// # Errors
    /// REFERENCE_INVALID.
    pub fn check_parent(&self, parent: Option<Id>, of: Option<Id>, account_type: AccountType) -> Result<(), Problem> {
        match parent {
            Some(parent) if !self.takes(parent, of, account_type) => Err(Problem::reference_invalid("/parentId")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(parent: Option<u64>) -> Node {
        Node { parent: parent.map(|id| Id(0, id)), account_type: AccountType::Asset, postable: false, active: true }
    }

    #[test]
    fn a_parent_is_a_heading_of_the_type_above_and_not_too_deep() {
        let mut nodes = BTreeMap::new();
        for id in 1..=5 {
            nodes.insert(Id(0, id), heading((id > 1).then(|| id - 1)));
        }
        nodes.insert(Id(0, 6), Node { postable: true, ..heading(None) });
        nodes.insert(Id(0, 7), Node { active: false, ..heading(None) });
        nodes.insert(Id(0, 8), heading(None));
        let tree = Tree(nodes);
        let takes =
            |parent: u64, of: Option<u64>| tree.takes(Id(0, parent), of.map(|id| Id(0, id)), AccountType::Asset);
        assert!(takes(4, None) && !takes(5, None), "five levels");
        assert!(!takes(6, None) && !takes(7, None) && !takes(9, None));
        assert!(!tree.takes(Id(0, 1), None, AccountType::Expense));
        assert!(!takes(3, Some(2)) && !takes(2, Some(2)), "no circle");
        assert!(!takes(8, Some(1)), "the whole line would be six deep");
        assert!(takes(8, Some(2)));
        assert!(tree.has_children(Id(0, 1)) && !tree.has_children(Id(0, 5)));
    }
}
