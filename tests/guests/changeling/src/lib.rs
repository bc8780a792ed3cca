//! A module in several versions from one build: the suite writes the digit of a form over a mark in its bytes. So a test has
//! as many versions as it needs, and each is what a partner's next release would be.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::bindings::commerce::platform::log;
use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::store::{Failure, insert, run, select, update};
use stoa_sdk::{
    Answer, Call, Entity, EventData, EventKind, Id, Manifest, Module, Operation, Problem, Reply, Text, all, collection,
    emit, host, new_id, now,
};

/// Rows of one batch of the backfill.
const BATCH: u32 = 3;
const MOST: u32 = 1_000;
const AUDIT: &str = "CHANGELING_ITEM";
const ADDED: EventKind<Item> = EventKind::new("changeling.item.added", AUDIT, "A row was added.");

/// The digit at the end is what a test writes.
static MARK: [u8; 24] = *b"the changeling's form: 1";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// 1.0.0.
    First,
    /// 1.1.0: one more column, filled by `upgrade`, and one more route.
    Grown,
    /// 1.0.1: every read of it traps.
    Broken,
    /// 1.2.0: names are unique.
    Strict,
    /// 1.3.0: grown, and its backfill is refused.
    Stuck,
    /// 1.0.2: as the first, in other bytes.
    Again,
    /// 1.4.0: claims what is another module's.
    Thief,
    /// 2.0.0: the read is gone.
    Poorer,
    /// 0.9.0: the slow read is not there yet.
    Younger,
}

fn form() -> Form {
    match black_box(&MARK).last() {
        Some(b'2') => Form::Grown,
        Some(b'3') => Form::Broken,
        Some(b'4') => Form::Strict,
        Some(b'5') => Form::Stuck,
        Some(b'6') => Form::Again,
        Some(b'7') => Form::Thief,
        Some(b'8') => Form::Poorer,
        Some(b'9') => Form::Younger,
        _ => Form::First,
    }
}

fn version(form: Form) -> &'static str {
    match form {
        Form::First => "1.0.0",
        Form::Grown => "1.1.0",
        Form::Broken => "1.0.1",
        Form::Strict => "1.2.0",
        Form::Stuck => "1.3.0",
        Form::Again => "1.0.2",
        Form::Thief => "1.4.0",
        Form::Poorer => "2.0.0",
        Form::Younger => "0.9.0",
    }
}

collection! {
    pub record ItemRow in "item" {
        name: String,
    }
}

collection! {
    pub record GrownRow in "item" {
        name: String,
        size: Option<i64>,
    }
    index { [size] }
}

