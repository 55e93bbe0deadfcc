//! Whether a text says that more is to come: "One moment, I am looking it up." Pure; read [`LANGUAGES`] as a table.
//!
//! The end of a text announces the next move, so its last sentence decides. Phrases stand at the beginning of a clause,
//! since somebody else may be looking for something, too.

use std::{collections::HashMap, sync::LazyLock};

/// How a language announces. Phrases are in lower case, with commas between them.
struct Language<T> {
    /// Words that may stand before an announcement.
    fillers: T,
    /// Beginnings of announcements.
    starts: T,
    /// Announcements only if the clause has nothing else.
    alone: T,
    /// Subjects and auxiliaries that make an announcement of a verb: in front of it, or right behind it.
    leads: T,
    /// Those of them that send the verb to the end.
    modals: T,
    /// Verbs that are announced.
    verbs: T,
}

/// Phrases as words, by the first of them: every message is read, and most begin with none of these.
struct Phrases(HashMap<&'static str, Vec<Vec<&'static str>>>);

static INDEX: LazyLock<Vec<Language<Phrases>>> = LazyLock::new(|| {
    let of = |language: Language<&'static str>| Language {
        fillers: Phrases::of(language.fillers),
        starts: Phrases::of(language.starts),
        alone: Phrases::of(language.alone),
        leads: Phrases::of(language.leads),
        modals: Phrases::of(language.modals),
        verbs: Phrases::of(language.verbs),
    };
    LANGUAGES.into_iter().map(of).collect()
});
static OFFERING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(OFFERS));
static WORKING: LazyLock<[Phrases; 3]> = LazyLock::new(|| [GERUNDS, OBJECTS, NOW].map(Phrases::of));

