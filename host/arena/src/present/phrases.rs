//! Formats the figures of an arena: points, ratings, times, sizes, formats, test results. All
//! outputs use the same phrases. Pure.

use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, SkillRating, Tally, Verdict};

use sandboard_arena_plan::{
    GameKey, Interval, LongGame, MatchStatistics, Progress, SprtView, State, Unrated, View,
};

/// The placeholder for a missing figure.
pub(super) const NONE: &str = "–";

/// Points from half points: `3`, `3½`, `½`.
pub(super) fn points(half_points: u64) -> String {
    match (half_points / 2, half_points % 2) {
        (0, 1) => "½".into(),
        (whole, 1) => format!("{whole}½"),
        (whole, _) => whole.to_string(),
    }
}

/// `+12.3`, `−4.0`, `0.0`.
pub(super) fn signed(value: f64) -> String {
    let text = format!("{:.1}", value.abs());
    match value {
        f64::INFINITY => "+∞".into(),
        f64::NEG_INFINITY => "−∞".into(),
        _ if text == "0.0" => text,
        value if value < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

/// `+12.3 ± 45.6`; with one bound only: `+∞, at least +182.7`.
pub(super) fn bounded(value: &str, low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{value} ± {:.1}", (high - low) / 2.0),
        (Some(low), None) => format!("{value}, at least {}", signed(low)),
        (None, Some(high)) => format!("{value}, at most {}", signed(high)),
        (None, None) => format!("{value}, not bounded"),
    }
}

/// A value with its interval: a rating, a normalised Elo, a seat advantage.
pub(super) fn interval(interval: &Interval) -> String {
    bounded(&signed(interval.value), interval.low, interval.high)
}

/// The Elo difference of two players.
pub(super) fn elo(stats: &MatchStatistics) -> String {
    let infinite = if stats.score.value > 0.5 { f64::INFINITY } else { f64::NEG_INFINITY };
    bounded(&signed(stats.elo.unwrap_or(infinite)), stats.elo_low, stats.elo_high)
}

/// The skill of a player: `27.3 ± 2.4`, with a 95 % interval.
pub(super) fn skill(skill: &SkillRating) -> String {
    format!("{:.1} ± {:.1}", skill.mu, 1.96 * skill.sigma)
}

/// A Glicko-2 rating, which starts at 1500: `1512 ± 80`.
pub(super) fn glicko(rating: &Interval) -> String {
    match (rating.low, rating.high) {
        (Some(low), Some(high)) => format!("{:.0} ± {:.0}", rating.value, (high - low) / 2.0),
        _ => format!("{:.0}", rating.value),
    }
}

/// Why a player has no rating, in a word.
pub(super) fn unrated(reason: Unrated) -> &'static str {
    match reason {
        Unrated::Above => "above all",
        Unrated::Below => "below all",
        Unrated::Unconnected => "unconnected",
        Unrated::NoGames => NONE,
    }
}

/// The explanation of that word; none if the player has no games.
pub(super) fn unrated_explanation(reason: Unrated) -> Option<&'static str> {
    match reason {
        Unrated::Above => Some("stronger than all rated players; no result shows by how much"),
        Unrated::Below => Some("weaker than all rated players; no result shows by how much"),
        Unrated::Unconnected => Some("no informative results connect it with the rated players"),
        Unrated::NoGames => None,
    }
}

/// A share in percent: `52.1 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `10 won, 2 drawn, 1 lost`.
pub(super) fn tally(tally: &Tally) -> String {
    format!("{} won, {} drawn, {} lost", tally.wins, tally.draws, tally.losses)
}

/// `1 game`, `2 games`.
pub(super) fn count(number: u64, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {one}s"),
    }
}

/// A time in microseconds: `12.0 µs`, `1.5 ms`, `2.00 s`.
pub(super) fn duration(us: f64) -> String {
    match us {
        us if us < 1_000.0 => format!("{us:.1} µs"),
        us if us < 1_000_000.0 => format!("{:.1} ms", us / 1_000.0),
        us => format!("{:.2} s", us / 1_000_000.0),
    }
}

/// A waiting time in seconds: `40 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`.
pub(super) fn waiting(seconds: f64) -> String {
    // The cast turns NaN into 0.
    let seconds = seconds.clamp(0.0, 1e12).round() as u64;
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{minutes} min {:02} s", seconds % 60),
        3_600..86_400 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// Fuel as in budgets: `950`, `2.00e9`.
pub(super) fn fuel(units: f64) -> String {
    if units < 1e5 { format!("{units:.0}") } else { format!("{units:.2e}") }
}

/// `512 B`, `1.5 KiB`, `64.0 MiB`.
pub(super) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64;
    let mut text = format!("{bytes} B");
    for unit in UNITS {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        text = format!("{size:.1} {unit}");
    }
    text
}

/// What the unit of a schedule is called, in games of this number of players.
pub(super) fn unit(seats: u8) -> &'static str {
    if seats == 2 { "pair" } else { "table" }
}

