//! Roles and memberships by commands: each takes effect on the very next request, and a company never loses its last manager.

use serde_json::{Value as Json, json};
use stoa_tests::people::somebody;
use stoa_tests::{Answer, Company, Database, at_once, company, on_both_databases};

on_both_databases![
    a_role_is_worth_what_it_grants,
    p21_suspended_in_the_middle_of_a_session,
    bodies_are_exactly_one_command,
    references_must_exist,
    codes_are_unique_and_upper_case,
    owner_is_never_reduced,
    the_last_manager_stays,
    p10_last_manager_by_two_racing_commands,
    p10_every_way_at_once,
    stating_what_is_so_changes_nothing,
    one_membership_however_many_ask,
    the_key_is_optional,
    p05_no_replay_after_the_role_was_revoked,
    p18_commands_stay_in_their_company,
    each_command_is_audited,
    who_gave_whom_which_role_is_reported_by_the_audit,
    permissions_that_a_role_gained_and_lost_are_reported_by_the_audit,
];

fn a_role_is_worth_what_it_grants(database: Database) {
    let shop = company(database);
    let role = shop.role("reader", &["catalog.read"]);
    let (member, reader) = shop.member("reader", &[]);
    let products = |expected: u16| drop(reader.get("catalog/products").is(expected));
    products(403);
    shop.iam("assign_role", json!({ "membershipId": member, "roleId": role })).is(201);
    products(200);
    reader.post("catalog/products", json!({})).refused(403, "PERMISSION_DENIED");
    assert_eq!(reader.get("context").is(200)["permissions"], json!(["catalog.read"]));
    shop.iam("set_role_status", json!({ "roleId": role, "status": "DISABLED" })).is(201);
    products(403);
    shop.iam("set_role_status", json!({ "roleId": role, "status": "ACTIVE" })).is(201);
    products(200);
    shop.iam("replace_role_permissions", json!({ "roleId": role, "permissions": ["pricing.read"] })).is(201);
    products(403);
    reader.get("pricing/price-lists").is(200);
    shop.iam("replace_role_permissions", json!({ "roleId": role, "permissions": [] })).is(201);
    reader.get("pricing/price-lists").refused(403, "PERMISSION_DENIED");
    shop.iam("replace_role_permissions", json!({ "roleId": role, "permissions": ["catalog.read"] })).is(201);
    products(200);
    shop.iam("revoke_role", json!({ "membershipId": member, "roleId": role })).is(201);
    products(403);
    reader.get("iam/roles").refused(403, "PERMISSION_DENIED");
    reader.iam("create_role", json!({ "code": "MINE", "name": "Mine" })).refused(403, "PERMISSION_DENIED");
    shop.as_user(&somebody("stranger"))
        .iam("create_role", json!({ "code": "MINE", "name": "Mine" }))
        .refused(403, "MEMBERSHIP_REQUIRED");
}

fn p21_suspended_in_the_middle_of_a_session(database: Database) {
    let shop = company(database);
    let role = shop.role("READER", &["catalog.read"]);
    let (member, reader) = shop.member("reader", &[&role]);
    reader.get("catalog/products").is(200);
    shop.iam("set_membership_status", json!({ "membershipId": member, "status": "SUSPENDED" })).is(201);
    reader.get("catalog/products").refused(403, "MEMBERSHIP_REQUIRED");
    reader.get("context").refused(403, "MEMBERSHIP_REQUIRED");
    shop.iam("set_membership_status", json!({ "membershipId": member, "status": "ACTIVE" })).is(201);
    reader.get("catalog/products").is(200);
}

