//! The progress line of the steps that run: one, or two at once in two threads. At a terminal the
//! line is updated in place; otherwise each step prints a line every half minute. Prints to
//! standard error only: standard output belongs to the program that is run afterwards.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use sandboard_builder::output::{Listener, Units, listen};

/// How often the line is updated at a terminal.
const REDRAW: Duration = Duration::from_millis(250);
/// How often a line is printed elsewhere.
const REPEAT: Duration = Duration::from_secs(30);
/// Units that finish in this time after the first one were up to date, and say nothing about the
/// speed.
const UP_TO_DATE: Duration = Duration::from_secs(1);
/// A line that is longer would wrap in a terminal of 80 columns, and could not be overwritten.
const COLUMNS: usize = 79;

/// The progress of this process. It exists from the first step on.
static PROGRESS: OnceLock<Progress> = OnceLock::new();

#[derive(Clone)]
struct Progress {
    state: Arc<Mutex<State>>,
    mode: Mode,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// One line, updated in place.
    Terminal,
    /// A line at the beginning and the end of each step, and every half minute.
    Lines,
    /// A line at the beginning and the end of each step; commands print themselves.
    Verbose,
}

#[derive(Default)]
struct State {
    /// The steps that run, in the order in which they began.
    steps: Vec<Step>,
    /// The number of steps that have begun so far.
    begun: u64,
    /// The length of the line that is updated in place, in characters; 0 if there is none.
    drawn: usize,
    /// The number of texts so far that were warnings.
    warnings: u64,
}

struct Step {
    id: StepId,
    name: &'static str,
    /// The part of the step that runs, such as an npm script.
    part: Option<String>,
    start: Instant,
    cargo: Option<CargoProgress>,
    /// When the last line was printed.
    printed: Instant,
    /// Whether a program prints to the terminal itself.
    handed_over: bool,
}

/// A step of this process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepId(u64);

thread_local! {
    /// The step for which this thread works.
    static OWN_STEP: Cell<Option<StepId>> = const { Cell::new(None) };
}

/// The progress of one cargo command.
#[derive(Clone, Copy)]
struct CargoProgress {
    start: Instant,
    units: Units,
    /// The units that were up to date.
    up_to_date: u64,
}

/// Chooses how progress is shown: all output of commands if `verbose`.
pub(crate) fn install(verbose: bool) {
    let mode = match () {
        () if verbose => Mode::Verbose,
        () if std::io::stderr().is_terminal() => Mode::Terminal,
        () => Mode::Lines,
    };
    // The first call decides.
    let _ = PROGRESS.set(Progress { state: Arc::default(), mode });
}

/// Begins a step of this thread. The output of its commands is replaced by progress from now on.
/// With `announce`, its name remains on the screen also at a terminal.
pub(crate) fn begin(name: &'static str, announce: bool) {
    let Some(progress) = PROGRESS.get() else { return };
    let now = Instant::now();
    let mut state = progress.lock();
    let id = StepId(state.begun);
    state.begun += 1;
    state.steps.push(Step {
        id,
        name,
        part: None,
        start: now,
        cargo: None,
        printed: now,
        handed_over: false,
    });
    drop(state);
    OWN_STEP.set(Some(id));
    if announce || progress.mode != Mode::Terminal {
        progress.text(&format!("{name}: started\n"));
    }
    progress.redraw();
    static STARTED: OnceLock<()> = OnceLock::new();
    if progress.mode != Mode::Verbose {
        STARTED.get_or_init(|| {
            listen(Box::new(progress.clone()));
            // Ends with the process.
            std::thread::spawn(|| {
                loop {
                    std::thread::sleep(REDRAW);
                    progress.tick();
                }
            });
        });
    }
}

/// Ends the step of this thread, and replaces its line by this text.
pub(crate) fn end(text: Option<&str>) {
    let Some(progress) = PROGRESS.get() else { return };
    let ended = OWN_STEP.take();
    let mut state = progress.lock();
    state.steps.retain(|step| Some(step.id) != ended);
    state.show(text.map(|text| format!("{text}\n")).as_deref().unwrap_or_default());
}

/// Names the part of this thread's step that runs from now on.
pub(crate) fn part(name: &str) {
    let Some(progress) = PROGRESS.get() else { return };
    progress.with_own_step(|step| step.part = Some(name.to_owned()));
    progress.redraw();
}

/// The step for which this thread works, for [`work_for`] in another thread.
pub(crate) fn own_step() -> Option<StepId> {
    OWN_STEP.get()
}

/// This thread works for that step from now on.
pub(crate) fn work_for(step: Option<StepId>) {
    OWN_STEP.set(step);
}