collection! {
    pub record StrictRow in "item" {
        name: String,
    }
    unique { name: [name] }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Changeling")]
struct State {
    version: String,
    items: u32,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChangelingSizes")]
struct Sizes {
    sizes: Vec<Option<i64>>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ChangelingItemInput")]
#[serde(deny_unknown_fields)]
struct ItemInput {
    name: Text<1, 100>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChangelingItem")]
struct Item {
    id: Id,
    version: String,
}

impl EventData for Item {
    fn example() -> Item {
        Item { id: Id(1, 2), version: "1.0.0".to_owned() }
    }
}

fn read(_: &Call) -> Answer {
    assert!(form() != Form::Broken, "this version is broken");
    let items = match form() {
        Form::Grown | Form::Stuck => run(select::<GrownRow>(all([])).limit(MOST))?.items.len(),
        _ => run(select::<ItemRow>(all([])).limit(MOST))?.items.len(),
    };
    let items = u32::try_from(items).unwrap_or(MOST);
    Ok(Reply::json(&State { version: version(form()).to_owned(), items }))
}

/// A row named `after x` is added once there is a row named `x`: so a test says when the request ends.
fn add(call: &Call) -> Answer {
    let input: ItemInput = call.body()?;
    let now = now();
    let (id, name) = (new_id(), String::from(input.name));
    if let Some(other) = name.strip_prefix("after ") {
        while run(select::<ItemRow>(ItemRow::name.eq(other)).limit(1))?.items.is_empty() {}
    }
    let inserted = match form() {
        Form::Grown | Form::Stuck => {
            let size = i64::try_from(name.len()).ok();
            run(insert([&GrownRow { id, version: 1, created_at: now, updated_at: now, name, size }]))
        }
        Form::Strict => run(insert([&StrictRow { id, version: 1, created_at: now, updated_at: now, name }])),
        _ => run(insert([&ItemRow { id, version: 1, created_at: now, updated_at: now, name }])),
    };
    match inserted {
        Err(Failure::Duplicate(_)) => return Err(Problem::duplicate("/name")),
        inserted => inserted?,
    };
    let item = Item { id, version: version(form()).to_owned() };
    emit([ADDED.of(id, None, &item)]);
    Ok(Reply::json(&item).of(id, 1))
}

/// How slow a slow read is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Slowness {
    /// Turns of a loop that does nothing.
    turns: u64,
}

fn read_slowly(call: &Call) -> Answer {
    let Slowness { turns } = call.query()?;
    host::log(log::Level::Info, "a slow read has begun");
    for turn in 0..turns {
        black_box(turn);
    }
    read(call)
}

fn sizes(_: &Call) -> Answer {
    let rows = run(select::<GrownRow>(all([])).limit(MOST))?.items;
    Ok(Reply::json(&Sizes { sizes: rows.into_iter().map(|row| row.size).collect() }))
}

/// Fills what has no size, a few rows at a time, in the order of their ids.
fn fill(cursor: Option<String>) -> Result<Option<String>, Problem> {
    let after = cursor.as_deref().and_then(|cursor| cursor.parse().ok());
    let page = run(select::<GrownRow>(GrownRow::size.is_null()).after(after).limit(BATCH))?;
    for row in &page.items {
        run(update::<GrownRow>(row.id).set(GrownRow::size, &i64::try_from(row.name.len()).ok()))?;
    }
    Ok(page.items.last().filter(|_| page.more).map(|row| row.id.to_string()))
}

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation::read("/changeling", "readChangeling", read).summary("The module and its rows")
        .needs(&["changeling.read"]).answers::<State>(),
    Operation::read("/changeling/slow", "readChangelingSlowly", read_slowly).summary("The same, after a while")
        .needs(&["changeling.read"]).query::<Slowness>().answers::<State>(),
    Operation::create("/changeling/items", "addChangelingItem", add).summary("Add a row")
        .needs(&["changeling.write"]).body::<ItemInput>().answers::<Item>().writes(AUDIT, &[ADDED.code]).problems(&["DUPLICATE"]),
    Operation::read("/changeling/sizes", "listChangelingSizes", sizes).summary("Sizes of the rows")
        .needs(&["changeling.read"]).answers::<Sizes>(),
];

/// The module in the form that its bytes name.
pub struct Changeling;

impl Module for Changeling {
    /// The manifest of the first form, with every route that any form has.
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        permissions: &[("changeling.read", "Of the changeling."), ("changeling.write", "Of the changeling.")],
        events: &[ADDED.declare()],
        ..Manifest::new("changeling", "1.0.0", "A module in several versions.")
    };

    fn descriptor() -> Descriptor {
        let mut descriptor = Self::MANIFEST.descriptor();
        descriptor.version = version(form()).to_owned();
        descriptor.collections = vec![match form() {
            Form::Grown | Form::Stuck => GrownRow::collection(),
            Form::Strict => StrictRow::collection(),
            _ => ItemRow::collection(),
        }];
        if form() == Form::Thief {
            let description = "Of the changeling.".to_owned();
            descriptor.permissions.push(Named { code: "catalog.read".to_owned(), description });
        }
        descriptor.routes.retain(|route| match route.operation.as_str() {
            "listChangelingSizes" => matches!(form(), Form::Grown | Form::Stuck),
            "readChangeling" => form() != Form::Poorer,
            "readChangelingSlowly" => form() != Form::Younger,
            _ => true,
        });
        descriptor
    }

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        match form() {
            Form::Grown => fill(cursor),
            Form::Stuck => Err(Problem::not_found()),
            _ => Ok(None),
        }
    }
}

stoa_sdk::export_module!(Changeling);
