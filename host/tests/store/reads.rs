//! Steps of the conformance suite: reads and sums.

use stoa::wit::store::*;

use super::*;

pub fn reads() -> Vec<Step> {
    let item = |where_| vec![select("item", "code", where_, "code", 50)];
    let one = |column, op, value| vec![term(column, op, vec![value])];
    vec![
        (
            "more rows to read",
            vec![insert(
                "item",
                "id code title note price born seen active family",
                (40..60u64)
                    .map(|n| {
                        vec![
                            id(n),
                            text(&format!("R-{n}")),
                            text(["Blue Phone", "blue case", "RED cable", "100%", "a_b"][n as usize % 5]),
                            if n % 3 == 0 { Value::Null } else { text(&format!("Note {n} ÄÖ")) },
                            dec(&format!("{}.{:06}", n % 4, n % 2)),
                            if n % 2 == 0 { day(&format!("2024-01-{:02}", n - 39)) } else { Value::Null },
                            Value::Instant(n as i64 * 86_400_000),
                            Value::Boolean(n % 4 == 0),
                            id(1000 + n),
                        ]
                    })
                    .collect(),
            )],
        ),
        ("get in the order asked", vec![get("item", "code", &[44, 41, 999, 43, 41])]),
        (
            "find by keys",
            vec![
                find("item", "code title", "code", vec![vec![text("R-42")], vec![text("nope")], vec![text("A-1")]]),
                find(
                    "item",
                    "code",
                    "title_in_family",
                    vec![vec![id(1041), text("blue case")], vec![id(1041), text("x")]],
                ),
            ],
        ),
        ("eq", item(one("code", Compare::Eq, text("R-42")))),
        ("ne leaves nulls out", item(one("born", Compare::Ne, day("2024-01-01")))),
        ("lt on text is by bytes", item(one("code", Compare::Lt, text("R")))),
        ("ge on dates", item(one("born", Compare::Ge, day("2024-01-15")))),
        ("le on instants", item(one("seen", Compare::Le, Value::Instant(41 * 86_400_000)))),
        ("gt on ids", item(one("id", Compare::Gt, id(57)))),
        ("eq on booleans", item(one("active", Compare::Eq, Value::Boolean(false)))),
        ("eq on decimals", item(one("price", Compare::Eq, dec("3.000001000")))),
        ("eq of a finer decimal", item(one("price", Compare::Eq, dec("3.0000001")))),
        ("ne of a finer decimal", item(one("price", Compare::Ne, dec("3.0000001")))),
        ("ge of a finer decimal", item(one("price", Compare::Ge, dec("3.0000001")))),
        ("gt of a finer decimal", item(one("price", Compare::Gt, dec("3.0000009")))),
        ("lt of a finer decimal", item(one("price", Compare::Lt, dec("0.0000001")))),
        ("le of a finer decimal", item(one("price", Compare::Le, dec("-0.0000001")))),
        ("lt of a huge decimal", item(one("price", Compare::Lt, dec(&"9".repeat(60))))),
        ("gt of a huge negative decimal", item(one("wide", Compare::Gt, dec(&format!("-{}", "9".repeat(60)))))),
        (
            "eq of the least wide decimal",
            item(one("wide", Compare::Eq, dec("-99999999999999999999999999.999999999999"))),
        ),
        (
            "one of",
            item(vec![term("code", Compare::OneOf, vec![text("R-50"), text("nope"), text("B-2"), text("R-50")])]),
        ),
        (
            "one of decimals",
            item(vec![term("price", Compare::OneOf, vec![dec("3.000001"), dec("12.5"), dec("0.0000001")])]),
        ),
        (
            "one of wide decimals",
            item(vec![term("wide", Compare::OneOf, vec![dec("1"), dec("-99999999999999999999999999.999999999999")])]),
        ),
        ("one of dates", item(vec![term("born", Compare::OneOf, vec![day("2024-02-29"), day("2024-01-03")])])),
        ("one of instants", item(vec![term("seen", Compare::OneOf, vec![Value::Instant(-1), Value::Instant(0)])])),
        ("one of nothing", item(vec![term("code", Compare::OneOf, vec![])])),
        ("is null", item(vec![term("seen", Compare::IsNull, vec![])])),
        ("json not null", item(vec![term("extra", Compare::NotNull, vec![])])),
        ("contains ignores case", item(one("words", Compare::Contains, text("BLUE p")))),
        ("contains takes percent as it is", item(one("words", Compare::Contains, text("100%")))),
        ("contains takes underscore as it is", item(one("words", Compare::Contains, text("_")))),
        ("contains beyond ascii", item(one("words", Compare::Contains, text("äRMEL")))),
        ("contains in the second field", item(one("words", Compare::Contains, text("çeli")))),
        ("contains nothing", item(one("words", Compare::Contains, text("e c ")))),
        (
            "all of any",
            item(vec![
                Node::All(2),
                term("active", Compare::Eq, vec![Value::Boolean(true)]),
                Node::Any(3),
                term("price", Compare::Gt, vec![dec("2")]),
                term("born", Compare::IsNull, vec![]),
                Node::All(2),
                term("code", Compare::Ge, vec![text("R-4")]),
                term("code", Compare::Le, vec![text("R-45")]),
            ]),
        ),
        (
            "two roots",
            item(vec![term("code", Compare::Ge, vec![text("R-5")]), term("code", Compare::Lt, vec![text("R-53")])]),
        ),
        ("any of none", item(vec![Node::Any(0)])),
        ("all of none", vec![select("item", "code", vec![Node::All(0)], "code", 3)]),
        ("lex-gt", item(vec![term("title,code", Compare::LexGt, vec![text("blue case"), text("R-46")])])),
        ("lex-lt", item(vec![term("price,id", Compare::LexLt, vec![dec("0.000001"), id(45)])])),
        ("first page", vec![select("item", "code price", vec![], "price", 7)]),
        ("next page", vec![after(select("item", "code price id", vec![], "price", 7), vec![dec("0"), id(40)])]),
        ("descending", vec![select("item", "code price", vec![], "-price -code", 5)]),
        (
            "descending, next",
            vec![after(select("item", "code price", vec![], "-price", 5), vec![dec("3.000001"), id(55)])],
        ),
        (
            "mixed directions, next",
            vec![after(
                select("item", "price title code", vec![], "-price title", 6),
                vec![dec("3.000001"), text("100%"), id(43)],
            )],
        ),
        ("by id descending", vec![select("item", "id", vec![], "-id", 3)]),
        (
            "exactly as many as there are",
            vec![select("item", "code", vec![term("code", Compare::Ge, vec![text("R-57")])], "code", 3)],
        ),
        (
            "movements to look for",
            vec![insert(
                "movement",
                "id item kind amount day",
                vec![
                    vec![id(70), id(41), text("in"), dec("1"), day("2024-01-01")],
                    vec![id(71), id(41), text("in"), dec("2"), day("2024-01-02")],
                    vec![id(72), id(42), text("out"), dec("3"), day("2024-01-03")],
                ],
            )],
        ),
        (
            "has",
            item(vec![Node::Has(Has {
                collection: "movement".to_owned(),
                own: "id".to_owned(),
                theirs: "item".to_owned(),
                where_: vec![
                    raw_term("kind", Compare::Eq, vec![text("in")]),
                    raw_term("day", Compare::Ge, vec![day("2024-01-02")]),
                ],
            })]),
        ),
        (
            "has of a parent",
            vec![select(
                "movement",
                "id",
                vec![Node::Has(Has {
                    collection: "item".to_owned(),
                    own: "item".to_owned(),
                    theirs: "id".to_owned(),
                    where_: vec![raw_term("words", Compare::Contains, vec![text("BLUE")])],
                })],
                "id",
                10,
            )],
        ),
        (
            "first rows of each key",
            vec![Call::Select(SelectCall {
                each: Some(Each {
                    columns: names("active"),
                    keys: vec![vec![Value::Boolean(true)], vec![Value::Boolean(false)]],
                    limit: 2,
                }),
                ..match select(
                    "item",
                    "active code price",
                    vec![term("price", Compare::Ge, vec![dec("0")])],
                    "-price",
                    10,
                ) {
                    Call::Select(select) => select,
                    _ => unreachable!(),
                }
            })],
        ),
        (
            "a locking select takes all",
            vec![Call::Select(SelectCall {
                ask: ask_locked("item", "id code", LockMode::Exclusive),
                where_: vec![term("price", Compare::Eq, vec![dec("0")])],
                order: vec![],
                after: None,
                limit: 50,
                each: None,
            })],
        ),
        (
            "a locking select that is too large",
            vec![Call::Select(SelectCall {
                ask: ask_locked("item", "id code", LockMode::Shared),
                where_: vec![],
                order: vec![],
                after: None,
                limit: 3,
                each: None,
            })],
        ),
        (
            "locking get and find",
            vec![
                Call::Get(GetCall { ask: ask_locked("item", "code", LockMode::Exclusive), ids: vec![id(43), id(41)] }),
                Call::Find(FindCall {
                    ask: ask_locked("item", "code", LockMode::Shared),
                    key: "code".to_owned(),
                    keys: vec![vec![text("R-44")], vec![text("R-40")]],
                }),
            ],
        ),
        (
            "a mixed batch of reads",
            vec![
                get("item", "seen born family code", &[40, 41]),
                select("movement", "amount day", vec![], "-day", 2),
                find("item", "active wide extra", "code", vec![vec![text("A-1")]]),
                aggregate("movement", vec![], "kind", vec![measure(Agg::Count, ""), measure(Agg::Sum, "amount")]),
                get("item", "code", &[]),
                select("item", "note", vec![Node::Any(0)], "", 5),
            ],
        ),
    ]
}

