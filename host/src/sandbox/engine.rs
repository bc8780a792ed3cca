//! The one engine: every knob with its reason. Measured choices are in `docs/decisions`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::ticks;
use crate::watchdog;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig};

/// Linear memory that a reset keeps resident and clears by hand: no page faults for an ordinary request.
const KEEP_RESIDENT: usize = 2 << 20;
/// Modules that can take part in one request.
pub const MODULES_PER_REQUEST: u32 = 16;
/// Core modules of which a component may consist. One of Rust is one and a few adapters, one of Python has 38, a language's
/// runtime and libraries each on its own. The pool only counts them: nothing is reserved for those that are not there.
const CORE_INSTANCES: u32 = 64;

/// `Fast`: every module is the deployment's own; explicit bounds checks spare a system call per request. `Hardened`:
/// guard pages, signals and spectre mitigations, for deployments whose modules do not trust each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Sandbox {
    Fast,
    Hardened,
}

impl Sandbox {
    pub fn name(self) -> &'static str {
        match self {
            Sandbox::Fast => "fast",
            Sandbox::Hardened => "hardened",
        }
    }
}

/// Sizes of the pool of linear memories: the knobs that the benchmark varies.
#[derive(Debug, Clone, Copy)]
pub struct Pool {
    /// Address space of each linear memory, in bytes: the largest limit of any route.
    pub memory: usize,
    /// Bytes of a linear memory that a reset keeps and clears by hand.
    pub keep_resident: usize,
    /// Reset only dirty pages where the kernel can report them (Linux 6.7).
    pub pagemap_scan: bool,
}

impl Default for Pool {
    fn default() -> Pool {
        let pagemap_scan = PoolingAllocationConfig::is_pagemap_scan_available();
        Pool { memory: 256 << 20, keep_resident: KEEP_RESIDENT, pagemap_scan }
    }
}

/// `requests`: how many may run at once. `memory`: address space of each linear memory, the largest limit of any route.
pub fn engine(sandbox: Sandbox, requests: u32, memory: usize) -> wasmtime::Result<Engine> {
    build_pooled(sandbox, requests, Pool { memory, ..Pool::default() })
}

/// As `engine`, with the pool's knobs.
pub fn build_pooled(sandbox: Sandbox, requests: u32, knobs: Pool) -> wasmtime::Result<Engine> {
    let instances = requests * MODULES_PER_REQUEST;
    let mut pool = PoolingAllocationConfig::default();
    pool.max_memory_size(knobs.memory)
        .total_component_instances(instances)
        .total_core_instances(instances * CORE_INSTANCES)
        .total_memories(instances)
        .total_tables(instances * 2)
        // A service called by a service: each module on the way down runs on a stack of its own.
        .total_stacks(instances)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(1)
        .max_tables_per_component(2)
        .table_elements(10_000)
        .linear_memory_keep_resident(knobs.keep_resident)
        .table_keep_resident(8192);
    if knobs.pagemap_scan {
        pool.pagemap_scan(Enabled::Yes);
    }
    let mut config = config(sandbox, knobs.memory);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    let engine = Engine::new(&config)?;
    let weak = engine.weak();
    // An OS thread: a guest that holds a worker of the runtime must not hold the clock too.
    watchdog::spawn_vital_thread("stoa-epoch", move || ticks::keep_ticking(&weak))?;
    Ok(engine)
}

/// An engine for a tool: it runs modules that are not vetted yet.
pub fn build_hardened(requests: u32) -> anyhow::Result<Engine> {
    build_pooled(Sandbox::Hardened, requests, Pool::default()).map_err(|error| anyhow::anyhow!("{error:#}"))
}

/// An engine that compiles for the others and runs nothing.
pub fn build_compiling(sandbox: Sandbox, memory: usize) -> wasmtime::Result<Engine> {
    Engine::new(&config(sandbox, memory))
}

/// An engine that compiles for every processor of this architecture, whatever this one can do besides.
pub fn build_portable(sandbox: Sandbox, memory: usize) -> wasmtime::Result<Engine> {
    let mut config = config(sandbox, memory);
    config.target(&any_processor())?;
    Engine::new(&config)
}

/// This architecture and system, as compilers name them. An engine with this target looks at no processor.
fn any_processor() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    format!("{}-unknown-{system}", std::env::consts::ARCH)
}

/// Hash of what machine code and the engine that loads it must have in common: wasmtime's whole version, the settings,
/// the processor.
pub fn compatibility(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// All that the compiled code depends on.
pub(crate) fn config(sandbox: Sandbox, memory: usize) -> Config {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        // No async WIT: its bookkeeping costs every call.
        .concurrency_support(false)
        // A loop is interrupted; fuel would cost a tenth of all computation.
        .epoch_interruption(true)
        .memory_init_cow(true)
        .memory_reservation(memory as u64)
        .memory_reservation_for_growth(0)
        .async_stack_size(512 << 10)
        .max_wasm_stack(256 << 10)
        // Determinism: the same request and rows give the same answer on every CPU.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_memory64(false);
    if sandbox == Sandbox::Fast {
        config.memory_guard_size(0).signals_based_traps(false);
    }
    config
}
