//! Whether a person asks for a command in their own words: a verb of its name, or one that means the same, stands in a
//! sentence of theirs that is no question and forbids nothing.

use super::{phrase, texts};

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
/// The verbs among them that are nouns as often.
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
/// The words among them of which a question must hold one to ask for something.
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

/// Commands that move money, by the words of their names.
const MONEY: [&str; 11] = [
    "money",
    "pay",
    "payment",
    "payments",
    "transfer",
    "transaction",
    "funds",
    "wire",
    "donate",
    "tip",
    "cash",
];
/// The verbs among them that ask for other commands as often: an amount must stand behind them.
const SENDING: [&str; 2] = ["send", "schick"];
/// Words that may stand behind an amount. Behind any other one a number counts something else.
const BEHIND_AMOUNTS: [&str; 34] = [
    "to", "for", "from", "on", "at", "with", "by", "each", "via", "now", "please", "and", "as", "an", "für", "von",
    "per", "mit", "bitte", "und", "eur", "euro", "euros", "usd", "dollar", "dollars", "gbp", "pound", "pounds", "chf",
    "franken", "yen", "bucks", "today",
];
/// Properties of an account. A request that changes one names it.
const GUARDED: [&str; 18] = [
    "password",
    "pin",
    "limit",
    "limits",
    "role",
    "roles",
    "permission",
    "permissions",
    "access",
    "owner",
    "admin",
    "visibility",
    "webhook",
    "forwarding",
    "filter",
    "rule",
    "key",
    "token",
];

/// Arguments that are amounts of money where money moves.
pub(super) const AMOUNTS: [&str; 4] = ["amount", "sum", "price", "cost"];
/// Arguments next to which these are amounts of money.
const PAYEES: [&str; 7] = [
    "recipient",
    "payee",
    "iban",
    "account",
    "currency",
    "beneficiary",
    "creditor",
];
/// Words before a number that is no amount: a time, a place in a row.
const BEFORE_OTHERS: [&str; 18] = [
    "at", "um", "until", "till", "bis", "no", "nr", "number", "nummer", "order", "room", "table", "item", "page", "id",
    "in", "since", "ab",
];

/// Whether a command moves money, by its name or by its arguments.
pub(super) fn is_payment<'a>(command: &str, arguments: impl Iterator<Item = &'a str>) -> bool {
    let arguments: Vec<_> = arguments.collect();
    let has = |names: &[&str]| arguments.iter().any(|name| names.contains(name));
    pieces(command).iter().any(|piece| MONEY.contains(&piece.as_str())) || (has(&AMOUNTS) && has(&PAYEES))
}

/// Whether one of the texts asks for a command.
pub(super) fn is_asked_for(command: &str, is_payment: bool, texts: &[String]) -> bool {
    let named = pieces(command);
    let wanted = verbs(&named, is_payment);
    let guarded: Vec<_> = (named.iter())
        .filter(|piece| GUARDED.contains(&piece.as_str()))
        .collect();
    texts.iter().any(|text| {
        sentences(text).any(|sentence| {
            let words: Vec<_> = texts::pieces(sentence).collect();
            let is_apt =
                |word: &&String| !is_payment || !SENDING.contains(&word.as_str()) || has_amount(sentence, None);
            let mut verbs = words.iter().filter(|word| wanted.contains(word)).filter(is_apt);
            asks(sentence, &words) && verbs.next().is_some() && guarded.iter().all(|named| words.contains(named))
        })
    })
}

/// Whether one of the texts tells a number as an amount, and does not count something by it or tell a time.
pub(super) fn tells_amount(texts: &[String], number: &str) -> bool {
    let wanted = phrase::decimal(number);
    texts.iter().any(|text| has_amount(text, wanted.as_deref()))
}

/// Whether a text holds a number that may be an amount: this one, or any.
fn has_amount(text: &str, wanted: Option<&str>) -> bool {
    let words: Vec<_> = text.split_whitespace().collect();
    let bare = |at: usize| words[at].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_wanted = |at: &usize| {
        let number = phrase::decimal(words[*at].trim_matches(|c: char| !c.is_ascii_digit() && c != '-'));
        number.is_some_and(|number| wanted.is_none_or(|wanted| wanted == number))
    };
    (0..words.len()).filter(is_wanted).any(|at| {
        let is_marked = words[at].contains(|c| "€$£¥".contains(c));
        let is_time = at > 0 && BEFORE_OTHERS.contains(&bare(at - 1).as_str());
        let ends = words[at].ends_with([',', '.', ';', '!', '?', ':']) || at + 1 == words.len();
        let counts = || !bare(at + 1).is_empty() && !BEHIND_AMOUNTS.contains(&bare(at + 1).as_str());
        is_marked || (!is_time && (ends || !counts()))
    })
}

/// Whether a word is a verb by which something is ordered.
pub(super) fn is_order(word: &str) -> bool {
    VERBS.iter().any(|group| group.contains(&word)) && !NOUNS.contains(&word)
}

/// Whether the title among a command's arguments says which of the things it concerns that exist: it makes nothing new,
/// or brings somebody to something.
pub(super) fn chooses_by_title(command: &str) -> bool {
    const KEEPING: [&str; 12] = [
        "save", "store", "draft", "note", "log", "record", "upload", "open", "start", "submit", "propose", "plan",
    ];
    const BRINGING: [&str; 6] = ["invite", "forward", "grant", "join", "attach", "participants"];
    let named = pieces(command);
    let has = |words: &[&str]| named.iter().any(|piece| words.contains(&piece.as_str()));
    changes(command) || has(&BRINGING) || !(makes(command) || has(&KEEPING))
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

/// The words by which a command is asked for, by the words of its name. `is_money`: it moves money.
fn verbs(pieces: &[String], is_money: bool) -> Vec<String> {
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
    // Somebody who is to be told something is not to be paid.
    let is_apt = |group: &&&[&str]| !is_money || group.contains(&"pay") || !group.contains(&"send");
    let groups = VERBS
        .iter()
        .filter(|group| group.contains(&verb.as_str()))
        .filter(is_apt);
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
    texts::pieces(&spaced).collect()
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
            // Somebody who is told something is not paid, and a number that counts is no amount.
            ("bank.send_money", "Tell Bob that 10 people come", false),
            ("bank.send_money", "Send Bob the 10 pictures", false),
            ("bank.send_money", "Send Bob 10", true),
            ("bank.send_money", "Send 10 € to Bob", true),
            ("bank.transfer", "Überweise 12,50 an 61109010140000071219812874", true),
            ("team.set_role", "Set the title to admin", false),
            ("team.set_role", "Set the role of Bob to admin", true),
        ];
        for (command, says, expected) in cases {
            assert_eq!(
                is_asked_for(command, is_payment(command, std::iter::empty()), &[says.to_owned()]),
                expected,
                "{command} {says:?}"
            );
        }
    }

    #[test]
    fn a_number_is_an_amount_if_it_counts_nothing_and_tells_no_time() {
        let cases = [
            ("Pay Bob what he asks and meet him at 10", "10", false),
            ("Pay the bill for the 10 people", "10", false),
            ("Change standing order 7", "7", false),
            ("Send 50 to GB29", "50", true),
            ("Pay Bob 12,50.", "12.5", true),
            ("Pay 10 euros to Bob", "10", true),
            ("Pay €10 to Bob at 9", "10", true),
            ("My rent is 900 from now on", "900", true),
            ("Pay 5 to Bob", "50", false),
        ];
        for (text, number, expected) in cases {
            assert_eq!(tells_amount(&[text.to_owned()], number), expected, "{text} {number}");
        }
    }
}