const LANGUAGES: [Language<&str>; 11] = [
    // English
    Language {
        fillers: "ok, okay, sure, alright, all right, right, great, good, perfect, thanks, yes, well, so, and, then, now, \
                  next, first, just, also, still, quickly, meanwhile, got it, no problem, of course, sounds good, \
                  actually, double, understood, done",
        starts: "let me, let's check, let's see, let's look, let's find, one moment, one sec, one second while, one minute \
                 while, a moment while, a second while, give me a, give me some, give me one, hold on, hang on, hang tight, sit tight, stay tuned, stand by, \
                 bear with me, wait a, wait while, on it, on to, onto the, now for, now to, next up, moving on, back in a, \
                 back soon, back shortly, be right back, almost there, almost done, nearly there, nearly done, more soon, \
                 more to come, more in a, this may take, this might take, this could take, this will take a, this takes a, \
                 it may take a, it might take a, it will take a, working on, looking it, looking up, \
                 looking into, looking for, looking that, looking this, looking through, looking now, figuring out",
        alone: "a moment, a second, a sec, a minute, one second, one minute, a bit, moment, wait, working, looking, thinking",
        leads: "i'll, i will, i'm, i am, we'll, we will, we're, we are, will, going to, gonna, about to, i need to, i have \
                to, i must, i want to, i'd like to, i still need to, i still have to, allow me to, need to",
        modals: "",
        verbs: "check, look, search, find, compute, calculate, work, fetch, read, get back, get it, get that, get the, get \
                your, try, see what, see if, see whether, gather, collect, dig, start, begin, continue, proceed, move on, \
                go on, go through, go and, do that, do it, do this, do the, download, load, open, query, verify, research, \
                analyse, analyze, process, think, prepare, compare, run, test, convert, translate, summarise, summarize, \
                review, examine, browse, pull, retrieve, investigate, figure out, be right back, be back, have a look, \
                take a look, come back, put together, handle, testing, running, \
                starting",
    },
    // German
    Language {
        fillers: "ok, okay, gut, klar, alles klar, sicher, natürlich, gern, gerne, ja, so, und, dann, jetzt, nun, als \
                  nächstes, zuerst, zunächst, erst, erstmal, gleich, sofort, gerade, noch, nur, kurz, mal, eben, schnell, \
                  also, verstanden, super, danke, das, es, dies, dazu, dafür, mir, mich, dir, für dich, für sie, schon, \
                  bin, nach, bin schon, weiter",
        starts: "einen moment, kleinen moment, einen kleinen moment, kurzen moment, einen kurzen moment, moment mal, einen \
                 augenblick, lass mich, lassen sie mich, mal sehen, mal schauen, schauen wir, sehen wir, bin dran, dran, \
                 bin dabei, dabei, bin gleich zurück, gleich zurück, warte kurz, warten sie, bleib dran, das dauert, es \
                 dauert einen, dauert einen, schaue nach, schau nach, sehe nach, suche danach, prüfe das, rechne nach, \
                 melde mich, gleich mehr",
        alone: "moment, augenblick, sekunde, eine sekunde, eine minute, warte, momentchen",
        leads: "ich, wir, werde, werden, muss, will, möchte, würde",
        modals: "werde, werden, muss, will, möchte",
        verbs: "prüfe, überprüfe, prüfen, überprüfen, checke, checken, schaue, schau, schauen, nachschauen, anschauen, \
                suche, suchen, heraussuchen, raussuchen, rechne, rechnen, ausrechnen, nachrechnen, berechne, berechnen, \
                arbeite, arbeiten, hole, holen, lese, lesen, nachlesen, lade, laden, kümmere, kümmern, versuche, versuchen, \
                nachsehen, ansehen, recherchiere, recherchieren, ermittle, ermitteln, vergleiche, vergleichen, analysiere, \
                analysieren, starte, starten, öffne, öffnen, herausfinden, nachfragen, durchsuche, durchsuchen, gucke, \
                gucken, nachgucken, sehe nach, sehe mir, sehe mal, sehe ich nach, mache weiter, mache mich, fahre fort, \
                beginne, beginnen, melde mich, fange an",
    },
    // Spanish
    Language {
        fillers: "ok, vale, bien, muy bien, claro, por supuesto, sí, perfecto, genial, entendido, ahora, ahora mismo, ya, \
                  luego, después, a continuación, primero, y, entonces, aún, todavía, lo, la, los, las, te, se, enseguida, \
                  en seguida, de acuerdo",
        starts: "un momento, un momentito, un segundito, un instante, dame un, deme un, espera un, espere un, déjame, \
                 dejame, déjeme, dejeme, permíteme, permítame, buscando, revisando, comprobando, verificando, calculando, \
                 consultando, investigando, analizando, trabajando en, en ello, busco, compruebo, reviso, verifico, calculo, \
                 consulto, miro, investigo, averiguo, veamos, a ver, vuelvo en, ahora vuelvo, vuelvo enseguida, esto puede \
                 tardar, esto puede llevar, esto tardará, puede tardar",
        alone: "un segundo, un minuto, espera, espere, momento",
        leads: "estoy, estamos, voy a, vamos a, tengo que, necesito, debo, sigo",
        modals: "",
        verbs: "buscando, revisando, comprobando, verificando, calculando, consultando, mirando, investigando, trabajando, \
                leyendo, procesando, obteniendo, analizando, pensando, en ello, buscar, buscarlo, revisar, revisarlo, \
                comprobar, comprobarlo, verificar, verificarlo, calcular, calcularlo, consultar, consultarlo, mirar, \
                mirarlo, ver, investigar, investigarlo, trabajar, leer, obtener, analizar, seguir, averiguar, \
                averiguarlo, intentar, echar un",
    },
    // French
    Language {
        fillers: "ok, d'accord, bien, très bien, bien sûr, oui, parfait, entendu, compris, maintenant, ensuite, puis, tout \
                  de suite, alors, et, d'abord, le, la, les, encore, déjà, toujours, vite",
        starts: "un instant, un petit instant, un moment, un petit moment, laissez moi, laisse moi, j'y travaille, j'y vais, \
                 je m'en occupe, m'en occupe, je reviens, attendez un, attends un, veuillez patienter, patientez, voyons, \
                 recherche en cours, calcul en cours, cela peut prendre, ça peut prendre, donnez moi un, donne moi un",
        alone: "une seconde, une minute, attendez, attends, patience, en cours",
        leads: "je, j'ai, je vais, vais, je dois, dois, nous, allons, on va, suis en train de, suis en train d'",
        modals: "",
        verbs: "vérifie, regarde, cherche, recherche, calcule, consulte, examine, analyse, lance, continue, essaie, \
                travaille, vérifier, regarder, chercher, rechercher, calculer, consulter, examiner, analyser, lire, \
                travailler, voir, continuer, essayer, jeter un",
    },
    // Portuguese
    Language {
        fillers: "ok, certo, claro, com certeza, sim, perfeito, entendi, agora, então, e, primeiro, depois, em seguida, já, \
                  ainda, só, o, a, isso",
        starts: "um momento, um momentinho, um instante, só um, deixe me, deixa me, deixa eu, deixe eu, aguarde, espere um, \
                 espera um, verificando, procurando, buscando, calculando, consultando, pesquisando, já volto, volto já, \
                 vejamos, isso pode demorar, isso pode levar, pode demorar, me dê um, dê me um, dá me um",
        alone: "um segundo, um minuto, espera, espere",
        leads: "estou, estou a, vou, vamos, preciso, tenho que, tenho de",
        modals: "",
        verbs: "verificando, procurando, buscando, calculando, consultando, pesquisando, analisando, trabalhando, lendo, \
                checando, a verificar, a procurar, a calcular, a trabalhar, verificar, procurar, buscar, calcular, \
                consultar, pesquisar, analisar, trabalhar, ler, checar, ver, conferir, descobrir, continuar, tentar",
    },
    // Italian
    Language {
        fillers: "ok, va bene, certo, sì, perfetto, ora, adesso, poi, quindi, prima, subito, allora, e, già, ancora, lo, la, \
                  ti",
        starts: "un momento, un attimo, un istante, fammi, mi faccia, lasciami, lascia che, dammi un, aspetta un, attendi, \
                 attenda, controllo, verifico, cerco, calcolo, guardo, ci penso, ci sto lavorando, vediamo, torno subito",
        alone: "un secondo, un minuto, aspetta",
        leads: "sto, devo, vado a",
        modals: "",
        verbs: "cercando, controllando, verificando, calcolando, consultando, guardando, lavorando, leggendo, analizzando, \
                cercare, controllare, verificare, calcolare, guardare, vedere",
    },
    // Dutch
    Language {
        fillers: "ok, oké, goed, prima, natuurlijk, zeker, ja, nu, dan, eerst, even, dus, en, dat, het, nog, zo, meteen, \
                  snel, nog even",
        starts: "een moment, een momentje, momentje, een ogenblik, een ogenblikje, even kijken, even geduld, laat me, laat \
                 mij, ben ermee bezig, ik ben ermee bezig, ben zo terug, wacht even",
        alone: "een seconde, een minuut, wacht, moment",
        leads: "ik, we, ga, zal, moet",
        modals: "ga, zal, moet",
        verbs: "kijk, zoek, controleer, bereken, check, werk, lees, haal, onderzoek, kijken, zoeken, opzoeken, controleren, \
                berekenen, checken, lezen, ophalen, onderzoeken, nakijken, uitzoeken, bekijken",
    },
    // Russian
    Language {
        fillers: "хорошо, ок, окей, конечно, да, так, сейчас, теперь, я, мы, уже, пока, ещё, еще, сначала, сперва, затем, \
                  потом, понял, поняла, понятно, ладно, отлично, и, это, тогда, быстро, всё",
        starts: "проверяю, проверю, смотрю, посмотрю, ищу, поищу, посчитаю, подсчитываю, вычисляю, вычислю, рассчитываю, \
                 узнаю, выясняю, выясню, уточняю, уточню, работаю над, уже работаю, гляну, загружаю, читаю, изучаю, \
                 анализирую, сравниваю, займусь, занимаюсь, приступаю, продолжаю, сейчас считаю, уже считаю, секунду, \
                 секундочку, минутку, минуточку, одну секунду, одну секундочку, одну минуту, одну минутку, один момент, \
                 подождите, подожди, погодите, погоди, дайте мне, дай мне, дайте подумать, сейчас вернусь, скоро вернусь, \
                 это может занять, это займёт, это займет",
        alone: "момент, минуту, считаю, работаю",
        leads: "мне надо, мне нужно, надо, нужно, давайте, давай, буду, попробую, пробую, позвольте мне, позвольте",
        modals: "",
        verbs: "проверить, посмотреть, посмотрим, проверим, найти, узнать, посчитать, посчитаем, вычислить, поискать, \
                выяснить, уточнить, искать, проверять, считать",
    },
    // Ukrainian
    Language {
        fillers: "добре, гаразд, так, зараз, тепер, я, ми, вже, ще, спочатку, потім, і, це, звісно",
        starts: "перевіряю, перевірю, шукаю, пошукаю, дивлюся, дивлюсь, подивлюся, подивлюсь, порахую, обчислюю, працюю над, \
                 хвилинку, секунду, одну хвилинку, одну хвилину, одну секунду, один момент, зачекайте, зачекай, дайте мені, \
                 дай мені",
        alone: "рахую, працюю, момент, хвилину",
        leads: "мені треба, мені потрібно, треба, потрібно, давайте",
        modals: "",
        verbs: "перевірити, подивитися, знайти, порахувати, подивимося",
    },
    // Polish
    Language {
        fillers: "ok, dobrze, jasne, tak, teraz, już, najpierw, potem, i, to, zaraz, właśnie, jeszcze, oczywiście",
        starts: "sprawdzam, sprawdzę, szukam, poszukam, liczę, obliczam, policzę, zobaczę, pracuję nad, chwileczkę, chwilę, \
                 jedną chwilę, jedną chwileczkę, momencik, daj mi, proszę czekać, poczekaj, zaczekaj, pozwól",
        alone: "moment, pracuję, sekundę, minutę",
        leads: "muszę, będę",
        modals: "",
        verbs: "sprawdzić, poszukać, policzyć, zobaczyć, szukać, sprawdzać",
    },
    // Swedish
    Language {
        fillers: "ok, okej, bra, visst, självklart, ja, nu, sedan, först, bara, och, så, det",
        starts: "ett ögonblick, ett litet ögonblick, låt mig, vänta lite, vänta en, strax tillbaka, jobbar på",
        alone: "vänta, en sekund, en minut",
        leads: "jag, ska, måste, vi",
        modals: "",
        verbs: "kollar, kolla, söker, söka, letar, leta, räknar, räkna, beräknar, undersöker, undersöka, jobbar, tittar, \
                titta, läser, hämtar",
    },
];

