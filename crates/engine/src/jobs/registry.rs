//! The list of jobs: a new job is one file, and one line here.

use clifford_core::work::JobKind;

use super::{erase::Erase, job::Job, memory_write::MemoryWrite};

/// Every job.
pub const ALL: &[&dyn Job] = &[&Erase, &MemoryWrite];

/// The job that does rows of this kind.
pub(super) fn find(kind: JobKind) -> Option<&'static dyn Job> {
    ALL.iter().copied().find(|job| job.kind() == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_job() {
        for kind in JobKind::ALL {
            let jobs = ALL.iter().filter(|job| job.kind() == *kind).count();
            assert_eq!(jobs, 1, "{kind}");
        }
    }
}
