//! Jailed processes of the real binary: what they may do, how they end, what they leave behind. The
//! acts are those of the binary's own probe.

mod acts;
mod doctor;
mod ends;
mod limits;
mod memory_cgroups;
pub(crate) mod traces;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use sandboard_jail::probe::ProbeResult;
use sandboard_jail::{Jail, JailedProcess, Layer, Role, SpawnRequest};

use crate::cli::binary;

const ROLES: [Role; 3] = [Role::Native, Role::Wasm, Role::Compile];
const MIB: u64 = 1 << 20;
/// Longer than any machine needs to end a process.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Sets of layers that a machine may lack.
fn combinations() -> [Vec<Layer>; 5] {
    let namespaces = Layer::NAMESPACES.to_vec();
    [
        vec![],
        namespaces.clone(),
        vec![Layer::Landlock],
        vec![Layer::OwnUid, Layer::PidNamespace],
        [namespaces, vec![Layer::Landlock, Layer::OwnUid, Layer::MemoryCgroup]].concat(),
    ]
}

/// Starts a jail without these layers.
fn jail(without: &[Layer]) -> Jail {
    let jail = Jail::start_without(&binary(), without).expect("this system has a jail");
    for layer in without {
        assert!(!jail.layers().has(*layer), "{without:?}: {:?}", jail.layers());
    }
    jail
}

fn spawn_request(role: Role) -> SpawnRequest {
    let (cpu_s, files, program) = (None, Vec::new(), None);
    SpawnRequest { role, memory_bytes: 64 * MIB, cpu_s, file_bytes: 0, files, program }
}

fn probe(jail: &Jail, role: Role) -> JailedProcess {
    jail.spawn_probe(spawn_request(role)).expect("there is room for a process")
}

fn send(process: &JailedProcess, act: &str) {
    writeln!(&process.channel, "{act}").expect("the probe reads");
}

/// The result of an act tried by a probe; `None` if the probe ended.
fn try_act(process: &JailedProcess, act: &str) -> Option<ProbeResult> {
    send(process, act);
    let mut line = String::new();
    // The probe sends only this line.
    BufReader::new(&process.channel).read_line(&mut line).unwrap_or(0);
    serde_json::from_str(&line).ok()
}

/// The output of an act that must succeed.
fn output_of(process: &JailedProcess, act: &str) -> String {
    let tried = try_act(process, act).unwrap_or_else(|| panic!("{act} ended the probe"));
    assert_eq!(tried.refused, None, "{tried:?}");
    tried.words
}

/// Runs all jail tests again as an ordinary user, without capabilities and, on most machines, with
/// a user namespace.
#[test]
fn all_tests_pass_as_an_ordinary_user() {
    let own = std::fs::metadata("/proc/self").expect("there is /proc");
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        // This process is an ordinary user already.
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
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(!text.contains("running 0 tests"), "{text}");
}
