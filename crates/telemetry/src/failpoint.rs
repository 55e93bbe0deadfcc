//! Crash points: in test builds the environment variable `CLIFFORD_CRASH_AT=name[:n]` kills the process, as
//! `kill -9` does, the n-th time that it comes to the point of that name; `CLIFFORD_PANIC_AT` ends the task alone that
//! comes there, by a panic. `CLIFFORD_CRASH_ON=way=text` aborts it each time that it works on something of that way which
//! holds the text, as a stack that overflows does. Release builds have none.

/// A place where a process may die, for which resuming is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// A run is claimed; the model was not called.
    BeforeModelCall,
    /// The model's reply is recorded, but not applied.
    ResponseRecorded,
    /// A person approved a call; that it is made is not recorded.
    CallApproved,
    /// A tool call is recorded; the tool was not called.
    ToolCallRecorded,
    /// The tool was called; its result is not recorded.
    ToolCalled,
    /// An outbound message is recorded, but not sent.
    MessageRecorded,
    /// A part was sent, but is not marked.
    PartSent,
    /// A part is marked; the next one was not sent.
    BetweenParts,
    /// Messages that came while a run worked are its own; the model was not called with them.
    TakenIn,
    /// A subagent ended; its parent was not woken.
    ChildEnded,
    /// A person is to be erased; nothing was deleted.
    Erasing,
    /// A person's rows are deleted; the space that they took was not cleaned.
    Erased,
    /// A conversation is to be compacted; that is not committed.
    CompactionDue,
    /// A memory write is claimed; nothing of it was done.
    JobClaimed,
    /// The memory writer's model was not asked.
    BeforeMemoryCall,
    /// The memory writer's model has replied; nothing of that is committed.
    MemoryReplied,
    /// A piece of a memory write is committed.
    MemoryWritten,
    /// A passkey's challenge is used up; nothing came of its answer.
    ChallengeSpent,
    /// A stranger is decided about; that is not committed.
    PairingDecided,
}

impl Point {
    /// Its name in `CLIFFORD_CRASH_AT`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BeforeModelCall => "before_model_call",
            Self::ResponseRecorded => "response_recorded",
            Self::CallApproved => "call_approved",
            Self::ToolCallRecorded => "tool_call_recorded",
            Self::ToolCalled => "tool_called",
            Self::MessageRecorded => "message_recorded",
            Self::PartSent => "part_sent",
            Self::BetweenParts => "between_parts",
            Self::TakenIn => "taken_in",
            Self::ChildEnded => "child_ended",
            Self::Erasing => "erasing",
            Self::Erased => "erased",
            Self::CompactionDue => "compaction_due",
            Self::JobClaimed => "job_claimed",
            Self::BeforeMemoryCall => "before_memory_call",
            Self::MemoryReplied => "memory_replied",
            Self::MemoryWritten => "memory_written",
            Self::ChallengeSpent => "challenge_spent",
            Self::PairingDecided => "pairing_decided",
        }
    }
}

/// A way by which what strangers send is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A run's input, as its prompt is made.
    Run,
    /// A prompt, as its model is asked.
    Prompt,
    /// The arguments of a tool call, as it is made.
    Call,
    /// A job, by its kind.
    Job,
    /// A part of a message, as it is sent.
    Part,
    /// A platform's event, as it is stored.
    Event,
    /// The text of a trigger, as it fires.
    Trigger,
    /// A file, by its name, as it is read.
    File,
}

impl Way {
    /// Its name in `CLIFFORD_CRASH_ON`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Prompt => "prompt",
            Self::Call => "call",
            Self::Job => "job",
            Self::Part => "part",
            Self::Event => "event",
            Self::Trigger => "trigger",
            Self::File => "file",
        }
    }
}

/// Aborts here, if this is the way and the text.
#[cfg(debug_assertions)]
pub fn strike(way: Way, text: impl FnOnce() -> String) {
    if armed::striking().is_some_and(|(name, killing)| name == way.name() && text().contains(killing)) {
        tracing::warn!(way = way.name(), "reached a crash text");
        std::process::abort();
    }
}

/// Aborts here, if this is the way and the text.
#[cfg(not(debug_assertions))]
pub fn strike(_: Way, _: impl FnOnce() -> String) {}

/// Whether this process is to die at a point, now or later.
#[cfg(debug_assertions)]
pub fn is_armed(point: Point) -> bool {
    armed::killing().is_some_and(|(name, _)| *name == point.name())
}

/// Whether this process is to die at a point, now or later.
#[cfg(not(debug_assertions))]
pub const fn is_armed(_: Point) -> bool {
    false
}

/// Dies here, if this is the point and the time.
#[cfg(debug_assertions)]
pub fn reach(point: Point) {
    assert!(
        !armed::is_due(armed::panicking(), point),
        "panic point {} reached",
        point.name()
    );
    if armed::is_due(armed::killing(), point) {
        tracing::warn!(point = point.name(), "reached a crash point");
        let own = rustix::process::getpid();
        rustix::process::kill_process(own, rustix::process::Signal::KILL).ok();
        // The signal may take a moment; nothing may be written until then.
        loop {
            std::thread::park();
        }
    }
}

/// Dies here, if this is the point and the time.
#[cfg(not(debug_assertions))]
pub const fn reach(_: Point) {}

#[cfg(debug_assertions)]
mod armed {
    use std::sync::{
        LazyLock,
        atomic::{AtomicI64, Ordering},
    };

    /// The name of a point, and how often it is still passed by.
    type Setting = (String, AtomicI64);

    pub(super) fn killing() -> Option<&'static Setting> {
        static SETTING: LazyLock<Option<Setting>> = LazyLock::new(|| read("CLIFFORD_CRASH_AT"));
        SETTING.as_ref()
    }

    pub(super) fn panicking() -> Option<&'static Setting> {
        static SETTING: LazyLock<Option<Setting>> = LazyLock::new(|| read("CLIFFORD_PANIC_AT"));
        SETTING.as_ref()
    }

    /// A way, and the text that kills on it.
    pub(super) fn striking() -> Option<&'static (String, String)> {
        static SETTING: LazyLock<Option<(String, String)>> = LazyLock::new(|| {
            let text = std::env::var("CLIFFORD_CRASH_ON").ok()?;
            let (way, killing) = text.split_once('=')?;
            Some((way.to_owned(), killing.to_owned()))
        });
        SETTING.as_ref()
    }

    fn read(variable: &str) -> Option<Setting> {
        let text = std::env::var(variable).ok()?;
        let (name, count) = text.split_once(':').unwrap_or((&text, "1"));
        Some((name.to_owned(), AtomicI64::new(count.parse().unwrap_or(1))))
    }

    /// Whether this is the point and the time.
    pub(super) fn is_due(setting: Option<&Setting>, point: super::Point) -> bool {
        setting.is_some_and(|(name, left)| *name == point.name() && left.fetch_sub(1, Ordering::SeqCst) == 1)
    }
}
