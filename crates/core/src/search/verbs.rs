//! English words whose forms have no stem in common: questions name the present ("what did she buy"), texts the past
//! ("I bought").

/// The forms of each word.
const FORMS: &[&[&str]] = &[
    &["arise", "arose", "arisen"],
    &["awake", "awoke", "awoken"],
    &["bear", "bore", "borne"],
    &["beat", "beaten"],
    &["become", "became"],
    &["begin", "began", "begun"],
    &["bend", "bent"],
    &["bind", "bound"],
    &["bite", "bit", "bitten"],
    &["bleed", "bled"],
    &["blow", "blew", "blown"],
    &["break", "broke", "broken"],
    &["breed", "bred"],
    &["bring", "brought"],
    &["build", "built"],
    &["burn", "burnt"],
    &["buy", "bought"],
    &["catch", "caught"],
    &["child", "children"],
    &["choose", "chose", "chosen"],
    &["come", "came"],
    &["creep", "crept"],
    &["deal", "dealt"],
    &["die", "died", "dying"],
    &["dig", "dug"],
    &["draw", "drew", "drawn"],
    &["dream", "dreamt"],
    &["drink", "drank", "drunk"],
    &["drive", "drove", "driven"],
    &["eat", "ate", "eaten"],
    &["fall", "fell", "fallen"],
    &["feed", "fed"],
    &["feel", "felt"],
    &["fight", "fought"],
    &["find", "found"],
    &["fly", "flew", "flown"],
    &["foot", "feet"],
    &["forget", "forgot", "forgotten"],
    &["forgive", "forgave", "forgiven"],
    &["freeze", "froze", "frozen"],
    &["give", "gave", "given"],
    &["go", "goes", "went", "gone", "going"],
    &["grow", "grew", "grown"],
    &["hang", "hung"],
    &["hear", "heard"],
    &["hide", "hid", "hidden"],
    &["hold", "held"],
    &["keep", "kept"],
    &["kneel", "knelt"],
    &["lay", "laid"],
    &["lead", "led"],
    &["learn", "learnt"],
    &["leave", "left"],
    &["lend", "lent"],
    &["life", "lives"],
    &["light", "lit"],
    &["lose", "lost"],
    &["make", "made"],
    &["man", "men"],
    &["mean", "meant"],
    &["meet", "met"],
    &["mouse", "mice"],
    &["pay", "paid"],
    &["person", "people"],
    &["ride", "rode", "ridden"],
    &["ring", "rang", "rung"],
    &["rise", "rose", "risen"],
    &["run", "ran"],
    &["see", "saw", "seen"],
    &["seek", "sought"],
    &["sell", "sold"],
    &["send", "sent"],
    &["sew", "sewn"],
    &["shake", "shook", "shaken"],
    &["shine", "shone"],
    &["shoot", "shot"],
    &["show", "shown"],
    &["sing", "sang", "sung"],
    &["sink", "sank", "sunk"],
    &["sit", "sat"],
    &["sleep", "slept"],
    &["speak", "spoke", "spoken"],
    &["spend", "spent"],
    &["spin", "spun"],
    &["stand", "stood"],
    &["steal", "stole", "stolen"],
    &["stick", "stuck"],
    &["strike", "struck"],
    &["swear", "swore", "sworn"],
    &["sweep", "swept"],
    &["swim", "swam", "swum"],
    &["swing", "swung"],
    &["take", "took", "taken"],
    &["teach", "taught"],
    &["tear", "tore", "torn"],
    &["think", "thought"],
    &["throw", "threw", "thrown"],
    &["tooth", "teeth"],
    &["understand", "understood"],
    &["wake", "woke", "woken"],
    &["wear", "wore", "worn"],
    &["weave", "wove", "woven"],
    &["weep", "wept"],
    &["win", "won"],
    &["wife", "wives"],
    &["woman", "women"],
    &["write", "wrote", "written"],
];

/// The other forms of an English word, by any of its forms or by its stem.
pub fn other_forms(term: &str, stem: &str) -> Vec<&'static str> {
    let known = FORMS
        .iter()
        .filter(|forms| forms.contains(&term) || forms.first().is_some_and(|first| *first == stem));
    let others = known.flat_map(|forms| forms.iter().copied());
    others.filter(|form| *form != term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_known_by_any_of_its_forms() {
        assert_eq!(other_forms("buy", "buy"), ["bought"]);
        assert_eq!(other_forms("buys", "buy"), ["buy", "bought"]);
        assert_eq!(other_forms("bought", "bought"), ["buy"]);
        assert_eq!(other_forms("went", "went"), ["go", "goes", "gone", "going"]);
        assert_eq!(other_forms("cat", "cat"), Vec::<&str>::new());
    }
}
