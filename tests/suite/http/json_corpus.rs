//! Bodies that are not JSON, or JSON that no client means: refused promptly, and no row changes. [P20] [C15] [B5]

use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::company::{price, product};
use stoa_tests::{Company, Database, company, on_both_databases, on_one_database};

on_both_databases![numbers_keep_their_value, escapes_are_read];

// Checked before a request reaches the database, or independent of it.
on_one_database![p20_texts_that_are_no_json, p20_members_that_repeat, c15_nul_and_lone_surrogates];

on_one_database![timed: p20_monsters_are_refused_promptly];

/// Operations with a body: path, and a body that would be accepted.
fn operations(shop: &Company) -> Vec<(String, String)> {
    let list = shop.price_list("CORPUS");
    let variant = shop.on_sale("CORPUS");
    vec![
        ("catalog/products".into(), product("Corpus").to_string()),
        ("catalog/lookups/brands".into(), json!({ "name": "Corpus", "code": "CORPUS" }).to_string()),
        ("catalog/lookups/units".into(), json!({ "name": "Corpus", "code": "CORPUS", "decimalPlaces": 2 }).to_string()),
        ("pricing/price-lists".into(), json!({ "name": "Corpus", "code": "C", "currencyCode": "EUR" }).to_string()),
        (format!("pricing/price-lists/{list}/prices"), price(&variant, "1.5", None, None).to_string()),
    ]
}

