//! Faults of a configuration, and where they stand.

use std::{fmt, path::Path, sync::Arc};

/// Everything that is wrong with a configuration, in the order of the file. Nothing of it is in force; the
/// messages say what to mend, and hold no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", join(.0))]
pub struct ConfigErrors(Vec<Problem>);

impl ConfigErrors {
    /// The faults one by one.
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }

    /// `Ok` if there are no faults, else all of them in order.
    pub(super) fn unless_empty(mut problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort_by(|a, b| a.place.cmp(&b.place));
        Err(Self(problems))
    }
}

impl From<Problem> for ConfigErrors {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

fn join(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands; `None` if what is missing stands nowhere.
    pub place: Option<Location>,
    /// The key's path, such as `llm.providers[0].model`; empty if the fault is not one of a key.
    pub key: String,
    /// The fault, and the values that are allowed.
    pub fault: String,
}

impl Problem {
    pub(crate) fn new(place: impl Into<Option<Location>>, key: impl Into<String>, fault: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            key: key.into(),
            fault: fault.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.fault)
    }
}

/// Where a setting stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// In a file.
    File {
        /// The file, as it was named or found.
        path: Arc<Path>,
        /// The line, from 1.
        line: usize,
    },
    /// In an environment variable of this name.
    Variable(String),
    /// On the command line.
    CommandLine,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::CommandLine => f.write_str("command line"),
        }
    }
}