/// Gerunds that announce by themselves, before one of [`OBJECTS`], behind one of [`NOW`] or behind a subject. Else they
/// may be a topic: "Opening hours are 9 to 5."
const GERUNDS: &str = "checking, searching, computing, calculating, fetching, reading, gathering, collecting, digging, \
                       continuing, proceeding, downloading, loading, opening, querying, verifying, researching, analysing, \
                       analyzing, processing, preparing, comparing, converting, translating, summarising, summarizing, \
                       reviewing, examining, browsing, pulling, retrieving, investigating, crunching, trying";

/// Objects and adverbs of a gerund. A number is one, too.
const OBJECTS: &str = "it, that, this, these, those, them, the, a, an, my, your, our, all, both, some, more, each, every, now, \
                       again, right, for, up, into, through, if, whether, what, how, when, where, which, who, please";

/// Adverbs for an action at this moment.
const NOW: &str = "now, still, meanwhile, quickly";

/// Phrases that announce wherever they stand, in languages without spaces between words, or with their verbs at the
/// end.
const ANYWHERE: &str = "请稍, 稍等, 稍候, 等一下, 等我, 让我, 我来查, 我来看, 我来算, 我查一下, 我去查, 我看看, 正在查, 正在计算, \
                        正在搜, 正在为, 正在处理, 正在找, 請稍, 讓我, 我來, 正在查詢, 正在計算, 少々お待ち, お待ちください, ちょっと待, \
                        調べます, 調べています, 調べてみ, 確認します, 確認しています, 検索します, 検索しています, 計算します, \
                        計算しています, 見てみます, 探します, 探しています, 잠시만, 잠깐만, 기다려, 확인하겠, 확인해 볼, 확인해볼, 확인 중, \
                        찾아보, 찾고 있, 계산하겠, 계산 중, 검색하, 검색 중, bakıyorum, bakayım, kontrol ediyorum, \
                        araştırıyorum, hesaplıyorum, arıyorum, bekleyin, bir saniye lütfen, bir dakika lütfen";