fn bodies_are_exactly_one_command(database: Database) {
    let shop = company(database);
    let role = shop.role("R", &[]);
    let before = shop.digest();
    let uuid = uuid::Uuid::now_v7().to_string();
    let cases: &[(Json, &[(&str, &str)])] = &[
        (json!({}), &[("/kind", "REQUIRED")]),
        (json!([]), &[("", "TYPE")]),
        (json!({ "kind": "delete_role", "roleId": uuid }), &[("/kind", "FORMAT")]),
        (json!({ "kind": 7 }), &[("/kind", "TYPE")]),
        (json!({ "kind": "create_role" }), &[("/code", "REQUIRED"), ("/name", "REQUIRED")]),
        (json!({ "kind": "create_role", "code": "1X", "name": " " }), &[("/code", "FORMAT"), ("/name", "RANGE")]),
        (json!({ "kind": "create_role", "code": " X", "name": "N" }), &[("/code", "FORMAT")]),
        (json!({ "kind": "create_role", "code": "X".repeat(65), "name": "N" }), &[("/code", "FORMAT")]),
        (json!({ "kind": "create_role", "code": "X", "name": "N".repeat(201) }), &[("/name", "RANGE")]),
        (json!({ "kind": "create_role", "code": "X", "name": "N", "roleId": uuid }), &[("", "NOT_ALLOWED")]),
        (
            json!({ "kind": "set_role_status", "roleId": "x", "status": "GONE" }),
            &[("/roleId", "FORMAT"), ("/status", "FORMAT")],
        ),
        (json!({ "kind": "set_role_status", "roleId": uuid, "status": "SUSPENDED" }), &[("/status", "FORMAT")]),
        (
            json!({ "kind": "set_membership_status", "membershipId": uuid, "status": "DISABLED" }),
            &[("/status", "FORMAT")],
        ),
        (
            json!({ "kind": "replace_role_permissions", "roleId": role, "permissions": ["catalog.read", "catalog.fly"] }),
            &[("/permissions/1", "FORMAT")],
        ),
        (
            json!({ "kind": "replace_role_permissions", "roleId": role, "permissions": ["catalog.read", "catalog.read"] }),
            &[("/permissions", "REPEATED")],
        ),
        (
            json!({ "kind": "replace_role_permissions", "roleId": role, "permissions": null }),
            &[("/permissions", "TYPE")],
        ),
        (json!({ "kind": "create_membership", "userId": uuid, "status": "ACTIVE" }), &[("", "NOT_ALLOWED")]),
        (json!({ "kind": "assign_role", "membershipId": uuid }), &[("/roleId", "REQUIRED")]),
        (json!({ "kind": "revoke_role", "roleId": uuid }), &[("/membershipId", "REQUIRED")]),
    ];
    for (body, faults) in cases {
        let mut answer = shop.post("iam/commands", body.clone()).refused(400, "VALIDATION_FAILED");
        for (pointer, code) in *faults {
            answer = answer.fault(pointer, code);
        }
        assert_eq!(answer.errors().len(), faults.len(), "{body}: {answer}");
    }
    assert_eq!(shop.digest(), before);
    // Every permission that there is, at once.
    let all = shop.get("iam/permissions").is(200);
    let codes: Vec<&Json> = all.items().iter().map(|item| &item["code"]).collect();
    shop.iam("replace_role_permissions", json!({ "roleId": role, "permissions": codes })).is(201);
    assert_eq!(shop.get(&format!("iam/roles/{role}")).is(200)["permissions"], json!(codes));
}

fn references_must_exist(database: Database) {
    let shop = company(database);
    let role = shop.role("R", &[]);
    let member = shop.own_membership();
    let absent = uuid::Uuid::now_v7().to_string();
    let cases = [
        ("set_role_status", json!({ "roleId": absent, "status": "ACTIVE" }), vec!["/roleId"]),
        ("replace_role_permissions", json!({ "roleId": absent, "permissions": [] }), vec!["/roleId"]),
        ("create_membership", json!({ "userId": absent }), vec!["/userId"]),
        ("set_membership_status", json!({ "membershipId": absent, "status": "ACTIVE" }), vec!["/membershipId"]),
        ("assign_role", json!({ "membershipId": absent, "roleId": role }), vec!["/membershipId"]),
        ("assign_role", json!({ "membershipId": member, "roleId": absent }), vec!["/roleId"]),
        ("assign_role", json!({ "membershipId": absent, "roleId": absent }), vec!["/membershipId", "/roleId"]),
        ("revoke_role", json!({ "membershipId": absent, "roleId": absent }), vec!["/membershipId", "/roleId"]),
    ];
    for (kind, members, pointers) in cases {
        assert_eq!(shop.iam(kind, members).refused(404, "NOT_FOUND").pointers(), pointers, "{kind}");
    }
}

