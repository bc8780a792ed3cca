//! The contract's types as the SDK generates them and as the host does: the same, in two crates.

use catalog::bindings::exports::commerce::catalog::articles as offered;
use stoa::wit::{context, events, log, module, problems, store};
use stoa_sdk::bindings::commerce::platform as sdk;
use stoa_sdk::bindings::commerce::platform::store as guest;
use stoa_sdk::bindings::exports::commerce::platform::module as sdk_module;
use stoa_trade::bindings::commerce::catalog::articles as wanted;

pub fn call(call: &module::Call) -> sdk_module::Call {
    sdk_module::Call {
        operation: call.operation.clone(),
        path: call.path.clone(),
        query: call.query.clone(),
        body: call.body.clone(),
        if_match: call.if_match.clone(),
    }
}

pub fn reply(reply: sdk_module::Reply) -> module::Reply {
    module::Reply {
        status: reply.status,
        body: reply.body,
        etag: reply.etag,
        resource: reply.resource,
        subjects: reply.subjects,
        changed: reply.changed,
    }
}

pub fn problem(problem: sdk_module::Problem) -> module::Problem {
    let item = |item: sdk_module::Item| module::Item {
        pointer: item.pointer,
        code: item.code,
        required: item.required,
        identified: item.identified,
        expected: item.expected.map(bounds),
        conflicts_with: item.conflicts_with,
    };
    module::Problem { code: problem.code, errors: problem.errors.into_iter().map(item).collect() }
}

fn bounds(bounds: sdk::problems::Bounds) -> problems::Bounds {
    let bound = |bound: sdk::problems::Bound| match bound {
        sdk::problems::Bound::Integer(number) => problems::Bound::Integer(number),
        sdk::problems::Bound::Decimal(text) => problems::Bound::Decimal(text),
        sdk::problems::Bound::Date(day) => problems::Bound::Date(day),
        sdk::problems::Bound::Instant(instant) => problems::Bound::Instant(instant),
    };
    problems::Bounds { minimum: bounds.minimum.map(bound), maximum: bounds.maximum.map(bound), counted: bounds.counted }
}

pub fn facts(facts: context::Facts) -> sdk::context::Facts {
    sdk::context::Facts {
        tenant: facts.tenant,
        actor_kind: match facts.actor_kind {
            context::ActorKind::User => sdk::context::ActorKind::User,
            context::ActorKind::ApiClient => sdk::context::ActorKind::ApiClient,
            context::ActorKind::System => sdk::context::ActorKind::System,
        },
        actor: facts.actor,
        request: facts.request,
        now: facts.now,
        today: facts.today,
        horizon: facts.horizon,
    }
}

pub fn event(event: &sdk::events::Event) -> events::Event {
    events::Event {
        kind: event.kind.clone(),
        resource_type: event.resource_type.clone(),
        resource: event.resource,
        version: event.version,
        data: event.data.clone(),
    }
}

pub fn level(level: sdk::log::Level) -> log::Level {
    match level {
        sdk::log::Level::Debug => log::Level::Debug,
        sdk::log::Level::Info => log::Level::Info,
        sdk::log::Level::Warn => log::Level::Warn,
        sdk::log::Level::Error => log::Level::Error,
    }
}

fn value(value: &guest::Value) -> store::Value {
    match value {
        guest::Value::Null => store::Value::Null,
        guest::Value::Id(id) => store::Value::Id(*id),
        guest::Value::Text(text) => store::Value::Text(text.clone()),
        guest::Value::Boolean(value) => store::Value::Boolean(*value),
        guest::Value::Integer(number) => store::Value::Integer(*number),
        guest::Value::Decimal(text) => store::Value::Decimal(text.clone()),
        guest::Value::Instant(instant) => store::Value::Instant(*instant),
        guest::Value::Date(text) => store::Value::Date(text.clone()),
        guest::Value::Json(text) => store::Value::Json(text.clone()),
    }
}

