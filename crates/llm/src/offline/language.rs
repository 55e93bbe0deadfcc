//! The language that a message is written in, as far as the responder has words for it.

use clifford_text::Lang;

/// A language in which it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    English,
    German,
}

/// Words that are German and not English, and the other way round. A word of both (`was`, `die`, `in`) tells nothing.
const GERMAN: &str = "ich du er es wir mir mich dir dich ist sind bin bist was wie wer wo und oder der das ein eine einen \
    einem einer eines mein meine meinen deine dein bitte danke hallo moin servus grüezi guten gute tag morgen abend nacht \
    wetter uhr uhrzeit spät datum heute gestern jetzt erinnere erinnerung erinnerungen merk merke dass jeden welche \
    welcher welches welchen wochentag kalenderwoche woche wochen tage tagen nicht heißt heiße heiß wieviel viel viele \
    berechne rechne meilen zoll fuß grad hast kannst kennst weißt weisst tschüss tschüß tschau hilfe werkzeuge wird \
    nächste seit bis für von vor mal geteilt durch witz erzähl erzähle geht gehts wohne weihnachten silvester regnet \
    schreib schreibe warum wann über auf uhr dir ja nein gib minuten stunden stunde sekunden jahre jahren monate monaten \
    heißen wissen schönen vielen warte zwischen warm kalt wurzel aus meter kilometer prozent liter gramm unze";
const ENGLISH: &str = "i you he she it we me my your the a an is are am what who where how and or this that to of for with \
    please thanks thank hello hey hi time date day days today tomorrow yesterday weather remind remember every week weeks \
    miles inches feet do does can could would tell help will now when why about between until since ago from on at";

/// Words of the other languages that are written in Latin letters, and of neither English nor German.
const OTHERS: [(Lang, &str); 3] = [
    (
        Lang::Spanish,
        "hola buenos buenas días tardes noches gracias qué cómo estás está quién eres puedes hacer ayuda ayúdame adiós \
         cuál cuánto cuántos dónde cuándo mi mis una que para recuérdame clima tiempo hoy mañana ayer quiero \
         tengo llamo nombre gato perro por escribe poema sabes muchas",
    ),
    (
        Lang::French,
        "bonjour bonsoir salut coucou merci comment que quel quelle quels qui peux faire aide aider moi revoir bientôt \
         combien où quand mes le une pour et rappelle météo temps aujourd hui demain je suis veux \
         appelle nom chien écris poème sais ça va beaucoup",
    ),
    (
        Lang::Portuguese,
        "olá oi bom boa dia tarde noite obrigado obrigada você quem é pode fazer ajuda ajude tchau qual quanto quantos \
         onde quando meu minha uma que para lembre clima tempo hoje amanhã ontem quero tenho chamo nome gato \
         cachorro por escreva poema sabe muito são não",
    ),
];

/// The language of what the responder says of itself: the one that was chosen, else that of the script, else the one of most
/// words; English where nothing tells.
pub(super) fn reader(text: &str, told: Option<Lang>) -> Lang {
    told.or_else(|| of_script(text)).unwrap_or_else(|| of_words(text))
}

/// The language that is told by its letters.
fn of_script(text: &str) -> Option<Lang> {
    let has = |is: fn(u32) -> bool| text.chars().any(|c| is(u32::from(c)));
    if has(|c| (0x3040..=0x30ff).contains(&c)) {
        return Some(Lang::Japanese);
    }
    if has(|c| (0x4e00..=0x9fff).contains(&c)) {
        return Some(Lang::Chinese);
    }
    has(|c| (0x0400..=0x04ff).contains(&c)).then_some(Lang::Russian)
}

fn of_words(text: &str) -> Lang {
    let text = text.to_lowercase();
    let count = |known: &str, word: &str| usize::from(known.split_ascii_whitespace().any(|known| known == word));
    let words = || text.split(|c: char| !c.is_alphabetic());
    let mut best = match Language::of(&text) {
        Language::English => (words().map(|word| count(ENGLISH, word)).sum(), Lang::English),
        Language::German => (words().map(|word| count(GERMAN, word)).sum(), Lang::German),
    };
    for (lang, known) in OTHERS {
        let found: usize = words().map(|word| count(known, word)).sum();
        if found > best.0 {
            best = (found, lang);
        }
    }
    best.1
}

impl Language {
    /// The language that most of a text's words are of.
    pub(super) fn of(text: &str) -> Self {
        let (mut german, mut english) = (0_usize, 0_usize);
        for word in text.to_lowercase().split(|c: char| !c.is_alphabetic()) {
            let is = |words: &str| words.split_ascii_whitespace().any(|known| known == word);
            german += usize::from(is(GERMAN)) + usize::from(word.contains(['ä', 'ö', 'ü', 'ß']));
            english += usize::from(is(ENGLISH));
        }
        if german > english { Self::German } else { Self::English }
    }

    /// The one of two texts that is in this language.
    pub(super) const fn pick<'a>(self, english: &'a str, german: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::German => german,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_language_of_most_of_its_words() {
        let cases = [
            ("what time is it in Tokyo?", Language::English),
            ("wie spät ist es in Tokio?", Language::German),
            ("Was ist 2+2?", Language::German),
            ("was that good?", Language::English),
            ("5 km in Meilen", Language::German),
            ("5 km in miles", Language::English),
            ("Wetter Oslo", Language::German),
            ("💥", Language::English),
            ("", Language::English),
        ];
        for (text, expected) in cases {
            assert_eq!(Language::of(text), expected, "{text}");
        }
    }
    #[test]
    fn a_reader_is_answered_as_they_chose_or_else_as_they_write() {
        let cases = [
            ("hello", None, Lang::English),
            ("Guten Morgen", None, Lang::German),
            ("¡Hola! ¿Qué puedes hacer?", None, Lang::Spanish),
            ("Écris un poème pour mon chat", None, Lang::French),
            ("Olá, quem é você?", None, Lang::Portuguese),
            ("привет", None, Lang::Russian),
            ("你好", None, Lang::Chinese),
            ("日本語で話せますか", None, Lang::Japanese),
            ("weather in La Paz", None, Lang::English),
            ("chat", None, Lang::English),
            ("os", None, Lang::English),
            ("💥", None, Lang::English),
            ("hello", Some(Lang::French), Lang::French),
            ("bonjour", Some(Lang::German), Lang::German),
        ];
        for (text, told, expected) in cases {
            assert_eq!(reader(text, told), expected, "{text}");
        }
    }
}
