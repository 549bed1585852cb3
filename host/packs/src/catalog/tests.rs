//! Scans of engines folders with valid and invalid content.

mod find;
mod games;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::module::fixtures::{SHARED, component, dll, elf, this_machine};
use super::*;
use crate::manifest::FILE_NAME;
use sandboard_common::hex::sha256_hex;

/// Makes an engines folder with these files. A name that ends in `/` is a folder.
pub(super) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match name.ends_with('/') {
            true => fs::create_dir_all(path).unwrap(),
            false => fs::write(path, bytes).unwrap(),
        }
    }
    dir
}

/// The folder's entries, one line each: `source:line id version`, then `usable` or the faults.
pub(super) fn list_entries(dir: &Path) -> Vec<String> {
    let line = |entry: &Entry| {
        let place = entry.line.map_or(String::new(), |line| format!(":{line}"));
        let faults: Vec<String> = entry.faults().iter().map(PackFault::to_string).collect();
        let status = if entry.is_usable() { "usable".into() } else { faults.join(" | ") };
        format!("{}{place} {} {}: {status}", entry.source.display(), entry.id, entry.version)
    };
    Catalog::scan(dir, &GameLoader::default()).unwrap().entries.iter().map(line).collect()
}

/// Checks the entries of a folder with these files.
pub(super) fn check(files: &[(&str, &[u8])], wanted: &[&str]) {
    assert_eq!(list_entries(folder(files).path()), wanted);
}

/// A manifest with these engines, each as `id version other-attributes|elements`.
pub(super) fn manifest(engines: &[&str]) -> Vec<u8> {
    let mut text = "<EngineConfigs abi=\"1\">\n".to_owned();
    for engine in engines {
        let (tag, inner) = engine.split_once('|').unwrap_or((engine, ""));
        let [id, version, rest] = tag.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!() };
        text += &format!(
            "<Engine id=\"{id}\" version=\"{version}\" {rest}><Game id=\"gomoku\"/>{inner}</Engine>\n"
        );
    }
    (text + "</EngineConfigs>\n").into_bytes()
}

pub(super) const WASM: &str = "kind=\"wasm\" module=\"m.wasm\"";

#[test]
fn packs_and_bare_modules_are_listed() {
    let wasm = component(1, "");
    let dir = folder(&[
        ("EngineConfigs.xml", &manifest(&["top 1.0 kind=\"wasm\" module=\"top.wasm\""])),
        ("top.wasm", &wasm),
        ("pack/EngineConfigs.xml", &manifest(&[&format!("a 1 {WASM}"), &format!("b 1 {WASM}")])),
        ("pack/m.wasm", &wasm),
        ("pack/unlisted.wasm", b"not read"),
        ("one-two-1.2.gomoku.wasm", &wasm),
        ("README.md", b"words"),
        (".hidden.wasm", b""),
        ("docs/notes.txt", b"words"),
        ("deep/er/EngineConfigs.xml", b"<not read"),
    ]);
    assert_eq!(
        list_entries(dir.path()),
        [
            "EngineConfigs.xml:2 top 1.0: usable",
            "one-two-1.2.gomoku.wasm one-two 1.2: usable",
            "pack/EngineConfigs.xml:2 a 1: usable",
            "pack/EngineConfigs.xml:3 b 1: usable",
        ]
    );
    let catalog = Catalog::scan(dir.path(), &GameLoader::default()).unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let [top, bare, a, _] = &catalog.entries[..] else { panic!() };
    assert_eq!((&top.root, &top.module), (&root, &root.join("top.wasm")));
    assert_eq!((&a.root, &a.module), (&root.join("pack"), &root.join("pack/m.wasm")));
    assert_eq!((a.sha256.as_str(), a.abi), (sha256_hex(&wasm).as_str(), Some(1)));
    assert_eq!((bare.entry_kind, bare.options_complete), (EntryKind::BareModule, false));
    assert!(!bare.games[0].variants.is_empty() && !bare.needs_trust());
}

