//! Steps of the conformance suite: calls that are rejected before they run.

use stoa::wit::store::*;

use super::*;

pub fn misuse() -> Vec<Step> {
    let bad = |where_| vec![select("item", "code", where_, "", 5)];
    let mut steps: Vec<Step> = vec![
        ("no such collection", vec![get("nothing", "", &[1])]),
        ("no such column", vec![get("item", "nothing", &[1])]),
        ("a filter of no column", bad(vec![term("nothing", Compare::Eq, vec![int(1)])])),
        ("a tuple of no column", bad(vec![term("code,nothing", Compare::LexLt, vec![text("x"), id(1)])])),
        ("an order of no column", vec![select("item", "", vec![], "nothing", 5)]),
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
            vec![Call::Get(GetCall { ask: ask_locked("movement", "", LockMode::Shared), ids: vec![id(70)] })],
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
            "insert a record by an update",
            vec![Call::Update(or_insert(
                UpdateCall {
                    key: Some("code".to_owned()),
                    ..update("item", "active", "", vec![change(vec![text("n")], vec![Value::Boolean(true)], &[])], "")
                },
                "title",
                vec![Some(vec![text("n")])],
            ))],
        ),
        (
            "insert by an update that names the id",
            vec![Call::Update(or_insert(
                update("stock", "moves", "", vec![change(vec![id(80)], vec![int(1)], &[])], ""),
                "place item",
                vec![Some(vec![id(1), id(1)])],
            ))],
        ),
        (
            "insert by an update that sets its key",
            vec![Call::Update(or_insert(
                UpdateCall {
                    key: Some("place_item".to_owned()),
                    ..update("stock", "place", "", vec![change(vec![id(1), id(1)], vec![id(2)], &[])], "")
                },
                "",
                vec![None],
            ))],
        ),
        (
            "insert by an update what its key says",
            vec![Call::Update(or_insert(
                UpdateCall { key: Some("place_item".to_owned()), ..update("stock", "", "moves", vec![], "") },
                "item",
                vec![],
            ))],
        ),
        (
            "fewer rows to insert than changes",
            vec![Call::Update(or_insert(
                UpdateCall {
                    key: Some("place_item".to_owned()),
                    ..update("stock", "", "moves", vec![change(vec![id(1), id(1)], vec![], &["1"])], "")
                },
                "",
                vec![],
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
                ask: ask_locked("item", "", LockMode::Shared),
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
