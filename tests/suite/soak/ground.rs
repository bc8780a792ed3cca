//! The environment of faults: a host on a database of its own, which a test may break, and companies that write.

use std::collections::BTreeSet;

use stoa_cluster::Cluster;
use stoa_tests::faulty_link::FaultyLink;
use stoa_tests::host::Settings;
use stoa_tests::preload::Preload;
use stoa_tests::{Company, Database, Stoa};

use super::load::Observed;

const SHOPS: usize = 2;

pub struct Ground {
    pub shops: Vec<Company>,
    pub host: Stoa,
    pub link: FaultyLink,
    /// Under the program that keeps the data: the host with SQLite, else the server.
    pub preload: Preload,
    pub cluster: Option<Cluster>,
}

/// The findings after a fault.
pub struct Judgement {
    /// Acknowledged, and not there.
    pub lost: usize,
    /// There more than once.
    pub doubled: usize,
    /// Records without their audit or event, and what `stoa verify` finds.
    pub broken: usize,
}

impl Ground {
    /// `None`, and a line that says so, where there is no server of our own to break.
    pub fn prepare(database: Database) -> Option<Ground> {
        let (preload, link) = (Preload::build(), FaultyLink::default());
        let (settings, cluster) = match database {
            Database::Sqlite => {
                let variables = preload.variables().into_iter();
                (variables.fold(Settings::default(), |settings, (name, value)| settings.set(&name, value)), None)
            }
            Database::Postgres => {
                let Some(programs) = stoa_cluster::find() else {
                    println!("no faults here: {}", stoa_cluster::MISSING);
                    return None;
                };
                let cluster = Cluster::start_with(&programs, &std::env::temp_dir(), preload.variables())
                    .expect("a server of our own");
                let link = link.clone();
                (Settings::default().at(cluster.url()).by(move |url| link.route_to(url)), Some(cluster))
            }
        };
        let host = Stoa::start_with(database, settings);
        let shops = (0..SHOPS).map(|_| host.company()).collect();
        Some(Ground { shops, host, link, preload, cluster })
    }

    /// Brings back what a fault ended: a server that cannot write ends, and so may a host.
    pub fn repair(&self) {
        if let Some(cluster) = &self.cluster {
            cluster.start_again().expect("the server is back");
        }
        if !self.host.is_running() {
            self.host.restart();
        }
    }
}

/// Looks at what is there after all that was observed.
pub fn judge(host: &Stoa, shops: &[Company], observed: &Observed) -> Judgement {
    let (mut there, mut rows) = (BTreeSet::new(), 0);
    let mut broken = 0;
    for shop in shops {
        let names = shop.rows("select name from catalog_product where {tenant}");
        rows += names.len();
        for (table, filter) in
            [("stoa_audit", "operation = 'createProduct'"), ("stoa_event", "kind = 'catalog.product.created'")]
        {
            broken += shop.count(table, filter).abs_diff(names.len() as i64) as usize;
        }
        there.extend(names.into_iter().map(|mut row| row.swap_remove(0)));
        let report = host.verify(&[&shop.tenant]);
        broken += report["findings"].as_array().map_or(1, Vec::len);
    }
    let lost = observed.written.iter().filter(|name| !there.contains(*name)).count();
    Judgement { lost, doubled: rows - there.len(), broken }
}
