//! Questions whether a call may be made, and answers to them.

use crate::message::{Count, messages};

messages! {
    /// A question whether a call may be made, and what is said of its answer.
    Approval in "approval" {
        MayCall,
        MayUseResult,
        /// A question about several calls, with marks of emphasis.
        MayCallSeveral { count: Count },
        /// In a shared place, before the question.
        IsAsked { person: String },
        NotAskedFor { argument: String, source: String },
        NotAskedForArgument { argument: String, source: String },
        NotAskedForFollowing,
        /// Behind where an argument comes from.
        OtherArguments { count: Count },
        TooLong { head: String, count: String, file: String },
        HowToAnswer { approve: String, deny: String, left: String },
        NoArguments,
        Minutes { count: Count },
        Hours { count: Count },
        Days { count: Count },
        /// Buttons.
        Approve,
        Deny,
        AlwaysHere,
        /// Where an argument comes from.
        FromPerson,
        FromNothing,
        FromResult { command: String },
        FromField { command: String, field: String },
        OnlyIn { read: String, command: String },
        In { read: String, command: String },
        OnlyInResult { command: String },
        InResult { command: String },
        FromModel,
        FromModelHolding { text: String, source: String },
        /// In place of a question that is settled.
        Unanswered,
        ApprovedBy { person: String },
        ApprovedAlwaysBy { person: String },
        DeniedBy { person: String },
        Operator,
        QuestionEdited,
        Interrupted,
        NotNeeded,
        Stopped,
        /// Answers to the commands.
        HowToApprove,
        NoSuchQuestion,
        NothingOpen,
        WasDenied { name: String },
        WasApproved { name: String },
        WasApprovedAlways { name: String },
        NotSeen,
        Settled,
        Earlier,
        NotYours,
        NoRule,
        SeveralOpen { count: Count },
        AndMore { count: Count },
    }
}