/// Phrases that turn an announcement into an offer.
const OFFERS: &str = "let me know, if you want, if you like, if you need, if you wish, if you'd like, if you prefer, wenn du \
                      willst, wenn du möchtest, wenn du magst, wenn sie möchten, wenn sie wollen, falls du, falls sie, lass \
                      mich wissen, lassen sie mich wissen, si quieres, si quiere, si lo deseas, déjame saber, si tu veux, si \
                      vous voulez, si vous le souhaitez, se quiser, se vuoi, als je wilt, если хочешь, если хотите, если \
                      нужно, якщо хочете, jeśli chcesz, om du vill";

/// The ends of a text that is unfinished.
const OPEN: [&str; 4] = ["…", "...", ":", "："];

/// Whether a text says that more is to come.
pub(super) fn announces(text: &str) -> bool {
    let text = text.trim_end();
    if OPEN.iter().any(|end| text.ends_with(end)) {
        return true;
    }
    let text = text.to_lowercase().replace('’', "'");
    let text = text.replace(". ", "\n").replace(": ", "\n").replace(" - ", ",");
    let mut sentences = text.rsplit(['\n', '!', '?', '…', '。', '！', '？', '：']);
    let Some(last) = sentences.find(|sentence| sentence.contains(char::is_alphanumeric)) else {
        return false;
    };
    let mut clauses = last
        .split([',', ';', '—', '–', '(', ')', '，', '、'])
        .map(|clause| words_of(clause).collect::<Vec<_>>());
    let announces = phrases(ANYWHERE).any(|phrase| last.contains(phrase))
        || clauses.any(|words| INDEX.iter().any(|language| language.announces(&words)));
    announces && !is_offer(last)
}

