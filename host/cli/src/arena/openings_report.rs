//! `sandboard arena openings --report DIR`: what the games of an arena say about its openings. If
//! the same side wins both games of a pair, the opening decided and not the players. Plays nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Result, anyhow};
use serde::Serialize;

use crate::output::error_line;
use crate::output_file::{FileKind, ensure_replaceable};
use crate::usage;
use sandboard_arena::OpenFolder;
use sandboard_arena::store::{GameQuery, StoredGame};
use sandboard_arena_plan::Openings;
use sandboard_common::files::write_atomically;
use sandboard_common::text::counted;

/// The half points of a win.
const WIN: u8 = 2;

/// What the complete pairs of an opening showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Verdicts {
    /// Pairs in which the first side won both games.
    first_side: u64,
    /// Pairs in which the second side won both games.
    second_side: u64,
    /// Pairs with two draws.
    drawn: u64,
    /// All other pairs: the players decided.
    open: u64,
    /// The half points of the first side in all these games.
    first_side_half_points: u64,
}

/// An opening and its verdicts.
#[derive(Debug, Serialize)]
struct OpeningRow {
    /// Its number in the file, from 1.
    number: u32,
    /// Its moves or its position.
    text: String,
    #[serde(flatten)]
    verdicts: Verdicts,
}

impl Verdicts {
    /// The verdict of a pair, from the half points of the first side in both games.
    fn of_pair(games: [u8; 2]) -> Self {
        let first_side_half_points = games.iter().map(|points| u64::from(*points)).sum();
        let verdicts = Self { first_side_half_points, ..Self::default() };
        match games {
            [WIN, WIN] => Self { first_side: 1, ..verdicts },
            [0, 0] => Self { second_side: 1, ..verdicts },
            [1, 1] => Self { drawn: 1, ..verdicts },
            _ => Self { open: 1, ..verdicts },
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            first_side: self.first_side + other.first_side,
            second_side: self.second_side + other.second_side,
            drawn: self.drawn + other.drawn,
            open: self.open + other.open,
            first_side_half_points: self.first_side_half_points + other.first_side_half_points,
        }
    }

    fn pairs(self) -> u64 {
        self.first_side + self.second_side + self.drawn + self.open
    }

    /// Pairs that the opening decided.
    fn decided(self) -> u64 {
        self.first_side + self.second_side
    }

    /// The share of points of the first side, in percent.
    fn first_side_percent(self) -> f64 {
        // A pair has two games of two half points.
        self.first_side_half_points as f64 * 25.0 / self.pairs().max(1) as f64
    }
}

/// Prints the report of an arena, or with `json` one JSON object; with `out`, also writes the
/// openings that did not decide all of their pairs.
pub(super) fn run(dir: &Path, out: Option<&Path>, json: bool) -> Result<()> {
    if let Some(out) = out {
        ensure_replaceable("--out", out, FileKind::Openings)?;
    }
    let folder = OpenFolder::open_to_read(dir)?;
    let loaded = folder.load()?;
    if loaded.setup.seats != 2 {
        return Err(usage("a report of openings needs games of two players"));
    }
    let Some(bytes) = &loaded.openings else {
        return Err(usage(format!("{}: the arena has no openings", dir.display())));
    };
    let texts = Openings::texts(bytes);
    if let [one, other] = loaded.players.as_slice()
        && (&one.module_sha256, &one.options, one.budget)
            == (&other.module_sha256, &other.options, other.budget)
    {
        error_line!(
            "note: both players are the same engine with the same options: if it plays the same \
             moves again, every pair looks decided by its opening"
        );
    }
    let query = GameQuery { limit: u32::MAX, ..GameQuery::default() };
    let games = folder.wait(folder.reader().games(&query))?;
    let rows = rows(&games, &texts);
    if rows.is_empty() {
        return Err(anyhow!("{}: no pair is complete", dir.display()));
    }
    if let Some(out) = out {
        let open: Vec<&OpeningRow> = rows.iter().filter(is_open).collect();
        if open.is_empty() {
            return Err(anyhow!("every opening decided all of its pairs: nothing to write"));
        }
        write_atomically(out, file(dir, &open).as_bytes())?;
        error_line!("{} are in {}", counted(open.len(), "opening"), out.display());
    }
    let mut stdout = crate::output::stdout();
    use std::io::Write as _;
    match json {
        true => {
            let all = rows.iter().fold(Verdicts::default(), |sum, row| sum.plus(row.verdicts));
            let line = serde_json::json!({ "all": all, "openings": rows });
            writeln!(stdout, "{line}")?;
        }
        false => write!(stdout, "{}", report(&rows))?,
    }
    Ok(())
}

