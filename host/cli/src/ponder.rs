//! Decides which engines think on the opponent's time (ponder), from the options, the engines'
//! abilities and the number of cores. Works on values alone.

use anyhow::Result;
use sandboard_abi::Unit;

use super::usage;
use sandboard_engine::Budget;

/// `--ponder` of `sandboard play`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PlayPonder {
    /// Engines that can ponder, against people, if they have a time budget and a core is free
    #[default]
    Auto,
    /// All engines that can ponder
    On,
    /// No engine ponders
    Off,
}

/// `--ponder` of `sandboard arena`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchPonder {
    /// All, if every engine of all games at once has a core
    Auto,
    /// All engines that can ponder
    On,
    /// Only the first player of a match
    A,
    /// Only the second player of a match
    B,
    /// No engine ponders
    Off,
}

/// A player that might ponder.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<'a> {
    /// The player's name.
    pub name: &'a str,
    /// Whether it is an engine that declares the ability to ponder.
    pub can: bool,
    /// Whether it is a person.
    pub person: bool,
    /// The player's budget.
    pub budget: Budget,
}

/// The players that ponder, and notes for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PonderDecision {
    /// Whether each player ponders.
    pub on: Vec<bool>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Candidate<'_> {
    /// Whether it ponders if requested. Err: its budget does not allow it.
    fn if_requested(&self, notes: &mut Vec<String>) -> Result<bool> {
        if self.person {
            return Ok(false);
        }
        if self.budget.unit() == Unit::Fuel {
            return Err(usage(format!(
                "--ponder: {} plays on fuel (`{}`), so it cannot think on its opponent's time: its \
                 moves must depend only on module, inputs and seed; use a time budget (5s/move), \
                 or --ponder=off",
                self.name, self.budget
            )));
        }
        if !self.can {
            notes.push(format!(
                "{} does not think on its opponent's time: it does not declare that ability",
                self.name
            ));
        }
        Ok(self.can)
    }

    /// Whether it can ponder, and more time can make it stronger.
    fn gains(&self) -> bool {
        let timed = self.budget.unit() != Unit::Fuel;
        self.can && timed && self.budget.depth().is_none() && self.budget.nodes().is_none()
    }
}

