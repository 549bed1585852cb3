//! Gives advice about a layer of the jail that a machine lacks. Reads settings of the system,
//! changes none.

use std::path::Path;

use sandboard_jail::Layer;

/// The settings of a machine that affect the layers.
#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    /// The system and its version, for people.
    pub system: String,
    is_linux: bool,
    is_root: bool,
    in_container: bool,
    /// `kernel.unprivileged_userns_clone`, if the kernel has it.
    unprivileged_userns_clone: Option<u64>,
    /// `user.max_user_namespaces`, if the kernel has it.
    max_user_namespaces: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, if the kernel has it.
    apparmor_restricts: Option<u64>,
}

impl Machine {
    /// The settings of this machine.
    pub(super) fn look() -> Self {
        let setting = |name: &str| {
            let path = Path::new("/proc/sys").join(name);
            std::fs::read_to_string(path).ok()?.trim().parse().ok()
        };
        Self {
            system: system(),
            is_linux: cfg!(target_os = "linux"),
            is_root: is_root(),
            in_container: ["/.dockerenv", "/run/.containerenv"]
                .iter()
                .any(|it| Path::new(it).exists()),
            unprivileged_userns_clone: setting("kernel/unprivileged_userns_clone"),
            max_user_namespaces: setting("user/max_user_namespaces"),
            apparmor_restricts: setting("kernel/apparmor_restrict_unprivileged_userns"),
        }
    }

    /// How to get this layer, if it is missing.
    pub(super) fn advice(&self, layer: Layer) -> Vec<String> {
        if !self.is_linux {
            return vec!["run sandboard on Linux, in a virtual machine for example".to_owned()];
        }
        let advice: Vec<&str> = match layer {
            Layer::Seccomp | Layer::Rlimits => {
                vec!["Linux 5.3 or newer with CONFIG_SECCOMP_FILTER, on x86-64 or aarch64"]
            }
            Layer::Landlock => self.for_landlock(),
            Layer::OwnUid if self.is_root && self.in_container => {
                vec!["give the container --cap-add SETUID --cap-add SETGID"]
            }
            Layer::OwnUid if self.is_root => vec!["let root keep CAP_SETUID and CAP_SETGID"],
            Layer::OwnUid => vec!["run the host as root; contests do not need it"],
            Layer::MemoryCgroup => self.for_memory_cgroup(),
            _ => self.for_namespaces(),
        };
        advice.into_iter().map(str::to_owned).collect()
    }

    fn for_landlock(&self) -> Vec<&'static str> {
        let mut advice = vec![
            "Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK",
            "`landlock` in the kernel's parameter lsm=… (/sys/kernel/security/lsm shows it)",
        ];
        if self.in_container {
            advice.push("a seccomp profile of the container that allows landlock_restrict_self");
        }
        advice
    }

    fn for_memory_cgroup(&self) -> Vec<&'static str> {
        vec![match (self.in_container, self.is_root) {
            (true, _) => {
                "limit the memory of the container (docker run --memory); contests do not need it"
            }
            (false, true) => {
                "with systemd, start the host by `systemd-run --scope sandboard …`; contests do \
                 not need it"
            }
            (false, false) => {
                "with systemd, start the host by `systemd-run --user --scope sandboard …`; \
                 contests do not need it"
            }
        }]
    }

    fn for_namespaces(&self) -> Vec<&'static str> {
        let mut advice = Vec::new();
        if !self.is_root {
            if self.unprivileged_userns_clone == Some(0) {
                advice.push("sysctl kernel.unprivileged_userns_clone=1");
            }
            if self.apparmor_restricts.is_some_and(|value| value > 0) {
                advice.push(
                    "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile of \
                     AppArmor for sandboard that allows `userns`",
                );
            }
        }
        if self.max_user_namespaces == Some(0) {
            advice.push("sysctl user.max_user_namespaces=10000");
        }
        if self.in_container {
            advice.push(
                "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined, \
                 or --cap-add SYS_ADMIN",
            );
        }
        if advice.is_empty() {
            advice.push(match self.is_root {
                true => "let root keep CAP_SYS_ADMIN",
                false => "run the host as root, or allow user namespaces to its user",
            });
        }
        advice
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(unix)]
fn system() -> String {
    let name = rustix::system::uname();
    let part = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    [part(name.sysname()), part(name.release()), part(name.machine())].join(" ")
}

#[cfg(not(unix))]
fn system() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(machine: Machine, layer: Layer, expected: &str, not: &str) {
        let machine = Machine { is_linux: true, ..machine };
        let advice = machine.advice(layer).join("; ");
        assert!(advice.contains(expected), "{machine:?} {layer:?}: {advice}");
        assert!(not.is_empty() || !advice.contains(not), "{machine:?} {layer:?}: {advice}");
    }

    #[test]
    fn advice_fits_the_machine() {
        let plain = Machine::default();
        let root = Machine { is_root: true, ..plain.clone() };
        let inside = Machine { in_container: true, ..root.clone() };
        let pid = Layer::PidNamespace;
        check(plain.clone(), pid, "as root", "docker");
        check(inside.clone(), pid, "--cap-add SYS_ADMIN", "as root");
        let debian = |value| Machine { unprivileged_userns_clone: Some(value), ..plain.clone() };
        check(debian(0), pid, "unprivileged_userns_clone=1", "as root");
        check(debian(1), pid, "as root", "userns_clone");
        let ubuntu = |value| Machine { apparmor_restricts: Some(value), ..plain.clone() };
        check(ubuntu(1), pid, "apparmor_restrict_unprivileged_userns=0", "as root");
        check(ubuntu(0), pid, "as root", "apparmor");
        let none = |value| Machine { max_user_namespaces: Some(value), ..root.clone() };
        check(none(0), pid, "user.max_user_namespaces", "as root");
        check(none(10), pid, "CAP_SYS_ADMIN", "max_user_namespaces");
        check(inside.clone(), Layer::OwnUid, "--cap-add SETUID", "");
        check(root, Layer::OwnUid, "CAP_SETUID", "--cap-add");
        check(plain.clone(), Layer::OwnUid, "as root", "CAP_");
        check(inside, Layer::Landlock, "profile", "");
        check(plain.clone(), Layer::Landlock, "lsm=", "profile");
        check(plain, Layer::Seccomp, "CONFIG_SECCOMP_FILTER", "lsm");
        let cgroup = Layer::MemoryCgroup;
        let root = Machine { is_root: true, ..Machine::default() };
        check(Machine::default(), cgroup, "systemd-run --user --scope", "docker");
        check(root.clone(), cgroup, "systemd-run --scope", "--user");
        check(Machine { in_container: true, ..root }, cgroup, "docker run --memory", "systemd");
        let elsewhere = Machine::default().advice(Layer::Seccomp).join("");
        assert!(elsewhere.contains("on Linux"), "{elsewhere}");
    }
}
