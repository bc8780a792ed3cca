//! A right is taken away while a write is on its way, at six points of its life: the write succeeds whole or is refused
//! whole, and what begins after the revocation's answer is refused.

use std::thread;
use std::time::Duration;

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::held::Held;
use stoa_tests::host::{self, Settings};
use stoa_tests::raw::Connection;
use stoa_tests::{Company, Database, Dice, Machine, Stoa, at_once, eventually, on_both_databases};
use uuid::Uuid;

on_both_databases![
    before_authentication,
    between_authentication_and_the_transaction,
    during_the_upload,
    while_it_waits_for_its_key,
    while_the_module_waits,
    while_the_module_works,
    between_commit_and_answer,
    at_any_moment,
];

/// How long a reply may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Long enough for a request that was sent to have come as far as it can.
const ARRIVED: Duration = Duration::from_millis(250);

/// A right to write, and how it is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    RoleRevoked,
    RoleDisabled,
    RoleReduced,
    MembershipSuspended,
    KeyRevoked,
    ClientSuspended,
    ScopesReplaced,
    CompanySuspended,
}

use Right::*;

const RIGHTS: [Right; 8] = [
    RoleRevoked,
    RoleDisabled,
    RoleReduced,
    MembershipSuspended,
    KeyRevoked,
    ClientSuspended,
    ScopesReplaced,
    CompanySuspended,
];

/// A user who may write, in a company without another writer.
struct Writer {
    shop: Company,
    right: Right,
    token: String,
    /// The actor that the claim of a key belongs to.
    actor: String,
    /// Where variants of the company's one product are made.
    path: String,
    operation: &'static str,
    role: String,
    membership: String,
    machine: Option<Machine>,
}

/// One write: its key and everything it sends.
struct Write {
    key: String,
    head: String,
    body: String,
}

impl Writer {
    fn new(shop: &Company, right: Right) -> Writer {
        let product = shop.product("Raced");
        let below = format!("catalog/products/{product}/variants");
        let machine = match right {
            KeyRevoked | ClientSuspended | ScopesReplaced => Some(shop.machine(&["catalog.write", "catalog.read"])),
            _ => None,
        };
        let (mut role, mut membership) = (String::new(), String::new());
        let (token, actor, path, operation) = match &machine {
            Some(machine) => {
                let path = format!("/v1/api-client/{below}");
                (machine.key.clone(), machine.client.clone(), path, "apiCreateVariant")
            }
            None => {
                role = shop.role(&fresh("WRITER"), &["catalog.write", "catalog.read"]);
                let (member, person) = shop.member("writer", &[&role]);
                membership = member;
                let actor = shop.host.get_with("/v1/auth/me", &person.token).is(200).id();
                let path = format!("/v1/tenants/{}/{below}", shop.tenant);
                (person.token, actor, path, "createVariant")
            }
        };
        Writer { shop: shop.clone(), right, token, actor, path, operation, role, membership, machine }
    }

    /// A write that was never sent before.
    fn write(&self) -> Write {
        let key = Uuid::new_v4().to_string();
        let body = json!({ "sku": fresh("RACED") }).to_string();
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {key}\r\n\
             Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            self.path,
            self.shop.host.address(),
            self.token,
            body.len(),
        );
        Write { key, head, body }
    }

    /// Takes the right away; answered.
    fn take(&self, by: &Stoa) {
        let shop = Company { host: by.clone(), ..self.shop.clone() };
        let (role, membership) = (&self.role, &self.membership);
        let client = self.machine.as_ref().map(|machine| machine.client.clone()).unwrap_or_default();
        match self.right {
            RoleRevoked => shop.iam("revoke_role", json!({ "membershipId": membership, "roleId": role })).is(201),
            RoleDisabled => shop.iam("set_role_status", json!({ "roleId": role, "status": "DISABLED" })).is(201),
            RoleReduced => {
                shop.iam("replace_role_permissions", json!({ "roleId": role, "permissions": ["catalog.read"] })).is(201)
            }
            MembershipSuspended => {
                let members = json!({ "membershipId": membership, "status": "SUSPENDED" });
                shop.iam("set_membership_status", members).is(201)
            }
            KeyRevoked => {
                let key = self.machine.as_ref().map(|machine| machine.key_id.clone()).unwrap_or_default();
                shop.post(&format!("api-clients/{client}/keys/{key}/revoke"), json!({})).is(201)
            }
            ClientSuspended => {
                let request = shop.request("PATCH", &format!("api-clients/{client}/status"));
                request.json(&json!({ "status": "SUSPENDED" })).send().is(200)
            }
            ScopesReplaced => {
                let body = json!({ "scopes": ["catalog.read"] });
                shop.put(&format!("api-clients/{client}/scopes"), body).is(200)
            }
            CompanySuspended => {
                shop.host.operator(&["suspend", &shop.tenant]).expect("suspended");
                shop.get("context").refused(403, "TENANT_SUSPENDED")
            }
        };
    }

    fn refusal(&self) -> (u16, &'static str) {
        match self.right {
            RoleRevoked | RoleDisabled | RoleReduced => (403, "PERMISSION_DENIED"),
            MembershipSuspended => (403, "MEMBERSHIP_REQUIRED"),
            KeyRevoked | ClientSuspended => (401, "UNAUTHENTICATED"),
            ScopesReplaced => (403, "SCOPE_DENIED"),
            CompanySuspended => (403, "TENANT_SUSPENDED"),
        }
    }

    /// Numbers of stored traces of writes: records, entries of the audit, events, answers for retries.
    fn traces(&self) -> [i64; 4] {
        let operation = self.operation;
        [
            self.shop.count("catalog_variant", "sku like 'RACED%'"),
            self.shop.count("stoa_audit", &format!("operation = '{operation}' and metadata like '%SUCCESS%'")),
            self.shop.count("stoa_event", "kind = 'catalog.variant.created'"),
            self.shop.count("stoa_idempotency", &format!("operation = '{operation}' and status is not null")),
        ]
    }

    /// The write was whole or was not at all, as its answer says; and nothing begins any more, neither again nor as a retry.
    #[track_caller]
    fn settle(&self, status: Option<u16>, write: &Write, moment: &str) {
        let traces = match status {
            Some(201) => [1; 4],
            // The host refused, or it could not do it now.
            Some(401 | 403 | 503) => [0; 4],
            other => panic!("{:?} {moment}: {other:?}", self.right),
        };
        assert_eq!(self.traces(), traces, "{:?} {moment}: answered {status:?}", self.right);
        let (refused, code) = self.refusal();
        for again in [write, &self.write()] {
            let reply = self.send(again);
            assert_eq!(reply.0, Some(refused), "{:?} {moment}: {}", self.right, reply.1);
            assert!(reply.1.contains(code), "{:?} {moment}: {}", self.right, reply.1);
        }
        assert_eq!(self.traces(), traces, "{:?} {moment}: a write after the revocation", self.right);
    }

    fn send(&self, write: &Write) -> (Option<u16>, String) {
        let mut connection = Connection::open(&self.shop.host);
        connection.write(format!("{}{}", write.head, write.body).as_bytes());
        let reply = connection.read(PATIENCE);
        (reply.status, reply.text)
    }
}

