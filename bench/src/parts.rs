//! The choice of parts by `--only`: by group (`sqlite`), by group and name (`postgres/reads`), or by name
//! (`neighbours`). A part that takes gigabytes and many minutes is measured only where the choice is its name.

use std::cell::Cell;

const GROUPS: [&str; 2] = ["postgres/", "sqlite/"];

/// The parts that a run measures.
pub struct Parts {
    only: String,
    found: Cell<bool>,
}

impl Parts {
    pub fn new(only: &str) -> Parts {
        Parts { only: only.to_owned(), found: Cell::new(false) }
    }

    /// Returns whether this part is measured: its whole name, or the half after the group, begins with the choice.
    pub fn has(&self, part: &str) -> bool {
        let name = part.split_once('/').map_or(part, |(_, name)| name);
        let chosen = part.starts_with(&self.only) || name.starts_with(&self.only);
        self.found.set(self.found.get() || chosen);
        chosen
    }

    /// Returns whether the choice is the name of this part in full, with or without its group.
    pub fn names(&self, part: &str) -> bool {
        let name = part.split_once('/').map_or(part, |(_, name)| name);
        let chosen = self.only == part || self.only == name;
        self.found.set(self.found.get() || chosen);
        chosen
    }

    /// Returns whether parts of this group may be measured. A name without a group may be in each.
    pub fn any_of(&self, group: &str) -> bool {
        let only = self.only.as_str();
        let names_group = only.contains('/') || GROUPS.iter().any(|group| group.starts_with(only));
        if names_group { group.starts_with(only) || only.starts_with(group) } else { true }
    }

    /// Returns whether any part was measured.
    pub fn are_found(&self) -> bool {
        self.found.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_chosen_by_either_half_of_its_name() {
        for (only, part, chosen) in [
            ("", "sqlite/reads", true),
            ("sqlite", "sqlite/reads", true),
            ("sqlite", "postgres/reads", false),
            ("postgres/reads", "postgres/reads", true),
            ("postgres/reads", "sqlite/reads", false),
            ("neighbours", "postgres/neighbours", true),
            ("neighbours", "sqlite/neighbours", true),
            ("neighbours", "sqlite/reads", false),
        ] {
            let parts = Parts::new(only);
            let group = part.split_inclusive('/').next().unwrap();
            assert_eq!(parts.any_of(group) && parts.has(part), chosen, "--only {only:?}, {part}");
            assert_eq!(parts.are_found(), chosen, "--only {only:?}, {part}");
        }
    }

    #[test]
    fn a_large_part_is_chosen_by_its_name_in_full() {
        for (only, chosen) in [
            ("", false),
            ("postgres", false),
            ("postgres/", false),
            ("postgres/s", false),
            ("sqlite/scale", false),
            ("postgres/scale", true),
            ("scale", true),
        ] {
            let parts = Parts::new(only);
            assert_eq!(parts.any_of("postgres/") && parts.names("postgres/scale"), chosen, "--only {only:?}");
            assert_eq!(parts.are_found(), chosen, "--only {only:?}");
        }
    }
}