/// Whether all letters of a text are of scripts that the table has.
pub(super) fn knows_script(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).all(|c| {
        matches!(c,
            '\0'..='\u{24f}' | '\u{400}'..='\u{52f}' | '\u{1e00}'..='\u{1eff}' | '\u{3000}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
    })
}

impl Language<Phrases> {
    fn announces(&self, words: &[&str]) -> bool {
        let mut rest = words;
        let mut is_led = false;
        while !rest.is_empty() {
            let before = words.get(..words.len() - rest.len()).unwrap_or_default();
            let announces = self.starts.before(rest).is_some()
                || self.alone.are(rest)
                || is_at_work(before, rest, is_led)
                || self
                    .verbs
                    .before(rest)
                    .is_some_and(|rest| is_led || self.leads.before(rest).is_some());
            if announces {
                return true;
            }
            if let Some(next) = self.leads.before(rest) {
                is_led = true;
                rest = next;
            } else if let Some(next) = self.fillers.before(rest) {
                rest = next;
            } else {
                break;
            }
        }
        let is_one = |list: &Phrases, word: &&str| list.are(std::slice::from_ref(word));
        is_led
            && words.iter().any(|word| is_one(&self.modals, word))
            && rest.last().is_some_and(|last| is_one(&self.verbs, last))
    }
}

impl Phrases {
    fn of(list: &'static str) -> Self {
        let mut by_first: HashMap<_, Vec<Vec<_>>> = HashMap::new();
        for phrase in phrases(list) {
            let mut words = phrase.split(' ');
            if let Some(first) = words.next() {
                by_first.entry(first).or_default().push(words.collect());
            }
        }
        Self(by_first)
    }

    /// The words behind each of the phrases that begin `words`.
    fn all_before<'p, 'w: 'p, 't: 'w>(&'p self, words: &'w [&'t str]) -> impl Iterator<Item = &'w [&'t str]> + 'p {
        let behind = words.split_first();
        let phrases = behind.and_then(|(first, _)| self.0.get(first)).into_iter().flatten();
        phrases.filter_map(move |phrase| behind.and_then(|(_, rest)| rest.strip_prefix(phrase.as_slice())))
    }

    /// The words behind the first phrase that begins `words`.
    fn before<'w, 't>(&self, words: &'w [&'t str]) -> Option<&'w [&'t str]> {
        self.all_before(words).next()
    }

    /// Whether words are one of the phrases, and nothing else.
    fn are(&self, words: &[&str]) -> bool {
        self.all_before(words).any(<[_]>::is_empty)
    }
}

/// Whether words begin with something that is being done. `before` stands before them.
fn is_at_work(before: &[&str], words: &[&str], is_led: bool) -> bool {
    let [gerunds, objects, now] = &*WORKING;
    gerunds.before(words).is_some_and(|rest| {
        let has_object = rest.first().is_none_or(|next| next.starts_with(char::is_numeric));
        is_led || has_object || objects.before(rest).is_some() || before.last().is_some_and(|last| now.are(&[*last]))
    })
}

fn is_offer(sentence: &str) -> bool {
    let words: Vec<_> = words_of(sentence).collect();
    (0..words.len()).any(|at| words.get(at..).is_some_and(|words| OFFERING.before(words).is_some()))
}

fn phrases(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(", ").filter(|phrase| !phrase.is_empty())
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