/// Where a test may keep every writer out, as a held transaction does on SQLite: there the host is its own.
fn host_to_hold(database: Database) -> Stoa {
    match database {
        Database::Sqlite => Stoa::start(database),
        Database::Postgres => host::shared(database),
    }
}

/// Every right, in a company of its own: one of them is the company's.
fn each_right(host: &Stoa, act: impl Fn(&Writer)) {
    for right in RIGHTS {
        act(&Writer::new(&host.company(), right));
    }
}

/// Half of the head is there when the right goes.
fn before_authentication(database: Database) {
    each_right(&host::shared(database), |writer| {
        let write = writer.write();
        let (early, late) = write.head.split_at(write.head.len() / 2);
        let mut connection = Connection::open(&writer.shop.host);
        connection.write(early.as_bytes());
        thread::sleep(Duration::from_millis(50));
        writer.take(&writer.shop.host);
        connection.write(format!("{late}{}", write.body).as_bytes());
        let status = connection.read(PATIENCE).status;
        assert_eq!(status, Some(writer.refusal().0), "{:?}", writer.right);
        writer.settle(status, &write, "before authentication");
    });
}

/// The caller is known, the body half there: rights are looked up in the transaction, and that has not begun.
fn during_the_upload(database: Database) {
    each_right(&host::shared(database), |writer| {
        let write = writer.write();
        let (early, late) = write.body.split_at(write.body.len() / 2);
        let mut connection = Connection::open(&writer.shop.host);
        connection.write(format!("{}{early}", write.head).as_bytes());
        thread::sleep(ARRIVED);
        writer.take(&writer.shop.host);
        connection.write(late.as_bytes());
        let status = connection.read(PATIENCE).status;
        assert_eq!(status, Some(writer.refusal().0), "{:?}", writer.right);
        writer.settle(status, &write, "during the upload");
    });
}

/// The whole request is there, and no transaction can begin: on SQLite the place of the writer is taken, on PostgreSQL
/// every connection of the host is, and another host takes the right away.
fn between_authentication_and_the_transaction(database: Database) {
    match database {
        Database::Sqlite => each_right(&host_to_hold(database), |writer| {
            let held = writer.shop.hold("");
            waiting(writer, held, &writer.shop.host, "before its transaction");
        }),
        Database::Postgres => {
            const CONNECTIONS: usize = 3;
            let settings = Settings::default().set("STOA_DATABASE_CONNECTIONS", CONNECTIONS);
            let one = Stoa::start_with(database, settings);
            let other = one.beside();
            each_right(&one, |writer| {
                let owner = &writer.shop;
                let list = owner.price_list("BUSY");
                let held = owner.hold("select 1 from pricing_price_list where {tenant} for update");
                let body = |n: usize| json!({ "code": "BUSY", "name": format!("Busy {n}"), "currencyCode": "EUR" });
                thread::scope(|scope| {
                    for n in 0..CONNECTIONS {
                        let (list, body) = (&list, &body);
                        scope.spawn(move || owner.put(&format!("pricing/price-lists/{list}"), body(n)));
                    }
                    thread::sleep(ARRIVED);
                    waiting(writer, held, &other, "before its transaction");
                });
            });
        }
    }
}

