//! The figures with the bars they are held against, as a table and as JSON. `cargo xtask bench
//! peers` prints by it, too: it uses nothing of the workspace.

use std::path::Path;

use serde_json::json;

/// What a bench has measured so far.
pub struct Table {
    bench: &'static str,
    rows: Vec<Row>,
}

struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    bar: Option<Bar>,
}

/// What a figure is to be.
#[derive(Clone, Copy)]
pub enum Bar {
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
    /// The empty table of the bench of this name.
    pub fn of(bench: &'static str) -> Self {
        Self { bench, rows: Vec::new() }
    }

    /// A figure in its unit; with a bar, whether it is met is said beside it.
    pub fn add(
        &mut self,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
        bar: Option<Bar>,
    ) {
        self.rows.push(Row { what: what.into(), value, unit, bar });
    }

    /// Prints the table, and writes it to `bench-<name>.json` in this folder.
    pub fn finish(&self, folder: &Path) {
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

/// The middle value; 0 of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
