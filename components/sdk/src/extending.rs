//! The parts of a manifest by which a module extends others, and what a module that calls points asks the host.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use stoa_descriptor::{self as descriptor, Moment, Schemas};

use crate::bindings::exports::commerce::platform::module::Problem;
use crate::extension::listening::exports::commerce::extension::listener;
use crate::extension::timed::exports::commerce::extension::timer;
use crate::extension::viewing::exports::commerce::extension::views;
use crate::host::fault;
use crate::id::Id;
use crate::instant::Instant;
use crate::json::Json;

/// A point that the module extends, with the codes of its rejections. The crate exports the interface:
/// `stoa_trade::export_point!`.
#[derive(Debug, Clone, Copy)]
pub struct Extends {
    /// Without a version: `commerce:extension/checkout`.
    pub interface: &'static str,
    /// Problem codes, of the platform's list or the module's own.
    pub problems: &'static [&'static str],
    /// Codes of items.
    pub item_codes: &'static [&'static str],
}

impl Extends {
    /// A point at which the module rejects nothing.
    pub const fn new(interface: &'static str) -> Extends {
        Extends { interface, problems: &[], item_codes: &[] }
    }

    /// Problem codes with which the module rejects a call.
    pub const fn problems(mut self, codes: &'static [&'static str]) -> Extends {
        self.problems = codes;
        self
    }

    /// Codes of items with which the module rejects a call.
    pub const fn item_codes(mut self, codes: &'static [&'static str]) -> Extends {
        self.item_codes = codes;
        self
    }

    pub(crate) fn describe(&self) -> descriptor::Extension {
        descriptor::Extension {
            interface: self.interface.to_owned(),
            problems: own(self.problems),
            item_codes: own(self.item_codes),
        }
    }
}

/// A kind of event of another module that the module receives. The crate exports it:
/// [`export_listener!`](crate::export_listener).
#[derive(Clone, Copy)]
pub struct Receives {
    /// `sale.completed`.
    pub kind: &'static str,
    /// When it is received.
    pub moment: Moment,
    /// Problem codes with which the module rejects it.
    pub problems: &'static [&'static str],
    /// Receives it.
    pub run: fn(&Received) -> Result<(), Problem>,
}

impl Receives {
    /// In the transaction that emits the event: a problem rejects the request.
    pub const fn in_transaction(kind: &'static str, run: fn(&Received) -> Result<(), Problem>) -> Receives {
        Receives { kind, moment: Moment::InTransaction, problems: &[], run }
    }

    /// After the commit, at least once, in sequence. A problem means: not now. The host sends the event again later.
    pub const fn after_commit(kind: &'static str, run: fn(&Received) -> Result<(), Problem>) -> Receives {
        Receives { kind, moment: Moment::AfterCommit, problems: &[], run }
    }

    /// Problem codes with which the module rejects the event, of the platform's list or the module's own.
    pub const fn problems(mut self, codes: &'static [&'static str]) -> Receives {
        self.problems = codes;
        self
    }

    pub(crate) fn describe(&self) -> descriptor::Receiving {
        descriptor::Receiving { kind: self.kind.to_owned(), moment: self.moment, problems: own(self.problems) }
    }
}

/// An event as a module receives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// The same each time the event is received. None in the transaction, in which the event has no id yet.
    pub id: Option<Id>,
    /// `sale.completed`.
    pub kind: String,
    /// The resource that the event is about.
    pub resource: Id,
    /// The version of the resource, if it is a versioned document.
    pub version: Option<i64>,
    /// A JSON object, as the kind declares it; see [`Received::data`].
    pub data: String,
    /// When it was emitted.
    pub occurred_at: Instant,
    /// The request that emitted it.
    pub request: Id,
}

impl From<listener::Event> for Received {
    fn from(event: listener::Event) -> Received {
        Received {
            id: event.id.map(Id::from),
            kind: event.kind,
            resource: event.resource.into(),
            version: event.version,
            data: event.data,
            occurred_at: Instant(event.occurred_at),
            request: event.request.into(),
        }
    }
}

impl Received {
    /// The event's data as a struct of the members that the module reads. Ends the call where they have another shape.
    #[track_caller]
    pub fn data<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_str(&self.data) {
            Ok(data) => data,
            Err(_) => fault("an event's data have another shape than the module reads"),
        }
    }
}

/// Work that the module does by the clock, company by company. The crate exports it: [`export_timer!`](crate::export_timer).
#[derive(Clone, Copy)]
pub struct Timer {
    /// `[a-z][a-z0-9-]{0,31}`.
    pub code: &'static str,
    /// From 5 to 10,080.
    pub every_minutes: u32,
    /// One sentence that says what it does.
    pub description: &'static str,
    /// One bounded batch for the company of the request, from a cursor on; returns the next cursor, or none when done.
    pub run: fn(&Window, Option<String>) -> Result<Option<String>, Problem>,
}

impl Timer {
    pub(crate) fn describe(&self) -> descriptor::Timer {
        descriptor::Timer {
            code: self.code.to_owned(),
            description: self.description.to_owned(),
            every_minutes: self.every_minutes,
        }
    }
}