/// The format: `match of 50 pairs`.
pub(super) fn format(format: &Format, seats: u8) -> String {
    let pairs = |number: u32| count(number.into(), unit(seats));
    match *format {
        Format::Match { pairs: number } => format!("match of {}", pairs(number)),
        Format::Gauntlet { challengers: 1, cycles } => {
            format!("gauntlet of the first player, {} per opponent", pairs(cycles))
        }
        Format::Gauntlet { challengers, cycles } => {
            format!("gauntlet of the first {challengers} players, {} per opponent", pairs(cycles))
        }
        Format::RoundRobin { cycles } => {
            let each = if seats == 2 { "pairing" } else { "set of players" };
            format!("round robin, {} per {each}", pairs(cycles))
        }
        Format::Swiss { rounds } => format!("Swiss system of {}", count(rounds.into(), "round")),
        Format::Knockout { pairs: number, tie_breaks: 0 } => {
            format!("knockout, {} per match", pairs(number))
        }
        Format::Knockout { pairs: number, tie_breaks } => {
            format!("knockout, {} per match and up to {tie_breaks} more", pairs(number))
        }
        Format::Ladder { pairs: number } => format!("ladder of {}", pairs(number)),
    }
}

/// The state in a word.
pub(super) fn state(state: State) -> &'static str {
    match state {
        State::Running => "running",
        State::Stopping => "stopping",
        State::Open => "open",
        State::Complete => "complete",
    }
}

/// The progress: `running: 12 pairs counted (24 games, 900 moves), 38 left; 2 games being played`.
pub(super) fn progress(view: &View) -> String {
    let Progress { pairs, pairs_void, games, plies, games_waiting, games_playing, .. } =
        view.progress;
    let mut text = format!(
        "{}: {} counted ({}, {})",
        state(view.state),
        count(pairs.into(), unit(view.seats)),
        count(games, "game"),
        count(plies, "move"),
    );
    if let Some(left) = left(&view.progress) {
        text += &format!(", {left} left");
    }
    if pairs_void > 0 {
        text += &format!(
            "; {} void, since a game could not be played",
            count(pairs_void.into(), unit(view.seats))
        );
    }
    if games_playing > 0 {
        text += &format!("; {} being played", count(games_playing.into(), "game"));
    }
    if games_waiting > 0 {
        let waiting = count(games_waiting.into(), "game");
        text += &format!("; {waiting} done, waiting for an earlier one");
    }
    if let Some(game) = &view.progress.long_game {
        text += &format!("; {}", long(game));
    }
    text
}

/// The number of remaining pairs: `38`, `38 to 40`; none if there are none.
pub(super) fn left(progress: &Progress) -> Option<String> {
    match (progress.pairs_left, progress.pairs_left_max) {
        (0, 0) => None,
        (least, most) if least < most => Some(format!("{least} to {most}")),
        (number, _) => Some(number.to_string()),
    }
}

/// The speed and the remaining time; none if the arena is not being played.
pub(super) fn speed(progress: &Progress) -> Option<String> {
    let speed = progress.plies_per_second.map(|plies| format!("{plies:.0} moves/s"));
    let left = progress.seconds_left.map(|seconds| format!("{} left", waiting(seconds)));
    let texts: Vec<String> = speed.into_iter().chain(left).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// A game that lasts long: `pair-000012-1 has lasted 5 min 10 s, 12 times the mean of a game`.
pub(super) fn long(game: &LongGame) -> String {
    let name = GameKey { pair: game.pair, game: game.game }.name();
    let times = match game.mean_seconds > 0.0 {
        true => format!(", {:.0} times the mean of a game", game.seconds / game.mean_seconds),
        false => String::new(),
    };
    format!("{name} has lasted {}{times}", waiting(game.seconds))
}

/// The unit of a test's bounds.
pub(super) fn model(model: EloModel) -> &'static str {
    match model {
        EloModel::Logistic => "Elo",
        EloModel::Normalized => "normalised Elo",
    }
}

/// The hypotheses of a test: `0.0 Elo or less, or +5.0 or more? (α 5.0 %, β 5.0 %)`.
pub(super) fn hypotheses(sprt: &SprtView) -> String {
    let (low, high, model) = (signed(sprt.elo0), signed(sprt.elo1), model(sprt.model));
    let (alpha, beta) = (percent(sprt.alpha), percent(sprt.beta));
    format!("{low} {model} or less, or {high} or more? (α {alpha}, β {beta})")
}

/// The verdict of a test.
pub(super) fn verdict(sprt: &SprtView) -> String {
    let model = model(sprt.model);
    match sprt.verdict {
        Verdict::Open => "not decided yet".into(),
        Verdict::Lower => format!("decided: {} {model} or less", signed(sprt.elo0)),
        Verdict::Upper => format!("decided: {} {model} or more", signed(sprt.elo1)),
    }
}

