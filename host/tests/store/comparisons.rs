//! Steps of the conformance suite: what rules of modules rely on, and a database may judge in a way of its own. The
//! order of texts, nulls in comparisons and in unique keys, amounts of 38 digits, and batches of which a later call is
//! refused.

use stoa::wit::store::*;

use super::*;

/// In no order of any language, and not in their own: upper and lower case, accents in two forms, a character of four
/// bytes.
const TEXTS: [&str; 16] = [
    "b",
    "B",
    "a",
    "\u{e4}",
    "Z",
    "a b",
    "a-b",
    "ab",
    "\u{e9}",
    "e\u{301}",
    "\u{ff5e}",
    "\u{1f600}",
    "",
    "10",
    "9",
    " a",
];
/// The family of the items with these texts.
const FAMILY: u64 = 950;
/// Every second item has a note.
const NOTE: &str = "even";

const MOST: &str = "99999999999999999999999999.999999999999";

pub fn comparisons() -> Vec<Step> {
    [texts(), nulls(), wide_decimals(), refused_batches()].into_iter().flatten().collect()
}

fn of_family(more: Vec<Node>) -> Vec<Node> {
    std::iter::once(term("family", Compare::Eq, vec![id(FAMILY)])).chain(more).collect()
}

fn texts() -> Vec<Step> {
    let rows = TEXTS.iter().enumerate().map(|(nth, title)| {
        let note = if nth % 2 == 0 { text(NOTE) } else { Value::Null };
        vec![id(300 + nth as u64), text(&format!("O-{nth:02}")), text(title), note, id(FAMILY)]
    });
    let titles = |more, by, limit| select("item", "title", of_family(more), by, limit);
    vec![
        ("texts to order", vec![insert("item", "id code title note family", rows.collect())]),
        ("texts are ordered by their bytes", vec![titles(vec![], "title", 50)]),
        (
            "a page of texts, descending, and the next",
            vec![titles(vec![], "-title", 3), after(titles(vec![], "-title", 4), vec![text("\u{e4}"), id(303)])],
        ),
        ("gt on text beyond ascii", vec![titles(vec![term("title", Compare::Gt, vec![text("z")])], "title", 50)]),
        ("eq on text is exact", vec![titles(vec![term("title", Compare::Eq, vec![text("A")])], "title", 50)]),
        ("eq on text keeps forms of an accent apart", {
            let same = term("title", Compare::OneOf, vec![text("\u{e9}"), text("E\u{301}"), text("a ")]);
            vec![titles(vec![same], "title", 50)]
        }),
        ("the first and the last text", {
            let measures = vec![measure(Agg::Min, "title"), measure(Agg::Max, "title")];
            vec![aggregate("item", of_family(vec![]), "", measures)]
        }),
    ]
}

fn nulls() -> Vec<Step> {
    let codes = |more| select("item", "code", of_family(more), "code", 50);
    let note = |op, values: &[&str]| term("note", op, values.iter().map(|value| text(value)).collect());
    let item = |n: u64, code: &str, title: &str, family: Value| vec![id(n), text(code), text(title), family];
    let set_family = |n: u64, family: Value| {
        vec![Call::Update(update("item", "family", "", vec![change(vec![id(n)], vec![family], &[])], "id version"))]
    };
    vec![
        (
            "comparisons leave nulls out",
            vec![
                codes(vec![note(Compare::Lt, &["f"])]),
                codes(vec![note(Compare::Ne, &[NOTE])]),
                codes(vec![note(Compare::OneOf, &[NOTE, "odd"])]),
            ],
        ),
        (
            "another value or null",
            vec![codes(vec![Node::Any(2), note(Compare::Ne, &[NOTE]), note(Compare::IsNull, &[])])],
        ),
        ("counts of nulls", {
            let measures = vec![measure(Agg::Count, ""), measure(Agg::Count, "note"), measure(Agg::Max, "note")];
            vec![aggregate("item", of_family(vec![]), "note", measures)]
        }),
        ("skipped clashes of keys with null", {
            let rows = vec![
                item(320, "N-1", "same", Value::Null),
                item(321, "N-2", "same", id(FAMILY)),
                item(322, "N-3", "same", id(FAMILY)),
            ];
            vec![insert_new("item", "id code title family", rows)]
        }),
        ("an update to a key with null", set_family(321, Value::Null)),
        ("an update from a key with null", set_family(320, id(FAMILY))),
        ("an update from a key with null that clashes", set_family(321, id(FAMILY))),
    ]
}

fn wide_decimals() -> Vec<Step> {
    let moved = |more: Vec<Node>| std::iter::once(term("item", Compare::Eq, vec![id(200)])).chain(more).collect();
    let amount = |op, values: &[&str]| vec![term("amount", op, values.iter().map(|value| dec(value)).collect())];
    let ids = |more, by, limit| select("movement", "id", moved(more), by, limit);
    vec![
        ("order of 38 digits", vec![select("movement", "id amount", moved(vec![]), "-amount", 50)]),
        (
            "a page of 38 digits, and the next",
            vec![ids(vec![], "-amount", 3), after(ids(vec![], "-amount", 2), vec![dec("5.0"), id(206)])],
        ),
        (
            "38 digits compared in the last",
            vec![
                ids(amount(Compare::Gt, &["99999999999999999999999999.999999999998"]), "id", 50),
                ids(amount(Compare::Gt, &[MOST]), "id", 50),
                ids(amount(Compare::Lt, &["-99999999999999999999999999.999999999998"]), "id", 50),
                ids(amount(Compare::OneOf, &[MOST, "5", "0.000000000002"]), "id", 50),
            ],
        ),
    ]
}

fn refused_batches() -> Vec<Step> {
    let item = |n: u64, code: &str| insert("item", "id code title", vec![vec![id(n), text(code), text("batch")]]);
    vec![
        ("a clash in a later call", vec![item(330, "X-1"), get("item", "code", &[330]), item(331, "O-00")]),
        ("a miss in a later call", {
            let absent = update("item", "title", "", vec![change(vec![id(999)], vec![text("x")], &[])], "");
            vec![item(330, "X-1"), Call::Update(absent)]
        }),
        ("misuse in a later call", vec![item(330, "X-1"), get("item", "nothing", &[330])]),
        ("nothing of a refused batch is there", vec![get("item", "code", &[330, 331])]),
    ]
}
