//! The tree of a chart of accounts: which account may be below which.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem, map};
use stoa_trade::Status;
use stoa_trade::tree::{Parents, can_hang};

use crate::records::account::ChartNode;
use crate::records::role::AccountType;

/// Levels of a chart, the top included.
const DEEPEST: usize = 5;

/// The accounts of one entity.
pub struct Tree {
    nodes: BTreeMap<Id, ChartNode>,
    parents: Parents,
}

impl Tree {
    pub fn new(nodes: Vec<ChartNode>) -> Tree {
        let parents = map(nodes.iter().map(|node| (node.id, node.parent_id)));
        Tree { nodes: map(nodes.into_iter().map(|node| (node.id, node))), parents }
    }

    pub fn knows(&self, id: Id) -> bool {
        self.nodes.contains_key(&id)
    }

    pub fn has_children(&self, id: Id) -> bool {
        self.nodes.values().any(|node| node.parent_id == Some(id) && node.status == Status::Active)
    }

    /// Refuses a parent below which the account (`None`: a new one) cannot be: one that is not an active heading of its
    /// type, that is below it, or that is too deep.
    ///
    /// # Errors
    /// REFERENCE_INVALID.
    pub fn check_parent(
        &self,
        parent: Option<Id>,
        account: Option<Id>,
        account_type: AccountType,
    ) -> Result<(), Problem> {
        match parent {
            Some(parent) if !self.takes(parent, account, account_type) => Err(Problem::reference_invalid("/parentId")),
            _ => Ok(()),
        }
    }

    fn takes(&self, parent: Id, account: Option<Id>, account_type: AccountType) -> bool {
        let Some(heading) = self.nodes.get(&parent) else { return false };
        heading.status == Status::Active
            && !heading.postable
            && heading.account_type == account_type
            && can_hang(&self.parents, parent, account, DEEPEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_an_active_heading_of_the_type_above_and_not_too_deep() {
        use AccountType::{Asset, Expense};
        // Id, parent, type, whether it takes lines, whether it is active.
        let rows = [
            (1, None, Asset, false, true),
            (2, Some(1), Asset, false, true),
            (3, Some(2), Asset, false, true),
            (4, Some(3), Asset, false, true),
            (5, Some(4), Asset, false, true),
            (6, None, Asset, true, true),
            (7, Some(1), Asset, false, false),
            (8, None, Asset, false, true),
        ];
        let id = |number: u64| Id(0, number);
        let node =
            |(number, parent, account_type, postable, is_active): (u64, Option<u64>, AccountType, bool, bool)| {
                ChartNode {
                    id: id(number),
                    account_type,
                    parent_id: parent.map(id),
                    postable,
                    status: if is_active { Status::Active } else { Status::Archived },
                }
            };
        let tree = Tree::new(rows.map(node).to_vec());
        for (parent, account, account_type, expected) in [
            (4, None, Asset, true),
            (5, None, Asset, false),
            (6, None, Asset, false),
            (7, None, Asset, false),
            (9, None, Asset, false),
            (1, None, Expense, false),
            (3, Some(2), Asset, false),
            (2, Some(2), Asset, false),
            (8, Some(1), Asset, false),
            (8, Some(2), Asset, true),
        ] {
            let checked = tree.check_parent(Some(id(parent)), account.map(id), account_type);
            assert_eq!(checked.is_ok(), expected, "{account:?} below {parent}");
        }
        assert!(tree.has_children(id(2)) && !tree.has_children(id(5)));
        assert!(tree.check_parent(None, None, Asset).is_ok());
    }
}
