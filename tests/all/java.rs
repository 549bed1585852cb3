//! Engines in Java, which are programs in a jail: the sample engine is sound, what one does wrong is told with its place,
//! and what cannot be built or started says why. Compiled here, by the system's JDK.

use std::sync::Arc;

use sandboard_abi::Description;
use sandboard_host::engine::{Assets, Caps};
use sandboard_host::hex;
use sandboard_host::jail::Layer;
use sandboard_host::process::{ProcessSource, Protocol, Speech};
use sandboard_host::worker::{CompileLimits, Workers};
use sandboard_tests::{binary, root};
use sha2::{Digest, Sha256};

use crate::cli::Home;
use crate::languages::check_sound;

/// A home with the sample engine in Java built into its engines folder, as an author builds one: it is a program, and is
/// trusted by that. Its compiler has nothing to say.
fn home_with_java() -> Home {
    let home = Home::without_engines();
    std::fs::create_dir(home.file("engines")).unwrap();
    let sample = root().join("sample-engines/java-simple");
    let folder = home.file("java-simple");
    std::fs::create_dir(&folder).unwrap();
    for file in ["Engine.java", "Sandboard.java"] {
        std::fs::copy(sample.join(file), folder.join(file)).unwrap();
    }
    let ended = home.run(&["build", "java-simple", "--engines-dir", "engines"], "");
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{}", ended.out);
    assert!(ended.out.contains("java-simple 0.1.0: a program, jailed"), "{}", ended.out);
    assert!(ended.out.contains("trusted, since it was built here"), "{}", ended.out);
    home
}

#[test]
fn an_engine_in_java_is_sound() {
    check_sound(&home_with_java(), "java");
}

/// Builds an engine in Java whose next move is what this does, in its folder beside a manifest of its own.
fn home_with_move_of_java(body: &str) -> Home {
    let home = Home::without_engines();
    std::fs::create_dir(home.file("engines")).unwrap();
    home.succeed(&["new", "mine", "--lang", "java"], "");
    // A file to be read, and a class in a package of its own.
    let book = "d4";
    std::fs::write(home.file("mine/book.txt"), book).unwrap();
    let sha256 = hex(&Sha256::digest(book));
    std::fs::create_dir(home.file("mine/board")).unwrap();
    let class = "package board; public record Point(int column, int row) {
        public String text() { return (char) ('a' + column) + String.valueOf(row + 1); } }";
    std::fs::write(home.file("mine/board/Point.java"), class).unwrap();
    let engine = |id: &str, memory_mib: u64| {
        format!(
            r#"<Engine id="{id}" version="1" kind="process" protocol="sandboard" module="mine">
                 <Game id="gomoku" variants="freestyle-5"/>
                 <Limits memory_bytes="{}" start_ms="20000"/>
                 <Option name="what" kind="text" default=""/>
                 <Asset name="book.txt" path="book.txt" sha256="{sha256}"/>
               </Engine>"#,
            memory_mib << 20
        )
    };
    let engines = [engine("mine", 384), engine("least", 272), engine("small", 271)].concat();
    let manifest = format!(r#"<EngineConfigs abi="1">{engines}</EngineConfigs>"#);
    std::fs::write(home.file("mine/EngineConfigs.xml"), manifest).unwrap();
    let text = format!(
        "public final class Engine implements Sandboard.Player {{
        public static void main(String[] arguments) {{
            Sandboard.play(new Sandboard.About(\"mine\", \"Mine\", \"\", \"1\", \"gomoku\"), new Engine());
        }}
        @Override public String nextMove(Sandboard.Turn turn) throws Exception {{ {body} }}
        }}"
    );
    std::fs::write(home.file("mine/Engine.java"), text).unwrap();
    home.succeed(&["build", "mine", "--engines-dir", "engines"], "");
    home
}

