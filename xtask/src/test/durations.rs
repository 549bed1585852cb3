//! How long each test takes, read from the lines that the test runner prints. Stable Rust's runner
//! names each test when it ends and shows no durations. It begins tests in alphabetical order, the
//! next one whenever one ends, so the moments of the ends also give those of the beginnings.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The number of tests in the table.
const SHOWN: usize = 20;

/// The output of test programs that run one after another, with a table of the slowest tests before
/// the result of the last program.
pub(super) struct Output {
    durations: Durations,
    /// The result of a program and the empty lines after it, until it is known whether another
    /// program follows.
    held: Vec<String>,
}

impl Output {
    /// `threads`: the number of tests that each program runs at once.
    pub(super) fn new(threads: usize) -> Output {
        Output { durations: Durations::new(threads), held: Vec::new() }
    }

    /// Takes the next line, which was printed at this moment; returns the lines to print now.
    pub(super) fn line(&mut self, line: &str, now: Instant) -> Vec<String> {
        self.durations.line(line, now);
        if is_result(line) || (line.is_empty() && !self.held.is_empty()) {
            let earlier = if line.is_empty() { Vec::new() } else { std::mem::take(&mut self.held) };
            self.held.push(line.to_owned());
            return earlier;
        }
        self.held.drain(..).chain([line.to_owned()]).collect()
    }

    /// The lines to print at the end.
    pub(super) fn end(self) -> Vec<String> {
        let table = self.durations.table().into_iter();
        let held = self.held.into_iter().filter(|line| !line.is_empty());
        table.chain(held).collect()
    }
}

/// Reads how long the tests of programs take.
struct Durations {
    /// The number of tests that each program runs at once.
    threads: usize,
    /// When the current program began, and its tests in the order in which they ended.
    current: Option<(Instant, Vec<(String, Instant)>)>,
    /// The tests of the programs that have ended.
    done: Vec<(String, Duration)>,
}

impl Durations {
    fn new(threads: usize) -> Durations {
        Durations { threads: threads.max(1), current: None, done: Vec::new() }
    }

    /// Takes the next line of output, which was printed at this moment.
    fn line(&mut self, line: &str, now: Instant) {
        if is_number_of_tests(line) {
            self.current = Some((now, Vec::new()));
        } else if is_result(line) {
            if let Some((start, ends)) = self.current.take() {
                self.done.extend(durations(start, ends, self.threads));
            }
        } else if let (Some(name), Some((_, ends))) = (ended_test(line), &mut self.current) {
            ends.push((name.to_owned(), now));
        }
    }

    /// The slowest tests, a line each, with a heading. `None`: no test was seen.
    fn table(&self) -> Option<String> {
        let mut tests: Vec<&(String, Duration)> = self.done.iter().collect();
        tests.sort_by_key(|(_, duration)| std::cmp::Reverse(*duration));
        let total: Duration = tests.iter().map(|(_, duration)| *duration).sum();
        let rows = tests
            .iter()
            .take(SHOWN)
            .map(|(name, duration)| format!("  {:>6.1} s  {name}\n", duration.as_secs_f64()));
        (!tests.is_empty()).then(|| {
            format!(
                "the slowest of {} tests ({:.0} s in all, {} at once):\n{}",
                tests.len(),
                total.as_secs_f64(),
                self.threads,
                rows.collect::<String>()
            )
        })
    }
}

/// Whether a line is the last one of a test program: `test result: ok. 12 passed; …`.
fn is_result(line: &str) -> bool {
    line.starts_with("test result: ")
}

/// Whether a line is the first one of a test program: `running 12 tests`.
fn is_number_of_tests(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("running")
        && words.next().is_some_and(|number| number.parse::<usize>().is_ok())
        && matches!(words.next(), Some("test" | "tests"))
        && words.next().is_none()
}

/// The test that a line says has ended: `test draws::are_offered ... ok`.
fn ended_test(line: &str) -> Option<&str> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let is_end = ["ok", "FAILED", "ignored"].iter().any(|end| outcome.starts_with(end));
    is_end.then(|| name.strip_suffix(" - should panic").unwrap_or(name))
}

