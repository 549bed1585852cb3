//! With how many threads engines search: which may have several, and how many games leave
//! each of them a core. Decides on values alone.

use anyhow::Result;
use sandboard_abi::{Description, Unit};

use super::usage;
use crate::catalog::Entry;
use crate::manifest::ModuleKind;
pub use crate::manifest::THREADS_OPTION as OPTION;

/// The most threads that an engine may be given.
pub const MOST: u16 = 64;

/// What an engine is to search with, and where.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// So many threads.
    pub threads: u16,
    /// Its budget's.
    pub unit: Unit,
    /// Whether every move on fuel is to be verified.
    pub contest: bool,
    /// Whether a native library runs in this very process.
    pub in_process: bool,
}

/// The number that an option says.
pub fn read(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|threads| (1..=MOST).contains(threads));
    number.ok_or_else(|| format!("{OPTION}: `{text}` is not a whole number from 1 to {MOST}"))
}

/// Err: why an engine does not get so many.
pub fn check(entry: &Entry, description: &Description, wanted: Wanted) -> Result<()> {
    let Wanted { threads, unit, contest, in_process } = wanted;
    let id = &entry.id;
    // A program is asked when it is started: only then does it say what it offers.
    let can = description.abilities.helpers || entry.kind == Some(ModuleKind::Process);
    match threads {
        0 | 1 => Ok(()),
        _ if !can => Err(usage(format!(
            "engine `{id}` is to search with {threads} threads, and does not say of itself that \
             it can (the ability `helpers`); leave out `{OPTION}`"
        ))),
        _ if contest && unit == Unit::Fuel => Err(usage(format!(
            "engine `{id}` is to search with {threads} threads on fuel: what each of them finds \
             first depends on the machine, so no replay could verify its moves, and in a contest \
             every move on fuel is verified; leave out `{OPTION}`, or give it a budget of time"
        ))),
        _ if in_process && unit == Unit::Cpu && entry.kind == Some(ModuleKind::Native) => {
            Err(usage(format!(
                "engine `{id}` is to search with {threads} threads on CPU time in the host's own process, \
                 where only one of them would be charged for; leave out `--native in-process`, \
                 leave out `{OPTION}`, or give it a budget of wall time"
            )))
        }
        _ => Ok(()),
    }
}

/// Cores that a game of these players (threads, and whether it thinks on its opponent's
/// time) keeps busy at most.
pub fn busy_cores(players: impl IntoIterator<Item = (u16, bool)>) -> usize {
    let players =
        players.into_iter().map(|(threads, ponders)| (usize::from(threads.max(1)), ponders));
    let players: Vec<(usize, bool)> = players.collect();
    // While one moves, all others work who think on their opponents' time.
    let busy = |mover: usize| {
        let works = |(index, it): &(usize, &(usize, bool))| *index == mover || it.1;
        players.iter().enumerate().filter(works).map(|(_, (threads, _))| threads).sum()
    };
    (0..players.len()).map(busy).max().unwrap_or(1)
}

/// How many games to play at once where nobody says, each of which keeps so many cores busy.
pub fn games_at_once(busy: usize, cores: usize) -> usize {
    (cores / busy.max(1)).max(1)
}

/// Why so many games leave no core for each thread, where they do not.
pub fn shared_cores(games: usize, busy: usize, cores: usize) -> Option<String> {
    let at_once = if games == 1 { "1 game".into() } else { format!("{games} games at once") };
    let have = if cores == 1 { "1 core has".into() } else { format!("{cores} cores have") };
    (games * busy > cores).then(|| {
        format!("{at_once} with {busy} threads at work in each are more than {have} time for")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let check = |text: &str, expected: Option<u16>| assert_eq!(read(text).ok(), expected);
        check("1", Some(1));
        check("64", Some(64));
        check("0", None);
        check("65", None);
        check("-1", None);
        check("2.0", None);
        check("", None);
        assert_eq!(read("0").unwrap_err(), "threads: `0` is not a whole number from 1 to 64");
    }

    #[test]
    fn who_gets_several() {
        let check = |able: &str, threads: u16, unit: Unit, contest: bool, expected: &str| {
            let (kind, in_process) = match able {
                "program" => (ModuleKind::Process, false),
                "native" => (ModuleKind::Native, false),
                "in-process" => (ModuleKind::Native, true),
                _ => (ModuleKind::Wasm, true),
            };
            let entry = Entry { id: "e".into(), kind: Some(kind), ..Entry::default() };
            let mut description = Description::default();
            description.abilities.helpers = !matches!(able, "nothing" | "program");
            let wanted = Wanted { threads, unit, contest, in_process };
            let checked = super::check(&entry, &description, wanted);
            let said = checked.map_or_else(|error| error.to_string(), |()| "yes".into());
            assert!(said.starts_with(expected), "{able} {threads} {unit:?} {contest}: {said}");
        };
        let cannot = "engine `e` is to search with 2 threads, and does not say";
        check("helpers", 1, Unit::Wall, false, "yes");
        check("helpers", 2, Unit::Wall, false, "yes");
        check("helpers", 2, Unit::Fuel, false, "yes");
        check("helpers", 2, Unit::Cpu, true, "yes");
        check("helpers", 1, Unit::Fuel, true, "yes");
        check("helpers", 2, Unit::Fuel, true, "engine `e` is to search with 2 threads on fuel");
        check("nothing", 1, Unit::Wall, false, "yes");
        check("nothing", 2, Unit::Wall, false, cannot);
        check("program", 2, Unit::Wall, false, "yes");
        check("native", 2, Unit::Cpu, false, "yes");
        check("in-process", 1, Unit::Cpu, false, "yes");
        check("in-process", 2, Unit::Wall, false, "yes");
        let uncounted =
            "engine `e` is to search with 2 threads on CPU time in the host's own process";
        check("in-process", 2, Unit::Cpu, false, uncounted);
    }

    #[test]
    fn each_thread_has_a_core() {
        assert_eq!([1, 2, 3, 8].map(|cores| games_at_once(2, cores)), [1, 1, 1, 4]);
        assert_eq!([1, 2, 3, 8].map(|cores| games_at_once(1, cores)), [1, 2, 3, 8]);
        assert_eq!([1, 2, 3, 8].map(|cores| games_at_once(3, cores)), [1, 1, 1, 2]);
        assert!(shared_cores(2, 2, 4).is_none());
        let said = "3 games at once with 2 threads at work in each are more than 4 cores have";
        assert!(shared_cores(3, 2, 4).unwrap().starts_with(said));
        assert!(shared_cores(1, 2, 1).unwrap().starts_with("1 game with 2 threads"));
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
