//! Connect Four as a plugged-in game: calls to rules in a component, on one thread, in CPU
//! time. The component is that of the engines folder.

use sandboard_games::DynGame;
use sandboard_games::splitmix::SplitMix64;
use sandboard_packs::catalog::Catalog;
use sandboard_packs::game_loader::GameLoader;

use crate::cpu::thread_cpu_s;
use crate::table::{Bar, Table, median};

const ROUNDS: usize = 9;
const GAMES: usize = 20_000;

pub(crate) fn measure(table: &mut Table) {
    let folder = sandboard_tests::root().join("engines-dir");
    let games = Catalog::scan_games(&folder, &GameLoader::default()).expect("the folder is there");
    let info = games.find("connect-four").expect("`cargo xtask engines` has built it");
    let start = (info.new)(&info.default_variant(), None).expect("the game begins");
    let games: Vec<Vec<String>> =
        (0..GAMES as u64).map(|seed| random_game(&*start, seed)).collect();
    let plies: usize = games.iter().map(Vec::len).sum();
    let plays = median((0..ROUNDS).map(|_| plies as f64 / played_s(&*start, &games)).collect());
    let bar = Some(Bar::AtLeast(1.0));
    table.add("connect-four in a component, play", plays / 1e6, "Mcalls/s", bar);
    let random_s = |_| {
        let begun = thread_cpu_s();
        let plies: usize = (0..GAMES as u64).map(|seed| random_game(&*start, seed).len()).sum();
        plies as f64 / (thread_cpu_s() - begun)
    };
    let random = median((0..ROUNDS).map(random_s).collect());
    table.add("connect-four in a component, random games", random / 1e6, "Mplies/s", None);
    let begun = thread_cpu_s();
    for _ in 0..GAMES {
        (info.new)(&info.default_variant(), None).expect("the game begins");
    }
    let begins = GAMES as f64 / (thread_cpu_s() - begun);
    table.add("connect-four in a component, instances", begins / 1e3, "1000/s", None);
}

/// The moves of a random game.
fn random_game(start: &dyn DynGame, seed: u64) -> Vec<String> {
    let (mut game, mut random) = (start.boxed_clone(), SplitMix64::new(seed));
    let mut legal = String::new();
    while !game.is_over() {
        legal.clear();
        game.write_legal(&mut legal);
        let moves = legal.split(' ').count();
        let mv = legal.split(' ').nth(random.below(moves)).expect("a legal move");
        game.play(mv).expect("it is legal");
    }
    game.moves()
}

/// Plays all moves of these games; the CPU time in seconds.
fn played_s(start: &dyn DynGame, games: &[Vec<String>]) -> f64 {
    let begun = thread_cpu_s();
    for moves in games {
        let mut game = start.boxed_clone();
        for mv in moves {
            game.play(mv).expect("it is legal");
        }
    }
    thread_cpu_s() - begun
}
