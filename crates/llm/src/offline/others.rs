//! First messages of people in the languages for which there is no table of questions.

use super::{intent::Intent, questions::Question};

const GREETINGS: &[&str] = &[
    "hola",
    "buenos días",
    "buenas tardes",
    "buenas noches",
    "buenas",
    "bonjour",
    "bonsoir",
    "salut",
    "coucou",
    "olá",
    "oi",
    "bom dia",
    "boa tarde",
    "boa noite",
    "привет",
    "здравствуйте",
    "здравствуй",
    "добрый день",
    "доброе утро",
    "добрый вечер",
    "你好",
    "您好",
    "嗨",
    "早上好",
    "晚上好",
    "こんにちは",
    "こんばんは",
    "おはよう",
    "おはようございます",
    "やあ",
];
const THANKS: &[&str] = &[
    "gracias",
    "muchas gracias",
    "merci beaucoup",
    "obrigado",
    "obrigada",
    "muito obrigado",
    "muito obrigada",
    "спасибо",
    "большое спасибо",
    "谢谢",
    "多谢",
    "ありがとう",
    "ありがとうございます",
];
const HELP: &[&str] = &[
    "ayuda",
    "ayúdame",
    "qué puedes hacer",
    "qué sabes hacer",
    "aide",
    "aide-moi",
    "que peux-tu faire",
    "que sais-tu faire",
    "ajuda",
    "me ajude",
    "o que você pode fazer",
    "o que você sabe fazer",
    "помощь",
    "помоги",
    "помогите",
    "что ты умеешь",
    "что вы умеете",
    "帮助",
    "你能做什么",
    "你会做什么",
    "ヘルプ",
    "助けて",
    "何ができますか",
    "何ができるの",
];
const NAME: &[&str] = &[
    "cómo te llamas",
    "cuál es tu nombre",
    "comment t'appelles-tu",
    "comment tu t'appelles",
    "qual é o seu nome",
    "qual é seu nome",
    "como você se chama",
    "как тебя зовут",
    "как вас зовут",
    "你叫什么名字",
    "你叫什么",
    "お名前は",
    "名前は何ですか",
];
const BEING: &[&str] = &[
    "quién eres",
    "qué eres",
    "eres un bot",
    "qui es-tu",
    "tu es qui",
    "es-tu un robot",
    "quem é você",
    "o que você é",
    "você é um robô",
    "кто ты",
    "кто вы",
    "ты бот",
    "你是谁",
    "你是机器人吗",
    "あなたは誰ですか",
    "あなたは誰",
    "誰ですか",
];
const HOW_ARE_YOU: &[&str] = &[
    "cómo estás",
    "qué tal",
    "comment ça va",
    "ça va",
    "comment vas-tu",
    "como vai",
    "como vai você",
    "tudo bem",
    "как дела",
    "你好吗",
    "元気ですか",
    "お元気ですか",
];
const BYE: &[&str] = &[
    "adiós",
    "hasta luego",
    "au revoir",
    "à bientôt",
    "tchau",
    "até logo",
    "пока",
    "до свидания",
    "再见",
    "さようなら",
    "またね",
];

/// The intent of a whole message or clause in these languages, if it is known.
pub(super) fn read(text: &str) -> Option<Intent> {
    // Signs such as `¿` and `。` stand around the words.
    let words = text
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase()
        .replace('\u{2019}', "'");
    let is = |phrases: &[&str]| phrases.contains(&words.as_str());
    let intents = [
        (GREETINGS, Intent::Greet),
        (THANKS, Intent::Thanks),
        (HELP, Intent::Help),
        (NAME, Intent::Ask(Question::Name)),
        (BEING, Intent::Ask(Question::Being)),
        (HOW_ARE_YOU, Intent::Ask(Question::HowAreYou)),
        (BYE, Intent::Ask(Question::Bye)),
    ];
    intents
        .into_iter()
        .find(|(phrases, _)| is(phrases))
        .map(|(_, intent)| intent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_are_known_with_the_signs_around_them() {
        for (text, expected) in [
            ("¡Hola!", Some(Intent::Greet)),
            ("Bonjour !", Some(Intent::Greet)),
            ("Что ты умеешь?", Some(Intent::Help)),
            ("谢谢。", Some(Intent::Thanks)),
            ("¿Quién eres?", Some(Intent::Ask(Question::Being))),
            ("Comment t’appelles-tu ?", Some(Intent::Ask(Question::Name))),
            ("さようなら！", Some(Intent::Ask(Question::Bye))),
            ("hola hola", None),
            ("", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
