//! Wake words: whether a name in a text calls its bearer.

/// Whether a wake word stands where it addresses, not in passing: at the beginning of a line, alone or behind a
/// greeting; before a comma, colon or question mark; or behind a comma, at the end of what is said.
pub(super) fn wakes(words: &[String], text: &str) -> bool {
    let lower = folded(text);
    words
        .iter()
        .map(|word| folded(word))
        .filter(|word| !word.is_empty())
        .any(|word| {
            lower
                .match_indices(&word)
                .any(|(at, found)| addresses(&lower[..at], found, &lower[at + found.len()..]))
        })
}

/// A text in lower case. The dot that `İ` keeps there is no letter of its own.
fn folded(text: &str) -> String {
    text.to_lowercase().replace("i\u{307}", "i")
}

/// Greetings that may stand before the bot's name.
const GREETINGS: [&str; 22] = [
    "hey",
    "hi",
    "hello",
    "ok",
    "okay",
    "yo",
    "dear",
    "thanks",
    "please",
    "hallo",
    "hola",
    "oye",
    "salut",
    "bonjour",
    "ciao",
    "olá",
    "oi",
    "привет",
    "эй",
    "你好",
    "嗨",
    "ねえ",
];

/// How a script writes words, as far as it matters next to a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Words stand apart, as in Latin: a letter next to a name makes it another word.
    Spaced,
    /// Words stand apart, and endings are written to them: `클리포드야`.
    Hangul,
    /// Endings of names, and words without a space between them: `クリフォードさん`.
    Hiragana,
    /// Names of foreign origin: such a letter next to another goes on with the same word.
    Katakana,
    /// No space stands between words: Chinese, Thai, Lao, Khmer and Burmese.
    Unspaced,
}

/// The script of a letter or digit; `None`: it is neither.
fn script(c: char) -> Option<Script> {
    let script = match c {
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' => {
            Script::Hangul
        }
        '\u{3041}'..='\u{309f}' => Script::Hiragana,
        '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => {
            Script::Katakana
        }
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' => Script::Unspaced,
        c if c.is_alphanumeric() => Script::Spaced,
        _ => return None,
    };
    Some(script)
}

/// Whether the word of a name that ends with `last` goes on with these characters: `Clifford's`, `clifford_two`,
/// `clifford@example.org`. An ending of Hangul or Hiragana is no part of the name.
fn goes_on(last: Option<char>, mut behind: impl Iterator<Item = char>) -> bool {
    match next_of_word(&mut behind) {
        None | Some(Script::Hangul | Script::Hiragana | Script::Unspaced) => false,
        Some(Script::Spaced) => true,
        Some(Script::Katakana) => last.and_then(script) == Some(Script::Katakana),
    }
}

/// Whether the word of a name that begins with `first` began before, with these characters, the nearest first. Endings
/// stand behind a name: what is written before it without a space is a word that it is a part of.
fn began_before(first: Option<char>, mut before: impl Iterator<Item = char>) -> bool {
    match next_of_word(&mut before) {
        None | Some(Script::Hiragana | Script::Unspaced) => false,
        Some(Script::Spaced | Script::Hangul) => true,
        Some(Script::Katakana) => first.and_then(script) == Some(Script::Katakana),
    }
}

/// The script in which a word goes on next to these characters, at once or behind a joint.
fn next_of_word(beside: &mut impl Iterator<Item = char>) -> Option<Script> {
    const JOINTS: [char; 7] = ['\'', '’', '-', '_', '@', '.', '/'];
    match beside.next()? {
        joint if JOINTS.contains(&joint) => beside.next().and_then(script),
        next => script(next),
    }
}

/// A text behind a name, without the ending that is written to it.
fn without_ending(after: &str) -> &str {
    after.trim_start_matches(|c| matches!(script(c), Some(Script::Hangul | Script::Hiragana)))
}

/// Whether a name between these two texts, in lower case, calls its bearer.
fn addresses(before: &str, name: &str, after: &str) -> bool {
    const COMMAS: [char; 5] = [',', '，', '、', '،', ';'];
    if goes_on(name.chars().next_back(), after.chars()) || began_before(name.chars().next(), before.chars().rev()) {
        return false;
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    let said = line.trim_matches(|c: char| !c.is_alphanumeric());
    if said.is_empty() || GREETINGS.contains(&said) {
        return true;
    }
    let after = without_ending(after).trim_start_matches([' ', '*', '_', '"', '”']);
    if after.starts_with(COMMAS) || after.starts_with([':', '：', '?', '？', '؟']) {
        return true;
    }
    let ends = after.is_empty() || after.starts_with(['.', '!', '。', '！', '\n']);
    ends && line.trim_end_matches([' ', '@', '*', '_']).ends_with(COMMAS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each text with whether it calls a bot of this name.
    fn heard(name: &str, cases: &[(&str, bool)]) {
        for (text, expected) in cases {
            assert_eq!(wakes(&[name.to_owned()], text), *expected, "{name}: {text}");
        }
    }

    #[test]
    fn an_ending_of_a_script_that_attaches_endings_hides_no_name() {
        heard(
            "클리포드",
            &[
                ("클리포드야 오늘 날씨 어때", true),
                ("클리포드님, 도와주세요", true),
                ("클리포드씨 안녕하세요", true),
                ("저기 클리포드야, 이거 뭐야", true),
                ("어떻게 생각해, 클리포드야", true),
                ("그건 누구야 클리포드야?", true),
                ("나는 클리포드를 좋아해", false),
                ("우리클리포드 어디 있어", false),
                ("클리포드", true),
            ],
        );
        heard(
            "クリフォード",
            &[
                ("クリフォードさん、今日の天気は", true),
                ("クリフォードちゃん元気", true),
                ("クリフォード今日の天気は", true),
                ("ねえクリフォードさん、聞いて", true),
                ("どう思う、クリフォードさん", true),
                ("昨日クリフォードさんを見た", false),
                ("クリフォードソンさん、聞いて", false),
                ("マイクリフォード、聞いて", false),
            ],
        );
        heard(
            "Clifford",
            &[
                ("Clifford야 뭐해", true),
                ("cliffordさん、天気は", true),
                ("Clifford様、天気は", true),
                ("Clifford今天天气怎么样", true),
                ("cliffordครับ วันนี้อากาศเป็นอย่างไร", true),
                ("Clifford ຊ່ວຍແດ່", true),
                ("Cliffordຊ່ວຍແດ່", true),
                ("我喜欢clifford乐队，你呢", false),
                ("내clifford 어디", false),
            ],
        );
        heard("คลิฟฟอร์ด", &[("คลิฟฟอร์ดครับ ช่วยหน่อย", true)]);
        heard("小克", &[("小克今天怎么样", true), ("我喜欢小克的歌", false)]);
    }

    #[test]
    fn a_name_of_a_script_with_spaces_is_a_whole_word() {
        heard(
            "Clifford",
            &[
                ("Cliffordson, come here", false),
                ("Clifford2 what is it", false),
                ("Clifford'un köpeği", false),
                ("Cliffordille kiitos", false),
                ("Cliffordу привет", false),
                ("CLİFFORD, hava nasıl?", true),
                ("CLIFFORD: go on", true),
                ("clifford", true),
            ],
        );
        heard("Клиффорд", &[("Клиффорду привет", false), ("клиффорд, привет", true)]);
        heard("İpek", &[("ipek, hava nasıl?", true), ("İPEK ne dersin", true)]);
    }
}
