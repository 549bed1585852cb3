//! The techniques of the search by name. Each can be turned off, for tests and to measure its
//! effect.

/// Which techniques a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Switches {
    /// Prune what cannot change the result (Knuth and Moore, "An Analysis of Alpha-Beta Pruning",
    /// 1975).
    pub alpha_beta: bool,
    /// Search to depth 1, 2, 3, … (Slate and Atkin, "Chess 4.5", 1977). If off, there is one
    /// iteration, to the depth in the limits.
    pub iterative_deepening: bool,
    /// Search candidates by their score, the best of the last iteration first. If off, in the
    /// analyzer's order.
    pub move_ordering: bool,
    /// Store the results of positions (Zobrist, "A New Hashing Method with Application for Game
    /// Playing", 1970).
    pub transposition_table: bool,
    /// Search all moves but the first with a null window first, to show that they are worse
    /// (Marsland and Campbell, "Parallel Search of Strongly Ordered Game Trees", 1982).
    pub principal_variation_search: bool,
    /// Search early what refuted another move at the same distance from the root (Akl and Newborn,
    /// "The Principal Continuation and the Killer Heuristic", 1977).
    pub killers: bool,
    /// Search early what refuted moves anywhere in the tree (Schaeffer, "The History Heuristic",
    /// 1983).
    pub history: bool,
    /// Begin an iteration with a narrow window around the last one's value, and widen it if the
    /// value is outside (Slate and Atkin, "Chess 4.5", 1977; H. Kaindl, "Searching to variable
    /// depth in computer chess", 1983).
    pub aspiration_windows: bool,
    /// Search late candidates that are not urgent to a reduced depth first, and to the full depth
    /// only if they are better than the best so far (T. Romstad, "An Introduction to Late Move
    /// Reductions", 2006).
    pub late_move_reductions: bool,
    /// Prune the last candidates that are not urgent at low depths (move count based pruning, as in
    /// "Stockfish" since 2008).
    pub late_move_pruning: bool,
    /// Prune nodes whose value is very likely outside the window, as a shallow search shows, if the
    /// evaluator has the statistics (M. Buro, "Experiments with Multi-ProbCut and a New
    /// High-Quality Evaluation Function for Othello", 1997).
    pub prob_cut: bool,
    /// Where the depth ends and there are threats, continue with their answers until the position
    /// is quiet (C. Shannon, "Programming a Computer for Playing Chess", 1950: only "relatively
    /// quiescent positions" are valued). A single answer costs no depth.
    pub threat_extensions: bool,
    /// Let the analyzer prove forced wins, if it can.
    pub forced_wins: bool,
    /// Where the depth ends, continue with the analyzer's noisy moves until the position is quiet
    /// (A. Turing, "Digital Computers Applied to Games", 1953; L. Harris, "The Heuristic Search and
    /// the Game of Chess", 1975).
    pub quiescence: bool,
    /// Prune nodes whose value is above the window even after a null move, if the analyzer allows
    /// it (D. Beal, "A Generalised Quiescence Search Algorithm", 1990; C. Donninger, "Null Move and
    /// Deep Search", 1993).
    pub null_move_pruning: bool,
    /// At low depths, prune what stays outside the window with a margin on the static value, if the
    /// analyzer has a margin (J. Schaeffer, "Experiments in Search and Knowledge", 1986; E. Heinz,
    /// "Extended Futility Pruning", 1998).
    pub futility_pruning: bool,
}

/// A technique with its name.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The name, which is also an option's name.
    pub name: &'static str,
    /// A description for people, one line.
    pub about: &'static str,
    field: fn(&mut Switches) -> &mut bool,
}

