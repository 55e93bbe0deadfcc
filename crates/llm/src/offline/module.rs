//! The module of the memory that a fact belongs to, told by the words of its key.

const IDENTITY: &[&str] = &[
    "name",
    "nickname",
    "surname",
    "birthday",
    "birth",
    "age",
    "pronouns",
    "nationality",
    "email",
    "phone",
];
const RELATIONSHIPS: &[&str] = &[
    "cat",
    "dog",
    "pet",
    "hamster",
    "horse",
    "parrot",
    "rabbit",
    "wife",
    "husband",
    "partner",
    "girlfriend",
    "boyfriend",
    "friend",
    "mother",
    "mom",
    "mum",
    "father",
    "dad",
    "parents",
    "sister",
    "brother",
    "son",
    "daughter",
    "child",
    "children",
    "baby",
    "boss",
    "colleague",
    "neighbour",
    "neighbor",
    "aunt",
    "uncle",
    "grandmother",
    "grandfather",
    "katze",
    "hund",
    "frau",
    "mann",
    "partnerin",
    "freund",
    "freundin",
    "mutter",
    "vater",
    "schwester",
    "bruder",
    "sohn",
    "tochter",
    "kind",
    "chef",
    "chefin",
];
const PREFERENCES: &[&str] = &[
    "favourite",
    "favorite",
    "like",
    "likes",
    "love",
    "loves",
    "prefer",
    "prefers",
    "preferred",
    "hate",
    "hates",
    "dislike",
    "dislikes",
];

const ENVIRONMENT: &[&str] = &["home", "profession"];

/// The module for a key. The owner goes before the kind: `cat_name` is about the cat.
pub(super) fn of(key: &str) -> &'static str {
    let any = |words: &[&str]| key.split('_').any(|word| words.contains(&word));
    if any(PREFERENCES) {
        "preferences"
    } else if any(RELATIONSHIPS) {
        "relationships"
    } else if any(IDENTITY) {
        "identity"
    } else if any(ENVIRONMENT) {
        "environment"
    } else {
        "recent_context"
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn facts_are_sorted_by_the_words_of_their_key() {
        let cases = [
            ("name", "identity"),
            ("birthday", "identity"),
            ("cat", "relationships"),
            ("cat_name", "relationships"),
            ("best_friend", "relationships"),
            ("favourite_colour", "preferences"),
            ("favorite_cat", "preferences"),
            ("parking_place", "recent_context"),
            ("category", "recent_context"),
            ("home", "environment"),
            ("katze", "relationships"),
        ];
        for (key, module) in cases {
            assert_eq!(of(key), module, "{key}");
        }
    }
}
