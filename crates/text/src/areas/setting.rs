//! `/settings` and `/model`: what is set, what it can be, and what became of a change.

use crate::message::messages;

messages! {
    /// Replies of `/settings` and `/model`.
    Setting in "setting" {
        NotTheirs,
        NoSuch { name: String },
        Fixed { name: String },
        IsAlready { name: String, value: String },
        NotSetHere { name: String },
        Changed { person: String, name: String, value: String, before: String },
        /// In one channel of a server.
        ChangedForChannel { person: String, name: String, value: String, before: String },
        /// Said to the person themselves, in private.
        ChangedByYou { name: String, value: String, before: String },
        WasReset { person: String, name: String, before: String },
        /// Said to the person themselves, in private.
        WasResetByYou { name: String, before: String },
        /// In place of a value.
        NotSet,
        NothingToChoose { name: String },
        NoneOf { value: String, words: String },
        NoNumber { value: String, most: String },
        NoLanguage { value: String },
        NoTimeZone { value: String },
        NoName { value: String },
        NoText,
        TextTooLong { value: String, most: String },
        NoList { value: String },
        NoBudget { value: String },
        NothingToUndo,
        /// A change that cannot be taken back.
        ChangedSince { name: String },
        TookBack { person: String, name: String, value: String, by: String, was: String },
        /// Said to the person themselves, in private.
        TookBackByYou { name: String, value: String, was: String },
        /// In place of a name: at the beginning of a sentence, and within one.
        Somebody,
        SomebodyWithin,
        /// Behind a value.
        FixedByOwner,
        OwnSettings,
        SettingsOfPlace,
        UndoHint,
        One { name: String, about: String, standing: String },
        OwnerFixedIt,
        LastChanged { person: String, day: String },
        Write { name: String, form: String },
        /// Buttons.
        ChooseRoles,
        WriteIt,
        Reset,
        AllSettings,
        /// In place of a value.
        UsualOne,
        AsAgentAnswers,
        WhereAddressed,
        Everybody,
        ManagersOnly,
        AsOnPlatform,
        On,
        Off,
        /// The effect of each.
        AboutWhenBusy,
        AboutMemory,
        AboutCrossChannel,
        AboutVoiceReplies,
        AboutLanguage,
        AboutTimeZone,
        AboutAgent,
        AboutModel,
        AboutMode,
        AboutPersona,
        AboutSpeaks,
        AboutUseRoles,
        AboutApproveRoles,
        AboutBudget,
        AboutMemberBudget,
        AboutThreads,
        AboutOtherBots,
        AboutFollowThreads,
        AboutAmbientMessages,
        AboutTools,
        AboutUndo,
        AboutReset,
        /// `/settings tools`.
        AllTools,
        AllToolsBut { tools: String },
        NoTool { tool: String },
        WriteTool { tool: String },
        TurnedOff { person: String, tool: String },
        TurnedOn { person: String, tool: String },
        AllAreOn,
        AreOff { tools: String },
        /// `/model`.
        ModelNotTheirs,
        ModelFixed,
        NoSuchModel { name: String },
        HowToModel,
        NoConversation { name: String },
        GoesOnWith { model: String },
        UsualModel,
        NoOtherModel,
        HereAnswers { model: String },
        AlwaysModel { model: String },
        Price { prompt: String, completion: String },
        NoPrice,
    }
}