/// The statistic of a test: `LLR +1.2 between −2.9 and +2.9`.
pub(super) fn llr(sprt: &SprtView) -> String {
    let two = |value: f64| {
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{:.2}", value.abs())
    };
    format!("LLR {} between {} and {}", two(sprt.llr), two(sprt.lower), two(sprt.upper))
}

/// The points of a pair, by half points.
pub(super) const PAIR_POINTS: [&str; 5] = ["0", "½", "1", "1½", "2"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_from_half_points() {
        let texts = [0, 1, 2, 3, 20, 21].map(points);
        assert_eq!(texts, ["0", "½", "1", "1½", "10", "10½"]);
    }

    #[test]
    fn signs() {
        let texts = [12.34, -0.06, -0.04, 0.0, f64::INFINITY, f64::NEG_INFINITY].map(signed);
        assert_eq!(texts, ["+12.3", "−0.1", "0.0", "0.0", "+∞", "−∞"]);
    }

    #[test]
    fn bounds() {
        let check = |low, high, expected: &str| assert_eq!(bounded("0.0", low, high), expected);
        check(Some(-3.0), Some(4.0), "0.0 ± 3.5");
        check(Some(-3.0), None, "0.0, at least −3.0");
        check(None, Some(4.0), "0.0, at most +4.0");
        check(None, None, "0.0, not bounded");
        let rating = |low| Interval { value: 1512.4, low, high: Some(1600.0) };
        assert_eq!([Some(1400.0), None].map(rating).map(|r| glicko(&r)), ["1512 ± 100", "1512"]);
    }

    #[test]
    fn times() {
        let texts = [0.0, 999.9, 1_000.0, 999_949.0, 1_000_000.0].map(duration);
        assert_eq!(texts, ["0.0 µs", "999.9 µs", "1.0 ms", "999.9 ms", "1.00 s"]);
        let texts = [59.4, 59.6, 3_599.0, 3_600.0, 86_399.0, 90_000.0].map(waiting);
        let expected =
            ["59 s", "1 min 00 s", "59 min 59 s", "1 h 00 min", "23 h 59 min", "1 d 1 h"];
        assert_eq!(texts, expected);
        assert_eq!([f64::NAN, -5.0].map(waiting), ["0 s", "0 s"]);
    }

    #[test]
    fn long_games() {
        let game = LongGame { pair: 11, game: 1, seconds: 310.0, mean_seconds: 25.0 };
        let text = "pair-000012-2 has lasted 5 min 10 s, 12 times the mean of a game";
        assert_eq!(long(&game), text);
        let first = LongGame { mean_seconds: 0.0, ..game };
        assert_eq!(long(&first), "pair-000012-2 has lasted 5 min 10 s");
        let mut view = super::super::samples::match_of_two();
        view.progress.long_game = Some(game);
        assert!(crate::present::live(&view, 100).contains(&format!("  {text}")));
        assert!(progress(&view).ends_with(&format!("; {text}")));
    }

    #[test]
    fn sizes() {
        let texts = [1023, 1024, 1536, 64 << 20, 5 << 50].map(bytes);
        assert_eq!(texts, ["1023 B", "1.0 KiB", "1.5 KiB", "64.0 MiB", "5120.0 TiB"]);
        assert_eq!([950.4, 99_999.0, 2e9].map(fuel), ["950", "99999", "2.00e9"]);
    }

    #[test]
    fn formats() {
        let check = |input: Format, expected: &str| assert_eq!(format(&input, 2), expected);
        check(Format::Match { pairs: 1 }, "match of 1 pair");
        let gauntlet = |challengers| Format::Gauntlet { challengers, cycles: 2 };
        check(gauntlet(1), "gauntlet of the first player, 2 pairs per opponent");
        check(gauntlet(3), "gauntlet of the first 3 players, 2 pairs per opponent");
        check(Format::RoundRobin { cycles: 2 }, "round robin, 2 pairs per pairing");
        check(Format::Swiss { rounds: 9 }, "Swiss system of 9 rounds");
        let knockout = |tie_breaks| Format::Knockout { pairs: 2, tie_breaks };
        check(knockout(0), "knockout, 2 pairs per match");
        check(knockout(3), "knockout, 2 pairs per match and up to 3 more");
        check(Format::Ladder { pairs: 500 }, "ladder of 500 pairs");
        let tables = |input: Format| format(&input, 4);
        assert_eq!(tables(Format::Ladder { pairs: 1 }), "ladder of 1 table");
        let robin = "round robin, 3 tables per set of players";
        assert_eq!(tables(Format::RoundRobin { cycles: 3 }), robin);
    }

    #[test]
    fn remaining_pairs() {
        let check = |pairs_left, pairs_left_max, expected: Option<&str>| {
            let progress = Progress { pairs_left, pairs_left_max, ..Progress::default() };
            assert_eq!(left(&progress).as_deref(), expected);
        };
        check(0, 0, None);
        check(3, 3, Some("3"));
        check(0, 3, Some("0 to 3"));
    }
}