fn codes_are_unique_and_upper_case(database: Database) {
    let shop = company(database);
    let made = shop.iam("create_role", json!({ "code": "night.Shift-1_x", "name": " Night " })).is(201);
    let role = shop.get(&format!("iam/roles/{}", made.id())).is(200);
    assert_eq!((&role["code"], &role["name"]), (&json!("NIGHT.SHIFT-1_X"), &json!("Night")));
    assert_eq!((&role["status"], &role["permissions"], &role["system"]), (&json!("ACTIVE"), &json!([]), &json!(false)));
    assert_eq!(role["tenantId"], json!(shop.tenant));
    for code in ["NIGHT.SHIFT-1_X", "night.shift-1_x", "owner"] {
        shop.iam("create_role", json!({ "code": code, "name": "N" })).refused(409, "DUPLICATE").at("/code");
    }
    // Another company has its own.
    company(database).iam("create_role", json!({ "code": "NIGHT.SHIFT-1_X", "name": "N" })).is(201);
    let answers = at_once(6, |_| shop.iam("create_role", json!({ "code": "RACE", "name": "N" })));
    let made: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(made.len(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "DUPLICATE");
    }
}

fn owner_is_never_reduced(database: Database) {
    let shop = company(database);
    let owner = shop.owner_role();
    let before = shop.digest();
    let disable = json!({ "roleId": owner, "status": "DISABLED" });
    shop.iam("set_role_status", disable).refused(409, "ILLEGAL_STATE").at("/roleId");
    for permissions in [json!([]), json!(["users.manage"])] {
        let reduce = json!({ "roleId": owner, "permissions": permissions });
        shop.iam("replace_role_permissions", reduce).refused(409, "ILLEGAL_STATE").at("/roleId");
    }
    assert_eq!(shop.digest(), before);
    let role = shop.get(&format!("iam/roles/{owner}")).is(200);
    let all = shop.get("iam/permissions").is(200);
    let codes: Vec<&Json> = all.items().iter().map(|item| &item["code"]).collect();
    assert_eq!((&role["permissions"], &role["system"]), (&json!(codes), &json!(true)));
    // It can be given to others, and taken from a manager who is not the last.
    let (second, other) = shop.member("second", &[&owner]);
    other.get("iam/roles").is(200);
    shop.iam("revoke_role", json!({ "membershipId": second, "roleId": owner })).is(201);
    other.get("iam/roles").refused(403, "PERMISSION_DENIED");
}