/// The number of warnings that compilers have shown so far; 0 under `--verbose`, where they print
/// themselves.
pub(crate) fn warnings() -> u64 {
    PROGRESS.get().map_or(0, |progress| progress.lock().warnings)
}

/// Whether a line of a compiler is, or begins, a warning: `warning: …`, `WARNING AS201: …`.
fn is_warning(line: &str) -> bool {
    line.to_ascii_lowercase().contains("warning")
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the step for which this thread works, if there is one.
    fn with_own_step(&self, change: impl FnOnce(&mut Step)) {
        let own = OWN_STEP.get();
        if let Some(step) = self.lock().steps.iter_mut().find(|step| Some(step.id) == own) {
            change(step);
        }
    }

    fn tick(&self) {
        match self.mode {
            Mode::Terminal => self.redraw(),
            Mode::Lines => {
                let mut state = self.lock();
                let mut lines = String::new();
                let is_due =
                    |step: &&mut Step| !step.handed_over && step.printed.elapsed() >= REPEAT;
                for step in state.steps.iter_mut().filter(is_due) {
                    step.printed = Instant::now();
                    lines.push_str(&format!("{}\n", step.line()));
                }
                state.show(&lines);
            }
            Mode::Verbose => {}
        }
    }

    fn redraw(&self) {
        if self.mode == Mode::Terminal {
            self.lock().redraw();
        }
    }
}

impl Listener for Progress {
    fn text(&self, text: &str) {
        let mut state = self.lock();
        state.warnings += u64::from(is_warning(text));
        // The next tick draws the progress line again: more text may follow at once.
        state.show(text);
        // The thread may be one that reads a pipe for a step: whose text it is, is not known.
        for step in &mut state.steps {
            step.printed = Instant::now();
        }
    }

    fn units(&self, units: Option<Units>) {
        self.with_own_step(|step| {
            step.cargo = units.map(|units| CargoProgress::update(step.cargo, units));
        });
    }

    fn hand_over(&self, to_program: bool) {
        self.with_own_step(|step| step.handed_over = to_program);
        self.lock().show("");
    }
}

impl State {
    /// Replaces the line that is updated in place by this text.
    fn show(&mut self, text: &str) {
        let mut output = erase(self.drawn);
        output.push_str(text);
        self.drawn = 0;
        print(&output);
    }

    fn redraw(&mut self) {
        // A program that prints to the terminal would be overwritten.
        let is_free = !self.steps.iter().any(|step| step.handed_over);
        if is_free && !self.steps.is_empty() {
            let lines: Vec<String> = self.steps.iter().map(Step::line).collect();
            let line = shorten(&lines.join("; "));
            let length = line.chars().count();
            let rest = self.drawn.saturating_sub(length);
            print(&format!("\r{line}{}{}", " ".repeat(rest), "\u{8}".repeat(rest)));
            self.drawn = length;
        }
    }
}

impl Step {
    fn line(&self) -> String {
        let mut name = self.name.to_owned();
        if let Some(part) = &self.part {
            name = format!("{name}, {part}");
        }
        let left = self.cargo.and_then(|cargo| cargo.time_left());
        progress_line(&name, self.cargo.map(|cargo| cargo.units), self.start.elapsed(), left)
    }
}

impl CargoProgress {
    fn update(previous: Option<CargoProgress>, units: Units) -> CargoProgress {
        let mut next = previous.unwrap_or_else(|| CargoProgress {
            start: Instant::now(),
            units,
            up_to_date: units.done,
        });
        next.units = units;
        if next.start.elapsed() < UP_TO_DATE {
            next.up_to_date = units.done;
        }
        next
    }

    fn time_left(self) -> Option<Duration> {
        time_left(self.units, self.up_to_date, self.start.elapsed())
    }
}

/// An estimate of the time left, if all units need the same time. None before 10 seconds and a
/// twentieth of the work: it would mean nothing.
fn time_left(units: Units, up_to_date: u64, elapsed: Duration) -> Option<Duration> {
    let work = units.total.checked_sub(up_to_date)?;
    let done = units.done.checked_sub(up_to_date).filter(|done| *done > 0)?;
    if elapsed < Duration::from_secs(10) || done * 20 < work || done >= work {
        return None;
    }
    Some(elapsed.mul_f64((work - done) as f64 / done as f64))
}

/// The text of a line such as `host: 213 of 449 crates, 2 min 10 s, about 3 min left`.
fn progress_line(
    name: &str,
    units: Option<Units>,
    elapsed: Duration,
    left: Option<Duration>,
) -> String {
    let mut line = format!("{name}: ");
    if let Some(Units { done, total }) = units {
        line.push_str(&format!("{done} of {total} crates, "));
    }
    match elapsed.as_secs() {
        seconds @ 0..60 => line.push_str(&format!("{seconds} s")),
        seconds => line.push_str(&format!("{} min {:02} s", seconds / 60, seconds % 60)),
    }
    if let Some(left) = left {
        line.push_str(&format!(", about {} left", rounded(left)));
    }
    line
}