/// Another client holds the claim of the same key (on SQLite: the place of the writer).
fn while_it_waits_for_its_key(database: Database) {
    each_right(&host_to_hold(database), |writer| {
        let write = writer.write();
        let ids = [&writer.shop.tenant, &writer.actor, &write.key].map(|id| writer.shop.literal(id));
        let held = writer.shop.hold(&format!(
            "insert into stoa_idempotency (tenant_id, actor_id, operation, key, fingerprint, created_at)
             values ({}, {}, '{}', {}, '\\x00', now())",
            ids[0], ids[1], writer.operation, ids[2]
        ));
        waiting_with(writer, &write, held, &writer.shop.host, "waiting for its key");
    });
}

/// Another client holds a row that the module locks (on SQLite: the place of the writer).
fn while_the_module_waits(database: Database) {
    each_right(&host_to_hold(database), |writer| {
        let held = writer.shop.hold("select 1 from catalog_product where {tenant} for update");
        waiting(writer, held, &writer.shop.host, "in the module");
    });
}

fn waiting(writer: &Writer, held: Held, by: &Stoa, moment: &str) {
    waiting_with(writer, &writer.write(), held, by, moment);
}

/// Sends a write that will wait, takes the right away meanwhile, and lets it go on.
fn waiting_with(writer: &Writer, write: &Write, held: Held, by: &Stoa, moment: &str) {
    let mut connection = Connection::open(&writer.shop.host);
    connection.write(format!("{}{}", write.head, write.body).as_bytes());
    thread::sleep(ARRIVED);
    match writer.shop.host.database() {
        // The revocation has to write too, and waits behind.
        Database::Sqlite => thread::scope(|scope| {
            let taken = scope.spawn(|| writer.take(by));
            thread::sleep(ARRIVED);
            drop(held);
            taken.join().expect("the right was taken away");
        }),
        Database::Postgres => {
            writer.take(by);
            drop(held);
        }
    }
    let status = connection.read(PATIENCE).status;
    writer.settle(status, write, moment);
}

/// The module has written, and takes its time.
fn while_the_module_works(database: Database) {
    let host = crate::modules::hostile::host(database);
    for n in 0..6 {
        let shop = host.company();
        let role = shop.role(&fresh("WRITER"), &["hostile.run"]);
        let (membership, person) = shop.member("writer", &[&role]);
        person.get("hostile/count").is(200);
        let label = fresh("DAWDLED");
        let answers = at_once(2, |thread| match thread {
            0 => person.post("hostile/dawdle", json!({ "text": label })),
            _ => {
                thread::sleep(Duration::from_millis(n * 15));
                shop.iam("revoke_role", json!({ "membershipId": membership, "roleId": role })).is(201)
            }
        });
        let made = match answers[0].status {
            201 => 1,
            403 | 503 => 0,
            other => panic!("{other}: {}", answers[0]),
        };
        assert_eq!(shop.count("hostile_note", &format!("label = '{label}'")), made, "{}", answers[0]);
        assert_eq!(shop.count("hostile_entry", &format!("label = '{label}'")), made, "{}", answers[0]);
        person.post("hostile/dawdle", json!({ "text": fresh("LATE") })).refused(403, "PERMISSION_DENIED");
        assert_eq!(shop.count("hostile_note", "label like 'LATE%'"), 0);
    }
}

/// A committed write is answered as done, whatever happened since.
fn between_commit_and_answer(database: Database) {
    each_right(&host::shared(database), |writer| {
        let write = writer.write();
        let mut connection = Connection::open(&writer.shop.host);
        connection.write(format!("{}{}", write.head, write.body).as_bytes());
        // The answer lies unread.
        eventually(|| (writer.traces()[0] == 1).then_some(()));
        writer.take(&writer.shop.host);
        let status = connection.read(PATIENCE).status;
        assert_eq!(status, Some(201), "{:?}", writer.right);
        writer.settle(status, &write, "between commit and answer");
    });
}

/// Both at once, at random moments.
fn at_any_moment(database: Database) {
    let host = host::shared(database);
    let mut dice = Dice::new("revocation::at_any_moment");
    let mut done = 0;
    const ROUNDS: usize = 40;
    for round in 0..ROUNDS {
        // The operator's tool is another process, and slow to start.
        let writer = Writer::new(&host.company(), RIGHTS[round % (RIGHTS.len() - 1)]);
        let write = writer.write();
        let delays = [dice.between(0, 12), dice.between(0, 12)].map(Duration::from_millis);
        let statuses = at_once(2, |thread| {
            thread::sleep(delays[thread]);
            match thread {
                0 => writer.send(&write).0,
                _ => {
                    writer.take(&host);
                    None
                }
            }
        });
        done += usize::from(statuses[0] == Some(201));
        writer.settle(statuses[0], &write, "at any moment");
    }
    println!("{done} of {ROUNDS} writes were done");
}
