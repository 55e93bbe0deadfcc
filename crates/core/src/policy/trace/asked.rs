//! Whether a person asks for a command in their own words: a verb of its name, or one that means the same, stands in a
//! sentence of theirs that is no question and forbids nothing.

use crate::policy::phrase;

/// Verbs that ask for the same, in English and German. A command of one is asked for by each of them.
const VERBS: [&[&str]; 13] = [
    &[
        "send", "tell", "write", "mail", "email", "message", "answer", "reply", "inform", "text", "notify", "say",
        "ask", "thank", "forward", "greet", "schick", "schicke", "sende", "sag", "sage", "schreib", "schreibe",
        "antworte", "frag",
    ],
    &[
        "post",
        "publish",
        "announce",
        "write",
        "tell",
        "share",
        "veröffentliche",
        "poste",
    ],
    &[
        "pay",
        "transfer",
        "send",
        "wire",
        "überweise",
        "überweis",
        "zahle",
        "zahl",
        "bezahle",
        "bezahl",
        "schick",
    ],
    &["book", "reserve", "rent", "buche", "buch", "reserviere", "miete"],
    &["buy", "order", "purchase", "kaufe", "kauf", "bestelle", "bestell"],
    &[
        "create", "make", "add", "put", "new", "write", "open", "insert", "plan", "enter", "save", "note", "erstelle",
        "mach", "trag", "leg", "schreib", "schreibe",
    ],
    &["schedule", "plan", "arrange", "plane"],
    &[
        "move",
        "reschedule",
        "shift",
        "postpone",
        "change",
        "verschieb",
        "verschiebe",
        "verleg",
        "verlege",
    ],
    &[
        "change", "update", "set", "edit", "modify", "correct", "fix", "rename", "raise", "lower", "increase",
        "reduce", "replace", "ändere", "änder", "setz", "setze",
    ],
    &["append", "add", "write", "put", "attach", "häng", "schreib", "füge"],
    &["invite", "add", "lade", "füge"],
    &["share", "give", "grant", "gib", "teile"],
    &["pin", "mark", "star", "flag", "label", "markiere"],
];
/// Of these, what is a noun as often.
const NOUNS: [&str; 13] = [
    "mail", "email", "message", "text", "note", "plan", "label", "book", "order", "share", "post", "new", "mark",
];
/// The beginnings of questions that ask to do something.
const REQUESTS: [&str; 16] = [
    "can",
    "could",
    "would",
    "will",
    "please",
    "may",
    "kannst",
    "könntest",
    "würdest",
    "magst",
    "bitte",
    "and",
    "und",
    "then",
    "ok",
    "okay",
];
/// Of these, the ones that a question must hold to ask for something.
const ASKING: [&str; 10] = [
    "can",
    "could",
    "would",
    "will",
    "please",
    "kannst",
    "könntest",
    "würdest",
    "magst",
    "bitte",
];
/// Words that make of an order none.
const NEGATIONS: [&str; 13] = [
    "never", "not", "don", "dont", "cannot", "without", "nicht", "nie", "niemals", "kein", "keine", "keinen", "jamais",
];

/// Whether one of the texts asks for a command.
pub(super) fn is_asked_for(command: &str, texts: &[String]) -> bool {
    let wanted = verbs(command);
    texts.iter().any(|text| {
        sentences(text).any(|sentence| {
            let words: Vec<_> = phrase::pieces(sentence).collect();
            asks(sentence, &words) && words.iter().any(|word| wanted.contains(word))
        })
    })
}

/// Whether what a command changes exists before: its title says which it is.
pub(super) fn changes(command: &str) -> bool {
    const CHANGING: [&str; 14] = [
        "append",
        "change",
        "edit",
        "update",
        "overwrite",
        "replace",
        "modify",
        "write",
        "move",
        "rename",
        "set",
        "delete",
        "remove",
        "share",
    ];
    pieces(command).iter().any(|piece| CHANGING.contains(&piece.as_str()))
}

