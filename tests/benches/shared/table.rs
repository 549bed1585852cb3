//! A table of measurements with their bars, as text and JSON. `cargo xtask bench peers` includes
//! this file, too, so it must not use the workspace's crates.

use std::path::Path;

use serde_json::json;

/// The measurements of a bench.
pub(super) struct Table {
    bench: &'static str,
    rows: Vec<Row>,
}

struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    bar: Option<Bar>,
}

/// The bound that a measurement must meet.
#[derive(Clone, Copy)]
pub(super) enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

impl Bar {
    fn text(self) -> String {
        match self {
            Bar::AtMost(bar) => format!("≤ {bar}"),
            Bar::AtLeast(bar) => format!("≥ {bar}"),
        }
    }

    fn is_met(self, value: f64) -> bool {
        match self {
            Bar::AtMost(bar) => value <= bar,
            Bar::AtLeast(bar) => value >= bar,
        }
    }
}

impl Table {
    /// An empty table for the bench of this name.
    pub(super) fn of(bench: &'static str) -> Self {
        Self { bench, rows: Vec::new() }
    }

    /// Adds a measurement with its unit and, optionally, a bar.
    pub(super) fn add(
        &mut self,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
        bar: Option<Bar>,
    ) {
        self.rows.push(Row { what: what.into(), value, unit, bar });
    }

    /// Prints the table, and writes it to `bench-<name>.json` in this folder.
    pub(super) fn finish(&self, folder: &Path) {
        println!("\n{:<64} {:>12} {:<9} {:>10}", "figure", "measured", "", "bar");
        for row in &self.rows {
            let bar = row.bar.map(Bar::text).unwrap_or_default();
            let verdict = match row.bar.map(|bar| bar.is_met(row.value)) {
                Some(true) => "met",
                Some(false) => "MISSED",
                None => "",
            };
            println!("{:<64} {:>12.3} {:<9} {bar:>10} {verdict}", row.what, row.value, row.unit);
        }
        self.write(folder);
    }

    fn write(&self, folder: &Path) {
        let row = |row: &Row| {
            json!({
                "figure": row.what,
                "value": row.value,
                "unit": row.unit,
                "bar": row.bar.map(Bar::text),
                "met": row.bar.map(|bar| bar.is_met(row.value)),
            })
        };
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        let path = folder.join(format!("bench-{}.json", self.bench));
        match std::fs::write(&path, format!("{:#}\n", json!(rows))) {
            Ok(()) => println!("\nwritten to {}", path.display()),
            Err(error) => println!("\nnot written to {}: {error}", path.display()),
        }
    }
}

/// The median; 0 if there are no values.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
