//! Work beside the runs: kinds and states of jobs.

use crate::column::text_enum;

text_enum! {
    /// The kind of a job.
    JobKind {
        /// Remembers what was said in a conversation.
        MemoryWrite = "memory_write",
        /// Deletes a person with every trace.
        Erase = "erase",
    }
}

text_enum! {
    /// Why memory is written.
    WriteMode {
        /// The conversation was closed.
        Close = "close",
        /// The conversation is long: a summary replaces its older half.
        Compact = "compact",
    }
}

text_enum! {
    /// Where a job stands.
    JobStatus {
        /// It waits for its time, or is worked on.
        Pending = "pending",
        /// It did what it was for.
        Done = "done",
        /// It was tried for the last time.
        Failed = "failed",
    }
}

text_enum! {
    /// The kind of work that can be quarantined.
    Kind {
        /// A run.
        Run = "run",
        /// A job.
        Job = "job",
        /// An outbound message.
        Message = "message",
        /// A trigger.
        Trigger = "trigger",
        /// A platform's event.
        Event = "event",
        /// A file.
        File = "file",
    }
}