/// All switches of a search.
pub static SWITCHES: [Switch; 16] = [
    Switch {
        name: "alpha-beta",
        about: "prune what cannot change the result",
        field: |s| &mut s.alpha_beta,
    },
    Switch {
        name: "iterative-deepening",
        about: "search to depth 1, 2, 3 and so on",
        field: |s| &mut s.iterative_deepening,
    },
    Switch {
        name: "move-ordering",
        about: "search good candidates first",
        field: |s| &mut s.move_ordering,
    },
    Switch {
        name: "transposition-table",
        about: "store the results of positions",
        field: |s| &mut s.transposition_table,
    },
    Switch {
        name: "principal-variation-search",
        about: "search all moves but the first with a null window",
        field: |s| &mut s.principal_variation_search,
    },
    Switch {
        name: "killers",
        about: "search early what refuted a move at the same ply",
        field: |s| &mut s.killers,
    },
    Switch {
        name: "history",
        about: "search early what refuted moves anywhere",
        field: |s| &mut s.history,
    },
    Switch {
        name: "aspiration-windows",
        about: "begin with a narrow window around the last value",
        field: |s| &mut s.aspiration_windows,
    },
    Switch {
        name: "late-move-reductions",
        about: "search late candidates to a reduced depth first",
        field: |s| &mut s.late_move_reductions,
    },
    Switch {
        name: "late-move-pruning",
        about: "prune the last candidates at low depths",
        field: |s| &mut s.late_move_pruning,
    },
    Switch {
        name: "prob-cut",
        about: "prune what a shallow search shows to be outside the window",
        field: |s| &mut s.prob_cut,
    },
    Switch {
        name: "threat-extensions",
        about: "search on while there are threats",
        field: |s| &mut s.threat_extensions,
    },
    Switch {
        name: "forced-wins",
        about: "let the analyzer prove forced wins",
        field: |s| &mut s.forced_wins,
    },
    Switch {
        name: "quiescence",
        about: "search noisy moves where the depth ends",
        field: |s| &mut s.quiescence,
    },
    Switch {
        name: "null-move-pruning",
        about: "prune what stays above the window after a null move",
        field: |s| &mut s.null_move_pruning,
    },
    Switch {
        name: "futility-pruning",
        about: "prune what a margin leaves outside the window",
        field: |s| &mut s.futility_pruning,
    },
];

impl Switch {
    /// Whether the technique is on.
    pub fn is_on(&self, switches: &Switches) -> bool {
        let mut switches = *switches;
        *(self.field)(&mut switches)
    }
}

impl Switches {
    /// All techniques on.
    pub const ALL: Switches = Switches {
        aspiration_windows: true,
        late_move_reductions: true,
        late_move_pruning: true,
        prob_cut: true,
        threat_extensions: true,
        forced_wins: true,
        quiescence: true,
        null_move_pruning: true,
        futility_pruning: true,
        ..Switches::CLASSIC
    };

    /// The first seven techniques, which make a search of a fixed depth faster and do not change
    /// its value.
    pub const CLASSIC: Switches = Switches {
        alpha_beta: true,
        iterative_deepening: true,
        move_ordering: true,
        transposition_table: true,
        principal_variation_search: true,
        killers: true,
        history: true,
        ..Switches::NONE
    };

    /// All techniques off: plain negamax to the depth in the limits.
    pub const NONE: Switches = Switches {
        alpha_beta: false,
        iterative_deepening: false,
        move_ordering: false,
        transposition_table: false,
        principal_variation_search: false,
        killers: false,
        history: false,
        aspiration_windows: false,
        late_move_reductions: false,
        late_move_pruning: false,
        prob_cut: false,
        threat_extensions: false,
        forced_wins: false,
        quiescence: false,
        null_move_pruning: false,
        futility_pruning: false,
    };

    /// Turns the switch of this name on or off; returns whether there is one.
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
    fn each_switch_has_its_own_name_and_field() {
        let mut switches = Switches::NONE;
        for (index, switch) in SWITCHES.iter().enumerate() {
            let before = switches;
            assert!(!switch.is_on(&switches) && switches.set(switch.name, true));
            assert!(switch.is_on(&switches));
            assert_ne!(switches, before, "{}", switch.name);
            assert!(SWITCHES[..index].iter().all(|other| other.name != switch.name));
        }
        assert_eq!(switches, Switches::ALL);
        assert!(!switches.set("unknown", true));
    }
}