/// Every command that can reduce, tried on the last manager; then a second one makes it lawful.
fn the_last_manager_stays(database: Database) {
    let shop = company(database);
    let (owner, first) = (shop.owner_role(), shop.own_membership());
    let suspend = |id: &str| json!({ "membershipId": id, "status": "SUSPENDED" });
    shop.iam("set_membership_status", suspend(&first)).refused(409, "LAST_MANAGER");
    shop.iam("revoke_role", json!({ "membershipId": first, "roleId": owner })).refused(409, "LAST_MANAGER");
    // A member who holds the permission through a role that counts is a manager, too.
    let role = shop.role("MANAGER", &["users.manage"]);
    let (second, manager) = shop.member("manager", &[&role]);
    shop.iam("set_role_status", json!({ "roleId": role, "status": "DISABLED" })).is(201);
    shop.iam("revoke_role", json!({ "membershipId": first, "roleId": owner })).refused(409, "LAST_MANAGER");
    shop.iam("set_role_status", json!({ "roleId": role, "status": "ACTIVE" })).is(201);
    shop.iam("set_membership_status", suspend(&second)).is(201);
    shop.iam("revoke_role", json!({ "membershipId": first, "roleId": owner })).refused(409, "LAST_MANAGER");
    shop.iam("set_membership_status", json!({ "membershipId": second, "status": "ACTIVE" })).is(201);
    shop.iam("revoke_role", json!({ "membershipId": first, "roleId": owner })).is(201);
    // Now the second is the last, and all that it holds the permission by stays.
    let commands = [
        ("set_membership_status", suspend(&second)),
        ("revoke_role", json!({ "membershipId": second, "roleId": role })),
        ("set_role_status", json!({ "roleId": role, "status": "DISABLED" })),
        ("replace_role_permissions", json!({ "roleId": role, "permissions": ["catalog.read"] })),
    ];
    let before = manager.digest();
    for (kind, members) in commands {
        manager.iam(kind, members).refused(409, "LAST_MANAGER");
    }
    assert_eq!(manager.digest(), before);
    manager.iam("replace_role_permissions", json!({ "roleId": role, "permissions": ["users.manage"] })).is(201);
    shop.get("iam/roles").refused(403, "PERMISSION_DENIED");
}

fn p10_last_manager_by_two_racing_commands(database: Database) {
    let shop = company(database);
    let (owner, first) = (shop.owner_role(), shop.own_membership());
    // Two owners, who suspend each other.
    for _ in 0..5 {
        let shop = company(database);
        let (second, other) = shop.member("other", &[&shop.owner_role()]);
        let first = shop.own_membership();
        let suspend = |id: &str| json!({ "membershipId": id, "status": "SUSPENDED" });
        let answers = at_once(2, |n| match n {
            0 => shop.iam("set_membership_status", suspend(&second)),
            _ => other.iam("set_membership_status", suspend(&first)),
        });
        exactly_one(answers, &["LAST_MANAGER", "MEMBERSHIP_REQUIRED"]);
    }
    // Two who each give up their own role: neither receives the rejection of a stranger.
    let role = shop.role("MANAGER", &["users.manage"]);
    let (second, other) = shop.member("other", &[&role]);
    for _ in 0..20 {
        let answers = at_once(2, |n| match n {
            0 => shop.iam("revoke_role", json!({ "membershipId": first, "roleId": owner })),
            _ => other.iam("revoke_role", json!({ "membershipId": second, "roleId": role })),
        });
        let gone = usize::from(answers[1].status == 201);
        exactly_one(answers, &["LAST_MANAGER"]);
        // The manager who is left gives it back.
        match gone {
            0 => other.iam("assign_role", json!({ "membershipId": first, "roleId": owner })).is(201),
            _ => shop.iam("assign_role", json!({ "membershipId": second, "roleId": role })).is(201),
        };
    }
}

#[track_caller]
fn exactly_one(answers: Vec<Answer>, refusals: &[&str]) {
    let reported: Vec<(u16, String)> =
        answers.iter().map(|answer| (answer.status, answer["code"].as_str().unwrap_or_default().to_string())).collect();
    assert_eq!(reported.iter().filter(|(status, _)| *status == 201).count(), 1, "{reported:?}");
    for (status, code) in &reported {
        assert!(*status == 201 || refusals.contains(&code.as_str()), "{reported:?}");
    }
}

