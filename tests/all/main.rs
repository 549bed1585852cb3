//! Integration tests across crates, as one test binary.
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod adapter;
mod adjudication;
mod any_bytes;
mod arena;
mod board_schema;
mod bridge;
mod browser;
mod build;
mod built_in_components;
mod bundle;
mod c;
mod cache;
mod check;
mod check_game;
mod chess;
mod cli;
mod contest;
mod convert;
mod core_modules;
#[cfg(target_os = "linux")]
mod cpu;
mod demo;
mod docs;
mod engines;
#[cfg(unix)]
mod first_steps;
mod fuel;
mod general_games;
mod header;
mod hostile;
mod hostile_games;
mod installation;
#[cfg(target_os = "linux")]
mod jail;
#[cfg(target_os = "linux")]
mod java;
mod languages;
mod liars_dice;
mod manifest;
mod museum;
mod new_game;
mod openings;
#[cfg(target_os = "linux")]
mod peers;
mod plugged_in_games;
mod pondering;
#[cfg(target_os = "linux")]
mod process;
mod programs;
mod protocol;
mod public_api;
mod reversi;
mod server;
#[cfg(target_os = "linux")]
mod special_files;
mod suite;
mod team;
mod terminal;
mod thrown;
mod trust;
mod tune;
mod verify;
mod wasi;
#[cfg(target_os = "linux")]
mod worker;
mod xiangqi;
