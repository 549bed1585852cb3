//! The techniques of the search by name, each of which can be turned off: for
//! tests, tuners and authors who want to know what one is worth.

/// Which techniques a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Switches {
    /// Leave out what cannot change the result (Knuth and Moore, "An Analysis
    /// of Alpha-Beta Pruning", 1975).
    pub alpha_beta: bool,
    /// Search to depth 1, 2, 3, … (Slate and Atkin, "Chess 4.5", 1977). Without
    /// it, the one iteration goes to the depth in the limits.
    pub iterative_deepening: bool,
    /// Candidates by their score, the best of the last iteration first; else as
    /// the analyzer lists them.
    pub ordering: bool,
    /// Remember positions (Zobrist 1970).
    pub transposition_table: bool,
    /// Search all but the first move with an empty window first, to show that
    /// they are worse (Marsland and Campbell, "Parallel Search of Strongly
    /// Ordered Game Trees", 1982).
    pub principal_variation: bool,
    /// Try early what refuted another move at the same distance from the root
    /// (Akl and Newborn, "The Principal Continuation and the Killer Heuristic", 1977).
    pub killers: bool,
    /// Try early what refuted moves anywhere (Schaeffer, "The History
    /// Heuristic", 1983).
    pub history: bool,
    /// Begin an iteration with a narrow window around the last one's value, and
    /// open it where the value lies outside (Slate and Atkin, "Chess 4.5", 1977;
    /// H. Kaindl, "Searching to variable depth in computer chess", 1983).
    pub aspiration: bool,
    /// Search late candidates that are not urgent less deep first, and all the
    /// way only if they turn out better than what there is (late move
    /// reductions; T. Romstad, "An Introduction to Late Move Reductions", 2006).
    pub reductions: bool,
    /// Leave out the last of the candidates that are not urgent where little depth
    /// is left (move count based pruning, as in "Stockfish" since 2008).
    pub late_cuts: bool,
    /// Do not search where a search that is less deep makes it all but sure that the
    /// value lies outside the window, if the evaluator knows how sure (M. Buro,
    /// "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function
    /// for Othello", 1997).
    pub probable_cuts: bool,
    /// Where the depth ends amid threats, go on with their answers until it is
    /// quiet (C. Shannon, "Programming a Computer for Playing Chess", 1950:
    /// only "relatively quiescent positions" are valued); an only answer takes no depth.
    pub extensions: bool,
    /// Ask the analyzer for forced wins, if it looks for any.
    pub forced_wins: bool,
    /// Where the depth ends, go on with the moves that the analyzer calls noisy, and value
    /// nothing before it is quiet (A. Turing, "Digital Computers Applied to Games", 1953;
    /// L. Harris, "The Heuristic Search and the Game of Chess", 1975).
    pub quiescence: bool,
    /// Do not search where the value stays above the window although the turn is passed
    /// (D. Beal, "A Generalised Quiescence Search Algorithm", 1990; C. Donninger, "Null Move
    /// and Deep Search", 1993), if the analyzer says that passing is seldom best.
    pub null_moves: bool,
    /// Do not search, where little depth is left, what a margin on the position's own value
    /// leaves outside the window (J. Schaeffer, "Experiments in Search and Knowledge", 1986;
    /// E. Heinz, "Extended Futility Pruning", 1998), if the analyzer names a margin.
    pub futility: bool,
}

/// A named switch.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Its name, in an option's spelling.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    field: fn(&mut Switches) -> &mut bool,
}

