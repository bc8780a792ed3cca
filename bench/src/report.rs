//! The results: the table for a person, machine-independent ratios first, and `target/bench.json` for a program.

use std::path::PathBuf;

use anyhow::Context as _;

/// The target of a figure. A missed one is marked and never fails the run: machines differ.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
}

struct Figure {
    name: String,
    value: f64,
    target: Option<Target>,
    meaning: String,
}

#[derive(Default)]
pub struct Report {
    figures: Vec<Figure>,
    notes: Vec<String>,
}

impl Report {
    /// A figure with the value it should have.
    pub fn judge(&mut self, name: &str, value: f64, target: Target, meaning: impl Into<String>) {
        self.push(name.to_owned(), value, Some(target), meaning.into());
    }

    /// A count of round trips, judged by the table that the suite asserts.
    pub fn judge_bound(&mut self, name: &str, value: f64) -> anyhow::Result<()> {
        let bound = stoa_postgres_proxy::find_bound(name).with_context(|| format!("{name} has no bound"))?;
        self.judge(name, value, Target::AtMost(bound.most as f64), bound.meaning);
        Ok(())
    }

    /// A figure that explains others.
    pub fn add(&mut self, name: impl Into<String>, value: f64, meaning: impl Into<String>) {
        self.push(name.into(), value, None, meaning.into());
    }

    /// A line below the table.
    pub fn note(&mut self, line: impl Into<String>) {
        let line = line.into();
        eprintln!("  {line}");
        self.notes.push(line);
    }

    fn push(&mut self, name: String, value: f64, target: Option<Target>, meaning: String) {
        eprintln!("  {name} = {}", format_figure(value));
        self.figures.push(Figure { name, value, target, meaning });
    }

    /// The table: figures that have a target first, in the order they were measured.
    pub fn print(&self) {
        let width = self.figures.iter().map(|figure| figure.name.len()).max().unwrap_or(0);
        let line = |figure: &Figure| {
            let judgement = figure.target.map_or(String::new(), |target| {
                let (sign, bound, met) = match target {
                    Target::AtLeast(bound) => (">=", bound, figure.value >= bound),
                    Target::AtMost(bound) => ("<=", bound, figure.value <= bound),
                };
                format!("{sign} {bound:<5} {}", if met { "pass" } else { "MISS" })
            });
            println!("{:width$}  {:>10}  {judgement:13}  {}", figure.name, format_figure(figure.value), figure.meaning);
        };
        self.figures.iter().filter(|figure| figure.target.is_some()).for_each(line);
        println!();
        self.figures.iter().filter(|figure| figure.target.is_none()).for_each(line);
        if !self.notes.is_empty() {
            println!();
        }
        self.notes.iter().for_each(|note| println!("{note}"));
    }

    /// Writes the figures as one flat JSON object; answers where.
    pub fn write(&self) -> anyhow::Result<PathBuf> {
        let program = std::env::current_exe()?;
        let target = program.ancestors().nth(2).context("the program is not in a target folder")?;
        let path = target.join("bench.json");
        let figures: serde_json::Map<String, serde_json::Value> =
            self.figures.iter().map(|figure| (figure.name.clone(), round_to_digits(figure.value).into())).collect();
        std::fs::write(&path, serde_json::to_string_pretty(&figures)? + "\n")?;
        Ok(path)
    }
}

/// Four significant digits: nothing here is known better.
fn round_to_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    if digits <= 0 { value.round() } else { (value * 10f64.powi(digits)).round() / 10f64.powi(digits) }
}

fn format_figure(value: f64) -> String {
    format!("{}", round_to_digits(value))
}
