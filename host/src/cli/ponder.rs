//! Who thinks on the opponent's time in a bout or a match: what was typed, what the
//! engines say of themselves, and how many cores there are. Decides on values alone.

use anyhow::Result;
use sandboard_abi::Unit;

use super::usage;
use crate::budget::Budget;

/// `--ponder` of `sandboard play`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayPonder {
    /// Engines that can, against people, if their budget is one of time and a core is free
    #[default]
    Auto,
    /// All engines that can
    On,
    /// No engine
    Off,
}

/// `--ponder` of `sandboard arena`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPonder {
    /// All, if there is a core for each engine of all games at once
    Auto,
    /// All that can
    On,
    /// The first player alone, of a match
    A,
    /// The second player alone, of a match
    B,
    /// Nobody
    Off,
}

/// A player that may be let think.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is an engine that says that it thinks on its opponent's time.
    pub can: bool,
    /// Whether it is a person.
    pub person: bool,
    /// What it may spend.
    pub budget: Budget,
}

/// Who thinks, and what people are to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// By player.
    pub on: Vec<bool>,
    /// In sentences.
    pub notes: Vec<String>,
}

impl Candidate<'_> {
    /// Whether it does so where it is wanted. Err: it is wanted where it cannot be.
    fn wanted(&self, notes: &mut Vec<String>) -> Result<bool> {
        if self.person {
            return Ok(false);
        }
        if self.budget.unit() == Unit::Fuel {
            return Err(usage(format!(
                "--ponder: {} plays on fuel (`{}`), under which a move depends on nothing but \
                 module, inputs and seed: it cannot think on its opponent's time; give it a budget \
                 of time (5s/move), or --ponder=off",
                self.name, self.budget
            )));
        }
        if !self.can {
            notes.push(format!(
                "{} does not think on its opponent's time: it says of itself that it cannot",
                self.name
            ));
        }
        Ok(self.can)
    }

    /// Whether more time would make it stronger, and it is to use it.
    fn gains(&self) -> bool {
        let timed = self.budget.unit() != Unit::Fuel;
        self.can && timed && self.budget.depth().is_none() && self.budget.nodes().is_none()
    }
}