/// The durations of the tests of one program.
fn durations(
    start: Instant,
    ends: Vec<(String, Instant)>,
    threads: usize,
) -> Vec<(String, Duration)> {
    // In alphabetical order, the first ones begin at once, and each other one at the next end.
    let names: BTreeSet<&str> = ends.iter().map(|(name, _)| name.as_str()).collect();
    let beginnings = std::iter::repeat_n(start, threads).chain(ends.iter().map(|(_, end)| *end));
    let begun: BTreeMap<&str, Instant> = names.into_iter().zip(beginnings).collect();
    let duration = |(name, end): &(String, Instant)| {
        (name.clone(), end.saturating_duration_since(begun[name.as_str()]))
    };
    ends.iter().map(duration).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of a run, each line with the second in which it was printed.
    fn table(threads: usize, output: &[(u64, &str)]) -> Option<String> {
        let start = Instant::now();
        let mut durations = Durations::new(threads);
        for (second, line) in output {
            durations.line(line, start + Duration::from_secs(*second));
        }
        durations.table()
    }

    #[test]
    fn durations_follow_from_the_order_of_beginnings() {
        let check = |threads, output: &[(u64, &str)], expected: &[&str]| {
            let table = table(threads, output).unwrap_or_default();
            assert_eq!(table.lines().map(str::trim).collect::<Vec<_>>(), expected);
        };
        // `a` and `b` begin at once, `c` when `b` ends, `d` when `c` ends.
        let output = [
            (10, "running 4 tests"),
            (11, "test b ... ok"),
            (13, "test c ... FAILED"),
            (17, "test a ... ok"),
            (18, "test d ... ok"),
            (18, "test result: FAILED. 3 passed; 1 failed"),
        ];
        check(
            2,
            &output,
            &["the slowest of 4 tests (15 s in all, 2 at once):"]
                .into_iter()
                .chain(["7.0 s  a", "5.0 s  d", "2.0 s  c", "1.0 s  b"])
                .collect::<Vec<_>>(),
        );
        // One at a time, and a second program; other lines say nothing.
        check(
            1,
            &[
                (0, "running 2 tests"),
                (1, "test a - should panic ... ok"),
                (1, "test is no result"),
                (4, "test b ... ignored, needs a printer"),
                (4, "test result: ok. 1 passed"),
                (5, "test c ... ok"),
                (6, "running 1 test"),
                (8, "test c ... ok"),
                (8, "test result: ok. 1 passed"),
            ],
            &[
                "the slowest of 3 tests (6 s in all, 1 at once):",
                "3.0 s  b",
                "2.0 s  c",
                "1.0 s  a",
            ],
        );
        check(2, &[(0, "running tests"), (1, "test result: ok. 0 passed")], &[]);
    }

    #[test]
    fn the_last_line_is_the_result_of_the_last_program() {
        let lines = [
            "running 1 test",
            "test a ... ok",
            "",
            "test result: ok. 1 passed",
            "",
            "running 1 test",
            "test b ... ok",
            "test result: ok. 1 passed",
            "test result: ok. 0 passed",
            "",
        ];
        let mut output = Output::new(1);
        let now = Instant::now();
        let shown: Vec<String> = lines.iter().flat_map(|line| output.line(line, now)).collect();
        assert_eq!(shown, lines[..lines.len() - 2]);
        let end = output.end();
        assert!(end[0].starts_with("the slowest of 2 tests"), "{end:?}");
        assert_eq!(end[1..], ["test result: ok. 0 passed"]);
    }

    #[test]
    fn the_table_has_the_slowest_tests_only() {
        let start = Instant::now();
        let mut durations = Durations::new(1);
        durations.line("running 30 tests", start);
        for number in 0..30 {
            let end = start + Duration::from_secs(number * (number + 1) / 2);
            durations.line(&format!("test t{number:02} ... ok"), end);
        }
        durations.line("test result: ok. 30 passed", start);
        let table = durations.table().unwrap();
        assert_eq!(table.lines().count(), 1 + SHOWN);
        assert!(table.contains("29.0 s  t29\n"), "{table}");
        assert!(!table.contains("t09"), "{table}");
    }
}
