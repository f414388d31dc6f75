//! The words by which languages are recognised, and those that say little.

use std::sync::LazyLock;

use super::index::{Index, index};

/// The languages in which a word is one of the [`COMMON`] ones.
pub static COMMON_IN: Index<&str> =
    LazyLock::new(|| index(COMMON.iter().map(|(language, words)| (*words, *language))));

/// The languages in which a word says little: it is common, or only frames a question.
pub static SAYS_LITTLE_IN: Index<&str> =
    LazyLock::new(|| index(COMMON.iter().chain(FRAMES).map(|(language, words)| (*words, *language))));

/// Commonest words by language: they tell the language, and carry no meaning of their own. What denies, counts or turns is
/// in lists of its own.
const COMMON: &[(&str, &str)] = &[
    (
        "en",
        "a about am an and any are as at be been being by can could did do does doing done for from get got had has have \
         having he her hers him his how i i'd i'm i've if in into is it it's its itself let let's may me might mine my of \
         on one onto or our ours shall she should so some such than that that's the their them then there there's these \
         they this those to upon us was we were what what's when where where's which who who's whom whose why will with \
         would you you're your yours also just again here but because although though even while via per must someone somebody anyone myself \
         yourself ones go thus hence",
    ),
    (
        "de",
        "ab aber als am an auch auf aus bei beim bin bis bist da dabei dafür damit dann daran darauf daraus darf das dass \
         davon dazu dein deine deinem deinen deiner dem den denn der deren des dessen dich die dies diese diesem diesen \
         dieser dieses dir doch du durch dürfen ein eine einem einen einer eines er es etwas euch euer für gibt haben hat \
         habe hatte hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja kann kannst können könnte könnten \
         könntest man mein meine meinem meinen meiner meines mich mir mit möchte muss müssen nach noch nur ob oder schon sein \
         seine seinem seinen seiner seit sich sie sind so sogar solche soll sollen sollte über um und uns unser unsere unter \
         vom von vor war waren warum was weil welche welchem welchen welcher welches wenn wer werden wird wie wieder wieso \
         will wo wollen worden wurde wurden würde zu zum zur zwischen wann weshalb wem wen lässt los bitte mal",
    ),
    (
        "fr",
        "au aux avec ce ces cet cette comme comment dans de des du elle elles en est est-ce et eu fait faire faut il ils je \
         la le les leur leurs lui ma mais me mes moi mon nous on ou où par peut peux pour pourquoi puis quand que quel \
         quelle quelles quels qui quoi sa se ses son sont sur ta te tes toi ton tu un une vos votre vous y à été être c'est \
         qu'est-ce qu'est l d t s qu",
    ),
    (
        "es",
        "al como con cómo cuál cuáles cuando cuándo de del desde donde dónde el ella ellas ellos en entre es esa ese eso esta \
         este esto está están fue ha hace hacer hay la las le les lo los me mi mis muy más nos o para pero por porque puede \
         puedo que quién qué se ser si sobre son su sus también te tengo tiene tienen tu tus un una uno unas unos y ya yo \
         cuánto cuánta",
    ),
    (
        "it",
        "ai al alla alle anche che chi ci come con cosa cos'è da dal dalla dei del della delle di dove e ed era gli ha ho i il \
         in io la le lo lui ma mi nel nella nelle o per perché più può quale quali quando quanto questa questo se si sono su \
         sul sulla tra tu un una uno è",
    ),
    (
        "pt",
        "ao aos as até com como da das de do dos e ela ele em entre era essa esse esta este eu foi há isso isto mais mas me \
         meu minha muito na nas no nos o onde os ou para pela pelo por porque qual quais quando que quem se ser seu sua são \
         também tem um uma você é à",
    ),
    (
        "nl",
        "aan als bij dat de der deze die dit door een en er haar had heb hebben heeft het hij hoe hun ik in is je kan kun \
         maar me met mijn moet naar nog of om onder onze ook op over te tot u uit van veel voor waar waarom wanneer wat we wel \
         welke wie wij worden wordt zal ze zich zij zijn zou",
    ),
    (
        "cyrillic",
        "а будет был была были в вы где для до его ее если и из или к как какая какие какой какую кто ли мне можно мы на но о он она от по при с со такое такой то у что чтобы это этот я",
    ),
];

/// Words that frame a question without changing it.
const FRAMES: &[(&str, &str)] = &[
    (
        "en",
        "abbreviation answer brief briefly called concept currently define definition describe description detail detailed \
         details does each exact exactly explain explanation explained give happen hello help hey hi info information \
         kindly know like look make mean meaning means method need needed offer overview own please possible \
         precisely question reason really say short show simply teach tell term thank thanks thing things \
         understand ok okay use used using want way ways word words work working works very stand stands actually basically \
         generally purpose simple whole exist exists call advice advise learn recommend suggest",
    ),
    (
        "de",
        "ablauf antwort bedeuten bedeutet bedeutung begriff beschreibe beschreiben brauche danke definiere definition eigentlich \
         einfach erkläre erklären erklärung erzähl erzähle frage funktioniert funktionieren gebe genau gern gerne geht gib hallo \
         heißt helfen hilfe hilf informationen kurz macht machen meint mach mache möglich möglichkeit nenne nennen sag sage sagen \
         tun überblick verstehen versteht weg weise wissen wort zeig zeige zusammenfassung grund art gilt",
    ),
    ("fr", "expliquer explique expliquez merci signifie veut dire plaît s'il donner donne donne-moi fait-on"),
    ("es", "explica explicar explícame gracias significa dame favor"),
    ("it", "spiega spiegami significa grazie dimmi"),
    ("pt", "explica explique significa obrigado"),
    ("nl", "uitleggen leg uit betekent graag"),
    ("cyrillic", "объясни объясните объяснить пожалуйста расскажи значит"),
];
