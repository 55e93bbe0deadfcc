//! The phrases that the responder knows, in lower case. Where one starts with another, the longer stands first.

pub(super) const GREETINGS: [&str; 16] = [
    "hi",
    "hello",
    "hey",
    "hi there",
    "hello there",
    "hey there",
    "yo",
    "good morning",
    "good afternoon",
    "good evening",
    "hallo",
    "moin",
    "servus",
    "guten morgen",
    "guten tag",
    "guten abend",
];
pub(super) const THANKS: [&str; 6] = ["thanks", "thank you", "thx", "danke", "danke schön", "vielen dank"];
pub(super) const HELP: [&str; 8] = [
    "help",
    "hilfe",
    "what can you do",
    "who are you",
    "what are you",
    "was kannst du",
    "wer bist du",
    "/help",
];
pub(super) const TOOLS: [&str; 6] = [
    "what tools",
    "which tools",
    "list tools",
    "list your tools",
    "show tools",
    "welche werkzeuge",
];
pub(super) const ALL_MEMORIES: [&str; 6] = [
    "what do you know about me",
    "what do you remember",
    "what have i told you",
    "what did i tell you",
    "was weißt du über mich",
    "was weisst du über mich",
];
pub(super) const ASKING: [&str; 16] = [
    "what is",
    "what's",
    "whats",
    "what are",
    "how much is",
    "calculate",
    "compute",
    "evaluate",
    "work out",
    "solve",
    "was ist",
    "wie viel ist",
    "wieviel ist",
    "was sind",
    "berechne",
    "rechne",
];
pub(super) const REMEMBERING: [&str; 10] = [
    "please remember that",
    "please remember",
    "remember that",
    "remember",
    "note that",
    "merk dir, dass",
    "merk dir dass",
    "merk dir",
    "merke dir, dass",
    "merke dir",
];
pub(super) const REMINDING: [&str; 3] = ["please remind me", "remind me", "erinnere mich"];
/// Before the name of what is asked for, and after it.
pub(super) const RECALLING: [(&str, &str); 12] = [
    ("what is my", "called"),
    ("what's my", "called"),
    ("what is my", "name"),
    ("what is my", ""),
    ("what's my", ""),
    ("whats my", ""),
    ("what are my", ""),
    ("who is my", ""),
    ("do you remember my", ""),
    ("do you know my", ""),
    ("wie heißt mein", ""),
    ("was ist mein", ""),
];
/// What stands between the name of a thing and what it is.
pub(super) const IS: [&str; 9] = [
    "is called",
    "are called",
    "is named",
    "'s name is",
    "is",
    "are",
    "heißt",
    "ist",
    "sind",
];