/// Who thinks in one bout on a machine with so many cores.
pub fn for_play(typed: PlayPonder, players: &[Candidate<'_>], cores: usize) -> Result<Decided> {
    let mut notes = Vec::new();
    let against_people = players.iter().any(|player| player.person);
    let on = players.iter().map(|player| match typed {
        PlayPonder::Off => Ok(false),
        PlayPonder::On => player.wanted(&mut notes),
        PlayPonder::Auto => Ok(against_people && cores > 1 && player.gains()),
    });
    let on = on.collect::<Result<_>>()?;
    Ok(Decided { on, notes })
}

/// Who thinks in an arena of so many games at once (none: as many as is usual); where nothing
/// is typed nobody does, since the games share the cores.
pub fn for_match(
    typed: Option<MatchPonder>,
    players: &[Candidate<'_>],
    concurrency: Option<usize>,
    cores: usize,
) -> Result<Decided> {
    let mut notes = Vec::new();
    let of_a_match = |place: usize| match players.len() {
        2 => Ok((0..2).map(|index| index == place).collect()),
        many => Err(usage(format!("--ponder=a and =b are of a match of two, not of {many}"))),
    };
    let wanted: Vec<bool> = match typed {
        None | Some(MatchPonder::Off) => vec![false; players.len()],
        Some(MatchPonder::A) => of_a_match(0)?,
        Some(MatchPonder::B) => of_a_match(1)?,
        Some(MatchPonder::On | MatchPonder::Auto) => vec![true; players.len()],
    };
    if typed.is_none() && players.iter().any(Candidate::gains) {
        let why = "games of a match share the cores; --ponder gives each engine its own";
        notes.push(format!("pondering is off: {why}"));
    }
    let mut on = vec![false; players.len()];
    for ((on, player), _) in on.iter_mut().zip(players).zip(wanted).filter(|(_, wanted)| *wanted) {
        *on = player.wanted(&mut notes)?;
    }
    let at_once = concurrency.unwrap_or(cores);
    if typed == Some(MatchPonder::Auto) && at_once * 2 > cores && on.contains(&true) {
        notes.push(format!("pondering is off: {}", too_few(at_once, cores)));
        on.fill(false);
    }
    Ok(Decided { on, notes })
}

/// Why so many games leave no core for each engine, where they do not.
pub fn shared_cores(games: usize, cores: usize) -> Option<String> {
    (games * 2 > cores).then(|| {
        format!("{}, and engines that ponder take it from their opponents", too_few(games, cores))
    })
}

fn too_few(games: usize, cores: usize) -> String {
    let games = if games == 1 { "1 game".into() } else { format!("{games} games at once") };
    let cores = if cores == 1 { "1 core has".into() } else { format!("{cores} cores have") };
    format!("{games} with two engines that think at the same time are more than {cores} time for")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Players are `name budget`, `!` before the name for one that cannot.
    fn candidates<'a>(players: &'a str) -> Vec<Candidate<'a>> {
        let candidate = |text: &'a str| {
            let (name, budget) = text.trim().split_once(' ').unwrap();
            let person = name == "human";
            let can = !person && !name.starts_with('!');
            Candidate { name, can, person, budget: budget.parse().unwrap() }
        };
        players.split(", ").map(candidate).collect()
    }

    fn shown(decided: Result<Decided>) -> String {
        match decided {
            Err(error) => format!("no: {error}"),
            Ok(Decided { on, notes }) => {
                let on: Vec<_> = on.iter().map(|on| if *on { "on" } else { "off" }).collect();
                let notes: String = notes.iter().map(|note| format!("; {note}")).collect();
                on.join(" ") + &notes
            }
        }
    }

    #[track_caller]
    fn play(typed: PlayPonder, players: &str, cores: usize, expected: &str) {
        let shown = shown(for_play(typed, &candidates(players), cores));
        assert!(shown.starts_with(expected), "{shown}");
        assert!(shown == expected || expected.starts_with("no:") || expected.ends_with(':'));
    }

    #[track_caller]
    fn a_match(typed: MatchPonder, players: &str, games: Option<usize>, expected: &str) {
        let players = candidates(players);
        let shown = shown(for_match(Some(typed), &players, games, 4));
        assert!(shown.starts_with(expected), "{shown}");
        assert!(shown == expected || expected.starts_with("no:") || expected.ends_with(':'));
    }

    #[test]
    fn against_people_an_engine_thinks_that_gains_by_it() {
        use PlayPonder::*;
        play(Auto, "human none, a 5s/move", 2, "off on");
        play(Auto, "a 3m+2s, human none", 2, "on off");
        play(Auto, "human none, a none", 2, "off on");
        play(Auto, "human none, a 5s/move", 1, "off off");
        play(Auto, "human none, !a 5s/move", 2, "off off");
        play(Auto, "human none, a depth:8", 2, "off off");
        play(Auto, "human none, a 5s/move,nodes:100", 2, "off off");
        play(Auto, "human none, a fuel:1e9/move", 2, "off off");
        play(Auto, "b 5s/move, a 5s/move", 8, "off off");
        play(Off, "human none, a 5s/move", 2, "off off");
        play(On, "b 5s/move, a depth:8", 1, "on on");
    }

    #[test]
    fn what_is_asked_for_and_cannot_be_is_said() {
        use PlayPonder::*;
        let cannot =
            "off on; !b does not think on its opponent's time: it says of itself that it cannot";
        play(On, "!b 5s/move, a cpu:5s/move", 2, cannot);
        play(
            On,
            "human none, a fuel:1e9/move",
            2,
            "no: --ponder: a plays on fuel (`fuel:1e9/move`)",
        );
    }

    #[test]
    fn a_match_ponders_where_it_is_told_to() {
        use MatchPonder::*;
        a_match(Off, "a 1s/move, b 1s/move", None, "off off");
        a_match(On, "a 1s/move, b 1s/move", None, "on on");
        a_match(On, "a 1s/move, b 1s/move", Some(4), "on on");
        a_match(A, "a 1s/move, b fuel:1e9/move", None, "on off");
        a_match(B, "a 1s/move, b fuel:1e9/move", None, "no: --ponder: b plays on fuel");
        a_match(Auto, "a 1s/move, b 1s/move", Some(2), "on on");
        a_match(
            Auto,
            "a 1s/move, b 1s/move",
            Some(3),
            "off off; pondering is off: 3 games at once with two engines that think at the same \
             time are more than 4 cores have time for",
        );
        a_match(Auto, "a 1s/move, b 1s/move", None, "off off; pondering is off:");
        a_match(
            On,
            "a 1s/move, !b 1s/move, c 1s/move",
            None,
            "on off on; !b does not think on its opponent's time: it says of itself that it cannot",
        );
        a_match(
            A,
            "a 1s/move, b 1s/move, c 1s/move",
            None,
            "no: --ponder=a and =b are of a match of two, not of 3",
        );
    }

    #[test]
    fn a_match_of_which_nothing_is_said_says_why_it_does_not_ponder() {
        let check = |players: &str, expected: &str| {
            let players = candidates(players);
            let shown = shown(for_match(None, &players, None, 4));
            assert!(shown.starts_with(expected) && (shown == expected) != expected.ends_with(':'));
        };
        check("a 1s/move, b 1s/move", "off off; pondering is off:");
        check("!a 1s/move, b 1s/move", "off off; pondering is off:");
        check("!a 1s/move, !b 1s/move", "off off");
        check("a fuel:1e9/move, b fuel:1e9/move", "off off");
        check("a depth:3, b depth:3", "off off");
    }

    #[test]
    fn each_engine_has_a_core() {
        assert!(shared_cores(1, 2).is_none() && shared_cores(2, 2).is_some());
        assert!(shared_cores(1, 1).unwrap().starts_with("1 game with two engines"));
    }
}
