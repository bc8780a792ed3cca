//! Small things, each timed separately inside this process:
//!
//! - `instantiate_us`: a store with its limits, an instance of the catalog in it, and the end of both.
//! - `store_call_us`: one `get` of one row, all columns, from inside a guest: crossing the border both ways, the store's checks
//!   and SQL, and SQLite's read. No SDK in the guest, so the cost of decoding in a module is not in it. `_pg`: with its
//!   round trip.
//! - `extension_probe_ns`: a module asks whether a point is extended, from inside a guest: the cost of a point without
//!   extensions.
//! - `authorize_us`: membership and permissions by the opening statement, on live rows. `_pg`: with BEGIN, in one round trip.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stoa::database::{self, Database, Session, Verdict, Work};
use stoa::deployment::Edition;
use stoa::gate::cache::Cache;
use stoa::gate::vetting::Gate;
use stoa::identity::users::User;
use stoa::pipeline::opening::{Opening, open};
use stoa::pipeline::request::Caller;
use stoa::platform;
use stoa::sandbox::judge::{Breaches, Judge};
use stoa::sandbox::state::State;
use stoa::sandbox::{Generation, Held, Limits, Module, RequestFacts, engine};
use stoa::store::Scope;
use stoa::wit::Guest;
use stoa::wit::context::{ActorKind, Facts};
use stoa::wit::extension::points;
use stoa_descriptor::Access;
use uuid::Uuid;
use wasmtime::component::{Component, HasSelf, InstancePre, Linker};
use wasmtime::{Engine, Store, UpdateDeadline};

use crate::bench::Bench;
use crate::company::Company;
use crate::probe;
use crate::rounds::median;

/// Operations timed together: so few that most batches are over before another process takes the core.
const BATCH: usize = 50;

/// A generation in this process, with a pool for a few requests.
pub fn generation(bench: &Bench, pool: engine::Pool) -> anyhow::Result<Arc<Generation>> {
    let engine = engine::build_pooled(engine::Sandbox::Fast, 4, pool).map_err(|error| anyhow::anyhow!("{error:#}"))?;
    let gate = Gate::open(&engine, platform::NAMES, Some(Cache::open(&bench.compiled)?));
    let gate = Gate { judge: Arc::new(Judge::new(Breaches::Count)?), ..gate };
    Ok(Edition::from_folder(&gate, &bench.modules)?.generation)
}

pub async fn measure(bench: &mut Bench, name: &str, url: &str, company: &Company) -> anyhow::Result<()> {
    let generation = generation(bench, engine::Pool::default())?;
    let sqlite = url.starts_with("sqlite:");
    if sqlite {
        let microseconds = instantiate(&generation, bench.rounds.repeats(10_000))?;
        bench.report.add("instantiate_us", microseconds, "store and instance of the catalog, made and ended");
        let nanoseconds = extension_probe(&generation, bench.rounds.repeats(10_000)).await?;
        bench.report.add("extension_probe_ns", nanoseconds, "a guest asks for the extensions of a point");
    }
    let settings = database::DatabaseSettings {
        url: url.to_owned(),
        postgres_connections: 2,
        sqlite_readers: 1,
        request_timeout: std::time::Duration::from_secs(60),
        heavy_read_timeout: std::time::Duration::from_secs(60),
        heavy_work: 2,
        transport: Default::default(),
        plain_role_only: true,
        server: Default::default(),
        places: Vec::new(),
        prepare: stoa::pipeline::prepare(),
    };
    let database = Database::open(&settings, false).await?;
    let repeats = bench.rounds.repeats(if sqlite { 20_000 } else { 3_000 });
    let user = user(&database, company.tenant).await?;
    let authorize = authorize(&database, company.tenant, user.clone(), repeats).await?;
    let call = store_call(&database, &generation, company, user, repeats).await?;
    database.close();
    bench.report.add(format!("authorize_us{name}"), authorize, "the opening statement of a read");
    bench.report.add(format!("store_call_us{name}"), call, "one row got from inside a guest");
    Ok(())
}

