//! Engines in Java, which run as jailed programs: the sample engine is sound, faults are reported
//! with their source line, and build and start failures state the reason. Uses the system's JDK.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use sandboard_abi::Description;
use sandboard_builder::Language;
use sandboard_common::hex::hex;
use sandboard_engine::{Caps, Resources};
use sandboard_engine_process::external::ExternalSource;
use sandboard_engine_process::{CompileLimits, EngineProcesses};
use sandboard_jail::Layer;
use sandboard_protocols::{Protocol, ProtocolConfig};
use sandboard_tests::{binary, root};
use sha2::{Digest, Sha256};

use crate::cli::TestHome;
use crate::languages::check_sound;

/// A test home with the Java sample engine built into its engines folder and trusted. The compiler
/// must print no warning.
fn home_with_java() -> TestHome {
    let home = TestHome::without_engines();
    std::fs::create_dir(home.file("engines")).unwrap();
    copy_sample(&home.file("java-simple"));
    let ended = home.run(&["build", "java-simple", "--engines-dir", "engines"], "");
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{}", ended.out);
    assert!(ended.out.contains("java-simple 0.1.0: a program, jailed"), "{}", ended.out);
    assert!(ended.out.contains("trusted, because built on this machine"), "{}", ended.out);
    home
}

/// Copies the source of the sample engine into a new folder.
fn copy_sample(folder: &Path) {
    let sample = root().join("sample-engines/java-simple");
    std::fs::create_dir(folder).unwrap();
    for file in ["Engine.java", "Sandboard.java"] {
        std::fs::copy(sample.join(file), folder.join(file)).unwrap();
    }
}

/// Builds the program of a folder with a Java engine.
fn program_of(folder: &Path, scratch: &Path) -> Vec<u8> {
    Language::Java.info().build_program(folder, scratch).expect("it is built")
}

#[test]
fn an_engine_in_java_is_sound() {
    check_sound(&home_with_java(), "java");
}

