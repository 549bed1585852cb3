//! What a contest decides about its arenas: their names, schedule, settings, and the limits of
//! their engines. The runner plays by it, and the check of a bundle compares with it. Pure.

use sandboard_arena_plan::Format;
use sandboard_bout::referee::BoutSettings;
use sandboard_engine::{Caps, InstanceLimits};
use sandboard_engine_wasm::Metering;

use super::file::Contest;

/// The name of the ladder's arena, and of its folder within the contest's.
pub const LADDER: &str = "ladder";
/// The name of the first final's arena; later ones are `final-2`, `final-3` and so on.
pub const FINAL: &str = "final";
/// The length of the ladder in pairs, far more than any ladder plays.
const LADDER_PAIRS: u32 = 50_000_000;

/// An arena of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArenaKind {
    Ladder,
    /// The final with this number, from 1.
    Final(u32),
}

impl ArenaKind {
    /// The arena with this name; `None`: no arena of a contest has it.
    pub fn from_name(name: &str) -> Option<Self> {
        let kind = match name {
            LADDER => Self::Ladder,
            FINAL => Self::Final(1),
            name => Self::Final(name.strip_prefix(FINAL)?.strip_prefix('-')?.parse().ok()?),
        };
        // Not `final-0`, `final-1`, `final-02` or `final-+2`.
        (kind != Self::Final(0) && kind.name() == name).then_some(kind)
    }

    /// The name of the arena, and of its folder within the contest's.
    pub fn name(self) -> String {
        match self {
            Self::Ladder => LADDER.to_owned(),
            Self::Final(1) => FINAL.to_owned(),
            Self::Final(number) => format!("{FINAL}-{number}"),
        }
    }

    /// The label of its seeds. It is the same for all finals: another final of the same players
    /// has the same games, so a repetition cannot choose better ones.
    pub fn seed_label(self) -> &'static str {
        match self {
            Self::Ladder => LADDER,
            Self::Final(_) => FINAL,
        }
    }

    /// Its schedule in this contest.
    pub fn schedule(self, contest: &Contest) -> Format {
        match self {
            Self::Ladder => Format::Ladder { pairs: LADDER_PAIRS },
            Self::Final(_) => Format::RoundRobin { cycles: contest.final_cycles },
        }
    }
}

/// The settings of every bout: the default, without taking moves back.
pub fn settings() -> BoutSettings {
    BoutSettings { undo: false, ..BoutSettings::default() }
}

impl Contest {
    /// The caps of every instance, whatever the manifest of its engine requests.
    pub fn caps(&self) -> Caps {
        Caps { memory_bytes: self.memory_bytes, ..Caps::default() }
    }

    /// The limits of every instance.
    pub fn limits(&self) -> InstanceLimits {
        InstanceLimits::new(&self.caps(), Metering::Fuel.stack_limit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_arenas_are_exact() {
        let check = |name: &str, expected: Option<ArenaKind>| {
            assert_eq!(ArenaKind::from_name(name), expected, "{name}");
        };
        check("ladder", Some(ArenaKind::Ladder));
        check("final", Some(ArenaKind::Final(1)));
        check("final-2", Some(ArenaKind::Final(2)));
        check("final-10", Some(ArenaKind::Final(10)));
        for wrong in [
            "",
            "Final",
            "finals",
            "final-",
            "final-0",
            "final-1",
            "final-02",
            "final-+2",
            "final-99999999999",
            "ladder-2",
            "/final",
            "../final",
            "trials",
        ] {
            check(wrong, None);
        }
    }
}