/// The span of time for which a timer runs: after `since`, up to `until`. Windows of a company leave no gap and do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The end of the company's last completed window; none the first time.
    pub since: Option<Instant>,
    /// The end of this window.
    pub until: Instant,
}

/// Members that the module adds to responses of another module. The crate exports them: [`export_views!`](crate::export_views).
#[derive(Clone, Copy)]
pub struct Shows {
    /// `sales.order`.
    pub place: &'static str,
    schema: fn(&mut Schemas) -> Value,
    run: fn(&[Id]) -> Vec<(Id, Json)>,
}

impl Shows {
    /// `run`: the objects of at most 100 records, each a `T` of at most 16 KiB; a record without one is absent.
    pub const fn new<T: JsonSchema>(place: &'static str, run: fn(&[Id]) -> Vec<(Id, Json)>) -> Shows {
        Shows { place, schema: Schemas::response::<T>, run }
    }

    pub(crate) fn describe(&self, schemas: &mut Schemas) -> descriptor::Shown {
        descriptor::Shown { place: self.place.to_owned(), schema: (self.schema)(schemas) }
    }
}

fn own(codes: &[&str]) -> Vec<String> {
    codes.iter().map(|&code| code.to_owned()).collect()
}

/// Gives an event to the row of the manifest that receives it.
pub(crate) fn receive(rows: &[Receives], moment: listener::Moment, event: listener::Event) -> Result<(), Problem> {
    let moment = match moment {
        listener::Moment::InTransaction => Moment::InTransaction,
        listener::Moment::AfterCommit => Moment::AfterCommit,
    };
    let Some(row) = rows.iter().find(|row| row.kind == event.kind && row.moment == moment) else {
        fault("an event that the descriptor does not receive");
    };
    (row.run)(&event.into())
}

/// Runs a batch of the timer of this code.
pub(crate) fn run_timer(
    rows: &[Timer],
    code: &str,
    window: timer::Window,
    cursor: Option<String>,
) -> Result<Option<String>, Problem> {
    let Some(row) = rows.iter().find(|row| row.code == code) else {
        fault("a timer that the descriptor does not name")
    };
    (row.run)(&Window { since: window.since.map(Instant), until: Instant(window.until) }, cursor)
}

/// Lists what the module shows at a place. The host writes the module's name.
pub(crate) fn show(rows: &[Shows], place: &str, ids: Vec<(u64, u64)>) -> Vec<views::Document> {
    let Some(row) = rows.iter().find(|row| row.place == place) else {
        fault("a place that the descriptor does not name")
    };
    let ids: Vec<Id> = ids.into_iter().map(Id::from).collect();
    let document = |(id, shown): (Id, Json)| views::Document {
        module: String::new(),
        id: id.into(),
        json: shown.text().to_owned(),
    };
    (row.run)(&ids).into_iter().map(document).collect()
}

/// Returns whether an active module extends a point that this module calls. A caller asks before it builds the point's arguments.
/// A native program has no extensions, unless a test put one in their place: `stand_in_extended`.
pub fn is_extended(interface: &str) -> bool {
    #[cfg(target_arch = "wasm32")]
    return crate::extension::asking::commerce::extension::points::count_extensions(interface) > 0;
    #[cfg(not(target_arch = "wasm32"))]
    stand_in::is_named(interface)
}

/// Returns whether an active module shows something at a place of this module's responses.
pub fn shows_at(place: &str) -> bool {
    #[cfg(target_arch = "wasm32")]
    return crate::extension::asking::commerce::extension::points::shows(place);
    #[cfg(not(target_arch = "wasm32"))]
    stand_in::is_named(place)
}

/// Ends the call: a value that this extension returned is not what its interface promises. The failure is the
/// extension's, and the host rolls back and responds with MODULE_FAILED. `reason`: for the log, without the value.
#[track_caller]
pub fn reject_extension(module: &str, reason: &str) -> ! {
    #[cfg(target_arch = "wasm32")]
    crate::extension::asking::commerce::extension::points::reject_extension(module, reason);
    fault(&format!("{module} returned at a point: {reason}"))
}

#[cfg(not(target_arch = "wasm32"))]
pub use stand_in::stand_in_extended;

#[cfg(not(target_arch = "wasm32"))]
mod stand_in {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    thread_local! {
        static NAMES: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    }

    /// For unit tests: from here on this thread has an extension at a point, or at a place of a response. The stand-in
    /// functions of the point respond in its place.
    pub fn stand_in_extended(interface_or_place: &'static str) {
        NAMES.with_borrow_mut(|names| names.insert(interface_or_place));
    }

