//! Work beside the runs: kinds and states of jobs.

use crate::column::text_enum;

text_enum! {
    /// What a job does.
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
        /// The conversation is long: its older half is told by a summary from now on.
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
    /// What may be set aside.
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
