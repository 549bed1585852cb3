//! The C library's heap.

/// Makes all threads share one heap. A heap for each thread would reserve 64 MiB of addresses,
/// which count against an address-space limit.
#[cfg(target_env = "gnu")]
pub fn share() {
    // SAFETY: sets a parameter of the allocator, which is allowed at any time.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Nothing to do: other C libraries have one heap.
#[cfg(not(target_env = "gnu"))]
pub fn share() {}
