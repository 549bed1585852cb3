//! Finds the folder in which the host can make memory cgroups, by what the kernel says about mounts
//! and about the cgroups of the host. Makes no folder, and moves no process.

use std::borrow::Cow;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::messages::CgroupVersion;

const MEMORY: &str = "memory";
/// Limits of the host's own cgroup, and what their files contain if there is no limit. Processes in
/// a cgroup beside that of the host would not count towards them.
const OWN_LIMITS: [(&str, &str); 4] =
    [("memory.max", "max"), ("memory.high", "max"), ("cpu.max", "max"), ("cpuset.cpus", "")];

/// The folder in which the host makes the cgroups of its processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CgroupLocation {
    pub(super) version: CgroupVersion,
    pub(super) parent: PathBuf,
}

impl CgroupLocation {
    /// Finds the folder by the texts of `/proc/self/mountinfo` and `/proc/self/cgroup`. `root`:
    /// where the mounts are, which is `/` except in tests. Err: why there is none.
    pub(super) fn find(root: &Path, mountinfo: &str, own_cgroups: &str) -> Result<Self, String> {
        let hierarchies = || own_cgroups.lines().filter_map(Hierarchy::parse);
        if let Some(it) = hierarchies().find(|it| it.controllers.contains(&MEMORY)) {
            let parent = folder_of(root, mountinfo, &it)?;
            return Ok(Self { version: CgroupVersion::V1, parent });
        }
        let unified = hierarchies().find(|it| it.number == "0" && it.controllers.is_empty());
        let unified =
            unified.ok_or("/proc/self/cgroup names no cgroup that can limit memory".to_owned())?;
        let own = folder_of(root, mountinfo, &unified)?;
        let parent = parent_of_version_2(&own)?;
        Ok(Self { version: CgroupVersion::V2, parent })
    }
}

/// In version 2, a cgroup with processes gives no controller to the cgroups below it, except for
/// the root. So the cgroups of the processes are usually beside that of the host.
fn parent_of_version_2(own: &Path) -> Result<PathBuf, String> {
    let gives_memory = |folder: &Path| {
        let enabled = fs::read_to_string(folder.join("cgroup.subtree_control"));
        enabled.is_ok_and(|it| it.split_ascii_whitespace().any(|word| word == MEMORY))
    };
    if gives_memory(own) {
        return Ok(own.to_owned());
    }
    let above = own.parent().filter(|parent| gives_memory(parent)).ok_or_else(|| {
        let own = own.display();
        format!(
            "`memory` is neither in {own}/cgroup.subtree_control nor in that of the folder above"
        )
    })?;
    for (name, unlimited) in OWN_LIMITS {
        let path = own.join(name);
        // A controller that is not enabled has no file, and no limit.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if text.split_ascii_whitespace().next().unwrap_or_default() != unlimited {
            let path = path.display();
            return Err(format!(
                "processes in a cgroup of their own would leave the limit in {path}"
            ));
        }
    }
    Ok(above.to_owned())
}

/// A line of `/proc/self/cgroup`: a hierarchy, and the host's cgroup in it.
struct Hierarchy<'a> {
    number: &'a str,
    /// Empty in version 2.
    controllers: Vec<&'a str>,
    path: &'a str,
}

impl<'a> Hierarchy<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (number, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let controllers = controllers.split(',').filter(|it| !it.is_empty()).collect();
        Some(Self { number, controllers, path })
    }
}

/// A line of `/proc/self/mountinfo`: a mounted hierarchy of cgroups.
struct Mount<'a> {
    /// The cgroup that is mounted.
    cgroup: Cow<'a, str>,
    /// The folder at which it is mounted.
    point: Cow<'a, str>,
    file_system: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        // The number of fields before the hyphen varies.
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(3);
        let (cgroup, point) = (left.next().map(unescape)?, left.next().map(unescape)?);
        let mut right = right.split(' ');
        let (file_system, options) = (right.next()?, right.nth(1)?);
        Some(Self { cgroup, point, file_system, options })
    }

    fn is_of(&self, hierarchy: &Hierarchy) -> bool {
        match hierarchy.controllers.is_empty() {
            true => self.file_system == "cgroup2",
            false => self.file_system == "cgroup" && self.options.split(',').any(|it| it == MEMORY),
        }
    }
}

/// Replaces the escapes of the kernel, such as `\040` for a blank.
fn unescape(field: &str) -> Cow<'_, str> {
    if !field.contains('\\') {
        return Cow::Borrowed(field);
    }
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    let replace = |text: String, (escape, plain): (&str, &str)| text.replace(escape, plain);
    Cow::Owned(escapes.into_iter().fold(field.to_owned(), replace))
}

