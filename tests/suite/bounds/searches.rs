//! A search of text looks at so many rows of a company and no more, however many it has; the pages together find everything.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    a_page_looks_at_so_many_rows,
    a_rare_filter_has_no_page_look_further,
    a_page_of_the_audit_looks_at_so_many_entries,
    a_page_of_roles_looks_at_so_many,
    a_page_of_memberships_looks_at_so_many,
    a_company_has_so_many_roles,
];

/// Rows between the first match and the last: more than one page looks at.
const HAY: u32 = 12_000;

/// The ids that each page shows, the first as the last.
#[track_caller]
fn pages(shop: &Company, path: &str, query: &[(&str, &str)]) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let after = cursor.iter().map(|cursor| ("cursor", cursor.as_str()));
        let page = shop.list(path, &query.iter().copied().chain(after).collect::<Vec<_>>()).is(200);
        let id = |item: &Json| item["id"].as_str().expect("an id").to_owned();
        pages.push(page["items"].as_array().expect("items").iter().map(id).collect());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return pages,
        }
        assert!(pages.len() < 10, "{path}: the pages do not end");
    }
}

fn a_page_looks_at_so_many_rows(database: Database) {
    let shop = company(database);
    // Products are found only by their variants here.
    let article = |name: &str, sku: &str| {
        let body = with(&product(name), json!({ "variants": [{ "sku": sku }] }));
        let made = shop.post("catalog/products", body).is(201);
        (made.id(), made["variants"][0]["id"].as_str().expect("its variant").to_owned())
    };
    let (first, first_variant) = article("First", "NEEDLE-1");
    article("Hay", "HAY");
    shop.copy_rows("catalog_product", "slug = 'hay'", HAY, &[("slug", "t.slug || s.n")]);
    shop.copy_rows("catalog_variant", "sku = 'HAY'", HAY, &[("sku", "t.sku || s.n")]);
    let (last, last_variant) = article("Last", "NEEDLE-2");

    let expected = [vec![first.clone()], vec![last]];
    assert_eq!(pages(&shop, "catalog/products", &[("text", "eedle-")]), expected);
    assert_eq!(pages(&shop, "catalog/variants", &[("text", "eedle-")]), [vec![first_variant], vec![last_variant]]);
    assert_eq!(pages(&shop, "catalog/products", &[("text", "nowhere")]), [[""; 0], [""; 0]], "reported as it is");
    assert_eq!(pages(&shop, "catalog/products", &[("text", "eedle-1"), ("limit", "1")])[0], [first]);
    // A page that is full before is as it always was.
    let full = shop.list("catalog/products", &[("text", "hay"), ("limit", "2")]).is(200);
    assert_eq!(full["nextCursor"], full["items"][1]["id"]);
}

fn a_page_of_the_audit_looks_at_so_many_entries(database: Database) {
    let shop = company(database);
    shop.unit("HAY", 0);
    shop.copy_rows("stoa_audit", "operation = 'createLookup'", HAY, &[("operation", "'hay'")]);
    shop.product("Last");
    let found = |query: &[(&str, &str)]| pages(&shop, "audit", query);
    let one = |operation: &str| {
        let entries = shop.list("audit", &[("operation", operation), ("limit", "1")]).is(200);
        entries["items"][0]["id"].as_str().expect("an entry").to_owned()
    };
    let last = one("createProduct");
    assert_eq!(found(&[("text", "createproduct")])[0], [last], "the newest first");
    assert!(found(&[("text", "createproduct")]).len() > 1, "what is older is looked at page by page");
    let first = one("createCompany");
    assert_eq!(found(&[("text", "createcompany")]).concat(), [first]);
    assert!(found(&[("result", "DENIED")]).len() > 1, "no index knows results");
}

