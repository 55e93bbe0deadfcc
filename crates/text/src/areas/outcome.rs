//! Sentences that a run says of itself where its model says nothing, and those of messages that wait for one.

use crate::message::messages;

messages! {
    /// Sentences that a run says of itself.
    Outcome in "outcome" {
        /// An apology: its reason begins in lower case, where the language has that.
        Apology { reason: String },
        /// For a stall over a greeting.
        Greeting,
        /// Closes the output of a run that repeated itself.
        Repeating,
        /// The model wants to ask how to go on, and says nothing.
        HowToGoOn,
        /// A run failed after it has told its person something, with more to do.
        Rest,
        /// Behind an answer that ended at the most that one reply may have.
        CutOff,
        /// The same with the reason, as a sentence of its own.
        RestBecause { reason: String },
        RestToolFailed { tool: String },
        RestToolFailedBecause { tool: String, error: String },
        /// The head of a list of tasks.
        NotDone,
        /// A tool in a sentence.
        ToolNamed { tool: String },
        /// The same of one whose name was made up.
        ToolUnnamed,
        Denied { tool: String },
        NotApprovedInTime { tool: String },
        /// Somebody stopped the run from outside of the chat.
        Cancelled,
        /// A message is kept for a run that waits for an answer of its person.
        AskedBefore,
        /// In place of a command's placeholder: its answer is that of another message of the same person.
        AnsweredWithLater,
        /// The same: it is not answered, since its person wrote again.
        LeftForLater,
        AnsweredWithEarlier,
        /// The same: somebody stopped the bot before it came to it.
        StoppedBefore,
        /// A button below an answer whose changes can be taken back.
        Undo,
        /// A channel has no agent.
        NoAgent,
        /// In place of an address that a run made up.
        LinkRemoved,
    }
}
