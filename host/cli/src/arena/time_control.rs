//! Time controls as fastchess and cutechess-cli write them, as budgets.

/// The budget of `tc=`: `40/60+0.6`, `1:30+1`, `60`. Times are in seconds, or minutes and seconds.
pub(super) fn of_tc(text: &str) -> Result<String, String> {
    let wrong = || {
        format!(
            "`tc={text}` is no time control: write MOVES/TIME+INCREMENT, such as 40/60 or 10+0.1"
        )
    };
    if text.eq_ignore_ascii_case("inf") || text.eq_ignore_ascii_case("infinite") {
        return Err(format!("`tc={text}`: with an infinite time, a game might not end"));
    }
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse::<u32>().map_err(|_| wrong())?), rest),
        None => (None, text),
    };
    let (time, increment) = match rest.split_once('+') {
        Some((time, increment)) => (time, Some(increment)),
        None => (rest, None),
    };
    let (minutes, seconds) = time.split_once(':').unwrap_or(("0", time));
    let minutes = minutes.parse::<u64>().map_err(|_| wrong())?;
    let time_ms = milliseconds(seconds).map(|ms| minutes.saturating_mul(60_000).saturating_add(ms));
    let time_ms = time_ms.filter(|ms| *ms > 0).ok_or_else(wrong)?;
    let increment_ms = increment.map_or(Some(0), milliseconds).ok_or_else(wrong)?;
    let moves = moves.map_or(String::new(), |moves| format!("{moves}/"));
    let increment = match increment_ms {
        0 => String::new(),
        ms => format!("+{}", of_ms(ms)),
    };
    Ok(format!("{moves}{}{increment}", of_ms(time_ms)))
}

/// The budget of `st=`: seconds for each move.
pub(super) fn of_st(text: &str) -> Result<String, String> {
    let ms = milliseconds(text).filter(|ms| *ms > 0);
    let ms = ms.ok_or_else(|| format!("`st={text}` is no time in seconds, such as 5 or 0.5"))?;
    Ok(format!("{}/move", of_ms(ms)))
}

/// A time as in budgets: `10s`, `100ms`.
pub(super) fn of_ms(ms: u64) -> String {
    match ms.is_multiple_of(1000) {
        true => format!("{}s", ms / 1000),
        false => format!("{ms}ms"),
    }
}

/// Seconds with a fraction, as milliseconds.
fn milliseconds(text: &str) -> Option<u64> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..=1e9).contains(seconds))?;
    Some((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_budgets() {
        let check = |text: &str, expected: &str| {
            let found = of_tc(text).unwrap_or_else(|error| error);
            assert!(found.starts_with(expected), "{text}: {found}");
            if let Ok(budget) = of_tc(text) {
                budget.parse::<sandboard_engine::Budget>().unwrap();
            }
        };
        check("10+0.1", "10s+100ms");
        check("60", "60s");
        check("0.5", "500ms");
        check("40/60", "40/60s");
        check("40/1:30+1", "40/90s+1s");
        check("1:30.5+0", "90500ms");
        check("inf", "`tc=inf`: with an infinite time");
        for wrong in ["", "x", "40/", "/60", "10+", "10+x", "-1", "0", "0+1", "1:2:3", "nan"] {
            check(wrong, &format!("`tc={wrong}` is no time control"));
        }
        assert_eq!(of_st("5"), Ok("5s/move".into()));
        assert_eq!(of_st("0.25"), Ok("250ms/move".into()));
        assert!(of_st("0").is_err() && of_st("x").is_err());
    }
}