#[test]
fn what_an_engine_in_java_does_wrong_is_told() {
    let home = home_with_move_of_java(
        r#"switch (turn.options.get("what")) {
            case "throws": throw new IllegalStateException("out of\n ideas");
            case "line": turn.look("a1 a1");
            case "memory": long[][] all = new long[4096][]; for (int i = 0; i < 4096; i++) all[i] = new long[1 << 17]; return "a1";
            case "stack": return nextMove(turn);
            case "file": return new String(new java.io.FileInputStream("/etc/passwd").readAllBytes());
            case "socket": new java.net.Socket("127.0.0.1", 9); return null;
            case "process": new ProcessBuilder("/bin/true").start(); return null;
            case "exit": System.out.println("good bye"); System.exit(7);
            case "loop": while (true) { if (turn.left() < 0) return null; }
            case "resigns": return null;
            case "book": return new String(Sandboard.file("book.txt"));
            case "package": return new board.Point(2, 4).text();
            case "threads": String[] moves = {null}; Thread other = new Thread(() -> moves[0] = "b2"); other.start(); other.join(); return moves[0];
            default: System.out.println("to nobody"); return turn.legal("")[0];
        }"#,
    );
    let check = |what: &str, expected: &str| {
        let engine = if what.contains(':') { what.to_owned() } else { format!("mine:what={what}") };
        let of = ["--variant", "freestyle-5", "--engines-dir", "engines", "--budget", "2s/move"];
        let arguments = [&["analyse", &engine][..], &of].concat();
        let ended = home.run(&arguments, r#"{"moves": []}"#);
        let told = ended.out + &ended.err;
        assert!(told.contains(expected), "{what}: {told}");
    };
    check("", "\"a1\"");
    check("threads", "\"b2\"");
    check("resigns", "\"move\":null");
    check("book", "\"d4\"");
    check("package", "\"c5\"");
    let at = |error: &str| format!("answered with an error: java.{error}");
    check("throws", &at("lang.IllegalStateException: out of ideas at Engine.java:6"));
    check("line", "answered with an error: Sandboard$IllegalLine: ");
    check("memory", &at("lang.OutOfMemoryError: Java heap space at Engine.java:8"));
    check("stack", &at("lang.StackOverflowError at Engine.java:"));
    check("file", &at("io.FileNotFoundException: /etc/passwd"));
    check("socket", &at("net.SocketException: "));
    check("process", &at("io.IOException: "));
    check(
        "exit",
        "ended its process before it answered (exit status 7); the last that it printed: good bye",
    );
    check("loop", "did not answer within 2000 ms");
    check("least:what=", "\"a1\"");
    check(
        "small:what=",
        "it needs 368 MiB of address space and has 367: give it more memory_bytes",
    );
}

#[test]
fn what_is_no_engine_in_java_is_told_when_it_is_built() {
    let home = Home::without_engines();
    home.succeed(&["new", "mine", "--lang", "java"], "");
    let check = |text: &str, expected: &[&str]| {
        std::fs::write(home.file("mine/Engine.java"), text).unwrap();
        let ended = home.run(&["build", "mine", "--into", "packs"], "");
        assert_eq!(ended.code, Some(1), "{text}: {}", ended.err);
        for words in expected {
            assert!(ended.err.contains(words), "{text}: no {words:?} in {}", ended.err);
        }
        assert!(!home.file("packs/mine").exists(), "{text} is half built");
    };
    let hint = "(is `Sandboard.play(…)` in the main function of Engine.java there?)";
    check("class Engine {", &["Engine.java:1: error: ", "javac", "failed"]);
    check("class Engine {}", &["java.lang.NoSuchMethodError: ", hint]);
    check("package mine; class Engine {}", &["java.lang.ClassNotFoundException: Engine", hint]);
    let main =
        |body: &str| format!("class Engine {{ public static void main(String[] a) {{ {body} }} }}");
    check(&main("return;"), &["ended its process before it answered (exit status 0)", hint]);
    check(&main("System.out.println(1);"), &["printed a line that is none of sandboard: `1`"]);
    check(&main("int[] b = {}; b[1] = 2;"), &["ArrayIndexOutOfBoundsException", hint]);
}

#[test]
fn one_layer_that_keeps_files_is_enough() {
    let home = home_with_java();
    let bytes = std::fs::read(home.file("engines/java-simple/java-simple")).unwrap();
    let speech = Speech { protocol: Protocol::Sandboard, ..Speech::default() };
    let caps = Caps { memory_bytes: 384 << 20, start_us: 60_000_000, ..Caps::default() };
    let unknown = Description::default();
    for without in [Layer::MountNamespace, Layer::Landlock] {
        let workers: Arc<Workers> = Workers::new(binary(), CompileLimits::EVERYDAY, &[without]);
        let source =
            ProcessSource::new(&workers, &bytes, &unknown, &speech, caps, &Assets::default());
        // Where the machine has not the other one, no program runs.
        if let Ok(source) = source {
            let described = source.describe().map(|it| it.id);
            assert_eq!(described.as_deref(), Ok("java-simple"), "without {without:?}");
        }
    }
}