#[test]
fn bare_module_names_are_parsed() {
    let wasm = component(1, "");
    let rule = bare_module::NAMING_HINT;
    check(
        &[
            ("a-1.0.gomku.wasm", &wasm),
            ("a-1.0.nosuchgame.wasm", &wasm),
            ("A-1.0.gomoku.wasm", &wasm),
            ("a.gomoku.wasm", &wasm),
            ("foo.wasm", b""),
            ("human-1.gomoku.wasm", &wasm),
            ("x-1.gomoku.cwasm", &wasm),
            ("y-1.0-rc.1.gomoku.WASM", &wasm),
        ],
        &[
            &format!(
                "A-1.0.gomoku.wasm A-1.0.gomoku.wasm : A-1.0.gomoku.wasm: `A` is not an id: \
                 lower-case letters, digits, `-`, `_`, `.`; a letter or digit first; 1 to 64 \
                 bytes; {rule}"
            ),
            &format!(
                "a-1.0.gomku.wasm a-1.0.gomku.wasm : a-1.0.gomku.wasm: unknown game `gomku` in \
                 its name, did you mean `gomoku`?; {rule}"
            ),
            &format!(
                "a-1.0.nosuchgame.wasm a-1.0.nosuchgame.wasm : a-1.0.nosuchgame.wasm: unknown \
                 game `nosuchgame` in its name; {rule}"
            ),
            &format!(
                "a.gomoku.wasm a.gomoku.wasm : a.gomoku.wasm: its name has no version; {rule}"
            ),
            &format!(
                "foo.wasm foo.wasm : foo.wasm: its name has no game; {rule} | foo.wasm: is empty"
            ),
            &format!(
                "human-1.gomoku.wasm human-1.gomoku.wasm : human-1.gomoku.wasm: the id `human` is \
                 reserved; {rule}"
            ),
            "x-1.gomoku.cwasm x-1.gomoku.cwasm : x-1.gomoku.cwasm: a precompiled `.cwasm` is \
             never loaded; use the `.wasm` that it was compiled from",
            "y-1.0-rc.1.gomoku.WASM y 1.0-rc.1: usable",
        ],
    );
}

#[test]
fn native_modules_are_inspected() {
    let library = elf(this_machine(), SHARED, &["sandboard_engine_v1"]);
    let here = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let dir = folder(&[
        ("a-1.gomoku.so", &library),
        ("b-1.gomoku.dll", &dll(&["sandboard_engine_v1"])),
        ("c-1.gomoku.dylib", b"no library at all"),
    ]);
    if cfg!(target_os = "linux") {
        assert_eq!(
            list_entries(dir.path()),
            [
                "a-1.gomoku.so a 1: usable".to_owned(),
                format!(
                    "b-1.gomoku.dll b 1: b-1.gomoku.dll: is a Windows x86_64 library; this host runs \
                 {here}"
                ),
                "c-1.gomoku.dylib c 1: c-1.gomoku.dylib: is not a native library, but a file \
             of unknown type"
                    .to_owned(),
            ]
        );
        assert!(
            Catalog::scan(dir.path(), &GameLoader::default()).unwrap().entries[0].needs_trust()
        );
    }
}

