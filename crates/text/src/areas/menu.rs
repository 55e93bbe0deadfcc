//! The descriptions of commands, as menus, completions and `/help` show them.

use crate::message::messages;

messages! {
    /// The description of a command, or of one of its arguments: at most 100 characters.
    #[derive(Copy)]
    Menu in "menu" {
        New,
        Contexts,
        Switch,
        Close,
        Continue,
        Search,
        Memory,
        Forget,
        Pin,
        Share,
        Private,
        Reminders,
        Link,
        Unlink,
        Dashboard,
        Export,
        Erase,
        Key,
        Settings,
        Model,
        Usage,
        Why,
        Undo,
        Approve,
        Deny,
        Stop,
        Whoami,
        Help,
        Ask,
        /// Options of `/key`.
        KeyAction,
        KeyProvider,
        KeyValue,
        /// Options of `/ask`.
        AskText,
        AskInThread,
        AskFile,
        /// The name of the entry in a message's menu: at most 32 characters.
        AskAbout,
    }
}
