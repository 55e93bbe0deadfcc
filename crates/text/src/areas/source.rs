//! Where words came from, by the names that runs keep of it.

use crate::message::messages;

messages! {
    /// A source of words.
    SourceName in "source" {
        /// Words of the person, and of their conversations.
        YourMessage,
        ItsTask,
        ThisConversation,
        Remembered,
        YourMessagesElsewhere,
        /// Words of others.
        Forwarded,
        Quoted,
        FileName,
        OthersWroteHere,
        ReadBefore,
        ReadSummary,
        OthersSummary,
        RememberedFromThere,
        ReadElsewhere,
        AnsweredMeanwhile,
        ReminderFromThere,
        SaidBefore,
        SaidAround,
        /// Named by what was read.
        File { name: String },
        Document { name: String },
        Description { name: String },
    }
}
