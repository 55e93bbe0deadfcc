//! The language that a message is written in, as far as the responder has words for it.

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
    use super::Language;

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
}
