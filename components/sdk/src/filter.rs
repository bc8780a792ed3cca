//! Conditions on rows, written with typed columns: `all([Product::status.eq(Status::Active), contains("text", needle)])`.

use crate::bindings::commerce::platform::store::{Compare, Has, Node, Term, Value};
use crate::collection::Entity;
use crate::field::{Column, Field};
use crate::host::fault;

/// A condition. The empty one (`Filter::default()`) holds for every row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter(pub(crate) Vec<Node>);

fn term(column: &str, op: Compare, values: Vec<Value>) -> Filter {
    Filter(vec![Node::Term(Term { column: column.to_owned(), op, values })])
}

impl<T: Field> Column<T> {
    /// The column has this value.
    pub fn eq(self, value: impl Into<T::Plain>) -> Filter {
        term(self.name(), Compare::Eq, vec![value.into().put()])
    }

    /// The column has another value; null is not a value, and is not met.
    pub fn ne(self, value: impl Into<T::Plain>) -> Filter {
        term(self.name(), Compare::Ne, vec![value.into().put()])
    }

    /// Below.
    pub fn lt(self, value: impl Into<T::Plain>) -> Filter {
        term(self.name(), Compare::Lt, vec![value.into().put()])
    }

    /// At most.
    pub fn le(self, value: impl Into<T::Plain>) -> Filter {
        term(self.name(), Compare::Le, vec![value.into().put()])
    }

    /// Above.
    pub fn gt(self, value: impl Into<T::Plain>) -> Filter {
        term(self.name(), Compare::Gt, vec![value.into().put()])
    }

    /// At least.
    pub fn ge(self, value: impl Into<T::Plain>) -> Filter {
        term(self.name(), Compare::Ge, vec![value.into().put()])
    }

    /// At most 1,000 values.
    pub fn one_of(self, values: impl IntoIterator<Item = T::Plain>) -> Filter {
        term(self.name(), Compare::OneOf, values.into_iter().map(|value| value.put()).collect())
    }

    /// The column has no value.
    pub fn is_null(self) -> Filter {
        term(self.name(), Compare::IsNull, Vec::new())
    }

    /// The column has a value.
    pub fn not_null(self) -> Filter {
        term(self.name(), Compare::NotNull, Vec::new())
    }
}

/// Rows of which a column of the search group `group` contains `needle`, in any case and literally.
pub fn contains(group: &str, needle: &str) -> Filter {
    term(group, Compare::Contains, vec![Value::Text(needle.to_owned())])
}

/// Every condition holds; every row meets an empty list.
pub fn all(filters: impl IntoIterator<Item = Filter>) -> Filter {
    join(filters.into_iter().filter(|filter| !filter.holds_always()).collect(), Node::All)
}

/// At least one condition holds; no row meets an empty list.
pub fn any(filters: impl IntoIterator<Item = Filter>) -> Filter {
    let filters: Vec<Filter> = filters.into_iter().collect();
    if filters.iter().any(Filter::holds_always) {
        return Filter::default();
    }
    if filters.is_empty() {
        return Filter(vec![Node::Any(0)]);
    }
    join(filters, Node::Any)
}

impl Filter {
    fn holds_always(&self) -> bool {
        self.0.is_empty()
    }
}

fn join(mut parts: Vec<Filter>, node: fn(u8) -> Node) -> Filter {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    let mut nodes = Vec::new();
    if !parts.is_empty() {
        // The store refuses more than 64 nodes, so a count beyond u8 only has to stay too many.
        nodes.push(node(u8::try_from(parts.len()).unwrap_or(u8::MAX)));
    }
    nodes.extend(parts.into_iter().flat_map(|part| part.0));
    Filter(nodes)
}

/// Rows for which the collection of `E` has a row whose `theirs` equals `own_column` and which meets every term of `filter`.
#[track_caller]
pub fn has<E: Entity, O: Field<Plain = T::Plain>, T: Field>(
    own_column: Column<O>,
    theirs: Column<T>,
    filter: Filter,
) -> Filter {
    let mut terms = Vec::new();
    for node in filter.0 {
        match node {
            Node::All(_) => {}
            Node::Term(term) => terms.push(term),
            Node::Any(_) | Node::Has(_) => fault("has() takes terms that must all hold"),
        }
    }
    Filter(vec![Node::Has(Has {
        collection: E::NAME.to_owned(),
        own: own_column.name().to_owned(),
        theirs: theirs.name().to_owned(),
        where_: terms,
    })])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    const COLUMN: Column<Id> = Column::new("id");

    #[test]
    fn all_of_none_is_every_row_and_any_of_none_is_no_row() {
        let one = || COLUMN.eq(Id(0, 1));
        assert_eq!(all([]), Filter::default());
        assert_eq!(any([]), Filter(vec![Node::Any(0)]));
        assert_eq!(all([Filter::default(), one()]), one());
        assert_eq!(any([one()]), one());
        // A filter that always holds makes the whole hold.
        assert_eq!(any([Filter::default(), one()]), Filter::default());
        assert_eq!(all([any([]), one()]).0.first(), Some(&Node::All(2)));
    }
}
