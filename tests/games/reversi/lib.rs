//! The built-in rules of reversi as a component, to compare both.
#![forbid(unsafe_code)]

sandboard_game_sdk::export_game!(sandboard_game_sdk::games::reversi::Reversi);
