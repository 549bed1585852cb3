//! Compares the arenas of a contest's bundle with the contest file and with the list of entries:
//! names, schedules, settings, openings, seeds, and which entry plays with which limits. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use sandboard_common::date::parse_date;
use sandboard_common::hex::unhex;
use sandboard_common::text::quoted;
use sandboard_games::Games;
use sandboard_tournament::schedule::Change;

use super::index::{ArenaIndex, ContestIndex, EntryIndex, Index};
use super::verify::{Finding, Kind};
use sandboard_arena_plan::Contestant;
use sandboard_contest_rules::arena_rules::{ArenaKind, settings};
use sandboard_contest_rules::seed_commitment::{
    SEED_BYTES, arena_seed, arena_seed_key, commitment, roster_hash,
};
use sandboard_contest_rules::{Contest, State, Status, engine_id};

/// All differences between the contest of a bundle and its arenas.
pub(super) fn check(index: &Index, claimed: &ContestIndex, games: &Games) -> Vec<Finding> {
    let mut findings = Vec::new();
    let seed = seed(claimed, &mut findings);
    let contest = match Contest::parse(&claimed.file, games) {
        Ok(contest) => contest,
        Err(error) => {
            findings.push(differs("the contest's file", error));
            return findings;
        }
    };
    let mut check = ContestCheck { contest: &contest, claimed, index, findings };
    check.entries();
    check.arenas();
    for arena in &index.arenas {
        if let Some(kind) = ArenaKind::from_name(&arena.name) {
            check.setup(arena, kind);
            check.seeds(arena, kind, seed.as_ref());
            check.players(arena, kind);
            check.events(arena, kind);
        }
    }
    check.absent_entrants();
    check.findings
}

/// Reads the seed and compares it with the commitment.
fn seed(claimed: &ContestIndex, findings: &mut Vec<Finding>) -> Option<[u8; SEED_BYTES]> {
    let place = "the contest's seed";
    let Some(bytes) = unhex(&claimed.seed) else {
        findings.push(differs(place, "is not hexadecimal"));
        return None;
    };
    let length = bytes.len();
    let Ok(seed) = <[u8; SEED_BYTES]>::try_from(bytes) else {
        findings.push(differs(place, format!("has {length} bytes instead of {SEED_BYTES}")));
        return None;
    };
    let openings = claimed.openings_sha256.as_deref().map(|text| unhex(text)?.try_into().ok());
    let Some(openings) = openings.map_or(Some(None), |hash| hash.map(Some)) else {
        findings.push(differs("the contest's openings", "their SHA-256 is not one"));
        return None;
    };
    let (found, published) = (commitment(&seed, &claimed.file, openings), &claimed.commitment);
    if found != *published {
        let reason = format!(
            "contest file, openings and revealed seed commit to {found}, but {published} was \
             published"
        );
        findings.push(differs("the contest's commitment", reason));
    }
    Some(seed)
}

fn differs(location: impl Into<String>, reason: impl ToString) -> Finding {
    Finding { location: location.into(), reason: reason.to_string(), kind: Kind::Differs }
}

struct ContestCheck<'a> {
    contest: &'a Contest,
    claimed: &'a ContestIndex,
    index: &'a Index,
    findings: Vec<Finding>,
}