fn a_rare_filter_has_no_page_look_further(database: Database) {
    let shop = company(database);
    let brand = shop.brand("RARE");
    let rare = |sku: &str| {
        let variants = json!([{ "sku": sku }]);
        json!({ "publicationStatus": "PUBLISHED", "brandId": brand, "variants": variants })
    };
    let make = |name: &str, members: Json| shop.post("catalog/products", with(&product(name), members)).is(201).id();
    let first = make("Needle 1", rare("RARE-1"));
    make("Hay", json!({}));
    shop.copy_rows("catalog_product", "slug = 'hay'", HAY, &[("slug", "t.slug || s.n")]);
    let last = make("Needle 2", rare("RARE-2"));

    let found =
        |filters: &[(&str, &str)]| pages(&shop, "catalog/products", &[&[("text", "needle")][..], filters].concat());
    let apart = [vec![first.clone()], vec![last.clone()]];
    assert_eq!(found(&[("publicationStatus", "PUBLISHED")]), apart, "no index serves the filter");
    let together = [vec![first.clone(), last.clone()]];
    assert_eq!(found(&[("brandId", &brand)]), together, "an index serves the filter, and no other row is read");
    assert_eq!(found(&[("brandId", &brand), ("publicationStatus", "PUBLISHED")]), together);
    assert_eq!(found(&[("ids", &format!("{first},{last}"))]), together);
    // The same of the audit: the resource has an index, the operation has none.
    shop.copy_rows("stoa_audit", "operation = 'createLookup'", HAY, &[("operation", "'hay'")]);
    shop.product("Last");
    let entries = |filters: &[(&str, &str)]| pages(&shop, "audit", &[&[("text", "create")][..], filters].concat());
    let companies = entries(&[("operation", "createCompany")]);
    assert!(companies.len() > 1 && companies[0].is_empty(), "{companies:?}");
    assert_eq!(companies.concat().len(), 1);
    assert_eq!(entries(&[("resourceId", &first)]).iter().map(Vec::len).collect::<Vec<_>>(), [1]);
    let one = entries(&[("resourceId", &first), ("operation", "createProduct")]);
    assert_eq!(one.iter().map(Vec::len).collect::<Vec<_>>(), [1]);
}

fn a_page_of_roles_looks_at_so_many(database: Database) {
    let shop = company(database);
    let first = shop.role("NEEDLE-1", &[]);
    shop.role("HAY", &[]);
    let last = shop.role("NEEDLE-2", &[]);
    shop.copy_rows("stoa_role", "code = 'HAY'", HAY, &[("code", "t.code || s.n")]);
    assert_eq!(pages(&shop, "iam/roles", &[("text", "needle")]), [vec![first.clone()], vec![last]]);
    assert_eq!(pages(&shop, "iam/roles", &[("text", "needle"), ("limit", "1")])[0], [first]);
    assert_eq!(pages(&shop, "iam/roles", &[("text", "needle"), ("status", "DISABLED")]), [[""; 0], [""; 0]]);
}

fn a_page_of_memberships_looks_at_so_many(database: Database) {
    let shop = company(database);
    let role = shop.role("RARE", &[]);
    let (first, _) = shop.member("needle-1", &[&role]);
    let (hay, _) = shop.member("hay", &[]);
    let (last, _) = shop.member("needle-2", &[&role]);
    let (hay, subject) = (shop.literal(&hay), format!("'{}' || s.n", fresh("hay-")));
    let new_id = match database {
        Database::Sqlite => "randomblob(16)",
        Database::Postgres => "gen_random_uuid()",
    };
    shop.change(&format!(
        "with recursive s(n) as (select 1 union all select n + 1 from s where n < {HAY})
         insert into stoa_user (id, issuer, subject, email, created_at, updated_at)
         select {new_id}, 'https://hay.test', {subject}, 'hay@example.test', m.created_at, m.updated_at
         from s join stoa_membership m on 1 = 1 where m.id = {hay}"
    ));
    let user = format!("(select u.id from stoa_user u where u.issuer = 'https://hay.test' and u.subject = {subject})");
    shop.copy_rows("stoa_membership", &format!("t.id = {hay}"), HAY, &[("user_id", &user)]);
    let found =
        |filters: &[(&str, &str)]| pages(&shop, "iam/memberships", &[&[("text", "needle")][..], filters].concat());
    let apart = [vec![first], vec![last]];
    assert_eq!(found(&[]), apart);
    assert_eq!(found(&[("roleId", &role)]), apart, "however few have the role");
}

fn a_company_has_so_many_roles(database: Database) {
    let shop = company(database);
    shop.role("HAY", &[]);
    // With these two there are 999.
    shop.copy_rows("stoa_role", "code = 'HAY'", 997, &[("code", "t.code || s.n")]);
    let create = |code: &str| shop.iam("create_role", json!({ "code": code, "name": "One more" }));
    let last = create("LAST").is(201).id();
    let refused = create("BEYOND").refused(409, "LIMIT_EXCEEDED");
    assert_eq!(refused.errors()[0]["expected"], json!({ "maximum": 1000, "counted": "ROLES" }));
    create("LAST").refused(409, "DUPLICATE");
    shop.iam("set_role_status", json!({ "roleId": last, "status": "DISABLED" })).is(201);
}