/// Whether a command makes something new: what it is not given is left out.
pub(super) fn makes(command: &str) -> bool {
    const MAKING: [&str; 14] = [
        "create", "add", "make", "new", "insert", "send", "post", "publish", "schedule", "book", "reserve", "pay",
        "mail", "invite",
    ];
    !changes(command) && pieces(command).iter().any(|piece| MAKING.contains(&piece.as_str()))
}

/// The words by which a command is asked for.
fn verbs(command: &str) -> Vec<String> {
    let pieces = pieces(command);
    let is_verb = |piece: &&String| VERBS.iter().any(|group| group.contains(&piece.as_str()));
    // A command says its verb first, `send_mail`; some say it last, `mail_send`.
    let Some(first) = pieces.first() else {
        return Vec::new();
    };
    let is_clear = |piece: &&String| is_verb(piece) && !NOUNS.contains(&piece.as_str());
    let verb = if is_verb(&first) {
        first
    } else {
        pieces.iter().find(is_clear).unwrap_or(first)
    };
    let groups = VERBS.iter().filter(|group| group.contains(&verb.as_str()));
    let alike = groups.flat_map(|group| group.iter().map(|word| (*word).to_owned()));
    std::iter::once(verb.clone()).chain(alike).collect()
}

/// The words of a command's name, without that of its tool.
fn pieces(command: &str) -> Vec<String> {
    let name = command.split_once('.').map_or(command, |(_, name)| name);
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(c);
    }
    phrase::pieces(&spaced).collect()
}

/// A text by its sentences. A full stop within an address or a number ends none.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut parts = Vec::new();
        let mut start = 0;
        for (at, sign) in line.match_indices(['.', '!', '?', ';']) {
            let behind = &line[at + sign.len()..];
            if behind.is_empty() || behind.starts_with([' ', '"', '\'', ')']) {
                parts.push(&line[start..line.len() - behind.len()]);
                start = line.len() - behind.len();
            }
        }
        parts.push(&line[start..]);
        parts
    })
}

/// Whether a sentence asks to do something.
fn asks(sentence: &str, words: &[String]) -> bool {
    let is_question = sentence.trim_end().ends_with('?');
    let mut opening = words.iter().take_while(|word| REQUESTS.contains(&word.as_str()));
    let is_request = opening.any(|word| ASKING.contains(&word.as_str()));
    let is_forbidden = words.iter().any(|word| NEGATIONS.contains(&word.as_str()));
    (!is_question || is_request) && !is_forbidden && !is_interrogative(words)
}

/// Whether a sentence begins as a question does.
fn is_interrogative(words: &[String]) -> bool {
    const OPENINGS: [&str; 30] = [
        "how", "what", "when", "where", "which", "who", "whose", "why", "did", "does", "do", "is", "are", "was",
        "were", "has", "have", "had", "wie", "was", "wann", "wo", "welche", "welcher", "welches", "wer", "warum",
        "hat", "ist", "habe",
    ];
    words.first().is_some_and(|word| OPENINGS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_asked_for_by_a_verb_in_no_question() {
        let cases = [
            ("mail.send", "Tell Bob that I come.", true),
            (
                "office.send_mail",
                "And mail grace@harbor.example that I bring it.",
                true,
            ),
            ("bank.pay", "Now send 6 to GB29, subject Tea.", true),
            ("team.addMember", "Thanks. Add Dora to general", true),
            ("team.post", "Can you post it in general?", true),
            ("team.post", "What happened in general today?", false),
            ("bank.change_scheduled", "How much is standing order 7?", false),
            ("bank.pay", "Did I pay 50 to GB29?", false),
            ("bank.pay", "Never pay anything to GB29", false),
            ("office.archive_mail", "What is in mail 11?", false),
            ("office.archive_mail", "Archive mail 11", true),
            ("home.act", "What is new?", false),
        ];
        for (command, says, expected) in cases {
            assert_eq!(
                is_asked_for(command, &[says.to_owned()]),
                expected,
                "{command} {says:?}"
            );
        }
    }
}