#[test]
fn files_of_a_pack_are_checked() {
    let (wasm, book) = (component(1, ""), b"moves".as_slice());
    let (hash, book_hash) = (sha256_hex(&wasm), sha256_hex(book));
    let wrong = "0".repeat(64);
    let good = format!(
        "a 1 {WASM} sha256=\"{}\"|<Asset name=\"book\" path=\"d/book\" sha256=\"{book_hash}\"/>",
        hash.to_uppercase()
    );
    let place = "p/EngineConfigs.xml:2 a 1";
    let at = "p/EngineConfigs.xml:2: ";
    let check_changed = |from: &str, to: &str, module: &[u8], expected: &str| {
        assert!(good.contains(from));
        let engine = good.replacen(from, to, 1);
        let other = format!("z 1 {WASM}");
        check(
            &[
                ("p/EngineConfigs.xml", &manifest(&[&engine])),
                ("p/m.wasm", module),
                ("p/d/book", book),
                ("q/EngineConfigs.xml", &manifest(&[&other])),
                ("q/m.wasm", &wasm),
            ],
            &[&format!("{place}: {expected}"), "q/EngineConfigs.xml:2 z 1: usable"],
        );
    };
    check_changed("", "", &wasm, "usable");
    let hash_2 = sha256_hex(&component(2, ""));
    check_changed(
        "",
        "",
        &component(2, ""),
        &format!(
            "{at}Engine/@module: `m.wasm`: built for ABI 2; this host speaks ABI 1 | \
         {at}Engine/@sha256: wrong hash: the file has {hash_2}, the manifest says {}",
            hash.to_uppercase()
        ),
    );
    check_changed(
        "\"m.wasm\"",
        "\"n.wasm\"",
        &wasm,
        &format!("{at}Engine/@module: `n.wasm`: no such file; did you mean `m.wasm`?"),
    );
    check_changed(
        "\"m.wasm\"",
        "\"d\"",
        &wasm,
        &format!("{at}Engine/@module: `d`: is a folder, not a file"),
    );
    check_changed(
        "\"m.wasm\"",
        "\"m.wasm/x\"",
        &wasm,
        &format!("{at}Engine/@module: `m.wasm/x`: no such file"),
    );
    check_changed(
        "d/book",
        "d/bok",
        &wasm,
        &format!("{at}Asset/@path: `d/bok`: no such file; did you mean `book`?"),
    );
    check_changed(
        &book_hash,
        &wrong,
        &wasm,
        &format!(
            "{at}Asset/@sha256: wrong hash: the file has {book_hash}, the manifest says {wrong}"
        ),
    );
    check_changed(
        "kind=\"wasm\"",
        "kind=\"native\"",
        &wasm,
        &format!(
            "{at}Engine/@module: `m.wasm`: is not a native library, but a WebAssembly component"
        ),
    );
}

#[test]
fn a_faulty_engine_affects_only_itself_and_a_faulty_manifest_all_engines() {
    let wasm = component(1, "");
    let engines = [&format!("a 1 {WASM} nmae=\"x\""), &format!("b 1 {WASM}")];
    let text = manifest(&engines.map(String::as_str));
    let fault = "p/EngineConfigs.xml:2: Engine/@nmae: unknown attribute; did you mean `name`?";
    check(
        &[("p/EngineConfigs.xml", &text), ("p/m.wasm", &wasm)],
        &[&format!("p/EngineConfigs.xml:2 a 1: {fault}"), "p/EngineConfigs.xml:3 b 1: usable"],
    );
    let cut = &text[..text.len() - 5];
    let whole = "p/EngineConfigs.xml:4: malformed XML: tag not closed: `>` not found before end \
                 of input; nothing after this was read";
    let refused = format!("p/EngineConfigs.xml: the whole manifest is rejected: {whole}");
    check(
        &[("p/EngineConfigs.xml", cut), ("p/m.wasm", &wasm), ("q-1.gomoku.wasm", &wasm)],
        &[
            &format!("p/EngineConfigs.xml p : {whole}"),
            &format!("p/EngineConfigs.xml:2 a 1: {fault} | {refused}"),
            &format!("p/EngineConfigs.xml:3 b 1: {refused}"),
            "q-1.gomoku.wasm q 1: usable",
        ],
    );
}

#[test]
fn misplaced_manifests_are_reported() {
    let large = vec![b' '; 10 << 20];
    let wasm = component(1, "");
    check(
        &[
            ("a/EngineConfigs.xml", &large),
            ("b/EngineConfigs.xml/", b""),
            ("c/engineconfigs.xml", b""),
            ("d/m.wasm", &wasm),
            ("EngineConfig.xml", b""),
        ],
        &[
            "EngineConfigs.xml EngineConfigs.xml : EngineConfigs.xml: `EngineConfig.xml` is \
             ignored; the manifest must be named `EngineConfigs.xml`",
            "a/EngineConfigs.xml a : a/EngineConfigs.xml: is 10485760 bytes; a manifest may have \
             at most 1048576",
            "b/EngineConfigs.xml b : b/EngineConfigs.xml: is a folder, not a file",
            "c c : c: `engineconfigs.xml` is ignored; the manifest must be named \
             `EngineConfigs.xml`",
            "d d : d: has `m.wasm`, but no `EngineConfigs.xml`; add one, or move the module up \
             into the engines folder",
        ],
    );
    let error = Catalog::scan(Path::new("/no/such/folder"), &GameLoader::default())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("the engines folder /no/such/folder cannot be read: "), "{error}");
}

