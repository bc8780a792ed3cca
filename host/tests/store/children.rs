//! Steps of the conformance suite: `has`, where a page follows the children and where it looks their parents up.

use stoa::wit::store::*;

use super::*;

pub fn has(collection: &str, own_column: &str, theirs: &str, where_: Vec<Term>) -> Node {
    Node::Has(Has { collection: collection.to_owned(), own: own_column.to_owned(), theirs: theirs.to_owned(), where_ })
}

/// Items with a movement of this kind.
pub fn has_movement(kind: &str, also: Vec<Term>) -> Node {
    let mut terms = vec![raw_term("kind", Compare::Eq, vec![text(kind)])];
    terms.extend(also);
    has("movement", "id", "item", terms)
}

pub fn children() -> Vec<Step> {
    let items = |where_, by, limit| vec![select("item", "id code", where_, by, limit)];
    let next = |where_, by, limit, last| vec![after(select("item", "id", where_, by, limit), vec![id(last)])];
    let stocked = || has("stock", "id", "item", vec![raw_term("place", Compare::Eq, vec![id(900)])]);
    let count = || vec![measure(Agg::Count, "")];
    vec![
        (
            "children to follow",
            vec![
                insert(
                    "movement",
                    "item kind amount day branch",
                    (0..300u64)
                        .map(|n| {
                            let branch = if n % 2 == 0 { Value::Null } else { text("b") };
                            vec![id(40 + n % 20), text("many"), dec("1"), day("2024-02-01"), branch]
                        })
                        .collect(),
                ),
                insert(
                    "stock",
                    "place item on_hand",
                    [41, 44, 47, 50].map(|n| vec![id(900), id(n), dec("1")]).to_vec(),
                ),
                insert(
                    "item",
                    "code title family",
                    (0..4).map(|n| vec![text(&format!("F-{n}")), text(&format!("f{}", n / 3)), id(50 + n)]).collect(),
                ),
                insert("item", "code title", vec![vec![text("F-9"), text("f0")]]),
            ],
        ),
        ("has, by id", items(vec![has_movement("many", vec![])], "", 3)),
        ("has, by id, next", next(vec![has_movement("many", vec![])], "", 5, 56)),
        ("has, by id, exactly the rest", next(vec![has_movement("many", vec![])], "", 3, 56)),
        ("has, by id descending", items(vec![has_movement("many", vec![])], "-id", 3)),
        ("has, by id descending, next", next(vec![has_movement("many", vec![])], "-id", 5, 43)),
        ("has of nothing, by id", items(vec![has_movement("none", vec![])], "", 3)),
        (
            "has and the parents' own, by id",
            items(vec![term("active", Compare::Eq, vec![Value::Boolean(true)]), has_movement("many", vec![])], "", 3),
        ),
        (
            "has and the parents' own, nested, next",
            next(
                vec![
                    Node::All(2),
                    Node::All(2),
                    has_movement("many", vec![raw_term("day", Compare::Ge, vec![day("2024-01-01")])]),
                    term("words", Compare::Contains, vec![text("blue")]),
                    term("price", Compare::Ge, vec![dec("1")]),
                ],
                "",
                4,
                45,
            ),
        ),
        (
            "has of children that are null",
            items(vec![has_movement("many", vec![raw_term("branch", Compare::IsNull, vec![])])], "", 3),
        ),
        (
            "has of children by an index that leaves nulls out",
            items(vec![has_movement("many", vec![raw_term("branch", Compare::Eq, vec![text("b")])])], "", 3),
        ),
        (
            "has of one of the kinds",
            items(
                vec![has(
                    "movement",
                    "id",
                    "item",
                    vec![raw_term("kind", Compare::OneOf, vec![text("in"), text("out"), text("none")])],
                )],
                "",
                5,
            ),
        ),
        ("has of any child", items(vec![has("movement", "id", "item", vec![])], "", 2)),
        ("has by a unique key", items(vec![stocked()], "-id", 9)),
        ("two has", items(vec![has_movement("many", vec![]), stocked()], "", 3)),
        ("two has, the other first, next", next(vec![stocked(), has_movement("in", vec![])], "", 3, 40)),
        (
            "two has, one of them looked up",
            items(
                vec![
                    has_movement("many", vec![]),
                    has("movement", "id", "item", vec![raw_term("day", Compare::Le, vec![day("2024-01-02")])]),
                ],
                "",
                3,
            ),
        ),
        ("has in another order", items(vec![has_movement("many", vec![])], "-price -code", 3)),
        (
            "has in another order, next",
            vec![after(
                select("item", "id price", vec![has_movement("many", vec![])], "price", 3),
                vec![dec("1.000001"), id(49)],
            )],
        ),
        (
            "has among alternatives, by id",
            items(vec![Node::Any(2), stocked(), term("code", Compare::Eq, vec![text("R-42")])], "", 9),
        ),
        (
            "has of a parent that may be missing",
            items(vec![has("item", "id", "family", vec![raw_term("title", Compare::Eq, vec![text("f0")])])], "", 9),
        ),
        (
            "has of a parent that may be missing, descending",
            items(vec![has("item", "id", "family", vec![raw_term("title", Compare::Eq, vec![text("f0")])])], "-id", 9),
        ),
        (
            "has under a lock",
            vec![Call::Select(SelectCall {
                ask: ask_locked("item", "id", LockMode::Exclusive),
                where_: vec![stocked()],
                order: vec![],
                after: None,
                limit: 50,
                each: None,
            })],
        ),
        (
            "has of each key",
            vec![match select("item", "id active", vec![has_movement("many", vec![])], "", 10) {
                Call::Select(select) => Call::Select(SelectCall {
                    each: Some(Each {
                        columns: names("active"),
                        keys: vec![vec![Value::Boolean(true)], vec![Value::Boolean(false)]],
                        limit: 2,
                    }),
                    ..select
                }),
                other => other,
            }],
        ),
        (
            "a sum of rows with has",
            vec![aggregate("item", vec![has_movement("many", vec![]), stocked()], "active", count())],
        ),
        (
            "a measure of rows with has",
            vec![aggregate(
                "item",
                vec![],
                "",
                vec![Measure { op: Agg::Count, column: String::new(), when: vec![has_movement("many", vec![])] }],
            )],
        ),
        (
            "pages that follow children beside other reads",
            vec![
                get("item", "code", &[44]),
                select("item", "code", vec![has_movement("many", vec![])], "", 2),
                select("item", "code", vec![stocked()], "-id", 2),
            ],
        ),
    ]
}