/// Builds a Java engine whose `nextMove` has this body, with a manifest of its own.
fn home_with_move_of_java(body: &str) -> TestHome {
    let home = TestHome::without_engines();
    std::fs::create_dir(home.file("engines")).unwrap();
    home.succeed(&["new", "mine", "--lang", "java"], "");
    // An asset to read, and a class in a package.
    let book = "d4";
    std::fs::write(home.file("mine/book.txt"), book).unwrap();
    let sha256 = hex(&Sha256::digest(book));
    std::fs::create_dir(home.file("mine/board")).unwrap();
    let class = "package board; public record Point(int column, int row) {
        public String text() { return (char) ('a' + column) + String.valueOf(row + 1); } }";
    std::fs::write(home.file("mine/board/Point.java"), class).unwrap();
    let engine = |id: &str, memory_mib: u64| {
        format!(
            r#"<Engine id="{id}" version="1" kind="external" protocol="sandboard" module="mine">
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
        "public final class Engine implements Sandboard.Player {{ static {{ System.out.println(\"first of all\"); }}
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
fn faults_of_a_java_engine_are_reported() {
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
            case "unchecked": throw new java.io.UncheckedIOException(new java.io.IOException("no book"));
            case "lines": turn.report("a1\nplay c3"); return " b2\n";
            case "blank": return " \n";
            case "digest": return java.util.HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest("abc".getBytes()), 0, 2).equals("ba78") ? "c3" : null;
            case "chance": throw new IllegalStateException("chance " + turn.random.nextInt(1024) + ";");
            case "warned":
                try { new Thread(null, () -> {}, "vast", 1L << 40).start(); return "a1"; }
                catch (OutOfMemoryError noRoom) { return "e5"; }
            default: System.out.println("no reader"); return turn.legal("")[0];
        }"#,
    );
    let check = |what: &str, expected: &str| {
        let engine = if what.contains(':') { what.to_owned() } else { format!("mine:what={what}") };
        let of = ["--variant", "freestyle-5", "--engines-dir", "engines", "--budget", "2s/move"];
        let arguments = [&["analyse", &engine][..], &of].concat();
        let ended = home.run(&arguments, r#"{"moves": []}"#);
        let output = ended.out + &ended.err;
        assert!(output.contains(expected), "{what}: {output}");
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
    // The message of a socket error depends on the virtual machine.
    check("socket", &at(""));
    check("process", &at("io.IOException: "));
    check(
        "unchecked",
        &at("io.UncheckedIOException: java.io.IOException: no book at Engine.java:"),
    );
    check("lines", "\"b2\"");
    check("blank", "\"move\":null");
    check("digest", "\"c3\"");
    // The virtual machine prints a warning on the C standard output.
    check("warned", "\"e5\"");
    check(
        "exit",
        "ended its process before it answered (exit status 7); its last output: good bye",
    );
    check("loop", "did not answer within 2000 ms");
    check("least:what=", "\"a1\"");
    check(
        "small:what=",
        "it needs 368 MiB of address space and has 367: give it more memory_bytes",
    );
    let program = home.file("program");
    place(&std::fs::read(home.file("engines/mine/mine")).unwrap(), &program);
    chance_differs_from_ply_to_ply(&program);
    check_cut_off_lines(&program);
}

/// The first random numbers differ between neighbouring plies and seeds, and are reproducible.
fn chance_differs_from_ply_to_ply(program: &Path) {
    let moves = ["a1", "b2", "c3", "d4", "e5", "a2", "b3", "c4"];
    let numbers_for = |seed: u64| {
        let request = |plies: usize| format!("moves {}\nchoose\n", moves[..plies].join(" "));
        let requests: String = (0..=moves.len()).map(request).collect();
        let game = "sandboard 1\ngame gomoku freestyle-5\noption what chance\n";
        let ended = run_on(program, &format!("{game}seed {seed}\nbegin\n{requests}"));
        let output = String::from_utf8(ended.stdout).unwrap();
        let numbers = output.split("IllegalStateException: chance ").skip(1);
        let numbers = numbers.map(|rest| rest.split(';').next().unwrap().parse().unwrap());
        let numbers: Vec<i32> = numbers.collect();
        assert_eq!(numbers.len(), moves.len() + 1, "{output}");
        numbers
    };
    let (one, next) = (numbers_for(7), numbers_for(8));
    let differ = |(a, b): (&i32, &i32)| a.abs_diff(*b) > 4;
    assert!(one.iter().zip(&one[1..]).all(differ), "{one:?}");
    assert!(one.iter().zip(&next).all(differ), "{one:?} {next:?}");
    assert_eq!(numbers_for(7), one);
}

/// Puts a program where it can be run without a jail.
fn place(program: &[u8], file: &Path) {
    std::fs::write(file, program).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a program on these lines of a host that is gone then.
fn run_on(program: &Path, lines: &str) -> Output {
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = loop {
        match command.spawn() {
            // A process that another thread is just starting holds the new file open until its
            // exec.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::yield_now();
            }
            child => break child.unwrap(),
        }
    };
    match child.stdin.take().unwrap().write_all(lines.as_bytes()) {
        // A program that fails to start may end before it has read its input.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    child.wait_with_output().unwrap()
}

fn check_cut_off_lines(program: &Path) {
    let check = |lines: &str, expected: &str| {
        let ended = run_on(program, lines);
        let output =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        let (out, err) = (&*output.0, &*output.1);
        // A host that closes the input during a choice is no error.
        assert_eq!((out, ended.status.code()), (expected, Some(0)), "{lines:?}: {err}");
        assert!(err.contains("first of all") && !err.contains("Exception"), "{err}");
    };
    let header = "sandboard 1\ngame gomoku freestyle-5\nseed 1\noption what\nbegin\n";
    check(header, "ready\n");
    check(&format!("{header}choose"), "ready\n");
    check(&format!("{header}choose\n"), "ready\nlegal\n");
    check(&format!("{header}choose\nlegal a1 a2"), "ready\nlegal\n");
    check(&format!("{header}choose\nstop\nlegal a2 a1\nping\n"), "ready\nlegal\nplay a2\npong\n");
}

#[test]
fn concurrent_builds_of_one_folder_are_independent() {
    let there = tempfile::tempdir().unwrap();
    let (folder, scratch) = (there.path().join("java-simple"), there.path().join("scratch"));
    copy_sample(&folder);
    let programs = std::thread::scope(|scope| {
        let builds: Vec<_> =
            (0..3).map(|_| scope.spawn(|| program_of(&folder, &scratch))).collect();
        builds.into_iter().map(|build| build.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(programs.iter().all(|program| *program == programs[0]), "they differ");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "nothing is left");
}

/// Replaces a text by one of the same length in a program, except after `but`.
fn patched(program: &[u8], from: &str, to: &str, but: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = program.to_vec();
    let places = program.windows(from.len()).enumerate().filter(|(_, it)| *it == from.as_bytes());
    for (at, _) in
        places.filter(|(at, _)| but.is_empty() || !program[..*at].ends_with(but.as_bytes()))
    {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    assert!(bytes != program, "no {from} in it");
    bytes
}

#[test]
fn another_virtual_machine_of_the_system_is_used() {
    let there = tempfile::tempdir().unwrap();
    let folder = there.path().join("java-simple");
    copy_sample(&folder);
    let built = program_of(&folder, &there.path().join("scratch"));
    let run = |bytes: &[u8]| {
        let file = there.path().join("engine");
        place(bytes, &file);
        let ended = run_on(&file, "sandboard 1\ndescribe\n");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(ended.stdout), text(ended.stderr), ended.status.code())
    };
    let described = |(out, err, _): (String, String, _)| {
        assert!(out.starts_with("id java-simple\n") && out.ends_with("described\n"), "{err}");
    };
    described(run(&built));
    // Without the virtual machine of the build, the others are tried by their paths.
    let gone = patched(&built, "/server/libjvm.so", "/surver/libjvm.so", "%s/lib");
    described(run(&gone));
    // Without any virtual machine the start fails.
    let (out, err, code) = run(&patched(&gone, "/usr/lib/jvm/*", "/usr/lib/jvm/!", ""));
    assert_eq!((out.as_str(), code), ("", Some(3)));
    for words in [
        "the Java virtual machine does not start: ",
        "/surver/libjvm.so: cannot open shared object file",
        "no other of Java 17 or newer is in /usr/lib/jvm/!",
    ] {
        assert!(err.contains(words), "no {words:?} in {err}");
    }
}

#[test]
fn invalid_java_engines_are_refused_by_the_build() {
    let home = TestHome::without_engines();
    home.succeed(&["new", "mine", "--lang", "java"], "");
    let check = |text: &str, expected: &[&str]| {
        std::fs::write(home.file("mine/Engine.java"), text).unwrap();
        let ended = home.run(&["build", "mine", "--into", "packs"], "");
        assert_eq!(ended.code, Some(1), "{text}: {}", ended.err);
        for words in expected {
            assert!(ended.err.contains(words), "{text}: no {words:?} in {}", ended.err);
        }
        assert!(!home.file("packs/mine").exists(), "{text}: the failed build left a pack");
    };
    let hint = "(does the source have `Sandboard.play(…)` in the main function of Engine.java?)";
    check("class Engine {", &["Engine.java:1: error: ", "javac", "failed"]);
    check("class Engine {}", &["java.lang.NoSuchMethodError: ", hint]);
    check("package mine; class Engine {}", &["java.lang.ClassNotFoundException: Engine", hint]);
    let main =
        |body: &str| format!("class Engine {{ public static void main(String[] a) {{ {body} }} }}");
    check(&main("return;"), &["ended its process before it answered (exit status 0)", hint]);
    let printed = "(exit status 0); its last output: 1 ";
    check(&main("System.out.println(1);"), &[printed, hint]);
    let to_the_host = "new java.io.FileOutputStream(java.io.FileDescriptor.out)";
    check(
        &main(&format!("new java.io.PrintStream({to_the_host}).println(1);")),
        &["printed an invalid line of the sandboard protocol: `1`"],
    );
    check(&main("int[] b = {}; b[1] = 2;"), &["ArrayIndexOutOfBoundsException", hint]);
}

#[test]
fn one_layer_that_protects_files_is_enough() {
    let there = tempfile::tempdir().unwrap();
    let folder = there.path().join("java-simple");
    copy_sample(&folder);
    // The description needs the virtual machine's configuration, which is in another folder than
    // its libraries.
    let digest = "digest() { try {
            byte[] nothing = java.security.MessageDigest.getInstance(\"SHA-256\").digest();
            return java.util.HexFormat.of().formatHex(nothing, 0, 4);
        } catch (java.security.NoSuchAlgorithmException error) { return error.toString(); } }";
    let text = std::fs::read_to_string(folder.join("Engine.java")).unwrap();
    let text = text.replacen("\"0.1.0\"", "digest()", 1);
    let main = "    public static void main";
    let text = text.replacen(main, &format!("    private static String {digest}\n\n{main}"), 1);
    std::fs::write(folder.join("Engine.java"), text).unwrap();
    let bytes = program_of(&folder, &there.path().join("scratch"));
    let protocol_config =
        ProtocolConfig { protocol: Protocol::Sandboard, ..ProtocolConfig::default() };
    let caps = Caps { memory_bytes: 384 << 20, start_us: 60_000_000, ..Caps::default() };
    let unknown = Description::default();
    for without in [Layer::MountNamespace, Layer::Landlock] {
        let processes: Arc<EngineProcesses> =
            EngineProcesses::new(binary(), CompileLimits::EVERYDAY, &[without]);
        let source = ExternalSource::new(
            &processes,
            &bytes,
            &unknown,
            &protocol_config,
            caps,
            &Resources::default(),
        );
        // If the machine lacks the other layer, no program runs.
        if let Ok(source) = source {
            let described = source.describe().map(|it| it.version);
            assert_eq!(described.as_deref(), Ok("e3b0c442"), "without {without:?}");
        }
    }
}
