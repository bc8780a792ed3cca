//! Extensions that the host does not link: circles, other types and versions, and descriptors that differ from the component.

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::modules::{CONSENT, replace_name};
use stoa_tests::operator::Operator;
use stoa_tests::{Database, Stoa, modules, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    a_circle_is_rejected_edge_by_edge,
    events_in_a_circle_are_rejected,
    other_types_are_rejected_with_both_signatures,
    another_version_is_rejected,
    a_descriptor_says_what_the_component_exports_and_imports,
    a_point_that_no_module_calls_is_linked_and_listed,
    a_point_has_at_most_25_extensions,
];

fn host_of_none(database: Database) -> (Stoa, Operator) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let console = host.console();
    (host, console)
}

/// Pushes a module, whose activation is rejected with this code and these words, as the push says.
#[track_caller]
fn rejected_at_activation(host: &Stoa, bytes: &[u8], code: &str, words: &[&str]) {
    let console = host.console();
    let pushed = console.push(&host.signed(bytes)).is(201);
    let refused = console.activate_set(&[&pushed.text("digest")], CONSENT).refused(409, code);
    let [reported, said] = [pushed["conflicts"].to_string(), refused.text("detail")];
    for word in words {
        assert!(said.contains(word), "the refusal does not name {word:?}: {said}");
        assert!(reported.contains(code) && reported.contains(word), "the push does not name {word:?}: {reported}");
    }
    assert_eq!(console.runs(), 1);
}

fn a_circle_is_rejected_edge_by_edge(database: Database) {
    let host = Stoa::start_with(database, Settings::default());
    let edges = [
        "a circle: ",
        "pricing calls ringer at price-adjustment",
        "ringer needs commerce:sales/customers of sales",
        "sales needs commerce:pricing/",
    ];
    rejected_at_activation(&host, &modules::guest("ringer"), "POINT_CIRCLE", &edges);
}

fn events_in_a_circle_are_rejected(database: Database) {
    let (_host, console) = host_of_none(database);
    let [a, b] = ['a', 'b'].map(|letter| console.pushed(&modules::extender(letter, 4)));
    let said = console.activate_set(&[&a, &b], CONSENT).refused(409, "POINT_CIRCLE").text("detail");
    for edge in [
        "events in a circle: ",
        "extender-a receives extender-b.noted of extender-b",
        "extender-b receives extender-a.noted of extender-a",
    ] {
        assert!(said.contains(edge), "{said}");
    }
    // One direction is not a circle, and in the transaction neither is one.
    let first = console.pushed(&modules::extender('b', 1));
    console.activate_set(&[&a, &first], CONSENT).is(200);
}

fn other_types_are_rejected_with_both_signatures(database: Database) {
    let host = Stoa::start_with(database, Settings::default());
    let other = replace_name(&modules::extender('a', 1), "session-id", "session-no");
    let words = [
        "extender-a extends commerce:extension/checkout#check as func(",
        "session-no: ",
        "pos calls it as func(",
        "session-id: ",
    ];
    rejected_at_activation(&host, &other, "POINT_UNRESOLVED", &words);
}

fn another_version_is_rejected(database: Database) {
    let (host, console) = host_of_none(database);
    let (old, new) = ("commerce:extension/checkout@0.1.0", "commerce:extension/checkout@0.2.0");
    let newer = replace_name(&modules::extender('a', 1), old, new);
    let said = console.push(&host.signed(&newer)).refused(400, "IMPORT_FORBIDDEN").text("detail");
    assert!(said.contains(new) && said.contains("this host offers version 0.1.0"), "{said}");
}

fn a_descriptor_says_what_the_component_exports_and_imports(database: Database) {
    let (host, console) = host_of_none(database);
    let pricing = modules::folder().join("pricing.wasm");
    let pricing = std::fs::read(&pricing).unwrap_or_else(|error| panic!("{}: {error}", pricing.display()));
    for (component, words) in [
        (
            modules::extender('a', 5),
            "the component exports `commerce:extension/checkout` and the descriptor does not extend it",
        ),
        (
            modules::extender('a', 6),
            "the descriptor extends `commerce:extension/nothing` and the component does not export it",
        ),
        (
            modules::extender('a', 7),
            "the descriptor calls `commerce:extension/views` and the component does not import it",
        ),
        (
            modules::extender('a', 8),
            "the component exports `commerce:extension/listener` and the descriptor does not extend it",
        ),
        (
            with_other_point(&pricing),
            "the component imports `commerce:extension/price-adjustment` and the descriptor does not call it",
        ),
    ] {
        let said = console.push(&host.signed(&component)).refused(400, "DESCRIPTOR_INVALID").text("detail");
        assert!(said.contains(words), "no {words:?}: {said}");
    }
}

/// The component with another name of its point in the descriptor, which has no version, and the import as it was.
fn with_other_point(component: &[u8]) -> Vec<u8> {
    let (name, by) = (b"commerce:extension/price-adjustment", b"commerce:extension/price-adjustmenu");
    let mut bytes = component.to_vec();
    let is_unversioned = |offset: &usize| {
        let rest = &component[*offset..];
        rest.starts_with(name) && !matches!(rest.get(name.len()), Some(b'@' | b'#'))
    };
    let offsets: Vec<usize> = (0..bytes.len() - name.len()).filter(is_unversioned).collect();
    assert!(!offsets.is_empty(), "the descriptor names no point");
    offsets.into_iter().for_each(|offset| bytes[offset..offset + by.len()].copy_from_slice(by));
    bytes
}

fn a_point_that_no_module_calls_is_linked_and_listed(database: Database) {
    let (_host, console) = host_of_none(database);
    let digest = console.pushed(&modules::extender('a', 1));
    console.activate_set(&[&digest], CONSENT).is(200);
    for point in
        ["price-adjustment", "order-confirmation", "availability", "checkout", "payment-acceptance", "numbering"]
    {
        let listed = console.point(point);
        assert_eq!(listed["calledBy"], json!([]), "{listed}");
        assert_eq!(console.sequence(point), ["extender-a"]);
        assert_eq!(console.count_at_point(point, "extender-a", "calls"), 0);
    }
    let listener = console.point("listener")["extensions"][0].clone();
    let kinds = ["catalog.product.created", "catalog.lookup.created", "sale.completed", "extender-b.noted"];
    assert_eq!(listener["kinds"], json!(kinds), "{listener}");
    assert_eq!(console.point("views")["extensions"][0]["places"], json!(["sales.order", "catalog.product"]));
}

fn a_point_has_at_most_25_extensions(database: Database) {
    let (host, console) = host_of_none(database);
    let many = modules::guest("many");
    let module = |number: usize| replace_name(&many, "many-00", &format!("many-{number:02}"));
    let digests: Vec<String> = (0..25).map(|number| console.pushed(&module(number))).collect();
    let digests: Vec<&str> = digests.iter().map(String::as_str).collect();
    console.activate_set(&digests, CONSENT).is(200);
    assert_eq!(console.sequence("price-adjustment").len(), 25);
    let pushed = console.push(&host.signed(&module(25))).is(201);
    let words = "price-adjustment has 26 extensions, at most 25";
    assert!(pushed["conflicts"].to_string().contains(words), "{pushed}");
    let refused = console.activate_set(&[&pushed.text("digest")], CONSENT).refused(409, "POINT_UNRESOLVED");
    assert!(refused.tells(words), "{refused}");
}