/// The players that ponder in one bout, on a machine with this number of cores.
pub(crate) fn for_play(
    mode: PlayPonder,
    players: &[Candidate<'_>],
    cores: usize,
) -> Result<PonderDecision> {
    let mut notes = Vec::new();
    let against_people = players.iter().any(|player| player.person);
    let on = players.iter().map(|player| match mode {
        PlayPonder::Off => Ok(false),
        PlayPonder::On => player.if_requested(&mut notes),
        PlayPonder::Auto => Ok(against_people && cores > 1 && player.gains()),
    });
    let on = on.collect::<Result<_>>()?;
    Ok(PonderDecision { on, notes })
}

/// The players that ponder in an arena with `concurrency` games at once (`None`: the default).
/// Without `mode` no player ponders, since the games share the cores.
pub(crate) fn for_match(
    mode: Option<MatchPonder>,
    players: &[Candidate<'_>],
    concurrency: Option<usize>,
    cores: usize,
) -> Result<PonderDecision> {
    let mut notes = Vec::new();
    let of_a_match = |place: usize| match players.len() {
        2 => Ok((0..2).map(|index| index == place).collect()),
        many => Err(usage(format!("--ponder=a and =b need a match of two players, not {many}"))),
    };
    let requested: Vec<bool> = match mode {
        None | Some(MatchPonder::Off) => vec![false; players.len()],
        Some(MatchPonder::A) => of_a_match(0)?,
        Some(MatchPonder::B) => of_a_match(1)?,
        Some(MatchPonder::On | MatchPonder::Auto) => vec![true; players.len()],
    };
    if mode.is_none() && players.iter().any(Candidate::gains) {
        let why = "games of a match share the cores; with --ponder fewer games are played at once";
        notes.push(format!("pondering is off: {why}"));
    }
    let mut on = vec![false; players.len()];
    let requested = on.iter_mut().zip(players).zip(requested).filter(|(_, requested)| *requested);
    for ((on, player), _) in requested {
        *on = player.if_requested(&mut notes)?;
    }
    let at_once = concurrency.unwrap_or(cores);
    if mode == Some(MatchPonder::Auto) && at_once * 2 > cores && on.contains(&true) {
        notes.push(format!("pondering is off: {}", too_few(at_once, cores)));
        on.fill(false);
    }
    Ok(PonderDecision { on, notes })
}

/// A warning if `games` at once leave less than one core for each engine.
pub(crate) fn shared_cores(games: usize, cores: usize) -> Option<String> {
    (games * 2 > cores).then(|| {
        format!("{}, and pondering engines take time from their opponents", too_few(games, cores))
    })
}

fn too_few(games: usize, cores: usize) -> String {
    let games = if games == 1 { "1 game".into() } else { format!("{games} games at once") };
    let cores = if cores == 1 { "core".into() } else { format!("{cores} cores") };
    format!(
        "{games} with two engines thinking at the same time need more than the {cores} of this machine"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Players are `name budget`; `!` before the name marks one that cannot ponder.
    fn candidates<'a>(players: &'a str) -> Vec<Candidate<'a>> {
        let candidate = |text: &'a str| {
            let (name, budget) = text.trim().split_once(' ').unwrap();
            let person = name == "human";
            let can = !person && !name.starts_with('!');
            Candidate { name, can, person, budget: budget.parse().unwrap() }
        };
        players.split(", ").map(candidate).collect()
    }

    fn shown(decided: Result<PonderDecision>) -> String {
        match decided {
            Err(error) => format!("no: {error}"),
            Ok(PonderDecision { on, notes }) => {
                let on: Vec<_> = on.iter().map(|on| if *on { "on" } else { "off" }).collect();
                let notes: String = notes.iter().map(|note| format!("; {note}")).collect();
                on.join(" ") + &notes
            }
        }
    }

    #[track_caller]
    fn play(mode: PlayPonder, players: &str, cores: usize, expected: &str) {
        let shown = shown(for_play(mode, &candidates(players), cores));
        assert!(shown.starts_with(expected), "{shown}");
        assert!(shown == expected || expected.starts_with("no:") || expected.ends_with(':'));
    }

    #[track_caller]
    fn a_match(mode: MatchPonder, players: &str, games: Option<usize>, expected: &str) {
        let players = candidates(players);
        let shown = shown(for_match(Some(mode), &players, games, 4));
        assert!(shown.starts_with(expected), "{shown}");
        assert!(shown == expected || expected.starts_with("no:") || expected.ends_with(':'));
    }

    #[test]
    fn auto_ponders_against_people_with_a_time_budget_and_a_free_core() {
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
    fn impossible_requests_are_reported() {
        use PlayPonder::*;
        let cannot =
            "off on; !b does not think on its opponent's time: it does not declare that ability";
        play(On, "!b 5s/move, a cpu:5s/move", 2, cannot);
        play(
            On,
            "human none, a fuel:1e9/move",
            2,
            "no: --ponder: a plays on fuel (`fuel:1e9/move`)",
        );
    }

    #[test]
    fn a_match_ponders_on_request() {
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
            "off off; pondering is off: 3 games at once with two engines thinking at the same \
             time need more than the 4 cores of this machine",
        );
        a_match(Auto, "a 1s/move, b 1s/move", None, "off off; pondering is off:");
        a_match(
            On,
            "a 1s/move, !b 1s/move, c 1s/move",
            None,
            "on off on; !b does not think on its opponent's time: it does not declare that ability",
        );
        a_match(
            A,
            "a 1s/move, b 1s/move, c 1s/move",
            None,
            "no: --ponder=a and =b need a match of two players, not 3",
        );
    }

    #[test]
    fn a_match_without_the_option_notes_that_pondering_is_off() {
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
