//! Deletes a person with every trace.

pub mod quotes;

use std::sync::Arc;

use crate::{
    engine::Engine,
    jobs::JobError,
    store::jobs::{Job, JobLease},
};

/// Erases a person.
///
/// # Errors
/// Why it is to be tried again.
pub async fn work(_engine: &Arc<Engine>, job: &Job, _lease: JobLease) -> Result<(), JobError> {
    Err(JobError::Unreadable(format!("{} cannot be done yet", job.id)))
}