/// Six managers by one role: their suspensions, revocations and the role's own end race, and one manager is left.
fn p10_every_way_at_once(database: Database) {
    let shop = company(database);
    let role = shop.role("MANAGER", &["users.manage"]);
    let members: Vec<(String, Company)> = (0..4).map(|_| shop.member("manager", &[&role])).collect();
    let (owner, first) = (shop.owner_role(), shop.own_membership());
    let answers = at_once(7, |n| match n {
        0 => shop.iam("revoke_role", json!({ "membershipId": first, "roleId": owner })),
        1 => shop.iam("set_role_status", json!({ "roleId": role, "status": "DISABLED" })),
        2 => shop.iam("replace_role_permissions", json!({ "roleId": role, "permissions": [] })),
        n => {
            let (id, member) = &members[n - 3];
            member.iam("set_membership_status", json!({ "membershipId": id, "status": "SUSPENDED" }))
        }
    });
    for answer in &answers {
        let reported = (answer.status, answer["code"].as_str());
        let refusals = [(403, "PERMISSION_DENIED"), (403, "MEMBERSHIP_REQUIRED"), (409, "LAST_MANAGER")];
        let is_refused = refusals.iter().any(|(status, code)| reported == (*status, Some(*code)));
        assert!(answer.status == 201 || is_refused, "{answer}");
    }
    let managers = shop.rows(
        "select count(distinct m.id) from (select * from stoa_membership where {tenant}) m
         join stoa_membership_role a on a.tenant_id = m.tenant_id and a.membership_id = m.id
         join stoa_role r on r.tenant_id = a.tenant_id and r.id = a.role_id
         left join stoa_role_permission p on p.tenant_id = r.tenant_id and p.role_id = r.id
         where m.status = 'ACTIVE' and r.status = 'ACTIVE' and (r.code = 'OWNER' or p.permission = 'users.manage')",
    );
    assert_ne!(managers[0][0], "0", "{answers:?}");
}

fn stating_what_is_so_changes_nothing(database: Database) {
    let shop = company(database);
    let role = shop.role("R", &["catalog.read", "catalog.write"]);
    let (member, _) = shop.member("member", &[&role]);
    let (role_at, member_at) = (format!("iam/roles/{role}"), format!("iam/memberships/{member}"));
    let before = (shop.get(&role_at).body, shop.get(&member_at).body);
    let commands = [
        ("set_role_status", json!({ "roleId": role, "status": "ACTIVE" }), &role),
        (
            "replace_role_permissions",
            json!({ "roleId": role, "permissions": ["catalog.write", "catalog.read"] }),
            &role,
        ),
        ("set_membership_status", json!({ "membershipId": member, "status": "ACTIVE" }), &member),
        ("assign_role", json!({ "membershipId": member, "roleId": role }), &member),
    ];
    for (kind, members, id) in commands {
        assert_eq!(&shop.iam(kind, members).is(201).id(), id, "{kind}");
    }
    assert_eq!((shop.get(&role_at).body, shop.get(&member_at).body), before);
    shop.iam("revoke_role", json!({ "membershipId": member, "roleId": role })).is(201);
    let after = shop.get(&member_at).body;
    assert_eq!(after["roles"], json!([]));
    shop.iam("revoke_role", json!({ "membershipId": member, "roleId": role })).is(201);
    assert_eq!(shop.get(&member_at).body, after);
    // A membership is made once; a suspended one is resumed by its status.
    let user = after["userId"].clone();
    shop.iam("create_membership", json!({ "userId": user })).refused(409, "DUPLICATE").at("/userId");
    shop.iam("set_membership_status", json!({ "membershipId": member, "status": "SUSPENDED" })).is(201);
    shop.iam("create_membership", json!({ "userId": user })).refused(409, "DUPLICATE").at("/userId");
}

fn one_membership_however_many_ask(database: Database) {
    let shop = company(database);
    let user = shop.host.user_id(&somebody("wanted"));
    let answers = at_once(8, |_| shop.iam("create_membership", json!({ "userId": user })));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "DUPLICATE").at("/userId");
    }
}