/// The openings that were played in complete pairs, in the order of the file.
fn rows(games: &[StoredGame], texts: &[String]) -> Vec<OpeningRow> {
    let mut pairs: BTreeMap<(u32, u32), [Option<u8>; 2]> = BTreeMap::new();
    for game in games {
        let Some(opening) = game.opening else { continue };
        let index = usize::from(game.game.game & 1);
        // In the second game of a pair the second player has the first side.
        let first_side = game.half_points.get(index).copied();
        pairs.entry((opening, game.game.pair)).or_default()[index] = first_side;
    }
    let mut openings: BTreeMap<u32, Verdicts> = BTreeMap::new();
    for ((opening, _), games) in pairs {
        if let [Some(one), Some(other)] = games {
            let verdicts = openings.entry(opening).or_default();
            *verdicts = verdicts.plus(Verdicts::of_pair([one, other]));
        }
    }
    let row = |(opening, verdicts): (u32, Verdicts)| OpeningRow {
        number: opening + 1,
        text: texts.get(opening as usize).cloned().unwrap_or_default(),
        verdicts,
    };
    openings.into_iter().map(row).collect()
}

/// Whether the opening did not decide all of its pairs.
fn is_open(row: &&OpeningRow) -> bool {
    row.verdicts.decided() < row.verdicts.pairs()
}

/// The report for people.
fn report(rows: &[OpeningRow]) -> String {
    let all = rows.iter().fold(Verdicts::default(), |sum, row| sum.plus(row.verdicts));
    let percent = |part: u64| part as f64 * 100.0 / all.pairs().max(1) as f64;
    let mut text = format!(
        "{}, {}\n",
        counted(rows.len(), "opening"),
        counted(all.pairs() as usize, "complete pair")
    );
    let lines = [
        ("the first side won both games", all.first_side),
        ("the second side won both games", all.second_side),
        ("both games were drawn", all.drawn),
        ("the players decided", all.open),
    ];
    for (what, pairs) in lines {
        let _ = writeln!(text, "  {what:<31} {pairs:>6}  {:>5.1} %", percent(pairs));
    }
    let _ = writeln!(
        text,
        "  share of points of the first side      {:>5.1} %",
        all.first_side_percent()
    );
    text += "\n   #  pairs  first  second  drawn  players  first side  opening\n";
    for row in rows {
        let Verdicts { first_side, second_side, drawn, open, .. } = row.verdicts;
        let _ = writeln!(
            text,
            "{:>4}  {:>5}  {first_side:>5}  {second_side:>6}  {drawn:>5}  {open:>7}  {:>8.1} %  {}",
            row.number,
            row.verdicts.pairs(),
            row.verdicts.first_side_percent(),
            row.text
        );
    }
    text
}

/// A file of these openings.
fn file(dir: &Path, rows: &[&OpeningRow]) -> String {
    let dir = dir.display().to_string().replace(['\n', '\r'], " ");
    let mut text = format!(
        "# found by: sandboard arena openings --report {dir}\n\
         # openings that did not decide all of their pairs\n"
    );
    for row in rows {
        let _ = writeln!(text, "{}", row.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_decided_by_its_opening_if_one_side_wins_both_games() {
        let check = |games: [u8; 2], expected: [u64; 4]| {
            let verdicts = Verdicts::of_pair(games);
            let Verdicts { first_side, second_side, drawn, open, .. } = verdicts;
            assert_eq!([first_side, second_side, drawn, open], expected, "{games:?}");
            let points = f64::from(games[0] + games[1]) * 25.0;
            assert_eq!(verdicts.first_side_percent(), points);
        };
        check([2, 2], [1, 0, 0, 0]);
        check([0, 0], [0, 1, 0, 0]);
        check([1, 1], [0, 0, 1, 0]);
        for games in [[2, 0], [0, 2], [2, 1], [1, 0], [0, 1]] {
            check(games, [0, 0, 0, 1]);
        }
    }

    #[test]
    fn reports_count_pairs_by_opening() {
        let row = |number, text: &str, verdicts| OpeningRow { number, text: text.into(), verdicts };
        let decided = Verdicts::of_pair([2, 2]);
        let open = Verdicts::of_pair([2, 0]);
        let rows = [row(1, "h8 i9", decided), row(3, "h8", decided.plus(open))];
        let text = report(&rows);
        for line in [
            "2 openings, 3 complete pairs",
            "  the first side won both games        2   66.7 %",
            "  the players decided                  1   33.3 %",
            "  share of points of the first side       83.3 %",
            "   1      1      1       0      0        0     100.0 %  h8 i9",
            "   3      2      1       0      0        1      75.0 %  h8",
        ] {
            assert!(text.lines().any(|it| it == line), "no {line:?} in\n{text}");
        }
        let kept: Vec<&OpeningRow> = rows.iter().filter(is_open).collect();
        assert!(file(Path::new("a"), &kept).ends_with("their pairs\nh8\n"));
    }
}
