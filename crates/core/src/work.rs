//! Work besides the runs: kinds and states of jobs, and the maintenance jobs.

use crate::column::text_enum;

text_enum! {
    /// The kind of a job.
    JobKind {
        /// Remembers what was said in a conversation.
        MemoryWrite = "memory_write",
        /// Deletes a person and all of their data.
        Erase = "erase",
    }
}

text_enum! {
    /// A maintenance job: what is done again and again, by one process at a time.
    MaintenanceKind {
        /// Deletes runs, their steps and prompts, messages and usage that were kept for long enough.
        Retention = "retention",
        /// Deletes what is kept of spaces that the bot left.
        LeftSpaces = "left_spaces",
        /// Closes conversations in which nobody spoke for long enough.
        IdleConversations = "idle_conversations",
        /// Deletes messages that a summary replaced long enough ago.
        CompactedMessages = "compacted_messages",
        /// Deletes the contents of deleted files.
        DeletedFiles = "deleted_files",
        /// Deletes reminders that are over.
        EndedReminders = "ended_reminders",
        /// Deletes what rules with a limit no longer count.
        RateLimits = "rate_limits",
        /// Deletes how budgets stood in months that are over.
        BudgetPeriods = "budget_periods",
        /// Deletes signatures of webhooks' requests that are too old to be taken.
        WebhookSignatures = "webhook_signatures",
        /// Takes messages into the search index.
        SearchIndex = "search_index",
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