fn the_key_is_optional(database: Database) {
    let shop = company(database);
    let command = |code: &str| json!({ "kind": "create_role", "code": code, "name": "N" });
    let send = |code: &str| shop.request("POST", "iam/commands").without("idempotency-key").json(&command(code)).send();
    send("NO-KEY").is(201);
    send("NO-KEY").refused(409, "DUPLICATE");
    let key = uuid::Uuid::now_v7().to_string();
    let keyed = |code: &str| shop.request("POST", "iam/commands").key(&key).json(&command(code)).send();
    let first = keyed("Key").is(201);
    let again = keyed("KEY").is(201);
    assert!(!first.replayed() && again.replayed(), "{again}");
    assert_eq!(first.body, again.body);
    keyed("OTHER").refused(409, "IDEMPOTENCY_KEY_REUSED");
    shop.request("POST", "iam/commands").key("x").json(&command("X")).send().refused(400, "IDEMPOTENCY_KEY_INVALID");
}

fn p05_no_replay_after_the_role_was_revoked(database: Database) {
    let shop = company(database);
    let role = shop.role("MANAGER", &["users.manage", "catalog.write", "catalog.read"]);
    let (member, manager) = shop.member("manager", &[&role]);
    let key = uuid::Uuid::new_v4().to_string();
    let brand = json!({ "name": "B", "code": "B" });
    let command = json!({ "kind": "create_role", "code": "MADE", "name": "N" });
    let write = || manager.request("POST", "catalog/lookups/brands").key(&key).json(&brand).send();
    let command = || manager.request("POST", "iam/commands").key(&key).json(&command).send();
    write().is(201);
    command().is(201);
    shop.iam("revoke_role", json!({ "membershipId": member, "roleId": role })).is(201);
    write().refused(403, "PERMISSION_DENIED");
    command().refused(403, "PERMISSION_DENIED");
    shop.iam("assign_role", json!({ "membershipId": member, "roleId": role })).is(201);
    assert!(write().is(201).replayed() && command().is(201).replayed());
}

fn p18_commands_stay_in_their_company(database: Database) {
    let (mine, theirs) = (company(database), company(database));
    let their_role = theirs.role("R", &["catalog.read"]);
    let (their_member, _) = theirs.member("member", &[&their_role]);
    let (my_role, my_member) = (mine.role("R", &[]), mine.own_membership());
    let before = theirs.digest();
    let commands = [
        ("set_role_status", json!({ "roleId": their_role, "status": "DISABLED" })),
        ("replace_role_permissions", json!({ "roleId": their_role, "permissions": [] })),
        ("set_membership_status", json!({ "membershipId": their_member, "status": "SUSPENDED" })),
        ("assign_role", json!({ "membershipId": my_member, "roleId": their_role })),
        ("assign_role", json!({ "membershipId": their_member, "roleId": my_role })),
        ("revoke_role", json!({ "membershipId": their_member, "roleId": their_role })),
    ];
    for (kind, members) in commands {
        mine.iam(kind, members).refused(404, "NOT_FOUND");
    }
    mine.get(&format!("iam/roles/{their_role}")).refused(404, "NOT_FOUND");
    mine.get(&format!("iam/memberships/{their_member}")).refused(404, "NOT_FOUND");
    assert!(mine.list("iam/memberships", &[("roleId", &their_role)]).is(200).items().is_empty());
    assert_eq!(theirs.digest(), before);
}

fn each_command_is_audited(database: Database) {
    let shop = company(database);
    let since = shop.rows("select id from stoa_audit where {tenant}").len();
    let role = shop.role("R", &["catalog.read"]);
    let (member, _) = shop.member("member", &[&role]);
    shop.iam("set_role_status", json!({ "roleId": role, "status": "DISABLED" })).is(201);
    shop.iam("set_membership_status", json!({ "membershipId": member, "status": "SUSPENDED" })).is(201);
    shop.iam("revoke_role", json!({ "membershipId": member, "roleId": role })).is(201);
    shop.iam("create_role", json!({ "code": "R", "name": "N" })).refused(409, "DUPLICATE");
    let rows = shop.rows("select resource_type, resource_id, metadata from stoa_audit where {tenant} order by id");
    let reported: Vec<(&str, &str, Json)> = rows[since..]
        .iter()
        .map(|row| {
            let metadata: Json = serde_json::from_str(&row[2]).unwrap_or_default();
            (row[0].as_str(), row[1].as_str(), metadata["changed"].clone())
        })
        .collect();
    let (role, member) = (role.as_str(), member.as_str());
    let expected = [
        ("ROLE", role, Json::Null),
        ("ROLE", role, json!(["permissions"])),
        ("MEMBERSHIP", member, Json::Null),
        ("MEMBERSHIP", member, json!(["roles"])),
        ("ROLE", role, json!(["status"])),
        ("MEMBERSHIP", member, json!(["status"])),
        ("MEMBERSHIP", member, json!(["roles"])),
    ];
    assert_eq!(reported, expected);
    assert_eq!(shop.count("stoa_audit", "operation = 'executeIamCommand'"), 7);
}

