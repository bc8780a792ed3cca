//! Providers of services and their callers, over small components in the text format.

use super::*;

/// Functions of the components below, by name: what they look like from outside.
const FUNCTIONS: &[(&str, &str)] = &[
    ("get", "(param \"at\" u32) (result string)"),
    ("get-wide", "(param \"at\" u64) (result string)"),
    ("get-other", "(param \"index\" u32) (result string)"),
    ("count", "(result u32)"),
];

/// The type of a function; `get-wide` and `get-other` are other types under the name `get`.
fn function(name: &str) -> (&str, &'static str) {
    let (_, function_type) = FUNCTIONS.iter().find(|(other, _)| *other == name).expect("a function");
    (name.split_once("-wide").or(name.split_once("-other")).map_or(name, |(name, _)| name), function_type)
}

/// A component that imports and exports interfaces, each with functions: `("a:b/c@1.0.0", "get count")`.
fn component(engine: &Engine, imports: &[(&str, &str)], exports: &[(&str, &str)]) -> Component {
    let mut text = String::from("(component\n");
    let members = |functions: &str| -> String {
        let member = |name| {
            let (name, function_type) = function(name);
            format!("(export \"{name}\" (func {function_type}))")
        };
        functions.split_whitespace().map(member).collect::<Vec<_>>().join(" ")
    };
    for (interface, functions) in imports {
        text.push_str(&format!("  (import \"{interface}\" (instance {}))\n", members(functions)));
    }
    text.push_str(
        "  (core module $m
            (memory (export \"memory\") 1)
            (func (export \"realloc\") (param i32 i32 i32 i32) (result i32) i32.const 64)
            (func (export \"get\") (param i32) (result i32) i32.const 0)
            (func (export \"get-wide\") (param i64) (result i32) i32.const 0)
            (func (export \"get-other\") (param i32) (result i32) i32.const 0)
            (func (export \"count\") (result i32) i32.const 7))
          (core instance $i (instantiate $m))\n",
    );
    for (index, (interface, functions)) in exports.iter().enumerate() {
        let mut instance = String::new();
        for (position, name) in functions.split_whitespace().enumerate() {
            let (shown, function_type) = function(name);
            let options = if function_type.contains("string") {
                "(memory (core memory $i \"memory\")) (realloc (core func $i \"realloc\"))"
            } else {
                ""
            };
            text.push_str(&format!(
                "  (func $f{index}-{position} {function_type} (canon lift (core func $i \"{name}\") {options}))\n"
            ));
            instance.push_str(&format!(" (export \"{shown}\" (func $f{index}-{position}))"));
        }
        text.push_str(&format!("  (instance $e{index}{instance})\n  (export \"{interface}\" (instance $e{index}))\n"));
    }
    text.push(')');
    let bytes = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Component::from_binary(engine, &bytes).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

type Interfaces<'a> = &'a [(&'a str, &'a str)];

/// Resolves what the first component imports among the others, and itself.
fn resolve_imports(
    imports: Interfaces,
    others: &[(&str, Interfaces)],
) -> Result<Vec<(String, usize, Vec<String>)>, Unresolved> {
    let engine = Engine::default();
    let importer = component(&engine, imports, &[]);
    let providers: Vec<Component> = others.iter().map(|(_, exports)| component(&engine, &[], exports)).collect();
    let mut modules = vec![("wanting".to_owned(), &importer)];
    modules.extend(others.iter().zip(&providers).map(|((name, _), component)| ((*name).to_owned(), component)));
    let links = resolve(&engine, 0, &modules)?;
    let reported =
        |link: Link| (link.import, link.provider, link.functions.into_iter().map(|(name, _)| name).collect());
    Ok(links.into_iter().map(reported).collect())
}

#[test]
fn the_highest_version_that_fits_serves() {
    let (one, two) = ("commerce:widgets/shelf@1.0.0", "commerce:widgets/shelf@1.1.0");
    for (name, wanted, others, provider) in [
        ("the same", (one, "get"), vec![("a", &[(one, "get")][..])], 1),
        ("a function more, one minor later", (one, "get"), vec![("a", &[(two, "get count")])], 1),
        ("a patch later", (one, "get"), vec![("a", &[("commerce:widgets/shelf@1.0.7", "get")])], 1),
        // Were 1.0.0 taken, the function would be of another type.
        ("two versions of one module", (one, "get"), vec![("a", &[(one, "get-wide"), (two, "get count")])], 1),
        ("two modules", (one, "get"), vec![("a", &[(two, "get")]), ("b", &[(one, "get")])], 1),
        ("two modules, the other way", (one, "get"), vec![("a", &[(one, "get")]), ("b", &[(two, "get")])], 2),
        (
            "1.10 is more than 1.9",
            (one, "get"),
            vec![("a", &[("commerce:widgets/shelf@1.9.0", "get")]), ("b", &[("commerce:widgets/shelf@1.10.0", "get")])],
            2,
        ),
        (
            "another major as well",
            (one, "get"),
            vec![("a", &[("commerce:widgets/shelf@2.0.0", "get-wide"), (one, "get")])],
            1,
        ),
        (
            "before 1.0",
            ("commerce:widgets/shelf@0.3.1", "get"),
            vec![("a", &[("commerce:widgets/shelf@0.3.4", "get")])],
            1,
        ),
        (
            "a prerelease",
            ("commerce:widgets/shelf@1.0.0-rc.1", "get"),
            vec![("a", &[("commerce:widgets/shelf@1.0.0-rc.1", "get")]), ("b", &[(one, "get")])],
            1,
        ),
        (
            "a prerelease of the next minor is passed over",
            (one, "get"),
            vec![("a", &[("commerce:widgets/shelf@1.2.0-rc.1", "get")]), ("b", &[(one, "get")])],
            2,
        ),
    ] {
        let found = resolve_imports(&[wanted], &others).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(found, [(wanted.0.to_owned(), provider, vec!["get".to_owned()])], "{name}");
    }
}

#[test]
fn what_nobody_serves_is_named() {
    let one = "commerce:widgets/shelf@1.0.0";
    let interface = |version: &str| format!("commerce:widgets/shelf@{version}");
    for (name, wanted, offered, words) in [
        ("nobody", "1.0.0", vec![], vec!["no module offers any version"]),
        ("another major", "1.0.0", vec![("a", "2.0.0", "get")], vec!["1.0.0 is wanted", "a offers 2.0.0"]),
        ("a lower minor", "1.2.0", vec![("a", "1.1.9", "get")], vec!["1.2.0 is wanted", "a offers 1.1.9"]),
        ("a lower patch", "1.2.3", vec![("a", "1.2.2", "get")], vec!["1.2.3 is wanted", "a offers 1.2.2"]),
        ("another minor before 1.0", "0.3.0", vec![("a", "0.4.0", "get")], vec!["0.3.0 is wanted", "a offers 0.4.0"]),
        ("another patch before 0.1", "0.0.3", vec![("a", "0.0.4", "get")], vec!["0.0.3 is wanted", "a offers 0.0.4"]),
        ("a prerelease", "1.0.0", vec![("a", "1.0.0-rc.1", "get")], vec!["1.0.0 is wanted", "a offers 1.0.0-rc.1"]),
        (
            "a release of a prerelease",
            "1.0.0-rc.1",
            vec![("a", "1.0.0", "get")],
            vec!["1.0.0-rc.1 is wanted", "a offers 1.0.0"],
        ),
        (
            "two wrong ones",
            "1.0.0",
            vec![("a", "2.0.0", "get"), ("b", "0.1.0", "get")],
            vec!["a offers 2.0.0", "b offers 0.1.0"],
        ),
        (
            "two at once",
            "1.0.0",
            vec![("a", "1.1.0", "get"), ("b", "1.1.0", "get")],
            vec!["more than one module offers 1.1.0", "a, b"],
        ),
        ("no such function", "1.0.0", vec![("a", "1.1.0", "count")], vec!["#get", "a 1.1.0 does not have it"]),
        (
            "another type",
            "1.0.0",
            vec![("a", "1.1.0", "get-wide")],
            vec!["#get", "wanted is func(at: u32) -> string", "a 1.1.0 has func(at: u64) -> string"],
        ),
        (
            "another name of a parameter",
            "1.0.0",
            vec![("a", "1.0.0", "get-other")],
            vec!["#get", "func(index: u32) -> string"],
        ),
        // The rule is broken by the provider; the lower version does not hide it.
        (
            "another type in the highest",
            "1.0.0",
            vec![("a", "1.0.0", "get"), ("b", "1.1.0", "get-wide")],
            vec!["#get", "b 1.1.0 has"],
        ),
    ] {
        let wanted = interface(wanted);
        let exports: Vec<(&str, [(String, &str); 1])> =
            offered.iter().map(|(module, version, functions)| (*module, [(interface(version), *functions)])).collect();
        let exports: Vec<(&str, Vec<(&str, &str)>)> = exports
            .iter()
            .map(|(module, interfaces)| {
                (*module, interfaces.iter().map(|(name, functions)| (name.as_str(), *functions)).collect())
            })
            .collect();
        let others: Vec<(&str, Interfaces)> =
            exports.iter().map(|(module, interfaces)| (*module, interfaces.as_slice())).collect();
        let Err(why) = resolve_imports(&[(&wanted, "get")], &others) else { panic!("{name}: it was linked") };
        let text = why.to_string();
        for word in words.iter().chain(&["wanting needs", wanted.as_str()]) {
            assert!(text.contains(word), "{name}: no {word:?} in {text}");
        }
        let [missing] = why.0.as_slice() else { panic!("{name}: {text}") };
        assert_eq!((missing.module.as_str(), &missing.item[..wanted.len()]), ("wanting", wanted.as_str()), "{name}");
        assert_eq!(missing.offered.len(), offered.len(), "{name}");
        assert!(
            offered.iter().zip(&missing.offered).all(|((_, version, _), offer)| offer.version.to_string() == *version)
        );
    }
    // Everything is reported at once.
    let Err(why) =
        resolve_imports(&[(one, "get count"), ("commerce:places/rooms@1.0.0", "get")], &[("a", &[(one, "get-wide")])])
    else {
        panic!("it was linked")
    };
    let items: Vec<&str> = why.0.iter().map(|missing| missing.item.as_str()).collect();
    assert_eq!(items, [&format!("{one}#get"), &format!("{one}#count"), "commerce:places/rooms@1.0.0"]);
}
