//! Jailed processes, made by the real binary: what they may do, how they end, what they
//! leave behind. The probe that tries things is the binary's own.

mod acts;
mod doctor;
mod ends;
mod limits;
pub mod traces;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use sandboard_host::jail::probe::Tried;
use sandboard_host::jail::{Inmate, Jail, Layer, Order, Role};

use crate::cli::binary;

const ROLES: [Role; 3] = [Role::Native, Role::Wasm, Role::Compile];
const MIB: u64 = 1 << 20;
/// Longer than any machine needs to end a process.
const PATIENCE: Duration = Duration::from_secs(60);

/// What machines may lack, as lists of layers to do without.
fn combinations() -> [Vec<Layer>; 5] {
    let namespaces = Layer::NAMESPACES.to_vec();
    [
        vec![],
        namespaces.clone(),
        vec![Layer::Landlock],
        vec![Layer::OwnUid, Layer::PidNamespace],
        [namespaces, vec![Layer::Landlock, Layer::OwnUid]].concat(),
    ]
}

/// A jail that lacks what it is told to do without, and says so.
fn jail(without: &[Layer]) -> Jail {
    let jail = Jail::start_without(&binary(), without).expect("this system has a jail");
    for layer in without {
        assert!(!jail.layers().has(*layer), "{without:?}: {:?}", jail.layers());
    }
    jail
}

fn order(role: Role) -> Order {
    let (cpu_s, files, program) = (None, Vec::new(), None);
    Order { role, memory_bytes: 64 * MIB, cpu_s, file_bytes: 0, files, program }
}

fn probe(jail: &Jail, role: Role) -> Inmate {
    jail.spawn_probe(order(role)).expect("there is room for a process")
}

fn tell(inmate: &Inmate, act: &str) {
    writeln!(&inmate.channel, "{act}").expect("the probe reads");
}

/// What came of an act, tried by a probe; none: the probe ended.
fn try_act(inmate: &Inmate, act: &str) -> Option<Tried> {
    tell(inmate, act);
    let mut line = String::new();
    // It says nothing but this answer.
    BufReader::new(&inmate.channel).read_line(&mut line).unwrap_or(0);
    serde_json::from_str(&line).ok()
}

/// The words of an act that must succeed.
fn words(inmate: &Inmate, act: &str) -> String {
    let tried = try_act(inmate, act).unwrap_or_else(|| panic!("{act} ended the probe"));
    assert_eq!(tried.refused, None, "{tried:?}");
    tried.words
}

/// Everything once more as an ordinary user, who has no capability and, for most machines,
/// a namespace of users.
#[test]
fn all_of_it_holds_for_an_ordinary_user() {
    let own = std::fs::metadata("/proc/self").expect("there is /proc");
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        // It is one already: the other tests are what this would run.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let copy = |path: PathBuf| {
        let to = folder.path().join(path.file_name().unwrap());
        std::fs::copy(path, &to).unwrap();
        to
    };
    copy(binary());
    let test = copy(std::env::current_exe().unwrap());
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]);
    command
        .arg(test)
        .args(["jail::", "--skip", "ordinary_user", "--skip", "the_page"])
        .current_dir("/");
    command.env_remove("RUST_LOG").env("TMPDIR", "/tmp");
    let output = command.output().expect("setpriv of util-linux is there");
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{complaint}");
    assert!(!text.contains("running 0 tests"), "{text}");
}
