//! A match's report in words: the table that people get at its end, and the texts for points
//! and strength that its progress shows, too. Counts nothing.

use std::fmt::{self, Write};

use sandboard_tournament::stats::{Elo, Tally};

use super::report::{PonderReport, Report, Timing};
use super::standing::Faults;

/// The table for people.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.players;
        writeln!(f, "{} against {}: {} {}", a.name, b.name, self.game, self.variant)?;
        let row =
            |f: &mut fmt::Formatter<'_>, name: &str, text: &str| writeln!(f, "  {name:<9}{text}");
        let score = &self.score;
        let points = points_text((score.points * 2.0) as u64);
        let percent = match score.games {
            0 => String::new(),
            games => format!(" ({:.1} %)", 100.0 * score.points / games as f64),
        };
        row(f, "score", &format!("{points} of {}{percent}: {}", score.games, words(&score.tally)))?;
        if let Some([low, high]) = score.interval.map(|bounds| bounds.map(|share| 100.0 * share)) {
            row(f, "", &format!("{low:.1} to {high:.1} % with 95 % confidence"))?;
        }
        if let Some(elo) = &self.elo {
            row(f, "Elo", &format!("{} with 95 % confidence", elo.text))?;
            let percent = 100.0 * elo.superiority;
            row(f, "LOS", &format!("{percent:.1} %: how likely {} is the stronger one", a.name))?;
        }
        let worth = ["0", "½", "1", "1½", "2"];
        let pairs: Vec<String> = worth
            .iter()
            .zip(score.pairs)
            .map(|(worth, n)| format!("{worth} points {n}×"))
            .collect();
        row(f, "pairs", &pairs.join(", "))?;
        // The second player's results are these, turned.
        for (side, tally) in &a.sides {
            row(f, "", &format!("{} as {side}: {}", a.name, words(tally)))?;
        }
        for player in &self.players {
            for (code, faults) in &player.faults {
                let Faults { games, first, sentence, replay, .. } = faults;
                let text =
                    format!("{}: {code} {games}×, first in {first}: {sentence}", player.name);
                row(f, "faults", &text)?;
                if !replay.is_empty() {
                    row(f, "", &format!("see it again: {replay}"))?;
                }
            }
        }
        if score.games > 0 {
            let length = self.plies as f64 / score.games as f64;
            row(f, "length", &format!("{length:.1} plies a game"))?;
        }
        row(f, "time", &time_text([&a.name, &b.name], &self.timing))?;
        for (index, player) in self.players.iter().enumerate() {
            if let Some(pondering) = &player.pondering {
                row(f, "ponders", &self.pondering(index, pondering))?;
            }
        }
        row(f, "folder", &self.folder)?;
        if !self.complete {
            let games = u64::from(self.pairs) * 2;
            let open = games - score.games - u64::from(self.not_counted);
            let text = format!("{open} of {games} games are yet to be played");
            row(f, "open", &text)?;
        }
        Ok(())
    }
}

impl Report {
    fn pondering(&self, index: usize, pondering: &PonderReport) -> String {
        let mut text = self.players[index].name.clone();
        if let Some(us) = self.timing.pondered_us_per_move[index] {
            let _ = write!(text, " {} of its opponent's time a move", duration(us));
        }
        if let Some(us) = self.timing.pondered_cpu_us_per_move[index] {
            let _ = write!(text, " ({} of CPU time)", duration(us));
        }
        let PonderReport { predictions, hits, hit_rate } = pondering;
        match hit_rate {
            Some(rate) => {
                let percent = 100.0 * rate;
                let _ = write!(text, "; expected {hits} of {predictions} replies ({percent:.1} %)");
            }
            None => text += "; named no reply that it expected",
        }
        text
    }
}