/// Microseconds, on this thread.
pub fn instantiate(generation: &Arc<Generation>, repeats: usize) -> anyhow::Result<f64> {
    let module = generation.module("catalog").ok_or_else(|| anyhow::anyhow!("no catalog"))?;
    let once = || {
        let mut store = store(&generation.engine, state(module, None, Uuid::nil()));
        futures_util::FutureExt::now_or_never(Box::pin(async {
            module.code.instantiate_async(&mut store).await.map(drop)
        }))
    };
    let mut batches = Vec::new();
    for _ in 0..repeats / BATCH {
        let begin = Instant::now();
        for _ in 0..BATCH {
            match once() {
                Some(Ok(())) => {}
                other => anyhow::bail!("no instance: {other:?}"),
            }
        }
        batches.push(begin.elapsed().as_secs_f64() * 1e6 / BATCH as f64);
    }
    Ok(median(batches))
}

fn state(module: &Arc<Module>, session: Option<Session>, tenant: Uuid) -> State {
    let limits = Limits { store_calls: u32::MAX, rows: u32::MAX, whole: Duration::MAX, ..Limits::default() };
    let mut scope = Scope::new(tenant, 1_900_000_000_000, true);
    scope.limits.calls = usize::MAX;
    scope.limits.rows = usize::MAX;
    let facts = Facts {
        tenant: tenant.as_u64_pair(),
        actor_kind: ActorKind::User,
        actor: String::new(),
        request: (0, 0),
        now: 0,
        today: String::new(),
        horizon: None,
    };
    let facts = RequestFacts { facts, instant: 0, permissions: Held::All, trail: Arc::default(), draft_calls: None };
    State::new(session, scope, facts, module.clone(), limits)
}

/// As the host makes one for a request.
fn store(engine: &Engine, state: State) -> Store<State> {
    let hostcall = state.limits.hostcall;
    let mut store = Store::new(engine, state);
    store.limiter(|state| &mut state.memory);
    store.set_hostcall_fuel(hostcall);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Continue(1)));
    store
}

fn read_work<T: Send + 'static, F>(work: impl Fn(Session) -> F + Send + Sync + 'static) -> Work<T>
where
    F: Future<Output = (Option<Session>, anyhow::Result<T>)> + Send + 'static,
{
    let work = Arc::new(work);
    Arc::new(move |session| {
        let work = work.clone();
        Box::pin(async move {
            match work(session).await {
                (session, Ok(answer)) => (session, Verdict::RollBack(answer)),
                (session, Err(error)) => (session, Verdict::Fail(database::Error::Fault(format!("{error:#}")))),
            }
        })
    })
}

/// The company's owner.
async fn user(database: &Database, tenant: Uuid) -> anyhow::Result<Caller> {
    let work = read_work(move |mut session| async move {
        let found = async {
            session.begin_plain(true).await?;
            let sql = "select user_id from stoa_membership where tenant_id = $1";
            let rows = session.query(sql, &[database::Cell::Id(tenant)]).await?;
            anyhow::Ok(rows.first().ok_or_else(|| anyhow::anyhow!("no member"))?.id(0)?)
        }
        .await;
        (Some(session), found)
    });
    let user = User {
        id: database.read(database::Shard::Company(tenant), work).await?,
        issuer: String::new(),
        subject: String::new(),
        email: String::new(),
        display_name: None,
        created_at: 0,
        updated_at: 0,
    };
    Ok(Caller::User(Arc::new(user)))
}

async fn authorize(database: &Database, tenant: Uuid, caller: Caller, repeats: usize) -> anyhow::Result<f64> {
    let once = read_work(move |mut session| {
        let caller = caller.clone();
        async move {
            // On SQLite the transaction is open already and stays: only the statement is timed.
            let times = if matches!(session, Session::Sqlite(_)) { 100 } else { 1 };
            let access = Access::All(vec!["catalog.read".to_owned()]);
            let opening = Opening {
                tenant: Some(tenant),
                caller: &caller,
                operation: "getProduct",
                access: &access,
                claim: None,
                read_only: true,
            };
            let begin = Instant::now();
            for _ in 0..times {
                match open(&mut session, &opening).await {
                    Ok(opened) if opened.authorize(&caller, Some(tenant), &access).is_ok() => {}
                    Ok(_) => return (Some(session), Err(anyhow::anyhow!("not allowed"))),
                    Err(error) => return (Some(session), Err(error.into())),
                }
            }
            (Some(session), Ok(begin.elapsed().as_secs_f64() * 1e6 / f64::from(times)))
        }
    });
    let sqlite = matches!(database, Database::Sqlite(_));
    let mut times = Vec::new();
    for _ in 0..if sqlite { repeats / 100 } else { repeats } {
        times.push(database.read(database::Shard::Company(tenant), once.clone()).await?);
    }
    Ok(median(times))
}

