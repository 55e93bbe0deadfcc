//! The areas: one file an area, one line here.

macro_rules! areas {
    ($($file:ident::$name:ident,)*) => {
        $(
            mod $file;
            pub use $file::$name;
        )*

        /// Every area.
        #[cfg(test)]
        pub(crate) fn all() -> Vec<&'static crate::message::Area> {
            vec![$(<$name as crate::Message>::area()),*]
        }
    };
}

areas! {
    accounts::Accounts,
    answer::Answer,
    approval::Approval,
    because::Because,
    chats::Chats,
    help::Help,
    items::Items,
    keys::Keys,
    menu::Menu,
    moment::Moment,
    notice::Notice,
    outcome::Outcome,
    own_data::OwnData,
    placeholder::Placeholder,
    progress::Doing,
    rules::Rules,
    setting::Setting,
    sorry::Sorry,
    source::SourceName,
    terminal::Terminal,
    undelivered::Undelivered,
    undo::UndoPart,
    unheard::Unheard,
    usage::Usage,
    voice::Voice,
    why::Why,
}
