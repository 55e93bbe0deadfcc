//! Access to a file, depending on the person and the place.

use clifford_core::search::Scope;
use clifford_store::files::File;

/// Whether somebody may see a file: in private their own, in a shared place those of that place.
pub fn may_see(scope: Scope, file: &File) -> bool {
    match scope {
        Scope::Person(user) => file.user_id == Some(user),
        Scope::Channel(channel) => file.channel_id == Some(channel),
        Scope::Both(user, channel) => file.user_id == Some(user) && file.channel_id == Some(channel),
        Scope::Nothing => false,
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::{
        clock::Timestamp,
        id::{ChannelId, FileId, UserId},
    };

    use super::*;

    #[test]
    fn in_private_ones_own_files_are_seen_and_in_a_shared_place_those_of_the_place() {
        let (ada, bob) = (UserId::new(), UserId::new());
        let (private, group, other) = (ChannelId::new(), ChannelId::new(), ChannelId::new());
        let file = |user_id, channel_id| File {
            id: FileId::new(),
            user_id,
            channel_id,
            space_id: None,
            message_id: None,
            root_run_id: None,
            name: "a.txt".to_owned(),
            media_type: None,
            size: None,
            sha256: None,
            location: "files/a".to_owned(),
            created_at: Timestamp(0),
            came_as: None,
            seconds: None,
            of_others: false,
        };
        let own = file(Some(ada), Some(private));
        let posted = file(Some(ada), Some(group));
        let bobs = file(Some(bob), Some(group));
        let nobodys = file(None, None);
        let cases = [
            (Scope::Person(ada), [true, true, false, false]),
            (Scope::Person(bob), [false, false, true, false]),
            (Scope::Channel(group), [false, true, true, false]),
            (Scope::Channel(other), [false; 4]),
            (Scope::Both(ada, private), [true, false, false, false]),
            (Scope::Nothing, [false; 4]),
        ];
        for (scope, expected) in cases {
            let seen = [&own, &posted, &bobs, &nobodys].map(|file| may_see(scope, file));
            assert_eq!(seen, expected, "{scope:?}");
        }
    }
}
