//! The embedded database: made by a host inside this process that is listened to, then served by the real binary.

use std::path::Path;
use std::sync::Arc;

use stoa::http::connection_limit::ConnectionLimit;
use stoa::http::{answer, server};
use tokio::net::TcpListener;

use crate::bench::Bench;
use crate::capture::sqlite::Recorder;
use crate::capture::{Exchange, Pattern, Value};
use crate::company::{Client, Company, Price, Prices};
use crate::serve;

pub struct Embedded {
    pub company: Company,
    /// For the load of writes.
    pub prices: Arc<Prices>,
    pub read: Pattern,
    pub write: Pattern,
}

/// Makes the file with a company in it, and takes down what a read and a write run.
pub async fn create(bench: &Bench, path: &Path) -> anyhow::Result<Embedded> {
    let flags = serve::Flags {
        database: Bench::sqlite_url(path),
        data: bench.data(),
        modules: bench.modules.clone(),
        compiled: bench.compiled.clone(),
        native: false,
        memory_mib: 256,
        keep_resident_kib: None,
        no_pagemap_scan: false,
        hardened: false,
    };
    let app = serve::app(&flags, 1).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server::serve(
        listener,
        answer::router(app.clone()),
        ConnectionLimit::for_private(usize::MAX),
        server::SILENCE,
        async move {
            let _ = stopped.await;
        },
    ));

    let company = Company::create(address, &bench.token).await?;
    let prices = company.prices(address).await?;
    let mut client = Client::new(address, &company.token).await?;
    let recorder = Recorder::attach(&app.database).await?;
    let mut reads = Vec::new();
    for product in 0..2 {
        client.get(&company.product_path(product)).await?;
        reads.push((company.products[product], recorder.take().await?));
    }
    let mut writes = Vec::new();
    // Periods that no load comes to.
    for price in [prices.at(0, 0, 1_000), prices.at(0, 0, 1_001), prices.at(1, 1, 1_000)] {
        let (path, body) = company.price_request(&price);
        client.post(&path, &body).await?;
        let mut said = recorder.take().await?;
        said.iter_mut().for_each(|exchange| name_lists(exchange, &price));
        writes.push((price, said));
    }
    drop(client);
    let _ = stop.send(());
    serving.await?;
    app.database.close();

    let pair = |_| anyhow::anyhow!("two reads");
    let three = |_| anyhow::anyhow!("three writes");
    let read = Pattern::of_reads(reads.try_into().map_err(pair)?)?;
    let write = Pattern::of_writes(writes.try_into().map_err(three)?)?;
    Ok(Embedded { company, prices, read, write })
}

/// SQLite's trace does not show the members of a list: for a price write it is the variant.
fn name_lists(exchange: &mut Exchange, price: &Price) {
    for statement in exchange {
        for (nth, value) in statement.values.iter_mut().enumerate() {
            if statement.sql.contains(&format!("rarray(?{})", nth + 1)) {
                *value = Value::List(String::new(), vec![Value::Id(price.variant)]);
            }
        }
    }
}