/// All switches.
pub static SWITCHES: [Switch; 16] = [
    Switch {
        name: "alpha-beta",
        about: "leave out what cannot change the result",
        field: |s| &mut s.alpha_beta,
    },
    Switch {
        name: "iterative-deepening",
        about: "search to depth 1, 2, 3 and so on",
        field: |s| &mut s.iterative_deepening,
    },
    Switch { name: "ordering", about: "try good candidates first", field: |s| &mut s.ordering },
    Switch {
        name: "transposition-table",
        about: "remember positions",
        field: |s| &mut s.transposition_table,
    },
    Switch {
        name: "principal-variation",
        about: "search all but the first move with an empty window",
        field: |s| &mut s.principal_variation,
    },
    Switch {
        name: "killers",
        about: "try early what refuted a move at the same depth",
        field: |s| &mut s.killers,
    },
    Switch {
        name: "history",
        about: "try early what refuted moves anywhere",
        field: |s| &mut s.history,
    },
    Switch {
        name: "aspiration",
        about: "begin with a narrow window around the last value",
        field: |s| &mut s.aspiration,
    },
    Switch {
        name: "reductions",
        about: "search late candidates less deep first",
        field: |s| &mut s.reductions,
    },
    Switch {
        name: "late-cuts",
        about: "leave out the last candidates where little depth is left",
        field: |s| &mut s.late_cuts,
    },
    Switch {
        name: "probable-cuts",
        about: "leave out what a search that is less deep makes all but sure",
        field: |s| &mut s.probable_cuts,
    },
    Switch { name: "extensions", about: "search on amid threats", field: |s| &mut s.extensions },
    Switch {
        name: "forced-wins",
        about: "ask the analyzer for forced wins",
        field: |s| &mut s.forced_wins,
    },
    Switch {
        name: "quiescence",
        about: "search on with noisy moves where the depth ends",
        field: |s| &mut s.quiescence,
    },
    Switch {
        name: "null-moves",
        about: "leave out what stays too good although the turn is passed",
        field: |s| &mut s.null_moves,
    },
    Switch {
        name: "futility",
        about: "leave out what no margin brings into the window",
        field: |s| &mut s.futility,
    },
];

impl Switch {
    /// Whether it is on.
    pub fn is_on(&self, switches: &Switches) -> bool {
        let mut switches = *switches;
        *(self.field)(&mut switches)
    }
}

impl Switches {
    /// Everything on.
    pub const ALL: Switches = Switches {
        aspiration: true,
        reductions: true,
        late_cuts: true,
        probable_cuts: true,
        extensions: true,
        forced_wins: true,
        quiescence: true,
        null_moves: true,
        futility: true,
        ..Switches::CLASSIC
    };

    /// The classic ones, up to the history heuristic, which make a search of a
    /// fixed depth faster and leave its value as it is.
    pub const CLASSIC: Switches = Switches {
        alpha_beta: true,
        iterative_deepening: true,
        ordering: true,
        transposition_table: true,
        principal_variation: true,
        killers: true,
        history: true,
        ..Switches::NONE
    };

    /// Everything off: plain negamax to the depth in the limits.
    pub const NONE: Switches = Switches {
        alpha_beta: false,
        iterative_deepening: false,
        ordering: false,
        transposition_table: false,
        principal_variation: false,
        killers: false,
        history: false,
        aspiration: false,
        reductions: false,
        late_cuts: false,
        probable_cuts: false,
        extensions: false,
        forced_wins: false,
        quiescence: false,
        null_moves: false,
        futility: false,
    };

    /// Turns the switch of this name on or off; whether there is one.
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        let switch = SWITCHES.iter().find(|switch| switch.name == name);
        if let Some(switch) = switch {
            *(switch.field)(self) = on;
        }
        switch.is_some()
    }
}

impl Default for Switches {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_switch_has_its_own_name_and_field() {
        let mut switches = Switches::NONE;
        for (index, switch) in SWITCHES.iter().enumerate() {
            let before = switches;
            assert!(!switch.is_on(&switches) && switches.set(switch.name, true));
            assert!(switch.is_on(&switches));
            assert_ne!(switches, before, "{}", switch.name);
            assert!(SWITCHES[..index].iter().all(|other| other.name != switch.name));
        }
        assert_eq!(switches, Switches::ALL);
        assert!(!switches.set("luck", true));
    }
}
