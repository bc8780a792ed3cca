//! The reference at `/v1/docs`: its files, its guide, and how it reads in a browser.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use stoa_tests::company::fresh;
use stoa_tests::tour::{blocks, follow, mark};
use stoa_tests::{Database, Folder, browser, host, on_one_database, record};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    every_command_of_the_guide_works,
    its_files_are_public_packed_and_known_again,
    it_shows_the_contract_with_the_guide,
    guide_knows_every_refusal_and_no_other,
    a_person_reads_it_in_a_browser
];

/// Pages whose commands are run, each on what the one before has set.
const PAGES: &[&str] = &["first-call", "keys", "idempotency", "paging"];

const FILES: &[(&str, &str)] = &[
    ("/v1/docs", "text/html; charset=utf-8"),
    ("/v1/docs/page.js", "text/javascript; charset=utf-8"),
    ("/v1/docs/renderer.js", "text/javascript; charset=utf-8"),
    ("/v1/docs/reference.json", "application/json"),
    ("/v1/docs/licences.txt", "text/plain; charset=utf-8"),
];

fn every_command_of_the_guide_works(database: Database) {
    let page = |name: &&str| {
        let path = host::workspace().join(format!("docs/guide/{name}.md"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let blocks: Vec<String> = PAGES.iter().flat_map(|name| blocks(&page(name))).collect();
    let marks = blocks.iter().flat_map(|block| block.lines()).filter_map(mark).count();
    assert!(blocks.len() >= 5 && marks >= 9, "a guide of {} blocks and {marks} marks", blocks.len());
    let stoa = host::shared(database);
    let shop = stoa.company();
    shop.entitle();
    let place = Folder::new("guide");
    follow(&blocks, place.path(), &[("URL", &stoa.url()), ("TOKEN", &shop.token), ("TENANT", &shop.tenant)]);
}

fn its_files_are_public_packed_and_known_again(database: Database) {
    let host = host::shared(database);
    for (path, kind) in FILES {
        let plain = host.get(path).is(200);
        assert_eq!(plain.header("content-type"), Some(*kind), "{path}");
        assert_eq!(plain.header("vary"), Some("Accept-Encoding"), "{path}");
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        let packed = host.request("GET", path).header("accept-encoding", "gzip").send().is(200);
        assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
        assert!(packed.bytes.starts_with(&[0x1f, 0x8b]) && packed.bytes.len() < plain.bytes.len(), "{path}");
        // It is packed once, for both names of gzip, and never for one request.
        let other_name = host.request("GET", path).header("accept-encoding", "x-gzip").send().is(200);
        assert_eq!(other_name.header("content-length"), packed.header("content-length"), "{path}");
        assert!(other_name.bytes == packed.bytes, "{path}");
        let contrary = host.request("GET", path).header("accept-encoding", "gzip;q=0, x-gzip").send().is(200);
        assert_eq!(contrary.header("content-encoding"), None, "{path}");
        let tag = plain.header("etag").unwrap_or_default();
        assert_eq!(packed.header("etag"), Some(tag), "{path}");
        let known = host.request("GET", path).header("if-none-match", tag).send();
        assert_eq!((known.status, known.bytes.len()), (304, 0), "{path}");
        let head = host.request("HEAD", path).send();
        assert_eq!((head.status, head.bytes.len()), (200, 0), "{path}");
        let refused = host.request("POST", path).send();
        assert_eq!((refused.status, refused.header("allow")), (405, Some("GET, HEAD")), "{path}");
        let policy = plain.header("content-security-policy").unwrap_or_default();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{path}: {policy}");
        assert!(policy.contains("connect-src 'self'") && !policy.contains("script-src 'self' '"), "{path}: {policy}");
    }
    assert_eq!(host.get("/v1/docs/nothing.js").status, 404);
}

fn it_shows_the_contract_with_the_guide(database: Database) {
    let host = host::shared(database);
    let contract = host.get("/v1/openapi.json").is(200).body;
    let shown: Json = serde_json::from_slice(&host.get("/v1/docs/reference.json").is(200).bytes).expect("JSON");
    assert_eq!(shown["paths"], contract["paths"]);
    assert_eq!(shown["components"]["schemas"], contract["components"]["schemas"]);
    let text = |document: &Json| document["info"]["description"].as_str().unwrap_or_default().to_owned();
    assert!(!text(&contract).contains("# First call"), "the contract stays lean");
    let titles: Vec<String> =
        text(&shown).lines().filter_map(|line| line.strip_prefix("# ").map(str::to_owned)).collect();
    assert_eq!(
        titles,
        [
            "First call",
            "Keys and scopes",
            "Idempotency",
            "Errors",
            "Error codes",
            "Reasons in errors",
            "Paging and synchronising",
            "Money and time",
            "Limits",
            "Webhooks",
            "Schemas",
        ]
    );
}

/// The contract gives the meaning of a code; the guide says, once, what to do about it.
fn guide_knows_every_refusal_and_no_other(database: Database) {
    let contract = host::shared(database).get("/v1/openapi.json").is(200).body;
    let codes = contract["components"]["schemas"]["ProblemCode"]["enum"].as_array().expect("the codes").clone();
    let codes: BTreeSet<&str> = codes.iter().filter_map(Json::as_str).collect();
    let page = std::fs::read_to_string(host::workspace().join("docs/guide/errors.md")).expect("the page of errors");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | ").map(|(code, _)| code));
    assert_eq!(rows.collect::<BTreeSet<&str>>(), codes);
}

fn a_person_reads_it_in_a_browser(database: Database) {
    let stoa = host::shared(database);
    let token = stoa.token(&format!("{}@example.test", fresh("reader-")));
    let read = browser::run("http::reference", "reference.mjs", &[("URL", &stoa.url()), ("TOKEN", &token)]);
    match read {
        Ok(pictures) => println!("what it looked like: {}", pictures.display()),
        Err(why) => {
            assert!(std::env::var_os("STOA_TEST_BROWSER").is_none(), "no browser: {why}");
            record::tell_not_run("http::reference in a browser", &why);
        }
    }
}