pub fn sums() -> Vec<Step> {
    let most = "99999999999999999999999999.999999999999";
    let least = "-99999999999999999999999999.999999999999";
    let moved = |n: u64, kind: &str, amount: &str, small: Value, pieces: Value, branch: Value| {
        vec![id(n), id(200), text(kind), dec(amount), small, pieces, day("2024-03-01"), branch]
    };
    let of_kind =
        |kind: &str| vec![term("item", Compare::Eq, vec![id(200)]), term("kind", Compare::Eq, vec![text(kind)])];
    let all = || vec![term("item", Compare::Eq, vec![id(200)])];
    let small = dec("999999999999.999999");
    vec![
        (
            "rows to sum",
            vec![insert(
                "movement",
                "id item kind amount small pieces day branch",
                vec![
                    moved(201, "most", most, small.clone(), int(i64::MAX), text("b")),
                    moved(202, "most", most, small.clone(), int(i64::MAX), text("a")),
                    moved(203, "least", least, small.clone(), int(i64::MIN), Value::Null),
                    moved(204, "least", least, Value::Null, int(1), text("b")),
                    moved(205, "one", "0.000000000001", dec("-0.000001"), Value::Null, Value::Null),
                    moved(206, "zero", "5", dec("3"), int(2), text("c")),
                    moved(207, "zero", "-5", dec("-3"), int(-2), text("c")),
                ],
            )],
        ),
        (
            "sums of extremes",
            vec![aggregate(
                "movement",
                all(),
                "",
                vec![
                    measure(Agg::Count, ""),
                    measure(Agg::Count, "branch"),
                    measure(Agg::Sum, "amount"),
                    measure(Agg::Sum, "small"),
                    measure(Agg::Sum, "pieces"),
                    measure(Agg::Min, "amount"),
                    measure(Agg::Max, "amount"),
                    measure(Agg::Min, "small"),
                    measure(Agg::Max, "kind"),
                    measure(Agg::Max, "day"),
                    measure(Agg::Max, "created_at"),
                ],
            )],
        ),
        ("a sum beyond 38 digits", vec![aggregate("movement", of_kind("most"), "", vec![measure(Agg::Sum, "amount")])]),
        ("a sum beyond 64 bits", vec![aggregate("movement", of_kind("most"), "", vec![measure(Agg::Sum, "pieces")])]),
        (
            "groups",
            vec![aggregate("movement", all(), "kind", vec![measure(Agg::Sum, "small"), measure(Agg::Min, "pieces")])],
        ),
        ("groups of nullables", vec![aggregate("movement", all(), "branch kind", vec![measure(Agg::Count, "")])]),
        (
            "groups without zeros",
            vec![
                match aggregate("movement", all(), "kind", vec![measure(Agg::Sum, "small"), measure(Agg::Count, "")]) {
                    Call::Aggregate(call) => Call::Aggregate(AggregateCall { keep_zero: false, ..call }),
                    other => other,
                },
            ],
        ),
        (
            "a page of groups, and the next",
            vec![
                match aggregate("movement", all(), "kind day", vec![measure(Agg::Count, "")]) {
                    Call::Aggregate(call) => Call::Aggregate(AggregateCall { limit: 2, ..call }),
                    other => other,
                },
                after(
                    aggregate("movement", all(), "kind day", vec![measure(Agg::Count, "")]),
                    vec![text("most"), day("2024-03-01")],
                ),
            ],
        ),
        (
            "conditional measures",
            vec![aggregate(
                "movement",
                all(),
                "",
                vec![
                    Measure { when: vec![term("kind", Compare::Eq, vec![text("zero")])], ..measure(Agg::Sum, "small") },
                    Measure { when: vec![term("small", Compare::Gt, vec![dec("0")])], ..measure(Agg::Count, "") },
                    Measure {
                        when: vec![term("kind", Compare::Eq, vec![text("nobody")])],
                        ..measure(Agg::Sum, "amount")
                    },
                    Measure {
                        when: vec![term("kind", Compare::Eq, vec![text("nobody")])],
                        ..measure(Agg::Max, "amount")
                    },
                ],
            )],
        ),
        (
            "sums of nothing",
            vec![aggregate(
                "movement",
                vec![Node::Any(0)],
                "",
                vec![
                    measure(Agg::Sum, "amount"),
                    measure(Agg::Sum, "pieces"),
                    measure(Agg::Count, ""),
                    measure(Agg::Max, "day"),
                ],
            )],
        ),
        ("groups of nothing", vec![aggregate("movement", vec![Node::Any(0)], "kind", vec![measure(Agg::Count, "")])]),
    ]
}
