//! The standings of a contest, from the view of one of its arenas: the entrant of each player, and
//! who is out. Pure.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::fuel_speed::FuelSpeed;
use super::roster::version_name;
use super::store::{Entrant, Submission};
use sandboard_arena_plan::{Format, Interval, PlayerView, View};
use sandboard_contest_rules::Status;

/// A player in the standings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its place, from 1; `None` if its entrant is out.
    pub place: Option<u32>,
    /// Its name in records: `NAME v2`, or the id of a house engine.
    pub name: String,
    /// The entrant; `None` for a house engine.
    pub entrant: Option<String>,
    /// The number of the entry.
    pub entry: Option<i64>,
    /// The entrant's status; `None` for a house engine.
    pub status: Option<Status>,
    /// The reason for the status; empty if none was given.
    pub reason: String,
    /// The number of counted games.
    pub games: u64,
    /// Twice the points from these games.
    pub half_points: u64,
    /// Its rating in Elo with its error: Glicko-2 in a ladder, else relative to the mean.
    pub rating: Option<Interval>,
    /// CPU time for a unit of fuel, in nanoseconds, for the organiser only; `None` if too little
    /// was measured.
    #[serde(skip)]
    pub ns_per_fuel: Option<f64>,
}

/// The standings: a ladder by rating, other arenas by place. Replaced versions in a ladder are left
/// out. Entrants who are out come last.
pub fn standings(view: &View, entrants: &[Entrant], entries: &[Submission]) -> Vec<Row> {
    let is_ladder = matches!(view.format, Format::Ladder { .. });
    let named: Vec<(String, &Submission)> =
        entries.iter().map(|entry| (version_name(entries, entry), entry)).collect();
    let ranked = view.ranking.iter().filter_map(|number| view.players.get(*number as usize));
    let row = |player: &PlayerView| {
        // A returning player has a number after the name.
        let is_its = |name: &str| {
            let rest = player.name.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
        };
        let entry = named.iter().find(|(name, _)| is_its(name)).map(|(_, entry)| *entry);
        let entrant = entry.and_then(|entry| entrants.iter().find(|it| it.name == entry.entrant));
        Row {
            place: None,
            name: player.name.clone(),
            entrant: entrant.map(|entrant| entrant.name.clone()),
            entry: entry.map(|entry| entry.number),
            status: entrant.map(|entrant| entrant.status),
            reason: entrant.map_or_else(String::new, |entrant| entrant.reason.clone()),
            games: player.by_seat.iter().map(|tally| tally.wins + tally.draws + tally.losses).sum(),
            half_points: player.half_points,
            rating: if is_ladder { player.glicko } else { player.rating },
            ns_per_fuel: FuelSpeed::of(&player.totals).map(|speed| speed.ns_per_unit),
        }
    };
    let is_out = |row: &Row| row.status.is_some_and(|status| status != Status::In);
    let stays = |player: &&PlayerView| !is_ladder || !player.withdrawn;
    let mut rows: Vec<(u32, Row)> =
        ranked.filter(stays).map(|player| (player.place, row(player))).collect();
    if is_ladder {
        let strength = |row: &Row| row.rating.map_or(i64::MIN, |it| (it.value * 1000.0) as i64);
        rows.sort_by_key(|(_, row)| Reverse(strength(row)));
        (1..).zip(&mut rows).for_each(|(place, (own, _))| *own = place);
    }
    rows.sort_by_key(|(_, row)| is_out(row));
    // Players who are out leave no gap.
    let counted: Vec<u32> =
        rows.iter().filter(|(_, row)| !is_out(row)).map(|(place, _)| *place).collect();
    let among = |place: u32| 1 + counted.iter().filter(|other| **other < place).count() as u32;
    let placed =
        |(place, row): (u32, Row)| Row { place: (!is_out(&row)).then(|| among(place)), ..row };
    rows.into_iter().map(placed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_arena_plan::{ArenaStatistics, Filter, Ledger, fixture};
    use sandboard_contest_rules::State;

    fn view(format: Format, games: &[(u32, u8)]) -> View {
        let setup = fixture::setup(format, &["ann v1", "house", "bob v2", "ann v3"]);
        let mut ledger = Ledger::new(&setup).unwrap();
        for (pair, half_points) in games {
            for game in 0..2 {
                let key = sandboard_arena_plan::GameKey { pair: *pair, game };
                ledger.add(key, fixture::result(*half_points)).unwrap();
            }
        }
        let statistics = ArenaStatistics {
            name: "a",
            game: sandboard_games::Games::default().find("reversi").unwrap(),
            setup: &setup,
            players: &setup.players,
            openings: &[],
            ledger: &ledger,
            is_running: false,
            status: None,
        };
        statistics.view(&Filter::default())
    }

    /// Checks rows, written as `place name entry`.
    fn check(view: &View, out: &[&str], expected: &str) {
        let entrant = |name: &str| Entrant {
            name: name.into(),
            token: name.into(),
            status: if out.contains(&name) { Status::Disqualified } else { Status::In },
            reason: String::new(),
            since_ms: 0,
        };
        let entry = |(number, entrant): (i64, &str)| Submission {
            number,
            entrant: entrant.into(),
            sha256: String::new(),
            bytes: 1,
            submitted_ms: number,
            state: State::Accepted,
            report: None,
            fingerprint: None,
            judged_ms: None,
        };
        let entrants = ["ann", "bob"].map(entrant);
        let owners = [(1, "ann"), (2, "bob"), (3, "ann"), (4, "bob"), (5, "ann")];
        let rows = standings(view, &entrants, &owners.map(entry));
        let text = |row: &Row| {
            let place = row.place.map_or("-".into(), |place| place.to_string());
            let of = row.entry.map_or("house".into(), |entry| entry.to_string());
            format!("{place} {} {of}", row.name)
        };
        assert_eq!(rows.iter().map(text).collect::<Vec<_>>().join(", "), expected);
    }

    #[test]
    fn players_who_are_out_come_last_and_leave_no_gap() {
        let format = Format::RoundRobin { cycles: 1 };
        // The first player wins all six pairs.
        let all = view(format, &[(0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2)]);
        let ranked: Vec<&str> =
            all.ranking.iter().map(|it| all.players[*it as usize].name.as_str()).collect();
        let place = |name: &str| all.players.iter().find(|it| it.name == name).unwrap().place;
        let number = |name: &str| match name {
            "ann v1" => "1",
            "ann v3" => "5",
            "bob v2" => "4",
            _ => "house",
        };
        let line = |name: &&&str| format!("{} {name} {}", place(name), number(name));
        check(&all, &[], &ranked.iter().map(|it| line(&it)).collect::<Vec<_>>().join(", "));
        let (stay, out): (Vec<&str>, Vec<&str>) =
            ranked.iter().partition(|name| !name.starts_with("ann"));
        let better = |name: &str| stay.iter().filter(|it| place(it) < place(name)).count();
        let stay: Vec<String> = stay
            .iter()
            .map(|name| format!("{} {name} {}", 1 + better(name), number(name)))
            .collect();
        let out: Vec<String> =
            out.iter().map(|name| format!("- {name} {}", number(name))).collect();
        check(&all, &["ann"], &[stay, out].concat().join(", "));
    }
}
