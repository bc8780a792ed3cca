//! `pool_*`: what the pool of linear memories costs by its knobs: an instance made and ended (on one thread, and on two threads
//! at once, where a reset by system call shows), requests per second of GET product on SQLite, and resident memory after them.

use stoa::sandbox::engine::Pool;

use super::small;
use crate::bench::Bench;
use crate::company::Company;
use crate::load::Load;
use crate::rounds::median;

const CONNECTIONS: usize = 16;

struct Variant {
    name: &'static str,
    what: &'static str,
    flags: &'static [&'static str],
    pool: fn() -> Pool,
}

const VARIANTS: [Variant; 8] = [
    Variant { name: "pool_256", what: "the default", flags: &[], pool: Pool::default },
    Variant {
        name: "pool_64",
        what: "64 MiB of address space for each memory",
        flags: &["--memory-mib", "64"],
        pool: || Pool { memory: 64 << 20, ..Pool::default() },
    },
    Variant {
        name: "pool_256_no_pagemap",
        what: "without pagemap_scan",
        flags: &["--no-pagemap-scan"],
        pool: || Pool { pagemap_scan: false, ..Pool::default() },
    },
    Variant {
        name: "pool_256_keep_64k",
        what: "a reset keeps 64 KiB",
        flags: &["--keep-resident-kib", "64"],
        pool: || Pool { keep_resident: 64 << 10, ..Pool::default() },
    },
    Variant {
        name: "pool_256_keep_256k",
        what: "a reset keeps 256 KiB",
        flags: &["--keep-resident-kib", "256"],
        pool: || Pool { keep_resident: 256 << 10, ..Pool::default() },
    },
    Variant {
        name: "pool_256_keep_512k",
        what: "a reset keeps 512 KiB",
        flags: &["--keep-resident-kib", "512"],
        pool: || Pool { keep_resident: 512 << 10, ..Pool::default() },
    },
    Variant {
        name: "pool_256_keep_1m",
        what: "a reset keeps 1 MiB",
        flags: &["--keep-resident-kib", "1024"],
        pool: || Pool { keep_resident: 1 << 20, ..Pool::default() },
    },
    Variant {
        name: "pool_256_keep_2m",
        what: "a reset keeps 2 MiB",
        flags: &["--keep-resident-kib", "2048"],
        pool: || Pool { keep_resident: 2 << 20, ..Pool::default() },
    },
];

pub async fn measure(bench: &mut Bench, url: &str, company: &Company) -> anyhow::Result<()> {
    let repeats = bench.rounds.repeats(5_000);
    for variant in &VARIANTS {
        let generation = small::generation(bench, (variant.pool)())?;
        let alone = small::instantiate(&generation, repeats)?;
        let together = std::thread::scope(|scope| {
            let both = [(); 2].map(|()| scope.spawn(|| small::instantiate(&generation, repeats)));
            both.map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked"))))
        });
        let together = together.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
        bench.report.add(format!("{}_instantiate_us", variant.name), alone, variant.what);
        bench.report.add(format!("{}_instantiate_2_threads_us", variant.name), median(together), "");
    }
    let mut servers = Vec::new();
    for variant in &VARIANTS {
        servers.push(bench.own_host(url, variant.flags).await?);
    }
    let load = |address| Load { address, connections: CONNECTIONS, request: company.reads(), statuses: &[200] };
    let mut rates = vec![(Vec::new(), Vec::new()); VARIANTS.len()];
    for round in 0..=bench.rounds.count.div_ceil(2) {
        for (server, (rates, processor)) in servers.iter().zip(&mut rates) {
            let before = server.processor_seconds();
            let run = load(server.address).run(bench.rounds.time / 2).await?;
            if round > 0 {
                processor.push((server.processor_seconds() - before) * 1e6 / run.count() as f64);
                rates.push(run.per_second);
            }
        }
    }
    for ((variant, server), (rates, processor)) in VARIANTS.iter().zip(servers).zip(rates) {
        bench.report.add(
            format!("{}_read_per_second", variant.name),
            median(rates),
            "GET product on SQLite, 16 connections",
        );
        bench.report.add(format!("{}_read_processor_us", variant.name), median(processor), "");
        bench.report.add(format!("{}_resident_mib", variant.name), server.resident_mib(), "of the process, after them");
        server.stop().await?;
    }
    Ok(())
}
