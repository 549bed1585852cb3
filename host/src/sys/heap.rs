//! The C library's heap. Changes how it asks the system for memory, and nothing else.

/// Has all threads share one heap: each heap of a thread's own reserves 64 MiB of addresses,
/// which count where addresses are what is limited.
#[cfg(target_env = "gnu")]
pub fn share() {
    // SAFETY: sets a number of the allocator's, which may be done at any time.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// As it is: other C libraries have but one heap.
#[cfg(not(target_env = "gnu"))]
pub fn share() {}
