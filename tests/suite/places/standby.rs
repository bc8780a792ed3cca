//! Reports on a standby: they have every row that was committed before them, or the server itself runs them.

use std::time::Duration;

use stoa_cluster::Cluster;
use stoa_tests::host::Settings;
use stoa_tests::postgres::run;
use stoa_tests::{Company, Database, Stoa, eventually_within, record, tests};

tests![
    a_report_runs_on_the_standby_and_has_what_was_written_before,
    the_server_runs_the_report_of_a_standby_that_is_behind,
    the_server_runs_the_report_of_a_standby_that_is_gone,
];

/// A host on a server with a standby.
struct Pair {
    host: Stoa,
    shop: Company,
    variant: String,
    // They end after the host.
    standby: Cluster,
    _primary: Cluster,
}

fn start(part: &str) -> Option<Pair> {
    let Some(programs) = stoa_cluster::find() else {
        record::tell_not_run(&format!("places::standby {part}"), stoa_cluster::MISSING);
        return None;
    };
    let primary = Cluster::start(&programs, &std::env::temp_dir()).expect("a server");
    let standby = primary.start_standby().expect("a standby");
    let host = Stoa::start_with(Database::Postgres, Settings::default().at(primary.url()).standby(standby.url()));
    let shop = host.company_with(serde_json::json!({ "keepsBooks": true }));
    let variant = shop.counted(0);
    Some(Pair { host, shop, variant, standby, _primary: primary })
}

impl Pair {
    /// Writes, and returns the quantity that the report then has.
    fn receive_and_report(&self) -> String {
        self.shop.bring(&self.variant, &self.shop.main(), "5", Some("2")).is(201);
        self.report()
    }

    fn report(&self) -> String {
        let entity = self.shop.entity();
        let report = self.shop.list("reports/valuation", &[("legalEntityId", &entity)]).is(200);
        report["items"][0]["quantity"].as_str().expect("a quantity").to_owned()
    }

    fn count(&self, outcome: &str) -> u64 {
        let wanted = format!("stoa_standby_reads_total{{outcome=\"{outcome}\"}} ");
        let metrics = self.host.metrics();
        let value = metrics.lines().find_map(|line| line.strip_prefix(&wanted));
        value.map_or(0, |value| value.parse().expect("a count"))
    }
}

fn a_report_runs_on_the_standby_and_has_what_was_written_before() {
    let Some(pair) = start("reads") else { return };
    assert_eq!([pair.receive_and_report(), pair.receive_and_report()], ["5.000000", "10.000000"]);
    // The standby reads as soon as it has replayed that.
    eventually_within(Duration::from_secs(60), || {
        assert_eq!(pair.report(), "10.000000");
        (pair.count("standby") > 0).then_some(())
    });
}

fn the_server_runs_the_report_of_a_standby_that_is_behind() {
    let Some(pair) = start("behind") else { return };
    run(&pair.standby.superuser_url(), "select pg_wal_replay_pause()").expect("a pause");
    assert_eq!(pair.receive_and_report(), "5.000000");
    assert_eq!(["standby", "behind"].map(|outcome| pair.count(outcome)), [0, 1]);
    run(&pair.standby.superuser_url(), "select pg_wal_replay_resume()").expect("an end of the pause");
}

fn the_server_runs_the_report_of_a_standby_that_is_gone() {
    let Some(pair) = start("gone") else { return };
    pair.receive_and_report();
    pair.standby.kill9().expect("the standby ends");
    assert_eq!(pair.receive_and_report(), "10.000000");
    assert_eq!(pair.count("failed"), 1);
}
