//! The limits that a worker process sets for itself before it reads any work.

use std::{fs, io};

use rustix::process::{Resource, Rlimit, setpriority_process, setrlimit};

/// The most bytes of address space: the binary, the stack of the working thread, and what a task may allocate.
const ADDRESS_SPACE: u64 = 512 << 20;
/// The most seconds of CPU time in the life of a process. [`Workers`](super::Workers) uses none for as long.
const CPU_SECONDS: u64 = 60;
/// How many files it may have open: its pipes, and what reading its own limits takes.
const OPEN_FILES: u64 = 8;
/// How much the scheduler prefers others.
const NICENESS: i32 = 10;

/// Lowers the limits of this process permanently.
///
/// # Errors
/// The operating system refuses: then no work may be done.
pub(super) fn lower() -> io::Result<()> {
    limit(Resource::Cpu, CPU_SECONDS)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    // Not every system has a limit of address space; the deadline and the CPU time hold there.
    match limit(Resource::As, ADDRESS_SPACE) {
        Err(error) if cfg!(target_os = "linux") => return Err(error),
        _ => {}
    }
    // If memory runs out all the same, this process goes before any other. Neither may be possible.
    fs::write("/proc/self/oom_score_adj", "1000").ok();
    setpriority_process(None, NICENESS).ok();
    limit(Resource::Nofile, OPEN_FILES)
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = Some(most);
    Ok(setrlimit(
        resource,
        Rlimit {
            current: most,
            maximum: most,
        },
    )?)
}