/// A duration in tens of seconds or, from 90 seconds on, in minutes.
fn rounded(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match (seconds / 10.0).ceil() * 10.0 {
        tens if tens <= 90.0 => format!("{} s", tens.max(10.0)),
        _ => format!("{:.0} min", (seconds / 60.0).round()),
    }
}

/// The characters that erase a line of this length.
fn erase(length: usize) -> String {
    match length {
        0 => String::new(),
        _ => format!("\r{}\r", " ".repeat(length)),
    }
}

/// The text, cut so that it does not wrap.
fn shorten(line: &str) -> String {
    line.chars().take(COLUMNS).collect()
}

fn print(text: &str) {
    // An error, such as a closed terminal, must not end the build.
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_compilers_are_recognised() {
        let check = |line: &str, expected| assert_eq!(is_warning(line), expected, "{line}");
        check("warning: unused variable: `a`\n", true);
        check("\u{1b}[93mWARNING\u{1b}[0m AS201: Conversion from type 'usize' to 'i32'\n", true);
        check("fetching ziglang 0.17.1 from PyPI (once; about 410 MB on the disk)\n", false);
        check("npm warn deprecated glob@7.2.3\n", false);
    }

    #[test]
    fn the_time_left_follows_from_the_share_of_work_done() {
        let check = |done, total, up_to_date, elapsed, expected: Option<u64>| {
            let units = Units { done, total };
            let left = time_left(units, up_to_date, Duration::from_secs(elapsed));
            assert_eq!(left, expected.map(Duration::from_secs), "{done} of {total}");
        };
        check(50, 100, 0, 60, Some(60));
        check(25, 100, 0, 60, Some(180));
        // Units that were up to date are no work.
        check(75, 100, 50, 60, Some(60));
        // Too early by time, and by work.
        check(50, 100, 0, 9, None);
        check(50, 100, 0, 10, Some(10));
        check(4, 100, 0, 60, None);
        check(5, 100, 0, 60, Some(1140));
        check(0, 0, 0, 60, None);
        check(50, 100, 50, 60, None);
        check(100, 100, 0, 60, None);
    }

    #[test]
    fn the_line_names_step_crates_and_times() {
        let check = |units: Option<(u64, u64)>, elapsed, left: Option<u64>, expected: &str| {
            let units = units.map(|(done, total)| Units { done, total });
            let (elapsed, left) = (Duration::from_secs(elapsed), left.map(Duration::from_secs));
            assert_eq!(progress_line("host", units, elapsed, left), expected);
        };
        check(None, 0, None, "host: 0 s");
        check(None, 61, None, "host: 1 min 01 s");
        check(Some((1, 449)), 9, None, "host: 1 of 449 crates, 9 s");
        let whole = "host: 213 of 449 crates, 2 min 10 s, about 3 min left";
        check(Some((213, 449)), 130, Some(170), whole);
    }

    #[test]
    fn an_estimate_is_rounded() {
        let check = |seconds, expected: &str| {
            assert_eq!(rounded(Duration::from_secs(seconds)), expected, "{seconds}");
        };
        check(0, "10 s");
        check(10, "10 s");
        check(11, "20 s");
        check(90, "90 s");
        check(91, "2 min");
        check(149, "2 min");
        check(151, "3 min");
        check(3600, "60 min");
    }

    #[test]
    fn only_units_after_the_first_second_are_work() {
        let check = |age_ms, expected| {
            let start = Instant::now().checked_sub(Duration::from_millis(age_ms)).unwrap();
            let before = CargoProgress { start, units: Units { done: 3, total: 9 }, up_to_date: 3 };
            let after = CargoProgress::update(Some(before), Units { done: 5, total: 9 });
            assert_eq!((after.units.done, after.up_to_date), (5, expected));
        };
        check(0, 5);
        check(1_500, 3);
        let first = CargoProgress::update(None, Units { done: 2, total: 9 });
        assert_eq!(first.up_to_date, 2);
    }

    #[test]
    fn a_line_does_not_wrap_and_is_erased_completely() {
        let check = |line: &str, length| assert_eq!(shorten(line).chars().count(), length);
        check("host", 4);
        check(&"é".repeat(79), 79);
        check(&"é".repeat(80), 79);
        assert_eq!(erase(0), "");
        assert_eq!(erase(3), "\r   \r");
    }
}
