//! One suite for both databases: every call, its limits and its failures, run in the same order on each, with the replies
//! compared byte for byte. The transcript that SQLite gives is kept as a snapshot.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod store;

use stoa::store::{Schema, Scope, run};
use stoa::wit::store::*;
use store::*;

type Step = (&'static str, Vec<Call>);

fn steps() -> Vec<Step> {
    let mut steps = writes();
    steps.extend(reads());
    steps.extend(updates());
    steps.extend(sums());
    steps.extend(misuse());
    steps
}

const ITEM: &str = "id code title note price wide sold active born seen extra family";

fn writes() -> Vec<Step> {
    let full = vec![
        id(1),
        text("A-1"),
        text("Ärmel 100%"),
        text("ÇELİK_x"),
        dec("12.5"),
        dec("-99999999999999999999999999.999999999999"),
        int(i64::MAX),
        Value::Boolean(false),
        day("2024-02-29"),
        Value::Instant(-1),
        json_value(r#"{"b":[1.0,1e2,{"z":"ü\n","a":null}],"aa":1e30,"a":0.1}"#),
        id(100),
    ];
    let bare = |n: u64, code: &str, title: &str| vec![id(n), text(code), text(title)];
    vec![
        ("insert every type", vec![insert("item", ITEM, vec![full])]),
        ("read it back", vec![get("item", "", &[1])]),
        (
            "insert with defaults and look in the same batch",
            vec![
                insert("item", "id code title", vec![bare(2, "B-2", "straße"), bare(3, "a-1", "under_score")]),
                get("item", "id version price sold active note created_at updated_at", &[3, 9, 2, 3]),
            ],
        ),
        (
            "clashes are all told",
            vec![
                lock(&[("x", LockMode::Shared)]),
                insert(
                    "item",
                    "id code title family",
                    vec![
                        vec![id(1), text("fresh"), text("t1"), Value::Null],
                        vec![id(11), text("B-2"), text("t2"), Value::Null],
                        vec![id(12), text("new"), text("t3"), Value::Null],
                        vec![id(13), text("A-1"), text("Ärmel 100%"), id(100)],
                        vec![id(14), text("new"), text("t4"), Value::Null],
                    ],
                ),
            ],
        ),
        (
            "nulls never collide",
            vec![insert(
                "item",
                "id code title family",
                vec![
                    vec![id(4), text("D"), text("same"), Value::Null],
                    vec![id(5), text("E"), text("same"), Value::Null],
                ],
            )],
        ),
        (
            "skipped clashes",
            vec![
                insert_new("item", "id code title", vec![bare(20, "Z", "z"), bare(21, "E", "y"), bare(22, "Z", "x")]),
                select("item", "id code", vec![], "code", 50),
            ],
        ),
        ("an empty insert", vec![insert("item", "code title", vec![])]),
        (
            "a check refuses a row to insert",
            vec![insert(
                "stock",
                "id place item on_hand reserved",
                vec![
                    vec![id(30), id(1), id(1), dec("1"), dec("1")],
                    vec![id(31), id(1), id(2), dec("1"), dec("1.000001")],
                    vec![id(32), id(1), id(3), dec("1"), dec("-0.000001")],
                ],
            )],
        ),
        (
            "what a column cannot hold",
            vec![insert("item", "code title price", vec![vec![text("n"), text("n"), dec("0.0000001")]])],
        ),
        (
            "too many digits",
            vec![insert("item", "code title price", vec![vec![text("n"), text("n"), dec("1000000000000")]])],
        ),
        ("a text with NUL", vec![insert("item", "code title", vec![vec![text("n\0"), text("n")]])]),
        (
            "a day that is none",
            vec![insert("item", "code title born", vec![vec![text("n"), text("n"), day("2023-02-29")]])],
        ),
        (
            "an instant beyond the calendar",
            vec![insert("item", "code title seen", vec![vec![text("n"), text("n"), Value::Instant(i64::MAX)]])],
        ),
        ("null in a required column", vec![insert("item", "code title", vec![vec![text("n"), Value::Null]])]),
        ("no value for a required column", vec![insert("item", "code", vec![vec![text("n")]])]),
    ]
}

fn reads() -> Vec<Step> {
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
                ask: locking("item", "id code", LockMode::Exclusive),
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
                ask: locking("item", "id code", LockMode::Shared),
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
                Call::Get(GetCall { ask: locking("item", "code", LockMode::Exclusive), ids: vec![id(43), id(41)] }),
                Call::Find(FindCall {
                    ask: locking("item", "code", LockMode::Shared),
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

fn updates() -> Vec<Step> {
    let set = |n: u64, values: Vec<Value>| change(vec![id(n)], values, &[]);
    let add = |n: u64, amounts: &[&str]| change(vec![id(n)], vec![], amounts);
    let versioned = |n: u64, version: i64, values: Vec<Value>| Change { version: Some(version), ..set(n, values) };
    let stock = |n: u64, place: u64, item: u64| vec![id(n), id(place), id(item), dec("10"), dec("4"), dec("100.5")];
    vec![
        (
            "set, version and answer",
            vec![
                Call::Update(update(
                    "item",
                    "title note price extra born",
                    "",
                    vec![
                        versioned(
                            44,
                            1,
                            vec![text("Größe"), Value::Null, dec("7.25"), json_value("[2.0]"), day("2020-12-31")],
                        ),
                        set(43, vec![text("plain"), text("new note"), dec("8"), Value::Null, Value::Null]),
                    ],
                    "id version title note price extra born updated_at",
                )),
                select("item", "code", vec![term("words", Compare::Contains, vec![text("GRÖSSE")])], "code", 5),
                select("item", "code", vec![term("words", Compare::Contains, vec![text("größe")])], "code", 5),
                select("item", "code", vec![term("words", Compare::Contains, vec![text("NEW NOTE")])], "code", 5),
            ],
        ),
        (
            "one field of a search group",
            vec![
                Call::Update(update("item", "note", "", vec![set(44, vec![text("Fresh Note")])], "version")),
                select("item", "code", vec![term("words", Compare::Contains, vec![text("größe")])], "code", 5),
                select("item", "code", vec![term("words", Compare::Contains, vec![text("fresh")])], "code", 5),
            ],
        ),
        (
            "no answer asked",
            vec![Call::Update(update("item", "active", "", vec![set(45, vec![Value::Boolean(true)])], ""))],
        ),
        ("an empty update", vec![Call::Update(update("item", "active", "", vec![], "id"))]),
        (
            "every reason of a miss",
            vec![Call::Update(UpdateCall {
                when: vec![term("active", Compare::Eq, vec![Value::Boolean(true)])],
                ..update(
                    "item",
                    "title",
                    "sold",
                    vec![
                        Change { version: Some(7), ..change(vec![id(48)], vec![text("a")], &["1"]) },
                        change(vec![id(999)], vec![text("b")], &["1"]),
                        change(vec![id(47)], vec![text("c")], &["1"]),
                        change(vec![id(52)], vec![text("d")], &["-1"]),
                        change(vec![id(56)], vec![text("e")], &["1"]),
                    ],
                    "id version sold",
                )
            })],
        ),
        (
            "a miss without answer",
            vec![Call::Update(update("item", "active", "", vec![versioned(45, 1, vec![Value::Boolean(true)])], ""))],
        ),
        (
            "rows of stock",
            vec![insert(
                "stock",
                "id place item on_hand reserved value",
                vec![stock(80, 1, 1), stock(81, 1, 2), stock(82, 2, 1)],
            )],
        ),
        (
            "add",
            vec![Call::Update(update(
                "stock",
                "",
                "on_hand reserved value moves",
                vec![add(82, &["-6", "0", "0.000000000001", "1"]), add(80, &["5.5", "-4", "-100.5", "-2"])],
                "id on_hand reserved value moves",
            ))],
        ),
        (
            "add by a unique key, with set",
            vec![
                Call::Update(UpdateCall {
                    key: Some("place_item".to_owned()),
                    ..update(
                        "stock",
                        "value",
                        "on_hand",
                        vec![
                            change(vec![id(1), id(2)], vec![dec("7")], &["1"]),
                            change(vec![id(2), id(1)], vec![dec("8")], &["2"]),
                        ],
                        "place item on_hand value",
                    )
                }),
                get("stock", "", &[81]),
            ],
        ),
        (
            "checks of a mixed batch",
            vec![Call::Update(update(
                "stock",
                "",
                "on_hand reserved value",
                vec![
                    add(80, &["0", "15.500001", "0"]),
                    add(81, &["0", "0", "-7.000000000001"]),
                    add(82, &["-1", "-4.5", "0"]),
                ],
                "id on_hand",
            ))],
        ),
        (
            "add beyond the digits",
            vec![Call::Update(update("stock", "", "on_hand", vec![add(80, &["999999999999"])], ""))],
        ),
        (
            "add beyond the digits of a wide column",
            vec![Call::Update(update("stock", "", "value", vec![add(81, &["99999999999999999999999999"])], "id"))],
        ),
        (
            "add beyond 64 bits",
            vec![
                Call::Update(update("stock", "", "moves", vec![add(81, &["9223372036854775807"])], "moves")),
                Call::Update(update("stock", "", "moves", vec![add(81, &["1"])], "moves")),
            ],
        ),
        (
            "add what the column cannot hold",
            vec![Call::Update(update("stock", "", "on_hand", vec![add(80, &["0.0000001"])], ""))],
        ),
        (
            "when",
            vec![Call::Update(UpdateCall {
                when: vec![term("reserved", Compare::Eq, vec![dec("0")])],
                ..update("stock", "moves", "", vec![set(80, vec![int(5)])], "id moves")
            })],
        ),
        (
            "an update that meets unique keys",
            vec![Call::Update(update(
                "item",
                "code title",
                "",
                vec![
                    set(50, vec![text("A-1"), text("x1")]),
                    set(51, vec![text("twice"), text("x2")]),
                    set(52, vec![text("R-52"), text("x3")]),
                    set(53, vec![text("twice"), text("x4")]),
                    set(1, vec![text("R-55"), text("Ärmel 100%")]),
                ],
                "id",
            ))],
        ),
        (
            "an update that meets a key of which it sets a part",
            vec![Call::Update(update(
                "item",
                "family",
                "",
                vec![set(51, vec![id(1046)]), set(56, vec![id(1046)])],
                "id",
            ))],
        ),
        (
            "an update that swaps keys",
            vec![Call::Update(update(
                "item",
                "code",
                "",
                vec![set(50, vec![text("R-51")]), set(51, vec![text("R-50")])],
                "code",
            ))],
        ),
        (
            "an update that keeps its keys",
            vec![Call::Update(update(
                "item",
                "code family",
                "",
                vec![set(50, vec![text("R-50"), id(1050)])],
                "code version",
            ))],
        ),
        (
            "insert, then update what is there or not",
            vec![
                insert_new("stock", "id place item", vec![vec![id(90), id(1), id(1)], vec![id(91), id(1), id(9)]]),
                Call::Update(UpdateCall {
                    key: Some("place_item".to_owned()),
                    ..update(
                        "stock",
                        "",
                        "on_hand",
                        vec![change(vec![id(1), id(1)], vec![], &["1"]), change(vec![id(1), id(9)], vec![], &["2"])],
                        "id on_hand",
                    )
                }),
            ],
        ),
        (
            "locks and numbers",
            vec![
                lock(&[("b", LockMode::Exclusive), ("a", LockMode::Shared), ("b", LockMode::Shared)]),
                lock(&[("b", LockMode::Shared)]),
                Call::Number(NumberCall { sequence: "orders".to_owned(), at_least: None }),
                Call::Number(NumberCall { sequence: "orders".to_owned(), at_least: Some(120) }),
                Call::Number(NumberCall { sequence: "orders".to_owned(), at_least: Some(50) }),
            ],
        ),
        ("a lock cannot be raised", vec![lock(&[("c", LockMode::Shared)]), lock(&[("c", LockMode::Exclusive)])]),
    ]
}

fn sums() -> Vec<Step> {
    let most = "99999999999999999999999999.999999999999";
    let least = "-99999999999999999999999999.999999999999";
    let moved = |n: u64, kind: &str, amount: &str, small: Value, pieces: Value, branch: Value| {
        vec![id(n), id(200), text(kind), dec(amount), small, pieces, day("2024-03-01"), branch]
    };
    let of = |kind: &str| vec![term("item", Compare::Eq, vec![id(200)]), term("kind", Compare::Eq, vec![text(kind)])];
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
        ("a sum beyond 38 digits", vec![aggregate("movement", of("most"), "", vec![measure(Agg::Sum, "amount")])]),
        ("a sum beyond 64 bits", vec![aggregate("movement", of("most"), "", vec![measure(Agg::Sum, "pieces")])]),
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

fn misuse() -> Vec<Step> {
    let bad = |where_| vec![select("item", "code", where_, "", 5)];
    let mut steps: Vec<Step> = vec![
        ("no such collection", vec![get("nothing", "", &[1])]),
        ("no such column", vec![get("item", "nothing", &[1])]),
        ("the tenant is no column", vec![get("item", "tenant_id", &[1])]),
        ("a search text is no column", vec![get("item", "search_words", &[1])]),
        ("a column twice", vec![get("item", "code code", &[1])]),
        ("no such key", vec![find("item", "", "nothing", vec![])]),
        ("half a key", vec![find("item", "", "title_in_family", vec![vec![id(1)]])]),
        ("a key of null", vec![find("item", "", "title_in_family", vec![vec![Value::Null, text("x")]])]),
        ("another type", bad(vec![term("code", Compare::Eq, vec![int(1)])])),
        ("no decimal", bad(vec![term("price", Compare::Eq, vec![dec("1e3")])])),
        ("eq null", bad(vec![term("note", Compare::Eq, vec![Value::Null])])),
        ("json compared", bad(vec![term("extra", Compare::Eq, vec![json_value("1")])])),
        ("boolean ordered", bad(vec![term("active", Compare::Lt, vec![Value::Boolean(true)])])),
        ("no such search group", bad(vec![term("title", Compare::Contains, vec![text("x")])])),
        ("a filter cut short", bad(vec![Node::All(2), term("note", Compare::IsNull, vec![])])),
        ("lex on a nullable column", bad(vec![term("note,id", Compare::LexLt, vec![text("x"), id(1)])])),
        ("order by a nullable column", vec![select("item", "", vec![], "born", 5)]),
        ("order by json", vec![select("item", "", vec![], "extra", 5)]),
        ("after without the id", vec![after(select("item", "", vec![], "code", 5), vec![text("a")])]),
        ("no rows asked", vec![select("item", "", vec![], "", 0)]),
        ("too many rows asked", vec![select("item", "", vec![], "", 2001)]),
        ("too many ids", vec![get("item", "", &(0..1001).collect::<Vec<_>>())]),
        ("too deep", bad((0..6).map(|_| Node::All(1)).chain([term("note", Compare::IsNull, vec![])]).collect())),
        ("too many nodes", bad((0..65).map(|_| term("note", Compare::IsNull, vec![])).collect())),
        ("too many calls", (0..33).map(|_| get("item", "code", &[1])).collect()),
        ("json groups", vec![aggregate("item", vec![], "extra", vec![measure(Agg::Count, "")])]),
        ("sum of texts", vec![aggregate("item", vec![], "", vec![measure(Agg::Sum, "code")])]),
        (
            "pages of nullable groups",
            vec![after(aggregate("item", vec![], "born", vec![measure(Agg::Count, "")]), vec![day("2024-01-01")])],
        ),
        (
            "five group keys",
            vec![aggregate("item", vec![], "code title active sold price", vec![measure(Agg::Count, "")])],
        ),
        ("the host's columns", vec![insert("item", "code title version", vec![vec![text("v"), text("v"), int(9)]])]),
        ("a ledger is not changed", vec![Call::Update(update("movement", "kind", "", vec![], ""))]),
        (
            "a ledger is not locked",
            vec![Call::Get(GetCall { ask: locking("movement", "", LockMode::Shared), ids: vec![id(70)] })],
        ),
        ("add to what is no counter", vec![Call::Update(update("item", "", "price", vec![], ""))]),
        ("set and add", vec![Call::Update(update("item", "sold", "sold", vec![], ""))]),
        (
            "a version of a projection",
            vec![Call::Update(update(
                "stock",
                "moves",
                "",
                vec![Change { version: Some(1), ..change(vec![id(80)], vec![int(1)], &[]) }],
                "",
            ))],
        ),
        (
            "a row twice",
            vec![Call::Update(update(
                "stock",
                "",
                "moves",
                vec![change(vec![id(80)], vec![], &["1"]), change(vec![id(80)], vec![], &["1"])],
                "",
            ))],
        ),
        (
            "a locking select with an order",
            vec![Call::Select(SelectCall {
                ask: locking("item", "", LockMode::Shared),
                where_: vec![],
                order: order("code"),
                after: None,
                limit: 5,
                each: None,
            })],
        ),
        ("a lock without a name", vec![lock(&[("", LockMode::Shared)])]),
    ];
    steps.push((
        "what is there at the end",
        vec![select("item", "", vec![], "", 50), select("stock", "", vec![], "", 50)],
    ));
    steps
}

async fn transcript(database: &Database, schema: &Schema) -> String {
    let mut session = database.begin(tenant(1)).await;
    let mut out = String::new();
    for (nth, (name, calls)) in steps().into_iter().enumerate() {
        execute(&mut session, "savepoint step").await;
        let mut scope = Scope::new(tenant(1), NOW + nth as i64, false);
        let outcome = run(&mut session, schema, &mut scope, calls).await;
        let end = if outcome.is_ok() { "release step" } else { "rollback to step; release step" };
        execute(&mut session, end).await;
        out.push_str(&format!("== {name}{}\n{}\n", if scope.closed { " (closed)" } else { "" }, shown(&outcome)));
    }
    commit(session).await;
    out
}

#[tokio::test]
async fn both_databases_answer_alike() {
    let schema = schema();
    let sqlite = transcript(&Database::sqlite().await, &schema).await;
    insta::assert_snapshot!("transcript", sqlite);
    if let Some(postgres) = Database::postgres().await {
        let postgres = transcript(&postgres, &schema).await;
        for (left, right) in sqlite.split("== ").zip(postgres.split("== ")) {
            assert_eq!(left, right, "SQLite left, PostgreSQL right");
        }
        assert_eq!(sqlite, postgres);
    }
}
