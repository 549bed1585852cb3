//! Checks the number of search threads of engines, and how many games leave each thread a core.
//! Works on values alone.

use anyhow::Result;
use sandboard_abi::{Description, Unit};

use super::usage;
pub(crate) use sandboard_engine::THREADS_OPTION as OPTION;
use sandboard_packs::catalog::Entry;
use sandboard_packs::manifest::ModuleKind;

/// The most search threads of an engine.
pub(crate) const THREADS_MAX: u16 = 64;

/// The search threads requested for a player, and the conditions that limit them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadRequest {
    /// The number of search threads.
    pub threads: u16,
    /// The unit of the player's budget.
    pub unit: Unit,
    /// Whether this is a contest, where every move on fuel must be verifiable.
    pub contest: bool,
    /// Whether native libraries run inside this process.
    pub in_process: bool,
}

/// Parses the value of the option `threads`.
pub(crate) fn parse(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|threads| (1..=THREADS_MAX).contains(threads));
    number
        .ok_or_else(|| format!("{OPTION}: `{text}` is not a whole number from 1 to {THREADS_MAX}"))
}

/// Checks that an engine can have this many threads. Err: the reason why not.
pub(crate) fn check(
    entry: &Entry,
    description: &Description,
    request: ThreadRequest,
) -> Result<()> {
    let ThreadRequest { threads, unit, contest, in_process } = request;
    let id = &entry.id;
    // An external engine declares its abilities only when it starts.
    let can = description.abilities.helpers || entry.kind == Some(ModuleKind::External);
    match threads {
        0 | 1 => Ok(()),
        _ if !can => Err(usage(format!(
            "engine `{id}` cannot search with {threads} threads: it does not declare the ability \
             `helpers`; leave out `{OPTION}`"
        ))),
        _ if contest && unit == Unit::Fuel => Err(usage(format!(
            "engine `{id}` cannot search with {threads} threads on fuel in a contest: the result \
             depends on the timing of the threads, so a replay could not verify its moves; leave \
             out `{OPTION}`, or use a time budget"
        ))),
        _ if in_process && unit == Unit::Cpu && entry.kind == Some(ModuleKind::Native) => {
            Err(usage(format!(
                "engine `{id}` cannot search with {threads} threads on CPU time in the host's own \
                 process, which would count only one of them; leave out `--native in-process` or \
                 `{OPTION}`, or use a budget of wall time"
            )))
        }
        _ => Ok(()),
    }
}

/// The most cores that one game keeps busy. For each player: its number of threads, and whether it
/// thinks on its opponent's time.
pub(crate) fn busy_cores(players: impl IntoIterator<Item = (u16, bool)>) -> usize {
    let players =
        players.into_iter().map(|(threads, ponders)| (usize::from(threads.max(1)), ponders));
    let players: Vec<(usize, bool)> = players.collect();
    // Players that ponder work while another player moves.
    let busy = |mover: usize| {
        let works = |(index, it): &(usize, &(usize, bool))| *index == mover || it.1;
        players.iter().enumerate().filter(works).map(|(_, (threads, _))| threads).sum()
    };
    (0..players.len()).map(busy).max().unwrap_or(1)
}

/// The default number of games at once, if each keeps `busy` of the cores busy.
pub(crate) fn games_at_once(busy: usize, cores: usize) -> usize {
    (cores / busy.max(1)).max(1)
}

/// A warning if `games` at once leave less than one core for each thread.
pub(crate) fn shared_cores(games: usize, busy: usize, cores: usize) -> Option<String> {
    let at_once = if games == 1 { "1 game".into() } else { format!("{games} games at once") };
    let have = if cores == 1 { "core".into() } else { format!("{cores} cores") };
    (games * busy > cores).then(|| {
        format!("{at_once} with {busy} busy threads each need more than the {have} of this machine")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_are_parsed() {
        let check = |text: &str, expected: Option<u16>| assert_eq!(parse(text).ok(), expected);
        check("1", Some(1));
        check("64", Some(64));
        check("0", None);
        check("65", None);
        check("-1", None);
        check("2.0", None);
        check("", None);
        assert_eq!(parse("0").unwrap_err(), "threads: `0` is not a whole number from 1 to 64");
    }

    #[test]
    fn only_able_engines_get_several_threads() {
        let check = |able: &str, threads: u16, unit: Unit, contest: bool, expected: &str| {
            let (kind, in_process) = match able {
                "program" => (ModuleKind::External, false),
                "native" => (ModuleKind::Native, false),
                "in-process" => (ModuleKind::Native, true),
                _ => (ModuleKind::Wasm, true),
            };
            let entry = Entry { id: "e".into(), kind: Some(kind), ..Entry::default() };
            let mut description = Description::default();
            description.abilities.helpers = !matches!(able, "nothing" | "program");
            let request = ThreadRequest { threads, unit, contest, in_process };
            let checked = super::check(&entry, &description, request);
            let shown = checked.map_or_else(|error| error.to_string(), |()| "yes".into());
            assert!(shown.starts_with(expected), "{able} {threads} {unit:?} {contest}: {shown}");
        };
        let cannot = "engine `e` cannot search with 2 threads: it does not declare";
        check("helpers", 1, Unit::Wall, false, "yes");
        check("helpers", 2, Unit::Wall, false, "yes");
        check("helpers", 2, Unit::Fuel, false, "yes");
        check("helpers", 2, Unit::Cpu, true, "yes");
        check("helpers", 1, Unit::Fuel, true, "yes");
        check("helpers", 2, Unit::Fuel, true, "engine `e` cannot search with 2 threads on fuel");
        check("nothing", 1, Unit::Wall, false, "yes");
        check("nothing", 2, Unit::Wall, false, cannot);
        check("program", 2, Unit::Wall, false, "yes");
        check("native", 2, Unit::Cpu, false, "yes");
        check("in-process", 1, Unit::Cpu, false, "yes");
        check("in-process", 2, Unit::Wall, false, "yes");
        let uncounted =
            "engine `e` cannot search with 2 threads on CPU time in the host's own process";
        check("in-process", 2, Unit::Cpu, false, uncounted);
    }

    #[test]
    fn each_thread_has_a_core() {
        assert_eq!([1, 2, 3, 8].map(|cores| games_at_once(2, cores)), [1, 1, 1, 4]);
        assert_eq!([1, 2, 3, 8].map(|cores| games_at_once(1, cores)), [1, 2, 3, 8]);
        assert_eq!([1, 2, 3, 8].map(|cores| games_at_once(3, cores)), [1, 1, 1, 2]);
        assert!(shared_cores(2, 2, 4).is_none());
        let expected = "3 games at once with 2 busy threads each need more than the 4 cores";
        assert!(shared_cores(3, 2, 4).unwrap().starts_with(expected));
        assert!(shared_cores(1, 2, 1).unwrap().starts_with("1 game with 2 busy threads"));
    }

    #[test]
    fn cores_of_a_game() {
        let check = |players: [(u16, bool); 2], expected: usize| {
            assert_eq!(busy_cores(players), expected, "{players:?}");
        };
        check([(1, false), (1, false)], 1);
        check([(2, false), (1, false)], 2);
        check([(2, false), (4, false)], 4);
        check([(1, true), (1, true)], 2);
        check([(1, true), (1, false)], 2);
        check([(2, true), (4, false)], 6);
        check([(2, true), (4, true)], 6);
        check([(0, false), (0, false)], 1);
    }
}