    pub(super) fn is_named(name: &str) -> bool {
        NAMES.with_borrow(|names| names.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::module::{Manifest, Module};
    use crate::problem::item;

    #[derive(Deserialize)]
    struct Sale {
        total: String,
    }

    fn reject(event: &Received) -> Result<(), Problem> {
        Err(Problem { code: event.data::<Sale>().total, errors: vec![item("/", "IN")] })
    }

    fn wait(event: &Received) -> Result<(), Problem> {
        Err(Problem { code: event.kind.clone(), errors: vec![item("/", "AFTER")] })
    }

    const RECEIVES: &[Receives] = &[
        Receives::after_commit("sale.completed", wait),
        Receives::in_transaction("sale.completed", reject).problems(&["SOLD"]),
    ];

    fn event() -> listener::Event {
        listener::Event {
            id: None,
            kind: "sale.completed".to_owned(),
            resource_type: "ORDER".to_owned(),
            resource: (1, 2),
            version: Some(3),
            data: "{\"total\":\"SOLD\",\"other\":1}".to_owned(),
            occurred_at: 4,
            request: (5, 6),
        }
    }

    #[test]
    fn an_event_is_received_by_the_row_of_its_moment() {
        let receive = |moment| receive(RECEIVES, moment, event()).unwrap_err();
        let (within, after) = (receive(listener::Moment::InTransaction), receive(listener::Moment::AfterCommit));
        assert_eq!((within.code.as_str(), within.errors[0].code.as_str()), ("SOLD", "IN"));
        assert_eq!((after.code.as_str(), after.errors[0].code.as_str()), ("sale.completed", "AFTER"));
    }

    #[test]
    fn a_timer_gets_its_window_and_cursor() {
        fn next(window: &Window, cursor: Option<String>) -> Result<Option<String>, Problem> {
            Ok(Some(format!("{:?} {:?} {cursor:?}", window.since.map(|since| since.0), window.until.0)))
        }
        let timers = [Timer { code: "expire", every_minutes: 5, description: "Expires.", run: next }];
        let window = timer::Window { since: Some(1), until: 2 };
        let ran = run_timer(&timers, "expire", window, Some("c".to_owned())).unwrap();
        assert_eq!(ran.as_deref(), Some("Some(1) 2 Some(\"c\")"));
    }

    #[test]
    fn what_is_shown_keeps_its_id_and_leaves_the_module_to_the_host() {
        fn one(ids: &[Id]) -> Vec<(Id, Json)> {
            ids.iter().skip(1).map(|id| (*id, Json::from_value(&serde_json::json!({ "left": "1" })))).collect()
        }
        let shown = show(&[Shows::new::<Vec<Id>>("sales.order", one)], "sales.order", vec![(1, 1), (1, 2)]);
        let [document] = shown.as_slice() else { panic!("{} documents", shown.len()) };
        assert_eq!((document.module.as_str(), document.id, document.json.as_str()), ("", (1, 2), "{\"left\":\"1\"}"));
    }

    #[test]
    fn a_native_program_has_no_extension_but_those_that_a_test_names() {
        assert!(!is_extended("commerce:extension/checkout") && !shows_at("sales.order"));
        stand_in_extended("commerce:extension/checkout");
        stand_in_extended("sales.order");
        assert!(is_extended("commerce:extension/checkout") && shows_at("sales.order"));
        assert!(!is_extended("commerce:extension/numbering") && !shows_at("pos.receipt"));
    }

    /// The rest of a limit.
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct CreditLimitExposure {
        left: String,
    }

    struct CreditLimit;

    impl Module for CreditLimit {
        const MANIFEST: Manifest = Manifest {
            points: &[("commerce:extension/numbering", "A limit without a number.")],
            extends: &[Extends::new("commerce:extension/order-confirmation")
                .problems(&["CREDIT_LIMIT_EXCEEDED"])
                .item_codes(&["CREDIT_LIMIT_CLOSED"])],
            receives: RECEIVES,
            timers: &[Timer {
                code: "expire",
                every_minutes: 1_440,
                description: "Expires limits.",
                run: |_, _| Ok(None),
            }],
            shows: &[Shows::new::<CreditLimitExposure>("sales.order", |_| Vec::new())],
            ..Manifest::new("credit-limit", "1.0.0", "Limits.")
        };
    }

    #[test]
    fn a_manifest_says_what_the_module_extends() {
        crate::scripted::check::<CreditLimit>();
        let descriptor = serde_json::to_value(CreditLimit::descriptor()).unwrap();
        for (member, expected) in [
            ("points", json!([{ "code": "commerce:extension/numbering", "description": "A limit without a number." }])),
            (
                "extends",
                json!([{
                    "interface": "commerce:extension/order-confirmation", "problems": ["CREDIT_LIMIT_EXCEEDED"],
                    "itemCodes": ["CREDIT_LIMIT_CLOSED"],
                }]),
            ),
            (
                "receives",
                json!([
                    { "kind": "sale.completed", "moment": "after-commit" },
                    { "kind": "sale.completed", "moment": "in-transaction", "problems": ["SOLD"] },
                ]),
            ),
            ("timers", json!([{ "code": "expire", "description": "Expires limits.", "everyMinutes": 1440 }])),
            ("shows", json!([{ "place": "sales.order", "schema": { "$ref": "#/$defs/CreditLimitExposure" } }])),
        ] {
            assert_eq!(descriptor[member], expected, "{member}");
        }
        assert_eq!(descriptor["schemas"]["CreditLimitExposure"]["type"], "object");
    }
}