fn to_guest(value: store::Value) -> guest::Value {
    match value {
        store::Value::Null => guest::Value::Null,
        store::Value::Id(id) => guest::Value::Id(id),
        store::Value::Text(text) => guest::Value::Text(text),
        store::Value::Boolean(value) => guest::Value::Boolean(value),
        store::Value::Integer(number) => guest::Value::Integer(number),
        store::Value::Decimal(text) => guest::Value::Decimal(text),
        store::Value::Instant(instant) => guest::Value::Instant(instant),
        store::Value::Date(text) => guest::Value::Date(text),
        store::Value::Json(text) => guest::Value::Json(text),
    }
}

fn row(row: &guest::Row) -> store::Row {
    row.iter().map(value).collect()
}

fn rows(rows: &[guest::Row]) -> Vec<store::Row> {
    rows.iter().map(row).collect()
}

fn mode(mode: guest::LockMode) -> store::LockMode {
    match mode {
        guest::LockMode::Shared => store::LockMode::Shared,
        guest::LockMode::Exclusive => store::LockMode::Exclusive,
    }
}

fn ask(ask: &sdk::store::Ask) -> store::Ask {
    store::Ask { collection: ask.collection.clone(), columns: ask.columns.clone(), lock: ask.lock.map(mode) }
}

fn term(term: &sdk::store::Term) -> store::Term {
    use sdk::store::Compare as From;
    let op = match term.op {
        From::Eq => store::Compare::Eq,
        From::Ne => store::Compare::Ne,
        From::Lt => store::Compare::Lt,
        From::Le => store::Compare::Le,
        From::Gt => store::Compare::Gt,
        From::Ge => store::Compare::Ge,
        From::OneOf => store::Compare::OneOf,
        From::IsNull => store::Compare::IsNull,
        From::NotNull => store::Compare::NotNull,
        From::Contains => store::Compare::Contains,
        From::LexLt => store::Compare::LexLt,
        From::LexGt => store::Compare::LexGt,
    };
    store::Term { column: term.column.clone(), op, values: row(&term.values) }
}

fn filter(filter: &[sdk::store::Node]) -> Vec<store::Node> {
    let node = |node: &sdk::store::Node| match node {
        sdk::store::Node::All(count) => store::Node::All(*count),
        sdk::store::Node::Any(count) => store::Node::Any(*count),
        sdk::store::Node::Term(inner) => store::Node::Term(term(inner)),
        sdk::store::Node::Has(has) => store::Node::Has(store::Has {
            collection: has.collection.clone(),
            own: has.own.clone(),
            theirs: has.theirs.clone(),
            where_: has.where_.iter().map(term).collect(),
        }),
    };
    filter.iter().map(node).collect()
}

pub fn store_call(call: &guest::Call) -> store::Call {
    match call {
        guest::Call::Get(call) => store::Call::Get(store::GetCall { ask: ask(&call.ask), ids: row(&call.ids) }),
        guest::Call::Find(call) => {
            store::Call::Find(store::FindCall { ask: ask(&call.ask), key: call.key.clone(), keys: rows(&call.keys) })
        }
        guest::Call::Select(call) => store::Call::Select(store::SelectCall {
            ask: ask(&call.ask),
            where_: filter(&call.where_),
            order: call
                .order
                .iter()
                .map(|order| store::Order { column: order.column.clone(), descending: order.descending })
                .collect(),
            after: call.after.as_ref().map(row),
            limit: call.limit,
            each: call.each.as_ref().map(|each| store::Each {
                columns: each.columns.clone(),
                keys: rows(&each.keys),
                limit: each.limit,
            }),
        }),
        guest::Call::Aggregate(call) => store::Call::Aggregate(aggregate(call)),
        guest::Call::Insert(call) => store::Call::Insert(store::InsertCall {
            collection: call.collection.clone(),
            columns: call.columns.clone(),
            rows: rows(&call.rows),
            skip_clashes: call.skip_clashes,
        }),
        guest::Call::Update(call) => store::Call::Update(update(call)),
        guest::Call::Lock(call) => store::Call::Lock(store::LockCall {
            names: call.names.iter().map(|(name, held)| (name.clone(), mode(*held))).collect(),
        }),
        guest::Call::Number(call) => {
            store::Call::Number(store::NumberCall { sequence: call.sequence.clone(), at_least: call.at_least })
        }
    }
}

