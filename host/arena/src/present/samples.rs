//! Invented arenas for the tests of the outputs.

use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, Tally, Verdict};

use sandboard_arena_plan::{
    FaultView, GameRow, HeadToHeadView, Interval, MatchStatistics, OpeningView, OpeningsSource,
    PlayerView, Progress, RatingSnapshot, SprtView, State, Unrated, View,
};
use sandboard_bout::referee::BoutSettings;

/// Hostile names: markup, quotes, a right-to-left override, escapes of a terminal, formulas.
pub(super) const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "\u{202e}txt.exe\u{2066}",
    "\u{1b}[2J\u{7}bell\r\nnext,\"line\"",
    "=HYPERLINK(\"http://example.org\")",
    "</style></svg></title><b>&amp;",
    "－1+1\u{0}",
    "@sum(A1)\u{feff}",
];

pub(super) fn tally(wins: u64, draws: u64, losses: u64) -> Tally {
    Tally { wins, draws, losses }
}

pub(super) fn around(value: f64, error: f64) -> Interval {
    Interval { value, low: Some(value - error), high: Some(value + error) }
}

/// An arena without games.
pub(super) fn empty(names: &[&str], format: Format) -> View {
    let players = names.iter().zip(0..).map(|(name, number)| player(number, name)).collect();
    View {
        id: "00000000000000a1".into(),
        name: "spring".into(),
        created_at: "2026-03-01T12:00:00Z".into(),
        state: State::Open,
        format,
        game: "gomoku".into(),
        variant: "freestyle-15".into(),
        sides: vec!["black".into(), "white".into()],
        seats: 2,
        seed: 7,
        openings: None,
        settings: BoutSettings::default(),
        progress: Progress { pairs_left: 10, pairs_left_max: 10, ..Progress::default() },
        players,
        ranking: (0..names.len() as u32).collect(),
        head_to_head: Vec::new(),
        by_opening: Vec::new(),
        first_seat: None,
        match_statistics: None,
        history: Vec::new(),
        faults: Vec::new(),
    }
}

fn player(number: u32, name: &str) -> PlayerView {
    PlayerView {
        number,
        name: name.into(),
        engine: "gomoku-alpha".into(),
        version: "1.2.0".into(),
        module_sha256: "ab".repeat(32),
        options: [("equals".to_owned(), "2".to_owned())].into(),
        budget: "fuel:2e9/move".into(),
        withdrawn: false,
        place: 1,
        half_points: 0,
        byes_half_points: 0,
        tie_breaks: Vec::new(),
        by_seat: vec![Tally::default(); 2],
        rating: None,
        unrated: Some(Unrated::NoGames),
        glicko: None,
        mean_score: None,
        duplicate_score: None,
        skill: None,
        totals: Default::default(),
        pondering: None,
    }
}

/// Two players, 12 pairs, an undecided test, and a fault.
pub(super) fn match_of_two() -> View {
    let mut view = empty(&["alpha", "五子棋"], Format::Match { pairs: 50 });
    view.progress = Progress {
        pairs: 12,
        games: 24,
        plies: 960,
        games_playing: 2,
        pairs_void: 0,
        games_waiting: 1,
        pairs_left: 38,
        pairs_left_max: 38,
        seconds_left: Some(200.0),
        long_game: None,
        plies_per_second: Some(1234.4),
    };
    view.state = State::Running;
    let [first, second] = [tally(6, 2, 4), tally(5, 1, 6)];
    let [a, b] = [first.plus(second), first.plus(second).reversed()];
    for (player, seats, all) in
        [(0, [first, second], a), (1, [second.reversed(), first.reversed()], b)]
    {
        let player = &mut view.players[player];
        (player.by_seat, player.half_points, player.unrated) =
            (seats.to_vec(), all.half_points(), None);
        player.totals.moves = 480;
        player.totals.wall_us = 480 * 1_500;
        player.totals.fuel = 480 * 2_000_000_000;
        player.totals.memory_bytes_max = 3 << 20;
    }
    (view.players[0].rating, view.players[1].rating) =
        (Some(around(7.2, 30.0)), Some(around(-7.2, 30.0)));
    view.players[1].place = 2;
    view.players[1].totals.faults.insert("timeout".into(), 2);
    let pairs = [1, 3, 2, 5, 1];
    view.head_to_head = vec![HeadToHeadView {
        players: [0, 1],
        first_seat: first,
        second_seat: second,
        pairs,
        superiority: Some(0.64),
    }];
    view.match_statistics = Some(MatchStatistics {
        score: Interval { value: 25.0 / 48.0, low: Some(0.41), high: Some(0.632) },
        pairs,
        elo: Some(14.5),
        elo_low: Some(-60.2),
        elo_high: Some(90.6),
        superiority: Some(0.64),
        normalized: Some(around(20.0, 80.5)),
        sprt: Some(SprtView {
            model: EloModel::Logistic,
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            llr: 0.127,
            lower: -2.944,
            upper: 2.944,
            verdict: Verdict::Open,
        }),
    });
    view.faults = vec![FaultView {
        player: 1,
        code: "timeout".into(),
        games: 2,
        first: "pair-000004-2".into(),
        sentence: "五子棋 did not move in time".into(),
        at_ply: 31,
        record_player: 1,
        replay: None,
    }];
    view
}

