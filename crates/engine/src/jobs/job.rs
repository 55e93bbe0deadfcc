//! A job: the trait of each kind of job, and its arguments.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use clifford_core::{clock::Timestamp, work::JobKind};
use clifford_store::{
    StoreError,
    jobs::{Job as Row, JobLease},
};

use crate::{Context, Runs};

/// A kind of job. Each has a file of its own, and a line in `jobs/registry.rs`.
#[async_trait]
pub trait Job: fmt::Debug + Send + Sync {
    /// The kind of the rows that it does.
    fn kind(&self) -> JobKind;

    /// How often a row is tried whose failure does not pass by itself.
    fn attempts(&self) -> Attempts {
        Attempts::Limited
    }

    /// Does the job of a claimed row, and ends the row. An error says why it is to be tried again.
    async fn run(&self, claimed: &Claimed) -> Result<(), JobError>;
}

/// How often a job is tried whose failure does not pass by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempts {
    /// So often as every job.
    Limited,
    /// Until it succeeds.
    Unlimited,
}

/// A claimed row, and what its job works with.
#[derive(Debug)]
pub struct Claimed {
    /// The runs of this process.
    pub runs: Arc<Runs>,
    /// The row, as it was claimed.
    pub row: Row,
    /// The right to write for it.
    pub lease: JobLease,
}

impl Claimed {
    /// The context of the process.
    pub fn context(&self) -> &Arc<Context> {
        &self.runs.context
    }
}

/// Why a job was not done this time.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The database, or the job is somebody else's by now.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model did not answer.
    #[error("the model did not answer: {0}")]
    Model(#[from] clifford_llm_api::model::ModelError),
    /// The model's answer is of no use.
    #[error("{0}")]
    Unreadable(String),
    /// The work panicked: the log tells where.
    #[error("an internal error (panic)")]
    Panicked,
    /// No job of this process does such rows; that of a newer version may.
    #[error("no job of kind `{0}` is registered")]
    Unregistered(JobKind),
    /// The event that it waits for has not happened yet: look again at this time. This is no failure.
    #[error("it is not time yet")]
    NotYet(Timestamp),
}

impl JobError {
    /// Which kind of error it is, in a word.
    pub(super) const fn class(&self) -> &'static str {
        match self {
            Self::Store(_) => "database",
            Self::Model(error) => error.class(),
            Self::Unreadable(_) => "unreadable_reply",
            Self::Panicked => "panic",
            Self::Unregistered(_) => "unregistered",
            Self::NotYet(_) => "not_yet",
        }
    }

    /// Whether it may pass by itself, however long that takes: such a job is never given up.
    pub(super) fn may_pass(&self) -> bool {
        use clifford_llm_api::model::ModelError;
        match self {
            Self::Store(_) | Self::Unregistered(_) | Self::NotYet(_) => true,
            Self::Model(error) => !matches!(
                error,
                ModelError::TooLong { .. } | ModelError::BadRequest { .. } | ModelError::Refused { .. }
            ),
            Self::Unreadable(_) | Self::Panicked => false,
        }
    }
}
