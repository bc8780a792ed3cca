//! The `where` of a list: it has only what was asked for, so that each combination of filters finds its index. Input of a
//! caller is only among the values.

use uuid::Uuid;

use crate::database::Cell;

#[derive(Debug, Clone)]
pub struct Conditions {
    sql: String,
    values: Vec<Cell>,
}

impl Conditions {
    /// The rows of a company, which is `$1`. `column`: how the statement spells their tenant.
    pub fn new(column: &'static str, tenant: Uuid) -> Conditions {
        Conditions { sql: format!("{column} = $1"), values: vec![Cell::Id(tenant)] }
    }

    /// Narrows them by a condition in which `?` is the value.
    pub fn and(&mut self, condition: &'static str, value: Cell) {
        let placeholder = self.value(value);
        self.sql.push_str(" and ");
        self.sql.push_str(&condition.replace('?', &placeholder));
    }

    /// As `and`, where there is a value.
    pub fn and_some<T>(&mut self, condition: &'static str, value: Option<T>, cell: impl Fn(T) -> Cell) {
        if let Some(value) = value {
            self.and(condition, cell(value));
        }
    }

    /// One more value; answers how the statement names it.
    pub fn value(&mut self, value: Cell) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    pub fn sql(&self) -> &str {
        &self.sql
    }

    pub fn values(&self) -> &[Cell] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for() {
        let mut wanted = Conditions::new("t.tenant_id", Uuid::nil());
        wanted.and_some("status = ?", None::<String>, Cell::Text);
        wanted.and_some("(a = ? or b = ?)", Some(7), Cell::Integer);
        let limit = wanted.value(Cell::Integer(50));
        assert_eq!((wanted.sql(), limit.as_str()), ("t.tenant_id = $1 and (a = $2 or b = $2)", "$3"));
        assert_eq!(wanted.values(), [Cell::Id(Uuid::nil()), Cell::Integer(7), Cell::Integer(50)]);
    }
}