/// Nanoseconds of a call, found by `time_call`.
async fn extension_probe(generation: &Arc<Generation>, repeats: usize) -> anyhow::Result<f64> {
    let wrong = |error: wasmtime::Error| anyhow::anyhow!("{error:#}");
    let bytes = probe::points_component("commerce:extension/views")?;
    let component = Component::from_binary(&generation.engine, &bytes).map_err(wrong)?;
    let mut linker = Linker::<State>::new(&generation.engine);
    points::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state).map_err(wrong)?;
    let ready = linker.instantiate_pre(&component).map_err(wrong)?;
    let catalog = generation.module("catalog").ok_or_else(|| anyhow::anyhow!("no catalog"))?;
    let calls = BATCH as u32 * 20;
    let mut times = Vec::new();
    for _ in 0..repeats / BATCH {
        let mut store = store(&generation.engine, state(catalog, None, Uuid::nil()));
        times.push(time_call(&mut store, &ready, calls).await.map_err(wrong)? * 1e9);
    }
    Ok(median(times))
}

/// Seconds of a call. Two runs of one instance, one with calls more than the other: the difference is the calls.
async fn time_call(store: &mut Store<State>, ready: &InstancePre<State>, calls: u32) -> wasmtime::Result<f64> {
    let instance = ready.instantiate_async(&mut *store).await?;
    let run = instance.get_typed_func::<(u32,), ()>(&mut *store, "run")?;
    let mut seconds = [0.0, 0.0];
    for (place, count) in seconds.iter_mut().zip([calls / 4, calls + calls / 4]) {
        let begin = Instant::now();
        run.call_async(&mut *store, (count,)).await?;
        *place = begin.elapsed().as_secs_f64();
    }
    Ok((seconds[1] - seconds[0]) / f64::from(calls))
}

/// Microseconds of a read of a record by a component, found by `time_call`.
async fn store_call(
    database: &Database,
    generation: &Arc<Generation>,
    company: &Company,
    caller: Caller,
    repeats: usize,
) -> anyhow::Result<f64> {
    let bytes = probe::component(company.products[0])?;
    let wrong = |error: wasmtime::Error| anyhow::anyhow!("{error:#}");
    let component = Component::from_binary(&generation.engine, &bytes).map_err(wrong)?;
    let mut linker = Linker::<State>::new(&generation.engine);
    Guest::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state).map_err(wrong)?;
    let ready = linker.instantiate_pre(&component).map_err(wrong)?;
    let catalog = generation.module("catalog").ok_or_else(|| anyhow::anyhow!("no catalog"))?;
    let (catalog, tenant) = (catalog.clone(), company.tenant);
    let calls = BATCH as u32 * 2;
    let work = read_work(move |mut session| {
        let (catalog, ready, caller) = (catalog.clone(), ready.clone(), caller.clone());
        async move {
            let access = Access::All(Vec::new());
            let opening = Opening {
                tenant: Some(tenant),
                caller: &caller,
                operation: "getProduct",
                access: &access,
                claim: None,
                read_only: true,
            };
            if let Err(error) = open(&mut session, &opening).await {
                return (Some(session), Err(error.into()));
            }
            let mut store = store(catalog.code.engine(), state(&catalog, Some(session), tenant));
            let timed = time_call(&mut store, &ready, calls).await.map(|seconds| seconds * 1e6);
            let session = store.into_data().session;
            (session, timed.map_err(|error: wasmtime::Error| anyhow::anyhow!("{error:#}")))
        }
    });
    let mut times = Vec::new();
    for _ in 0..repeats / BATCH {
        times.push(database.read(database::Shard::Company(tenant), work.clone()).await?);
    }
    Ok(median(times))
}
