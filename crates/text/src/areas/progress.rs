//! Progress of a long run.

use crate::message::{Count, messages};

messages! {
    /// The present activity of a run, for the person who waits.
    Doing in "progress" {
        Thinking,
        OwnTask,
        Tasks { count: Count },
        SearchingWeb,
        ReadingSite { site: String },
        ReadingPage,
        WritingFile,
        ReadingFile,
        LookingThroughFiles,
        MakingImage,
        LookingAtImage,
        ListeningToRecording,
        LookingThroughMemory,
        ReadingDocument,
        SearchingDocuments,
        Calculating,
        CheckingWeather,
        SeeingToReminders,
        RollingDice,
        LookingAround,
        Using { tool: String },
        /// How far it has come.
        Step { doing: String, step: String },
        /// A button.
        Stop,
        /// Lines of a trace, in a terminal.
        Requirements { content: String },
        Plan { content: String },
        Artifact { content: String },
        Validation { content: String },
        Decision { content: String },
        Tokens { model: String, read: String, written: String },
    }
}
