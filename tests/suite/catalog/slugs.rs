//! Slugs: made of the name, stated, reserved, and always within 160 characters.

use serde_json::json;
use stoa_tests::company::{product, with};
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![c03_a_stated_slug_that_is_taken,];

on_both_databases![
    rules:
    made_of_the_name,
    taken_slugs_are_numbered,
    numbered_slugs_stay_within_160,
    grammar_of_a_stated_slug,
    another_company_has_its_own_slugs,
];

fn made_of_the_name(database: Database) {
    let long_word = "a".repeat(200);
    let words = "word ".repeat(40);
    let cases = [
        ("Café Crème!", "cafe-creme"),
        ("Straße & Größe", "strasse-grosse"),
        ("Smørrebrød Ærø", "smorrebrod-aero"),
        ("Œuvre Łódź Đurđevac", "oeuvre-lodz-durdevac"),
        ("Iğdır ıspanak", "igdir-ispanak"),
        ("Þingvellir Reyðarfjörður", "thingvellir-reydarfjordur"),
        ("iPhone 15 Pro (256 GB)", "iphone-15-pro-256-gb"),
        ("  --  A--B__C  --  ", "a-b-c"),
        ("Nº5 ﬁn", "no5-fin"),
        ("中文", "product"),
        ("!!!", "product-2"),
        ("\u{1F4F1}", "product-3"),
        ("ＦＵＬＬ", "full"),
        ("e\u{0301}clair", "eclair"),
        ("100%_done\\", "100-done"),
        (long_word.as_str(), &long_word[..160]),
        (words.as_str(), &"word-".repeat(32)[..159]),
    ];
    let shop = company(database);
    for (name, slug) in cases {
        let made = shop.post("catalog/products", product(name)).is(201);
        assert_eq!(made["slug"], slug, "of the name {name:?}");
    }
}

fn c03_a_stated_slug_that_is_taken(database: Database) {
    let shop = company(database);
    let stated = |slug: &str| with(&product("P"), json!({ "slug": slug }));
    let id = shop.post("catalog/products", stated("mine")).is(201).id();
    let before = shop.digest();
    shop.post("catalog/products", stated("mine")).refused(409, "DUPLICATE").at("/slug");
    assert_eq!(shop.digest(), before);
    shop.archive(&format!("catalog/products/{id}")).is(200);
    shop.post("catalog/products", stated("mine")).refused(409, "DUPLICATE").at("/slug");
    let other = shop.post("catalog/products", stated("other")).is(201).id();
    shop.put(&format!("catalog/products/{other}"), stated("mine")).refused(409, "DUPLICATE").at("/slug");
    let path = format!("catalog/products/{other}");
    assert_eq!(shop.get(&path).is(200)["slug"], "other");
    assert_eq!(shop.put(&path, stated("other")).is(200)["slug"], "other", "its own slug is no duplicate");
    assert_eq!(shop.put(&path, stated("third")).is(200)["slug"], "third");
}

fn taken_slugs_are_numbered(database: Database) {
    let shop = company(database);
    let slug = |name: &str| shop.post("catalog/products", product(name)).is(201).text("slug");
    assert_eq!([slug("Twin"), slug("Twin"), slug("twin!")], ["twin", "twin-2", "twin-3"]);
    // A stated slug in the way is passed over; so is one whose product is archived.
    let stated = with(&product("P"), json!({ "slug": "twin-4" }));
    let id = shop.post("catalog/products", stated).is(201).id();
    assert_eq!(slug("Twin"), "twin-5");
    shop.archive(&format!("catalog/products/{id}")).is(200);
    assert_eq!(slug("Twin"), "twin-6");
    assert_eq!(slug("Twin 2"), "twin-2-2");
}

fn numbered_slugs_stay_within_160(database: Database) {
    let shop = company(database);
    let name = "a".repeat(200);
    for n in 1..=11 {
        let slug = shop.post("catalog/products", product(&name)).is(201).text("slug");
        assert!(slug.len() <= 160, "{} characters", slug.len());
        match n {
            1 => assert_eq!(slug, "a".repeat(160)),
            _ => assert!(slug.ends_with(&format!("a-{n}")) && slug.len() == 160, "{slug}"),
        }
    }
}

fn grammar_of_a_stated_slug(database: Database) {
    let shop = company(database);
    let longest = "a".repeat(160);
    for slug in ["a", "0", "a-b", "1-2-3", longest.as_str()] {
        let made = shop.post("catalog/products", with(&product("P"), json!({ "slug": slug }))).is(201);
        assert_eq!(made["slug"], slug);
    }
    let too_long = "a".repeat(161);
    for slug in ["", "-a", "a-", "a--b", "A", "a_b", "a b", "é", "a/b", "a.b", too_long.as_str()] {
        let body = with(&product("P"), json!({ "slug": slug }));
        shop.post("catalog/products", body).refused(400, "VALIDATION_FAILED").at("/slug");
    }
}

fn another_company_has_its_own_slugs(database: Database) {
    let (shop, other) = (company(database), company(database));
    for shop in [&shop, &other] {
        let made = shop.post("catalog/products", with(&product("P"), json!({ "slug": "same" }))).is(201);
        assert_eq!(made["slug"], "same");
    }
}