fn time_text(players: [&str; 2], timing: &Timing) -> String {
    let mut text = String::new();
    for (index, player) in players.into_iter().enumerate() {
        let Some(us) = timing.us_per_move[index] else { continue };
        let _ = write!(text, "{player} {} a move", duration(us));
        if let Some(us) = timing.cpu_us_per_move[index] {
            let _ = write!(text, " ({} of CPU time)", duration(us));
        }
        text += ", ";
    }
    let Timing { session_seconds, session_games, session_plies_per_second, .. } = timing;
    let _ = write!(text, "{session_games} games in {session_seconds:.1} s");
    if let Some(plies) = session_plies_per_second {
        let _ = write!(text, ", {plies:.0} plies/s");
    }
    text
}

fn words(tally: &Tally) -> String {
    format!("{} won, {} drawn, {} lost", tally.wins, tally.draws, tally.losses)
}

fn duration(us: f64) -> String {
    match us {
        us if us < 1_000.0 => format!("{us:.1} µs"),
        us if us < 1_000_000.0 => format!("{:.1} ms", us / 1_000.0),
        us => format!("{:.2} s", us / 1_000_000.0),
    }
}

/// Points with their half: `3`, `3½`, `½`.
pub(super) fn points_text(half_points: u64) -> String {
    match (half_points / 2, half_points % 2) {
        (0, 1) => "½".into(),
        (whole, 1) => format!("{whole}½"),
        (whole, _) => whole.to_string(),
    }
}

/// `+12.3 ± 45.6`; where a bound is missing, the other one: `∞, at least +182.7`.
pub(super) fn elo_text(elo: &Elo) -> String {
    let value = match elo.elo {
        f64::INFINITY => "+∞".into(),
        f64::NEG_INFINITY => "−∞".into(),
        value => signed(value),
    };
    match (elo.error(), elo.low.is_finite(), elo.high.is_finite()) {
        (Some(error), ..) => format!("{value} ± {error:.1}"),
        (None, true, _) => format!("{value}, at least {}", signed(elo.low)),
        (None, _, true) => format!("{value}, at most {}", signed(elo.high)),
        (None, ..) => format!("{value}, not bounded"),
    }
}

fn signed(value: f64) -> String {
    let text = format!("{:.1}", value.abs());
    match value {
        _ if text == "0.0" => text,
        value if value < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_tournament::stats::Sample;

    fn check(counts: [u64; 5], expected: &str) {
        assert_eq!(elo_text(&Sample::new(&counts).elo().unwrap()), expected, "{counts:?}");
    }

    #[test]
    fn elo_in_words() {
        check([34, 54, 63, 64, 75], "+55.6 ± 27.7");
        check([75, 64, 63, 54, 34], "−55.6 ± 27.7");
        check([0, 1, 0, 1, 0], "0.0 ± 296.6");
        check([0, 0, 0, 0, 10], "+∞, at least +182.7");
        check([10, 0, 0, 0, 0], "−∞, at most −182.7");
        check([1, 0, 0, 0, 1], "0.0, not bounded");
    }

    #[test]
    fn points_in_words() {
        let texts = [0, 1, 2, 3, 20, 21].map(points_text);
        assert_eq!(texts, ["0", "½", "1", "1½", "10", "10½"]);
    }

    #[test]
    fn times_in_words() {
        let check = |us_per_move, cpu_us_per_move, expected: &str| {
            let timing = Timing {
                session_seconds: 1.5,
                session_games: 4,
                session_plies_per_second: None,
                us_per_move,
                cpu_us_per_move,
                pondered_us_per_move: [None; 2],
                pondered_cpu_us_per_move: [None; 2],
            };
            assert_eq!(time_text(["a", "b"], &timing), expected);
        };
        check([None; 2], [None; 2], "4 games in 1.5 s");
        let both = [Some(31_200.0), Some(2_000.0)];
        check(both, [None; 2], "a 31.2 ms a move, b 2.0 ms a move, 4 games in 1.5 s");
        check(
            both,
            [Some(30_900.0), None],
            "a 31.2 ms a move (30.9 ms of CPU time), b 2.0 ms a move, 4 games in 1.5 s",
        );
        check(
            both,
            [None, Some(999.5)],
            "a 31.2 ms a move, b 2.0 ms a move (999.5 µs of CPU time), 4 games in 1.5 s",
        );
    }
}
