//! Hosts with the extender guest in addition to the real modules, the rules of its points, and what operators see of it.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use crate::host::Settings;
use crate::operator::Operator;
use crate::selling::Counter;
use crate::{Answer, Company, Database, Folder, Stoa, eventually, modules};

/// The host with both extenders and a seller in addition to the real modules; shared by the tests of this database.
pub fn host(database: Database) -> Stoa {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    static HOSTS: [OnceLock<Result<Stoa, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let folder = FOLDER.get_or_init(|| {
        let extenders = ['a', 'b'].map(|letter| modules::extender(letter, 1));
        modules::with(&[
            ("extender-a.wasm", &extenders[0]),
            ("extender-b.wasm", &extenders[1]),
            ("seller.wasm", &modules::guest("seller")),
        ])
    });
    let start = || Stoa::try_start(database, Settings::default().modules(folder.path()));
    let started = HOSTS[database as usize].get_or_init(start).clone();
    started.unwrap_or_else(|said| panic!("the host with the extenders did not start: {said}"))
}

/// A host of its own with these extenders, in their first form, in addition to the real modules.
pub fn own_host(database: Database, letters: &[char]) -> Stoa {
    let extenders: Vec<(String, Vec<u8>)> =
        letters.iter().map(|letter| (format!("extender-{letter}.wasm"), modules::extender(*letter, 1))).collect();
    let files: Vec<(&str, &[u8])> = extenders.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    Stoa::start_with(database, Settings::default().modules_in(modules::with(&files)))
}

impl Stoa {
    /// This instant as a statement of the host's database has it.
    pub fn now(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis();
        match self.database() {
            Database::Sqlite => now.to_string(),
            Database::Postgres => format!("to_timestamp({now} / 1000.0)"),
        }
    }

    /// The timer of `extender-a`, as operators see it.
    pub fn find_timer(&self) -> Option<Json> {
        let shown = self.console().shown();
        shown["timers"].as_array().expect("timers").iter().find(|timer| timer["module"] == "extender-a").cloned()
    }

    /// Has a round of that timer end now, once the one before is done and the host has given the timer its row.
    pub fn make_timer_due(&self) {
        eventually(|| self.find_timer().filter(|timer| timer["isDue"] == false));
        self.change_everywhere(&format!("update stoa_timer set until = {} where module = 'extender-a'", self.now()));
    }
}

impl Company {
    /// States the rule of a point for the extender with this letter: `tests/guests/extender/src` lists them.
    #[track_caller]
    pub fn extend(&self, letter: char, point: &str, rule: &str) {
        self.post(&format!("extender-{letter}/rules"), json!({ "point": point, "rule": rule })).is(201);
    }

    /// The notes of the points of the extender with this letter.
    #[track_caller]
    pub fn extension_notes(&self, letter: char) -> Json {
        self.get(&format!("extender-{letter}/notes")).is(200)["notes"].clone()
    }
}

impl Counter {
    /// Asks for the price of a variant.
    #[track_caller]
    pub fn try_resolve(&self, variant: &str) -> Answer {
        self.shop.get(&format!("pricing/price-lists/{}/resolve/{variant}", self.list))
    }

    /// The price of a variant.
    #[track_caller]
    pub fn resolve(&self, variant: &str) -> Json {
        self.try_resolve(variant).is(200).body
    }
}

impl Operator {
    /// The point of this name, as the host lists it.
    #[track_caller]
    pub fn point(&self, name: &str) -> Json {
        let listed = self.get("points").is(200);
        let points = listed["points"].as_array().expect("points");
        points.iter().find(|point| point["point"] == name).unwrap_or_else(|| panic!("no {name}: {listed}")).clone()
    }

    /// The extensions of a point, in their sequence.
    #[track_caller]
    pub fn sequence(&self, point: &str) -> Vec<String> {
        let point = self.point(point);
        let extensions = point["extensions"].as_array().expect("extensions");
        extensions.iter().map(|extension| extension["module"].as_str().expect("a module").to_owned()).collect()
    }

    /// A figure of an extension at a point.
    #[track_caller]
    pub fn count_at_point(&self, point: &str, module: &str, figure: &str) -> u64 {
        let point = self.point(point);
        let extensions = point["extensions"].as_array().expect("extensions");
        let found = extensions.iter().find(|extension| extension["module"] == module);
        found.and_then(|extension| extension[figure].as_u64()).unwrap_or_else(|| panic!("no {figure}: {point}"))
    }

    /// Sets the sequence of the extensions of a point.
    pub fn arrange(&self, point: &str, modules: &[&str]) -> Answer {
        self.post(&format!("points/{point}"), json!({ "modules": modules }))
    }

    /// Failures of a module that this host counted.
    #[track_caller]
    pub fn failures(&self, module: &str) -> u64 {
        let shown = self.shown();
        let modules = shown["modules"].as_array().expect("modules");
        let found = modules.iter().find(|other| other["name"] == module).unwrap_or_else(|| panic!("no {module}"));
        ["traps", "timeouts", "limits"].iter().filter_map(|kind| found["health"][*kind].as_u64()).sum()
    }

    /// The failure of this request in a module's journal.
    #[track_caller]
    pub fn failure_of(&self, module: &str, answer: &Answer) -> Json {
        let request = answer.header("x-request-id").expect("an id");
        let page = self.get(&format!("modules/{module}/logs")).is(200);
        let failures = page["failures"].as_array().expect("failures");
        let found: Vec<&Json> = failures.iter().filter(|failure| failure["request"] == *request).collect();
        let [failure] = found[..] else { panic!("failures of {module} in {request}: {found:?}") };
        failure.clone()
    }
}