#[test]
fn too_many_candidates_are_reported() {
    let dir = folder(&[]);
    for number in 0..CANDIDATES_MAX + 2 {
        fs::write(dir.path().join(format!("{number:05}.cwasm")), b"").unwrap();
    }
    let found = list_entries(dir.path());
    assert_eq!(found.len(), CANDIDATES_MAX + 1);
    assert_eq!(
        found[CANDIDATES_MAX],
        ". . : .: has too many packs and modules: the first 4096 were read, at least 2 were not"
    );
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_refused() {
    use std::os::unix::fs::symlink;
    let wasm = component(1, "");
    let outside = folder(&[("m.wasm", &wasm), ("EngineConfigs.xml", &manifest(&[]))]);
    let dir = folder(&[
        ("p/EngineConfigs.xml", &manifest(&[&format!("a 1 {WASM}")])),
        ("q/EngineConfigs.xml", &manifest(&["b 1 kind=\"wasm\" module=\"d/m.wasm\""])),
        ("r/EngineConfigs.xml", &manifest(&["c 1 kind=\"wasm\" module=\"link.wasm\""])),
        ("r/m.wasm", &wasm),
        ("s/x", b""),
    ]);
    let (here, there) = (dir.path(), outside.path());
    symlink(there.join("m.wasm"), here.join("p/m.wasm")).unwrap();
    symlink(there, here.join("q/d")).unwrap();
    symlink("m.wasm", here.join("r/link.wasm")).unwrap();
    symlink(there.join(FILE_NAME), here.join("s").join(FILE_NAME)).unwrap();
    symlink(there, here.join("t")).unwrap();
    symlink(there.join("m.wasm"), here.join("u-1.gomoku.wasm")).unwrap();
    symlink("nothing", here.join("v-1.gomoku.wasm")).unwrap();
    symlink("v-2.gomoku.wasm", here.join("v-2.gomoku.wasm")).unwrap();
    let found = list_entries(here);
    assert_eq!(
        found[..7],
        [
            "p/EngineConfigs.xml:2 a 1: p/EngineConfigs.xml:2: Engine/@module: `m.wasm`: is a link \
         that leads out of the pack",
            "q/EngineConfigs.xml:2 b 1: q/EngineConfigs.xml:2: Engine/@module: `d/m.wasm`: is a \
         link that leads out of the pack",
            "r/EngineConfigs.xml:2 c 1: usable",
            "s/EngineConfigs.xml s : s/EngineConfigs.xml: is a link that leads out of the pack",
            "t t : t: is a link that leads out of the engines folder",
            "u-1.gomoku.wasm u 1: u-1.gomoku.wasm: is a link that leads out of the pack",
            "v-1.gomoku.wasm v 1: v-1.gomoku.wasm: is a dangling link",
        ]
    );
    assert!(found[7].starts_with("v-2.gomoku.wasm v 2: v-2.gomoku.wasm: cannot be accessed: "));
}

#[cfg(unix)]
#[test]
fn special_files_and_invalid_names_are_reported() {
    use std::os::unix::ffi::OsStrExt;
    let dir = folder(&[]);
    let name = std::ffi::OsStr::from_bytes(b"\xff-1.gomoku.wasm");
    fs::write(dir.path().join(name), component(1, "")).unwrap();
    // The socket represents all files that are not regular.
    let _socket =
        std::os::unix::net::UnixListener::bind(dir.path().join("s-1.gomoku.wasm")).unwrap();
    fs::write(dir.path().join("\u{1b}[2J-1.gomoku.wasm"), b"").unwrap();
    let catalog = Catalog::scan(dir.path(), &GameLoader::default()).unwrap();
    let [escape, socket, odd] = &catalog.entries[..] else { panic!("{catalog:?}") };
    assert_eq!(escape.id, "\\u{1b}[2J-1.gomoku.wasm");
    assert!(!escape.faults()[0].to_string().contains('\u{1b}'));
    assert_eq!(socket.faults()[0].to_string(), "s-1.gomoku.wasm: is not a regular file");
    assert!(odd.faults()[0].to_string().contains("its name is not UTF-8; name it"));
    serde_json::to_string(&catalog).unwrap();
}
