//! Steps of the conformance suite: inserts and updates.

use stoa::wit::store::*;

use super::*;

const ITEM: &str = "id code title note price wide sold active born seen extra family";

pub fn inserts() -> Vec<Step> {
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
            "clashes are all reported",
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

/// Amounts for stock by place and item, and what its row has of `on_hand` and `moves` where it is not there.
/// Place and item, what is added, and what a new row begins with.
type ChangeOrInsert<'a> = (u64, u64, &'a [&'a str], Option<&'a [&'a str; 2]>);

fn change_or_insert(add: &str, rows: Vec<ChangeOrInsert>) -> Call {
    let changes = rows.iter().map(|(place, item, amounts, _)| change(vec![id(*place), id(*item)], vec![], amounts));
    let changed = update("stock", "", add, changes.collect(), "item on_hand reserved moves");
    let first = |[on_hand, moves]: &[&str; 2]| vec![dec(on_hand), int(moves.parse().expect("a number"))];
    let initial = rows.iter().map(|(.., row)| row.map(first));
    let by_key = UpdateCall { key: Some("place_item".to_owned()), ..changed };
    Call::Update(or_insert(by_key, "on_hand moves", initial.collect()))
}

pub fn updates() -> Vec<Step> {
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
            "update or insert: one row there and one not",
            vec![
                change_or_insert(
                    "on_hand moves",
                    vec![(1, 1, &["1", "1"], Some(&["0", "0"])), (1, 8, &["2.5", "1"], Some(&["0.5", "3"]))],
                ),
                find(
                    "stock",
                    "place item on_hand reserved value moves updated_at",
                    "place_item",
                    vec![vec![id(1), id(8)]],
                ),
            ],
        ),
        (
            "update or insert: one whose row must be there",
            vec![change_or_insert(
                "on_hand moves",
                vec![(1, 7, &["1", "1"], Some(&["0", "0"])), (1, 6, &["1", "1"], None)],
            )],
        ),
        (
            "update or insert: the change of a new row is refused as that of another",
            vec![change_or_insert(
                "reserved moves",
                vec![(1, 8, &["1", "0"], Some(&["9", "0"])), (1, 7, &["9.5", "1"], Some(&["9", "4"]))],
            )],
        ),
        (
            "update or insert: beyond the digits",
            vec![change_or_insert("on_hand moves", vec![(1, 7, &["999999999999", "1"], Some(&["1", "0"]))])],
        ),
        (
            "update or insert: a check refuses the row to insert by itself",
            vec![change_or_insert("on_hand moves", vec![(1, 7, &["5", "1"], Some(&["-1", "0"]))])],
        ),
        (
            "update or insert under a condition",
            vec![Call::Update(UpdateCall {
                when: vec![term("moves", Compare::Eq, vec![int(3)])],
                ..or_insert(
                    UpdateCall {
                        key: Some("place_item".to_owned()),
                        ..update(
                            "stock",
                            "moves",
                            "",
                            vec![
                                change(vec![id(1), id(7)], vec![int(4)], &[]),
                                change(vec![id(1), id(6)], vec![int(4)], &[]),
                            ],
                            "item moves",
                        )
                    },
                    "moves",
                    vec![Some(vec![int(3)]), Some(vec![int(2)])],
                )
            })],
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