/// The details of the company's entries about people and keys, oldest first.
fn details(shop: &Company, resource: &str) -> Vec<Json> {
    let entries = shop.all("audit", &[("resourceId", resource)]);
    entries.iter().rev().map(|entry| entry["metadata"]["detail"].clone()).collect()
}

fn who_gave_whom_which_role_is_reported_by_the_audit(database: Database) {
    let shop = company(database);
    let (role, other) = (shop.role("R", &["catalog.read", "pricing.read"]), shop.role("O", &["pricing.read"]));
    let (member, person) = shop.member("member", &[]);
    let user = person.host.request("GET", "/v1/auth/me").token(&person.token).send().is(200).id();
    let giver = shop.host.request("GET", "/v1/auth/me").token(&shop.token).send().is(200).id();
    shop.iam("assign_role", json!({ "membershipId": member, "roleId": role })).is(201);
    shop.iam("assign_role", json!({ "membershipId": member, "roleId": other })).is(201);
    shop.iam("revoke_role", json!({ "membershipId": member, "roleId": role })).is(201);
    shop.iam("set_membership_status", json!({ "membershipId": member, "status": "SUSPENDED" })).is(201);
    let expected = [
        json!({ "kind": "create_membership", "membershipId": member, "userId": user }),
        json!({ "kind": "assign_role", "membershipId": member, "roleId": role, "gained": ["catalog.read", "pricing.read"] }),
        json!({ "kind": "assign_role", "membershipId": member, "roleId": other }),
        json!({ "kind": "revoke_role", "membershipId": member, "roleId": role, "lost": ["catalog.read"] }),
        json!({ "kind": "set_membership_status", "membershipId": member, "status": "SUSPENDED" }),
    ];
    assert_eq!(details(&shop, &member), expected);
    let entries = shop.all("audit", &[("resourceId", &member)]);
    assert!(entries.iter().all(|entry| entry["actorId"] == json!(giver)), "{entries:?}");
}

fn permissions_that_a_role_gained_and_lost_are_reported_by_the_audit(database: Database) {
    let shop = company(database);
    let role = shop.role("R", &["catalog.read", "settings.manage"]);
    let replace = |permissions: &[&str]| {
        shop.iam("replace_role_permissions", json!({ "roleId": role, "permissions": permissions })).is(201);
    };
    replace(&["settings.manage", "catalog.write"]);
    replace(&["catalog.write", "settings.manage"]);
    shop.iam("set_role_status", json!({ "roleId": role, "status": "DISABLED" })).is(201);
    let replaced = |members: Json| {
        stoa_tests::company::with(&json!({ "kind": "replace_role_permissions", "roleId": role }), members)
    };
    let expected = [
        json!({ "kind": "create_role", "roleId": role }),
        replaced(json!({ "gained": ["catalog.read", "settings.manage"] })),
        replaced(json!({ "gained": ["catalog.write"], "lost": ["catalog.read"] })),
        replaced(json!({})),
        json!({ "kind": "set_role_status", "roleId": role, "status": "DISABLED" }),
    ];
    assert_eq!(details(&shop, &role), expected);
}