/// The folder of the host's cgroup in a hierarchy.
fn folder_of(root: &Path, mountinfo: &str, hierarchy: &Hierarchy) -> Result<PathBuf, String> {
    let own = Path::new(hierarchy.path);
    let mut why =
        "/proc/self/mountinfo shows no hierarchy of cgroups that can limit memory".to_owned();
    for mount in mountinfo.lines().filter_map(Mount::parse).filter(|it| it.is_of(hierarchy)) {
        let below = own.strip_prefix(&*mount.cgroup);
        // A path with `..` leads out of the cgroups that this process sees.
        let is_plain =
            |path: &&Path| path.components().all(|it| matches!(it, Component::Normal(_)));
        if let Some(below) = below.ok().filter(is_plain) {
            let point = mount.point.strip_prefix('/').unwrap_or(&mount.point);
            return Ok(root.join(point).join(below));
        }
        why = format!("the host's cgroup {} is not below {}", hierarchy.path, mount.point);
    }
    Err(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use CgroupVersion::{V1, V2};

    const V1_MOUNT: &str =
        "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory";
    const CPU_MOUNT: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu";
    const V2_MOUNT: &str = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw";

    /// Finds the folder below a root with these files, which are empty or have the text after `=`.
    fn check(
        files: &[&str],
        mounts: &[&str],
        own: &str,
        expected: Result<(CgroupVersion, &str), &str>,
    ) {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let (path, text) = file.split_once('=').unwrap_or((file, ""));
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = CgroupLocation::find(root.path(), &mounts.join("\n"), own);
        match (found, expected) {
            (Ok(found), Ok((version, parent))) => {
                assert_eq!((found.version, found.parent), (version, root.path().join(parent)));
            }
            (Err(reason), Err(part)) => assert!(reason.contains(part), "{own}: {reason}"),
            (found, _) => panic!("{files:?} {mounts:?} {own}: {found:?}"),
        }
    }

    #[test]
    fn a_hierarchy_of_version_1_is_found() {
        let expect = |folder| Ok((V1, folder));
        let both = [CPU_MOUNT, V1_MOUNT];
        check(&[], &both, "4:memory:/a/b\n1:cpu:/c", expect("sys/fs/cgroup/memory/a/b"));
        check(&[], &both, "4:memory:/", expect("sys/fs/cgroup/memory"));
        // Two controllers in one hierarchy, and a name with a colon.
        let joint = "35 31 0:32 / /cg\\040x rw - cgroup cgroup rw,memory,hugetlb";
        check(&[], &[joint], "4:hugetlb,memory:/a:b", expect("cg x/a:b"));
        // The mount of a container shows only its own part of the hierarchy.
        let inside = "35 31 0:32 /docker/1 /sys/memory ro - cgroup cgroup rw,memory";
        check(&[], &[inside], "4:memory:/docker/1/x", expect("sys/memory/x"));
        check(
            &[],
            &[inside, V1_MOUNT],
            "4:memory:/docker/12",
            expect("sys/fs/cgroup/memory/docker/12"),
        );
        // Hybrid: the controller is in version 1, and version 2 is mounted, too.
        check(&[], &[V2_MOUNT, V1_MOUNT], "4:memory:/a\n0::/b", expect("sys/fs/cgroup/memory/a"));
    }

    #[test]
    fn a_hierarchy_of_version_2_is_found() {
        let own = "sys/fs/cgroup/x/own/";
        let above = "sys/fs/cgroup/x/cgroup.subtree_control=cpu memory pids\n";
        let below = "sys/fs/cgroup/x/own/cgroup.subtree_control=memory\n";
        let check = |files: &[&str], expected: Result<&str, &str>| {
            let expected = expected.map(|folder| (V2, folder));
            check(files, &[V2_MOUNT, CPU_MOUNT], "1:cpu:/y\n0::/x/own\n", expected);
        };
        check(&[above], Ok("sys/fs/cgroup/x"));
        check(&[above, below], Ok("sys/fs/cgroup/x/own"));
        let near = above.replace("memory", "memory2");
        check(&[&near], Err("`memory` is neither in"));
        check(&[], Err("`memory` is neither in"));
        // The host's own limits must hold for its processes, too.
        let no_limits =
            ["memory.max=max\n", "memory.high=max\n", "cpu.max=max 100000\n", "cpuset.cpus=\n"];
        let files = no_limits.map(|file| format!("{own}{file}"));
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        check(&[&files[..], &[above]].concat(), Ok("sys/fs/cgroup/x"));
        let limits =
            ["memory.max=1000\n", "memory.high=0\n", "cpu.max=50 100\n", "cpuset.cpus=0\n"];
        for limit in limits {
            let (name, _) = limit.split_once('=').unwrap();
            let file = format!("{own}{limit}");
            check(&[above, &file], Err("would leave the limit in "));
            check(&[above, below, &file], Ok("sys/fs/cgroup/x/own"));
            assert!(OWN_LIMITS.iter().any(|(known, _)| *known == name), "{name}");
        }
    }

    #[test]
    fn near_misses_have_a_reason() {
        let no_cgroup = "/proc/self/cgroup names no cgroup";
        for own in ["", "1:cpu:/a", "4:name=memory:/a", "4:memory2:/a", "0:/a", "1::/a"] {
            check(&[], &[V1_MOUNT, V2_MOUNT], own, Err(no_cgroup));
        }
        let no_mount = "/proc/self/mountinfo shows no hierarchy";
        check(&[], &[CPU_MOUNT], "4:memory:/a", Err(no_mount));
        check(&[], &[V2_MOUNT], "4:memory:/a", Err(no_mount));
        check(&[], &[V1_MOUNT], "0::/a", Err(no_mount));
        let other = V1_MOUNT.replace("rw,memory", "rw,name=memory");
        check(&[], &[&other], "4:memory:/a", Err(no_mount));
        check(&[], &[&V1_MOUNT.replace(" - ", " ")], "4:memory:/a", Err(no_mount));
        let inside = "35 31 0:32 /docker/1 /sys/memory ro - cgroup cgroup rw,memory";
        for own in ["/docker/12", "/", "/../x", "/docker/1/../2"] {
            let why = format!("the host's cgroup {own} is not below /sys/memory");
            check(&[], &[inside], &format!("4:memory:{own}"), Err(&why));
        }
    }
}