/// Three players: one with all points, one that has withdrawn, one without games.
pub(super) fn three() -> View {
    let mut view = empty(&["strong", "weak", "new"], Format::RoundRobin { cycles: 1 });
    let games = [[tally(1, 0, 0), tally(1, 0, 0)], [tally(0, 0, 1), tally(0, 0, 1)]];
    let totals = [Unrated::Above, Unrated::Below];
    for (number, (seats, reason)) in games.into_iter().zip(totals).enumerate() {
        let player = &mut view.players[number];
        (player.by_seat, player.unrated) = (seats.to_vec(), Some(reason));
        player.half_points = seats[0].plus(seats[1]).half_points();
    }
    view.players[1].withdrawn = true;
    (view.players[1].place, view.players[2].place) = (2, 2);
    view.players[2].byes_half_points = 4;
    view.players[2].half_points = 4;
    let [first_seat, second_seat] = games[0];
    view.head_to_head = vec![HeadToHeadView {
        players: [0, 1],
        first_seat,
        second_seat,
        pairs: [0, 0, 0, 0, 1],
        superiority: None,
    }];
    view.progress = Progress { pairs: 1, games: 2, plies: 31, ..Progress::default() };
    view.progress.pairs_left_max = 2;
    view
}

/// A complete round robin with ratings, a history and openings.
pub(super) fn many(players: u32) -> View {
    let names: Vec<String> = (1..=players).map(|number| format!("engine-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut view = empty(&names, Format::RoundRobin { cycles: 2 });
    view.state = State::Complete;
    for a in 0..players {
        for b in a + 1..players {
            let wins = u64::from((a * 7 + b * 3) % 5);
            let (first_seat, second_seat) = (tally(wins, 1, 4 - wins), tally(2, 0, 3));
            let pairs = [0, 1, 3, 1, 0];
            view.head_to_head.push(HeadToHeadView {
                players: [a, b],
                first_seat,
                second_seat,
                pairs,
                superiority: Some(0.4),
            });
            let seats =
                [[first_seat, second_seat], [second_seat.reversed(), first_seat.reversed()]];
            for (player, seats) in [a, b].into_iter().zip(seats) {
                let own = &mut view.players[player as usize];
                own.by_seat =
                    own.by_seat.iter().zip(seats).map(|(own, seat)| own.plus(seat)).collect();
            }
        }
    }
    for (player, number) in view.players.iter_mut().zip(0..) {
        player.half_points = player.by_seat[0].plus(player.by_seat[1]).half_points();
        (player.place, player.unrated) = (number + 1, None);
        player.rating = Some(around(120.0 - 6.0 * f64::from(number), 25.0 + f64::from(number)));
        player.tie_breaks = vec![("Buchholz".into(), 40.25), ("wins".into(), 12.0)];
        player.totals.moves = 900;
        player.totals.wall_us = 1_000_000 * u64::from(number + 1);
    }
    view.first_seat = Some(around(31.0, 8.0));
    view.openings =
        Some(OpeningsSource { file: "openings.txt".into(), sha256: "cd".repeat(32), count: 3 });
    view.by_opening = (0..3)
        .map(|opening| OpeningView {
            opening,
            text: if opening == 0 { String::new() } else { "h8 i9 j7".into() },
            first_seat: tally(9, 3, 6),
            pairs_by_margin: [4, 4, 1],
        })
        .collect();
    view.history = (1..=20)
        .map(|step| RatingSnapshot {
            pairs: step * 30,
            ratings: (0..players)
                .map(|player| {
                    let swing = f64::from((step * 13 + player * 29) % 17) - 8.0;
                    let value = 120.0 - 6.0 * f64::from(player) + swing * 10.0 / f64::from(step);
                    (step > player % 4).then(|| around(value, 200.0 / f64::from(step)))
                })
                .collect(),
        })
        .collect();
    view
}

/// An arena with hostile texts everywhere.
pub(super) fn hostile() -> View {
    let mut view = match_of_two();
    view.players.extend(HOSTILE.iter().zip(2..).map(|(name, number)| player(number, name)));
    view.ranking = (0..view.players.len() as u32).collect();
    for (player, text) in view.players.iter_mut().zip(HOSTILE.iter().cycle()) {
        let text = (*text).to_owned();
        (player.engine, player.version, player.budget) = (text.clone(), text.clone(), text.clone());
        player.module_sha256 = text.clone();
        player.options.insert(text.clone(), text.clone());
        player.tie_breaks = vec![(text.clone(), 1.0)];
        player.rating = Some(around(1.0, 2.0));
        player.totals.faults.insert(text, 1);
    }
    let [text, other, ..] = HOSTILE.map(str::to_owned);
    (view.name, view.game, view.variant) = (other.clone(), text.clone(), text.clone());
    (view.id, view.created_at) = (text.clone(), other.clone());
    view.sides = vec![text.clone(), other.clone()];
    let source = OpeningsSource { file: text.clone(), sha256: other.clone(), count: 1 };
    view.openings = Some(source);
    view.by_opening = HOSTILE
        .iter()
        .zip(0..)
        .map(|(text, opening)| OpeningView {
            opening,
            text: (*text).into(),
            first_seat: tally(1, 0, 1),
            pairs_by_margin: [1, 0, 0],
        })
        .collect();
    view.faults = HOSTILE
        .iter()
        .zip(0..)
        .map(|(text, player)| FaultView {
            player,
            code: (*text).into(),
            games: 1,
            first: (*text).into(),
            sentence: (*text).into(),
            at_ply: 3,
            record_player: 0,
            replay: None,
        })
        .collect();
    let ratings = vec![Some(around(1.0, 2.0)); view.players.len()];
    view.history = vec![
        RatingSnapshot { pairs: 1, ratings: ratings.clone() },
        RatingSnapshot { pairs: 2, ratings: vec![None; ratings.len()] },
        RatingSnapshot { pairs: 3, ratings },
    ];
    view
}

/// The game with this number, from 0, between the first two players.
pub(super) fn game(number: u32) -> GameRow {
    GameRow {
        name: format!("pair-{:06}-{}", number / 2 + 1, number % 2 + 1),
        pair: number / 2,
        round: 0,
        opening: Some(number / 2 % 3),
        players: vec![number % 2, 1 - number % 2],
        half_points: vec![(number % 3) as u8, 2 - (number % 3) as u8],
        plies: 40,
        sentence: "black has five in a row".into(),
        fault: None,
        stored_ms: 1_767_225_600_000 + i64::from(number) * 1_000,
    }
}

/// A game with hostile texts everywhere.
pub(super) fn hostile_game(text: &str) -> GameRow {
    GameRow {
        name: text.into(),
        players: vec![9, u32::MAX],
        opening: None,
        sentence: text.into(),
        fault: Some(text.into()),
        stored_ms: i64::MIN,
        half_points: vec![u8::MAX, 0],
        round: u32::MAX,
        pair: u32::MAX,
        ..game(0)
    }
}