fn aggregate(call: &sdk::store::AggregateCall) -> store::AggregateCall {
    let measure = |measure: &sdk::store::Measure| store::Measure {
        op: match measure.op {
            sdk::store::Agg::Count => store::Agg::Count,
            sdk::store::Agg::Sum => store::Agg::Sum,
            sdk::store::Agg::Min => store::Agg::Min,
            sdk::store::Agg::Max => store::Agg::Max,
        },
        column: measure.column.clone(),
        when: filter(&measure.when),
    };
    store::AggregateCall {
        collection: call.collection.clone(),
        where_: filter(&call.where_),
        by: call.by.clone(),
        measures: call.measures.iter().map(measure).collect(),
        keep_zero: call.keep_zero,
        after: call.after.as_ref().map(row),
        limit: call.limit,
    }
}

fn initial(initial: &sdk::store::Initial) -> store::Initial {
    let rows = initial.rows.iter().map(|values| values.as_ref().map(row));
    store::Initial { columns: initial.columns.clone(), rows: rows.collect() }
}

fn update(call: &sdk::store::UpdateCall) -> store::UpdateCall {
    let change = |change: &sdk::store::Change| store::Change {
        key: row(&change.key),
        version: change.version,
        set: row(&change.set),
        add: change.add.clone(),
    };
    store::UpdateCall {
        collection: call.collection.clone(),
        key: call.key.clone(),
        set: call.set.clone(),
        add: call.add.clone(),
        rows: call.rows.iter().map(change).collect(),
        initial: call.initial.as_ref().map(initial),
        when: filter(&call.when),
        answer: call.answer.clone(),
    }
}

pub fn store_reply(reply: store::Reply) -> guest::Reply {
    match reply {
        store::Reply::Rows(page) => guest::Reply::Rows(sdk::store::Page {
            rows: page.rows.into_iter().map(|row| row.into_iter().map(to_guest).collect()).collect(),
            more: page.more,
            reached: page.reached,
        }),
        store::Reply::Inserted(went_in) => guest::Reply::Inserted(went_in),
        store::Reply::Done => guest::Reply::Done,
        store::Reply::Number(number) => guest::Reply::Number(number),
    }
}

pub fn failure(failure: store::Failure) -> guest::Failure {
    let clash = |clash: store::Clash| guest::Clash { call: clash.call, row: clash.row, key: clash.key };
    let miss = |miss: store::Miss| guest::Miss {
        call: miss.call,
        row: miss.row,
        why: match miss.why {
            store::Why::Absent => guest::Why::Absent,
            store::Why::Stale => guest::Why::Stale,
            store::Why::Condition => guest::Why::Condition,
            store::Why::Check(name) => guest::Why::Check(name),
        },
        current: miss.current.map(|row| row.into_iter().map(to_guest).collect()),
    };
    match failure {
        store::Failure::Duplicate(clashes) => guest::Failure::Duplicate(clashes.into_iter().map(clash).collect()),
        store::Failure::RefusedChange(misses) => guest::Failure::RefusedChange(misses.into_iter().map(miss).collect()),
        store::Failure::OutOfRange(spot) => {
            guest::Failure::OutOfRange(guest::Spot { call: spot.call, column: spot.column })
        }
        store::Failure::Closed => guest::Failure::Closed,
        store::Failure::Limit(what) => guest::Failure::Limit(what),
        store::Failure::Misuse(what) => guest::Failure::Misuse(what),
    }
}

pub fn article(article: offered::Article) -> wanted::Article {
    wanted::Article {
        variant_id: article.variant_id,
        product_id: article.product_id,
        sku: article.sku,
        product_name: article.product_name,
        product_type: match article.product_type {
            offered::ProductType::Good => wanted::ProductType::Good,
            offered::ProductType::Service => wanted::ProductType::Service,
        },
        tracking: match article.tracking {
            offered::Tracking::None => wanted::Tracking::None,
            offered::Tracking::Quantity => wanted::Tracking::Quantity,
            offered::Tracking::Serialized => wanted::Tracking::Serialized,
        },
        unit_code: article.unit_code,
        decimal_places: article.decimal_places,
        condition: article.condition,
        grade: article.grade,
        variant_active: article.variant_active,
        product_active: article.product_active,
        published: article.published,
    }
}
