//! `--against-previous`: an engine's current build against the previous one. Builds are stored by
//! their hash, so a match can be resumed after the file has changed.

use sandboard_tests::built;
use serde_json::Value;

use super::TestHome;

#[test]
fn a_build_plays_against_the_previous_build() {
    let home = TestHome::new();
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
        let output = home.succeed(words);
        assert!(output.starts_with("this is the first build of mine that is kept ("), "{output}");
    }
    // A stronger build is found to be stronger, and then the weaker one weaker.
    build("gomoku-simple", &[]);
    let verdict = |dir: &str| {
        let output = home.succeed(&format!("{words} --dir {dir} --json"));
        let last: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
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
        (
            view["match_statistics"]["sprt"]["verdict"].as_str().unwrap().to_owned(),
            hashes[0].to_owned(),
        )
    };
    let (better, new) = verdict("better");
    assert_eq!(better, "upper");
    build("random-mover", &[]);
    let (worse, old) = verdict("worse");
    assert_eq!(worse, "lower");
    assert_ne!(new, old);
    // A third build is in the file. The first arena resumes with its stored builds. A custom
    // section `x` gives another hash.
    build("random-mover", &[0, 2, 1, b'x']);
    let again = home.play("--resume better --engines-dir engines");
    assert_eq!(again["match_statistics"]["sprt"]["verdict"], "upper");
    assert!(home.fail("--against-previous missing --engines-dir engines", 2).contains("missing"));
    assert_eq!(home.run("--sprt 0,5").status.code(), Some(2));
}