/// Texts made of a valid body, each no JSON.
fn broken(valid: &str) -> Vec<Vec<u8>> {
    let inside = &valid[1..valid.len() - 1];
    let (head, tail) = valid.split_at(valid.len() / 2);
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let mut texts: Vec<Vec<u8>> = [
        String::new(),
        " ".into(),
        "\n\t\r ".into(),
        "{".into(),
        "}".into(),
        head.into(),
        tail.into(),
        format!("{valid}{valid}"),
        format!("{valid},"),
        format!("{valid}x"),
        format!("{valid}\0"),
        format!("{valid} null"),
        format!("\u{feff}{valid}"),
        format!("\u{a0}{valid}"),
        format!("//comment\n{valid}"),
        format!("/**/{valid}"),
        format!("{valid}#"),
        format!("{{{inside},}}"),
        format!("{{,{inside}}}"),
        format!("{{{inside} \"x\":1}}"),
        valid.replace(':', "="),
        valid.replace('"', "'"),
        valid.replacen('"', "", 2),
        format!("{{{inside},\"x\":NaN}}"),
        format!("{{{inside},\"x\":Infinity}}"),
        format!("{{{inside},\"x\":-Infinity}}"),
        format!("{{{inside},\"x\":undefined}}"),
        format!("{{{inside},\"x\":1e400}}"),
        format!("{{{inside},\"x\":-1e400}}"),
        format!("{{{inside},\"x\":{}}}", "9".repeat(400)),
        format!("{{{inside},\"x\":+1}}"),
        format!("{{{inside},\"x\":01}}"),
        format!("{{{inside},\"x\":.5}}"),
        format!("{{{inside},\"x\":1.}}"),
        format!("{{{inside},\"x\":0x10}}"),
        format!("{{{inside},\"x\":1_000}}"),
        format!("{{{inside},\"x\":--1}}"),
        format!("{{{inside},\"x\":1e}}"),
        format!("{{{inside},\"x\":TRUE}}"),
        format!("{{{inside},\"x\":nul}}"),
        format!("{{{inside},\"x\":\"\u{1}\"}}"),
        format!("{{{inside},\"x\":\"line\nbreak\"}}"),
        format!("{{{inside},\"x\":\"tab\tinside\"}}"),
        format!("{{{inside},\"x\":\"\\x41\"}}"),
        format!("{{{inside},\"x\":\"\\u12\"}}"),
        format!("{{{inside},\"x\":\"\\u12G4\"}}"),
        format!("{{{inside},\"x\":\"\\\"}}"),
        format!("{{{inside},\"x\":[1,]}}"),
        format!("{{{inside},\"x\":[1 2]}}"),
        format!("{{{inside},\"x\":{{\"a\"}}}}"),
        format!("{{{inside},\"x\":{{1:2}}}}"),
        format!("{{{inside},\"x\":]}}"),
        format!("{{{inside},\"x\":{}}}", deep("[", "]", 200)),
        format!("{{{inside},\"x\":{}1{}}}", "{\"a\":".repeat(200), "}".repeat(200)),
        deep("[", "]", 129),
    ]
    .into_iter()
    .map(String::into_bytes)
    .collect();
    // Not UTF-8: a lone continuation, an overlong form, a surrogate, a cut sequence, latin-1, UTF-16.
    for bytes in [&b"\x80"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"caf\xe9", b"\xff"] {
        let mut text = format!("{{{inside},\"x\":\"").into_bytes();
        text.extend_from_slice(bytes);
        text.extend_from_slice(b"\"}");
        texts.push(text);
    }
    texts.push(valid.encode_utf16().flat_map(u16::to_le_bytes).collect());
    texts.push([b"\xff\xfe".to_vec(), valid.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat());
    texts
}

fn p20_texts_that_are_no_json(database: Database) {
    let shop = company(database);
    for (path, valid) in operations(&shop) {
        let before = shop.digest();
        for text in broken(&valid) {
            let shown: String = String::from_utf8_lossy(&text).chars().take(200).collect();
            let begin = Instant::now();
            let answer = shop.request("POST", &path).bytes(text).send();
            assert_eq!((answer.status, &answer["code"]), (400, &json!("MALFORMED_JSON")), "{shown:?}: {answer}");
            assert!(begin.elapsed() < Duration::from_secs(2), "{shown:?} took {:?}", begin.elapsed());
        }
        assert_eq!(shop.digest(), before, "{path}");
    }
}

/// Well-formed, but with a member twice: never the last one wins.
fn p20_members_that_repeat(database: Database) {
    let shop = company(database);
    let list = shop.price_list("REPEAT");
    let variant = shop.on_sale("REPEAT");
    let before = shop.digest();
    let repeated = [
        ("catalog/products", r#"{"name":"A","name":"A","productType":"GOOD","unitOfMeasure":"UNIT"}"#),
        ("catalog/products", r#"{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","\u006eame":"B"}"#),
        ("catalog/products", r#"{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","attributes":{"a":1,"a":2}}"#),
        (
            "catalog/products",
            r#"{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","attributes":{"x":[{"a":1,"a":1}]}}"#,
        ),
        (
            "catalog/products",
            r#"{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","variants":[{"sku":"A","sku":"B"}]}"#,
        ),
        ("catalog/lookups/brands", r#"{"name":"A","code":"A","code":"A"}"#),
        ("catalog/lookups/brands", r#"{"name":"A","code":"A","x":1,"x":2}"#),
        ("pricing/price-lists", r#"{"name":"A","code":"A","currencyCode":"EUR","currencyCode":"USD"}"#),
    ];
    for (path, text) in repeated {
        let answer = shop.request("POST", path).bytes(text).send().refused(400, "VALIDATION_FAILED");
        assert!(answer.errors().iter().any(|item| item["code"] == "REPEATED"), "{answer}");
    }
    let text = format!(r#"{{"variantId":"{variant}","currencyCode":"EUR","amount":"1","amount":"2"}}"#);
    let answer = shop.request("POST", &format!("pricing/price-lists/{list}/prices")).bytes(text).send();
    answer.refused(400, "VALIDATION_FAILED").fault("/amount", "REPEATED");
    assert_eq!(shop.digest(), before);
}

/// Depth of a hundred thousand, a million members, a million bad items: refused without a pause, and memory stays.
fn p20_monsters_are_refused_promptly(database: Database) {
    let shop = company(database);
    let before = shop.digest();
    let members = |n: usize| (0..n).map(|i| format!("\"m{i}\":0")).collect::<Vec<_>>().join(",");
    let frame = |x: String| format!("{{\"name\":\"A\",\"productType\":\"GOOD\",\"unitOfMeasure\":\"UNIT\",{x}}}");
    let monsters = [
        ("depth 100000 of arrays", "[".repeat(100_000), "MALFORMED_JSON"),
        ("depth 100000 closed", format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), "MALFORMED_JSON"),
        ("depth 100000 of objects", "{\"a\":".repeat(100_000), "MALFORMED_JSON"),
        ("a million members", frame(members(1_000_000)), "VALIDATION_FAILED"),
        ("a million attributes", frame(format!("\"attributes\":{{{}}}", members(1_000_000))), "VALIDATION_FAILED"),
        ("a million equal members", frame(vec!["\"x\":0"; 1_000_000].join(",")), "VALIDATION_FAILED"),
        (
            "a million bad variants",
            frame(format!("\"variants\":[{}]", vec!["0"; 1_000_000].join(","))),
            "VALIDATION_FAILED",
        ),
        (
            "a million empty variants",
            frame(format!("\"variants\":[{}]", vec!["{}"; 1_000_000].join(","))),
            "VALIDATION_FAILED",
        ),
        ("a long number", frame(format!("\"x\":{}", "1".repeat(4 << 20))), "MALFORMED_JSON"),
        ("a long name", frame(format!("\"{}\":0", "x".repeat(8 << 20))), "VALIDATION_FAILED"),
        ("a long string", frame(format!("\"description\":\"{}\"", "x".repeat(8 << 20))), "VALIDATION_FAILED"),
        (
            "two million escapes",
            frame(format!("\"description\":\"{}\"", "\\u0041".repeat(2_000_000))),
            "VALIDATION_FAILED",
        ),
    ];
    let before_monsters = shop.host.resident();
    for (what, text, code) in monsters {
        let begin = Instant::now();
        let answer = shop.request("POST", "catalog/products").bytes(text).send().refused(400, code);
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(8), "{what} took {took:?}");
        assert!(answer.bytes.len() < 64 * 1024, "{what}: an answer of {} bytes", answer.bytes.len());
    }
    let grown = shop.host.resident().saturating_sub(before_monsters) >> 20;
    assert!(grown < 1024, "the host kept {grown} MiB");
    assert_eq!(shop.digest(), before);
}

fn c15_nul_and_lone_surrogates(database: Database) {
    let shop = company(database);
    let list = shop.price_list("NUL");
    let before = shop.digest();
    let bodies = |text: &str| {
        [
            (
                "catalog/products".to_string(),
                format!(r#"{{"name":"{text}","productType":"GOOD","unitOfMeasure":"UNIT"}}"#),
            ),
            (
                "catalog/products".into(),
                format!(r#"{{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","description":"{text}"}}"#),
            ),
            (
                "catalog/products".into(),
                format!(
                    r#"{{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","attributes":{{"a":["{text}"]}}}}"#
                ),
            ),
            (
                "catalog/products".into(),
                format!(r#"{{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","attributes":{{"{text}":1}}}}"#),
            ),
            (
                "catalog/products".into(),
                format!(
                    r#"{{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","variants":[{{"sku":"NUL","color":"{text}"}}]}}"#
                ),
            ),
            (
                "catalog/products".into(),
                format!(
                    r#"{{"name":"A","productType":"GOOD","unitOfMeasure":"UNIT","variants":[{{"sku":"NUL","searchAliases":["{text}"]}}]}}"#
                ),
            ),
            ("catalog/lookups/brands".into(), format!(r#"{{"name":"{text}","code":"NUL"}}"#)),
            ("catalog/lookups/brands".into(), format!(r#"{{"name":"A","code":"A{text}"}}"#)),
            (
                "pricing/price-lists".into(),
                format!(r#"{{"name":"A","code":"A","currencyCode":"EUR","description":"{text}"}}"#),
            ),
            (
                format!("pricing/price-lists/{list}/prices"),
                format!(r#"{{"variantId":"{}","currencyCode":"EUR","amount":"1{text}"}}"#, uuid::Uuid::now_v7()),
            ),
        ]
    };
    for text in ["a\\u0000b", "\\u0000", "\\ud800", "a\\udc00", "\\ud800\\ud800", "\\ud83dx", "\\ude00\\ud83d"] {
        for (path, body) in bodies(text) {
            // NUL is a character that no text may have; half a surrogate pair is not a character.
            let code = if text.contains("u0000") { "VALIDATION_FAILED" } else { "MALFORMED_JSON" };
            shop.request("POST", &path).bytes(body).send().refused(400, code);
        }
    }
    assert_eq!(shop.digest(), before);
}

fn numbers_keep_their_value(database: Database) {
    let shop = company(database);
    let text = r#"{"name":"N","productType":"GOOD","unitOfMeasure":"UNIT","attributes":
        {"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551615,"d":0.1,"e":1e2,"f":-0.0,"g":123456789.125}}"#;
    let made = shop.request("POST", "catalog/products").bytes(text).send().is(201);
    let read = shop.get(&format!("catalog/products/{}", made.id())).is(200);
    for (member, value) in [
        ("a", json!(9007199254740993_i64)),
        ("b", json!(i64::MIN)),
        ("c", json!(u64::MAX)),
        ("d", json!(0.1)),
        ("g", json!(123456789.125)),
    ] {
        assert_eq!(read["attributes"][member], value, "{member}: {read}");
    }
    assert_eq!(read["attributes"]["e"].as_f64(), Some(100.0), "{read}");
    assert_eq!(read["attributes"]["f"].as_f64().map(f64::abs), Some(0.0), "{read}");
}

fn escapes_are_read(database: Database) {
    let shop = company(database);
    let text = r#"{"name":"\u0041\u00e9\ud83d\ude00\/\\\"","productType":"GOOD","unitOfMeasure":"UNIT","description":"a\tb\nc\r"}"#;
    let made = shop.request("POST", "catalog/products").bytes(text).send().is(201);
    assert_eq!(made["name"], "Aé\u{1F600}/\\\"");
    let description = made.text("description");
    assert!(["a\tb\nc\r", "a\tb\nc"].contains(&description.as_str()), "{description:?}");
}