impl ContestCheck<'_> {
    fn differs(&mut self, location: impl Into<String>, reason: impl ToString) {
        self.findings.push(differs(location, reason));
    }

    /// A matter that the bundle cannot settle, and that a reader must know.
    fn incomplete(&mut self, location: impl Into<String>, reason: impl ToString) {
        let (location, reason) = (location.into(), reason.to_string());
        self.findings.push(Finding { location, reason, kind: Kind::Incomplete });
    }

    /// Compares a value of a setup with the one that the contest file gives.
    fn same<T: PartialEq + Display>(&mut self, place: &str, what: &str, given: &T, found: &T) {
        if given != found {
            let reason = format!("its {what} is {found}, but the contest file gives {given}");
            self.differs(place, reason);
        }
    }

    /// Checks that the lists of entrants and entries are consistent.
    fn entries(&mut self) {
        let place = "the contest's entries";
        let claimed = self.claimed;
        let mut names = BTreeSet::new();
        for entrant in &claimed.entrants {
            if !names.insert(entrant.name.as_str()) {
                self.differs(
                    place,
                    format!("the entrant {} is listed twice", quoted(&entrant.name)),
                );
            }
        }
        for (number, entry) in (1..).zip(&claimed.entries) {
            if entry.number != number {
                self.differs(place, format!("entry {} is at the place of {number}", entry.number));
            }
            if !names.contains(entry.entrant.as_str()) {
                let name = quoted(&entry.entrant);
                self.differs(place, format!("entry {number} is of {name}, who is no entrant"));
            }
        }
    }

    /// Checks that the bundle has the arenas that the contest file gives.
    fn arenas(&mut self) {
        let (index, claimed, contest) = (self.index, self.claimed, self.contest);
        let mut finals = BTreeSet::new();
        let mut has_ladder = false;
        let bundled = index.arenas.iter().map(|arena| (&arena.name, true));
        for (name, is_bundled) in bundled.chain(claimed.unfinished.iter().map(|it| (it, false))) {
            match ArenaKind::from_name(name) {
                None => {
                    let reason = "is not the name of an arena of a contest: only ladder, final, \
                                  final-2, … are";
                    self.differs(quoted(name), reason);
                }
                Some(ArenaKind::Ladder) if !contest.ladder => {
                    self.differs(name, "the contest file has no ladder");
                }
                Some(ArenaKind::Ladder) => has_ladder = true,
                Some(ArenaKind::Final(_)) if contest.final_cycles == 0 => {
                    self.differs(name, "the contest file has no final");
                }
                Some(ArenaKind::Final(number)) => {
                    if !finals.insert(number) {
                        self.differs(name, "is listed twice");
                    }
                }
            }
            if !is_bundled {
                self.incomplete(name, "was started, but not finished, and is not in the bundle");
            }
        }
        if contest.ladder && !has_ladder {
            self.incomplete("ladder", "the contest file has a ladder, but the bundle has none");
        }
        let last = finals.last().copied().unwrap_or(0);
        for number in (1..last).filter(|number| !finals.contains(number)) {
            let name = ArenaKind::Final(number).name();
            let reason = format!("is missing, but there is {}", ArenaKind::Final(last).name());
            self.differs(name, reason);
        }
        let expects_final = contest.final_cycles > 0 && self.can_play_final();
        if expects_final && finals.is_empty() {
            self.differs(
                ArenaKind::Final(1).name(),
                "is missing, but the contest file has a final",
            );
        }
    }

    /// Whether entrants who take part have enough accepted entries for a final.
    fn can_play_final(&self) -> bool {
        let playing = self
            .claimed
            .entries
            .iter()
            .filter(|entry| is_accepted(entry) && self.takes_part(&entry.entrant));
        let owners: BTreeSet<&str> = playing.map(|entry| entry.entrant.as_str()).collect();
        owners.len() >= 2 || (owners.len() == 1 && !self.contest.house.is_empty())
    }

    fn takes_part(&self, entrant: &str) -> bool {
        let mut entrants = self.claimed.entrants.iter();
        entrants.any(|it| it.name == entrant && it.status == Status::In)
    }

    fn setup(&mut self, arena: &ArenaIndex, kind: ArenaKind) {
        let (contest, place, setup) = (self.contest, &arena.name, &arena.setup);
        self.same(place, "game", &contest.game.id, &setup.game.as_str());
        self.same(place, "variant", &contest.variant.text(), &setup.variant);
        let text = |value: &dyn std::fmt::Debug| format!("{value:?}");
        let schedule = text(&kind.schedule(contest));
        self.same(place, "schedule", &schedule, &text(&setup.schedule));
        if setup.settings != settings() {
            let (given, found) = (text(&settings()), text(&setup.settings));
            let reason = format!("its settings are {found}, but every contest has {given}");
            self.differs(place, reason);
        }
        if setup.sprt.is_some() {
            self.differs(place, "it has a sequential test, which no contest has");
        }
        let none = || "none".to_owned();
        let openings = setup.openings.as_ref().map_or_else(none, |it| it.sha256.clone());
        let committed = self.claimed.openings_sha256.clone().unwrap_or_else(none);
        if contest.openings.is_some() != self.claimed.openings_sha256.is_some() {
            self.differs(place, "contest file and bundle disagree about openings");
        }
        if committed != openings {
            let reason = format!(
                "the SHA-256 of its openings is {openings}, but the contest's is {committed}"
            );
            self.differs(place, reason);
        }
    }

    fn seeds(&mut self, arena: &ArenaIndex, kind: ArenaKind, seed: Option<&[u8; SEED_BYTES]>) {
        let Some(seed) = seed else { return };
        let (name, setup, label) = (&arena.name, &arena.setup, kind.seed_label());
        let roster = roster_hash(&setup.players);
        let (derived, claimed) = (arena_seed(seed, label, roster), setup.seed);
        if derived != claimed {
            let reason = format!(
                "its seed is {claimed}, but the contest's seed and its roster give {derived}"
            );
            self.differs(name, reason);
        }
        if setup.seed_key != Some(arena_seed_key(seed, label, roster)) {
            let reason = "its seed key is not the one that the contest's seed and its roster give";
            self.differs(name, reason);
        }
    }

    /// Checks who plays, in which order, and on which terms.
    fn players(&mut self, arena: &ArenaIndex, kind: ArenaKind) {
        let is_final = kind != ArenaKind::Ladder;
        let place = arena.name.as_str();
        if is_final && !arena.joined.is_empty() {
            self.differs(place, "players joined it, which no final allows");
        }
        let mut house: Vec<&str> = Vec::new();
        let mut entries: Vec<i64> = Vec::new();
        let mut owners: BTreeMap<String, i64> = BTreeMap::new();
        for (at, player) in arena.players().enumerate() {
            let location = format!("{place}: the player {}", quoted(&player.name));
            self.terms(&location, player);
            let Some(entry) = self.entry_of(player) else {
                match self.contest.house.iter().find(|id| **id == player.name) {
                    None => self.differs(location, "is neither a listed entry nor a house engine"),
                    Some(id) if player.engine != *id => {
                        let reason = format!("is not the house engine but `{}`", player.engine);
                        self.differs(location, reason);
                    }
                    Some(id) => house.push(id),
                }
                continue;
            };
            self.entry(&location, player, &entry);
            if is_final && let Some(other) = owners.insert(entry.entrant.clone(), entry.number) {
                let reason = format!("entry {other} of the same entrant plays, too");
                self.differs(location.as_str(), reason);
            }
            if is_final {
                self.is_latest(&location, arena, &entry);
            }
            if at < arena.setup.players.len() {
                entries.push(entry.number);
            }
        }
        if !entries.is_sorted_by(|one, next| one < next) {
            self.differs(place, "its first players are not in the order of their entries");
        }
        let with_house = !is_final || owners.len() < 2;
        let expected: Vec<&str> =
            self.contest.house.iter().filter(|_| with_house).map(String::as_str).collect();
        if house != expected {
            let shown = |ids: &[&str]| match ids {
                [] => "none".to_owned(),
                ids => ids.join(", "),
            };
            let (found, given) = (shown(&house), shown(&expected));
            let reason =
                format!("its house engines are {found}, but the contest file gives {given}");
            self.differs(place, reason);
        }
    }

    /// Checks the terms on which a player plays, which are the same for all.
    fn terms(&mut self, location: &str, player: &Contestant) {
        let contest = self.contest;
        self.same(location, "budget", &contest.budget, &player.budget);
        let limits = contest.limits().named();
        for ((what, given), (_, found)) in limits.iter().zip(player.limits.named()) {
            self.same(location, what, given, &found);
        }
        self.same(location, "number of threads", &1, &player.threads);
        self.same(location, "initial rating", &0, &player.rating);
        for (what, is_set) in [
            ("options", !player.options.is_empty()),
            ("assets", !player.assets.is_empty()),
            ("pondering", player.ponders),
        ] {
            if is_set {
                self.differs(location, format!("it has {what}, which no player of a contest has"));
            }
        }
    }

    /// The listed entry with the engine id of this player.
    fn entry_of(&self, player: &Contestant) -> Option<EntryIndex> {
        let mut entries = self.claimed.entries.iter();
        entries.find(|entry| engine_id(entry.number) == player.engine).cloned()
    }

    /// Checks that a player is this entry.
    fn entry(&mut self, location: &str, player: &Contestant, entry: &EntryIndex) {
        let number = entry.number;
        let of_entrant = self.claimed.entries.iter().filter(|it| it.entrant == entry.entrant);
        let version = of_entrant.filter(|it| it.number <= number).count();
        let name = format!("{} v{version}", entry.entrant);
        let rest = player.name.strip_prefix(&name);
        // A player that left the ladder and returned has a number after the name.
        if !rest.is_some_and(|rest| rest.is_empty() || is_return(rest)) {
            self.differs(
                location,
                format!("it plays entry {number}, whose name is {}", quoted(&name)),
            );
        }
        if player.module_sha256 != entry.sha256 {
            let (found, given) = (&player.module_sha256, &entry.sha256);
            let reason = format!("its module is {found}, but that of entry {number} is {given}");
            self.differs(location, reason);
        }
        if matches!(entry.state, State::Refused | State::Waiting) {
            self.differs(location, format!("it plays, but entry {number} was not accepted"));
        }
    }

    /// Checks that no later entry of the same entrant had been accepted when a final started.
    fn is_latest(&mut self, location: &str, arena: &ArenaIndex, entry: &EntryIndex) {
        let own = self.claimed.entries.iter().filter(|it| it.entrant == entry.entrant);
        let later = own.filter(|it| it.number > entry.number && was_accepted(it, arena));
        if let Some(number) = later.map(|it| it.number).next_back() {
            let own = entry.number;
            let reason = format!("it plays entry {own}, but entry {number} was accepted later");
            self.differs(location, reason);
        }
    }

    fn events(&mut self, arena: &ArenaIndex, kind: ArenaKind) {
        for event in arena.events.iter().filter(|_| kind != ArenaKind::Ladder) {
            let from = u64::from(event.from_pair) + 1;
            match event.change {
                Change::Join(_) => self.differs(&arena.name, "a player joined it"),
                Change::Extend(_) => self.differs(&arena.name, "it was extended"),
                Change::Stop => {
                    self.incomplete(&arena.name, format!("was stopped before pair {from}"));
                }
                Change::Withdraw(player) => {
                    let left = arena.players().nth(player as usize).cloned();
                    let owner = left.as_ref().and_then(|left| self.entry_of(left));
                    if owner.is_none_or(|entry| self.takes_part(&entry.entrant)) {
                        let name = left.map_or_else(String::new, |left| quoted(&left.name));
                        let reason =
                            format!("the player {name} left before pair {from}, but takes part");
                        self.incomplete(&arena.name, reason);
                    }
                }
                // Reported for every arena.
                Change::Void { .. } => (),
            }
        }
    }

    /// Names the entrants who take part and have an accepted entry, but do not play in the last
    /// final.
    fn absent_entrants(&mut self) {
        let finals = self.index.arenas.iter().filter_map(|arena| {
            let kind = ArenaKind::from_name(&arena.name)?;
            (kind != ArenaKind::Ladder).then_some((kind, arena))
        });
        let Some((_, last)) = finals.max_by_key(|(kind, _)| *kind) else { return };
        let mut absent: BTreeSet<&str> = BTreeSet::new();
        for entry in self.claimed.entries.iter().filter(|entry| was_accepted(entry, last)) {
            if self.takes_part(&entry.entrant) {
                absent.insert(&entry.entrant);
            }
        }
        for player in &last.setup.players {
            if let Some(entry) = self.entry_of(player) {
                absent.remove(entry.entrant.as_str());
            }
        }
        for name in absent.into_iter().map(quoted).collect::<Vec<_>>() {
            let reason = format!("{name} takes part and has an accepted entry, but does not play");
            self.incomplete(&last.name, reason);
        }
    }
}

fn is_accepted(entry: &EntryIndex) -> bool {
    matches!(entry.state, State::Accepted | State::Retrying)
}

/// Whether an entry had been accepted when an arena started.
fn was_accepted(entry: &EntryIndex, arena: &ArenaIndex) -> bool {
    let tested = entry.tested_at.as_deref().and_then(parse_date);
    let started = parse_date(&arena.setup.created_at);
    is_accepted(entry) && tested.zip(started).is_some_and(|(tested, started)| tested <= started)
}

/// Whether this is the number of a player that returned, such as ` (2)`.
fn is_return(rest: &str) -> bool {
    let number = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    number.is_some_and(|number| number.parse::<u32>().is_ok_and(|it| it.to_string() == number))
}
