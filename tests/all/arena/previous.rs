//! An engine's build against the one before it: kept by its hash, played until a test has decided, gone on with when
//! the file is another one.

use sandboard_tests::built;
use serde_json::Value;

use super::Home;

#[test]
fn a_build_plays_against_the_one_before_it() {
    let home = Home::new();
    let engines = home.path("engines");
    std::fs::create_dir(&engines).unwrap();
    let file = engines.join("mine-1.gomoku.wasm");
    let build = |stem: &str, extra: &[u8]| {
        let mut module = std::fs::read(built(&format!("{stem}.wasm"))).unwrap();
        module.extend(extra);
        std::fs::write(&file, module).unwrap();
    };
    let words = "--against-previous mine --sprt 0,100 --budget depth:1 --variant freestyle-9 --seed 1 --engines-dir engines";
    build("random-mover", &[]);
    for _ in 0..2 {
        let said = home.succeed(words);
        assert!(said.starts_with("this is the first build of mine that is kept ("), "{said}");
    }
    // A better one is found better, and its elder worse than it.
    build("gomoku-simple", &[]);
    let verdict = |dir: &str| {
        let told = home.succeed(&format!("{words} --dir {dir} --json"));
        let last: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
        let view = &last["view"];
        let names: Vec<&str> = view["players"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let hashes: Vec<&str> = view["players"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["module_sha256"].as_str().unwrap())
            .collect();
        for (name, hash) in names.iter().zip(&hashes) {
            assert_eq!(*name, format!("mine {}", &hash[..8]));
        }
        assert_ne!(hashes[0], hashes[1]);
        (view["duel"]["sprt"]["verdict"].as_str().unwrap().to_owned(), hashes[0].to_owned())
    };
    let (better, new) = verdict("better");
    assert_eq!(better, "upper");
    build("random-mover", &[]);
    let (worse, old) = verdict("worse");
    assert_eq!(worse, "lower");
    assert_ne!(new, old);
    // A third one on hand: the arena of the first two is known by what was kept. A custom section `x`: another hash.
    build("random-mover", &[0, 2, 1, b'x']);
    let again = home.play("--resume better --engines-dir engines");
    assert_eq!(again["duel"]["sprt"]["verdict"], "upper");
    assert!(home.fail("--against-previous nobody --engines-dir engines", 2).contains("nobody"));
    assert_eq!(home.run("--sprt 0,5").status.code(), Some(2));
}
