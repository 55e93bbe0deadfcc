//! The kind of result that a command has, by its name. Pure.

/// Whether what a command returns is there for everybody to read, so that it may be said to anybody. A mailbox behind a
/// server, a person's files and what is remembered of them are not.
pub fn is_public(command: &str) -> bool {
    command.starts_with("web.")
}

/// Whether what a command returns may tell of its person.
pub fn is_own(command: &str) -> bool {
    !["web.", "weather.", "compute.", "tools.", "system."]
        .iter()
        .any(|tool| command.starts_with(tool))
}
