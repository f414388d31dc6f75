//! Words that mean the same, the opposite, or something by their place; and names.

use std::sync::LazyLock;

use super::index::{Index, Set, index};

/// Phrases and short forms, and the word that stands for them; none for those that only frame a question.
pub const PHRASES: &[(&str, &str)] = &[
    ("best way, good way, right way, best method, easiest way, simplest way, proper way", ""),
    ("stand for, stands for, short for, meant by", ""),
    ("get rid, got rid", "remove"),
    ("turn up", "raise"),
    ("turn down", "lower"),
    ("speed up", "accelerate"),
    ("slow down", "decelerate"),
    ("united states of america, united states, u s a, usa, america", "usa"),
    ("vereinigten staaten von amerika, vereinigten staaten, vereinigte staaten", "usa"),
    ("united kingdom, great britain, uk, britain", "uk"),
    ("european union, eu", "eu"),
    ("united nations, un", "un"),
    ("new york city, new york, nyc", "newyork"),
    ("artificial intelligence, ai, künstliche intelligenz, ki", "ai"),
    ("machine learning, ml", "machinelearning"),
    ("postgresql, postgres", "postgres"),
    ("javascript, js, ecmascript", "javascript"),
    ("typescript, ts", "typescript"),
    ("golang", "go"),
    ("kubernetes, k8s", "kubernetes"),
    ("node js, nodejs", "node"),
    (
        "how come, what for, wie kommt es, for what reason, what is the reason, what's the reason, aus welchem grund",
        "why",
    ),
    ("what causes, what caused, what are the causes of, what is the cause of", "why"),
    ("is it better to", "should"),
    (
        "how many, how much, wie viele, wie viel, wieviele, wieviel, number of, amount of, anzahl der",
        "howmany",
    ),
    (
        "what year, which year, what time is, what time does, what time do, at what time, what date, which date, in welchem jahr",
        "when",
    ),
    ("what place, what country, which country, what city, which city, an welchem ort", "where"),
    ("which person, what person", "who"),
    ("as well as", "and"),
    ("in order to", "to"),
    ("so that", "so"),
    ("a lot of, lots of, plenty of", "many"),
    ("no longer", "nolonger"),
    ("each other, one another", "eachother"),
    ("e mail, email", "email"),
];

/// Words that mean the same, as far as questions go: one group a line.
pub const SYNONYMS: &str = "
fix repair mend
reparieren richten
begin start commence
anfangen beginnen
buy purchase
kaufen erwerben
delete remove erase
löschen entfernen
fast quick quickly rapidly rapid
schnell rasch
big large size
groß große großen grosse größe
tall high height
hoch hohe höhe
old age
alt alter
long length
weight heavy
wide width
deep depth
distance far
cost price costs
kosten preis kostet teuer
write author wrote written
schreiben schrieb geschrieben autor
invent inventor
discover discovery discoverer
build construct built
car automobile auto
movie film
kid child children
kind kinder
photo picture image
photograph photographer
job occupation
doctor physician
begin beginning
summarise summarize summary
bacterium bacteria
mouse mice
man men
woman women
tooth teeth
criterion criteria
error bug
mistake fault
difference differ different
unterschied unterscheiden unterscheidet
symptom sign
advantage benefit pro
disadvantage drawback con
vorteil nutzen
nachteil
illness disease
krankheit erkrankung
vacation holiday
urlaub ferien
phone smartphone telephone
handy smartphone
laptop notebook
create generate
erstellen anlegen
show display
happen occur
country nation
land staat
city town
inhabitant population resident
einwohner bevölkerung
capital
hauptstadt
sofa couch
garbage trash rubbish
autumn fall
petrol gasoline
tip hint
important key
essay composition
email mail
mail email
trip journey
wedding marriage
answer reply
end finish
shut close
choose select pick
auswählen wählen
speak talk
sprechen reden
ill sick
rock stone
present gift
street road
straße weg
lawyer attorney
flat apartment
wohnung apartment
boil
hard difficult
schwer schwierig
easy simple
leicht einfach
correct right
richtig korrekt
wrong incorrect
falsch
find locate
lose shed
get obtain
function method
directory folder
ordner verzeichnis
centre center
photosynthese fotosynthese
recipe
mostly mainly
improve better
verbessern
prevent avoid
verhindern vermeiden
last final
story tale
letter note
hot warm
loud noisy
";

/// The groups of [`OPPOSITES`] that a word is in, and on which side.
pub static SIDES_OF: Index<(usize, usize)> = LazyLock::new(|| {
    let sides = |(group, words): (usize, &&'static str)| {
        words.split(" | ").enumerate().map(move |(side, words)| (words, (group, side))).collect::<Vec<_>>()
    };
    index(OPPOSITES.iter().enumerate().flat_map(sides))
});

/// What cannot be said of the same thing: the sides are separated by a bar. Texts that have words of different sides,
/// and of none of the same, say opposite things.
const OPPOSITES: &[&str] = &[
    "increase raise rise grow gain boost more most maximum maximise maximize max highest greatest largest biggest higher \
     greater larger bigger upper above over exceed longest tallest longer taller | decrease reduce lower fall drop lose less \
     fewer least fewest minimum minimise minimize min lowest smallest smaller below under shrink shortest shorter",
    "before prior earlier until previous | after afterwards later following since next",
    "best better good improve ideal | worst worse bad worsen harm",
    "first initial begin start beginning | last final end stop finish quit",
    "enable activate allow permit unlock | disable deactivate forbid block ban lock prevent prohibit",
    "add insert include append install attach | remove delete exclude uninstall detach drop subtract",
    "encode encrypt compress zip serialize | decode decrypt decompress unzip deserialize",
    "import upload receive input pull | export download send output push",
    "open | close shut",
    "buy purchase | sell | rent",
    "win won victory | lose lost defeat",
    "advantage advantages pro pros benefit benefits strengths | disadvantage disadvantages con cons drawback drawbacks \
     weaknesses risks",
    "ascending | descending",
    "true | false",
    "legal allowed lawful permitted | illegal forbidden unlawful prohibited banned",
    "left | right",
    "north northern | south southern | east eastern | west western",
    "hot warm heat | cold cool freeze",
    "always every all everyone everybody | some sometimes several few | never none nobody",
    "for | against",
    "inside indoors internal in | outside outdoors external",
    "he him his man boy male father husband brother son men boys | she her hers woman girl female mother wife sister daughter \
     women girls",
    "rich wealthy | poor",
    "young younger youngest | old older oldest",
    "fast faster fastest accelerate | slow slower slowest decelerate brake",
    "cheap cheaper cheapest | expensive",
    "easy easier | hard harder difficult",
    "safe | dangerous unsafe",
    "public | private",
    "strong stronger | weak weaker",
    "dead died death die | born birth alive",
    "lend | borrow",
    "love like | hate dislike",
    "push | pull",
    "accept | reject refuse decline",
    "support defend | attack oppose criticise criticize",
    "day | night",
    "morning | evening | noon",
    "summarise summarize shorten | lengthen expand",
    "minus subtract | plus add | times multiply | divided divide",
    "erhöhen steigern steigt mehr zunehmen zunahme höchste größte größten höchsten meisten längste maximum über größer höher | \
     senken verringern sinkt weniger abnehmen abnahme niedrigste kleinste kleinsten niedrigsten wenigsten kürzeste minimum \
     unter kleiner niedriger",
    "er ihn ihm | sie",
    "vor vorher bevor | nach nachher danach nachdem",
    "beste besten bester bestes besser | schlechteste schlechtesten schlechter schlimmste",
    "erste ersten erster anfang | letzte letzten letzter ende",
    "vorteile vorteil | nachteile nachteil",
    "erlaubt legal zulässig erlauben | verboten illegal unzulässig verbieten",
    "kaufen kaufe | verkaufen verkaufe | mieten miete",
    "für | gegen",
    "alle immer jeder jede | einige manche manchmal | nie keiner",
    "aktivieren einschalten anschalten | deaktivieren ausschalten abschalten",
    "hinzufügen installieren | entfernen löschen deinstallieren",
    "links linke linken | rechts rechte rechten",
    "norden nördlich | süden südlich | osten östlich | westen westlich",
    "gewinnen gewonnen gewann | verlieren verloren verlor",
    "hinein rein | heraus raus",
    "wahr richtig | falsch",
    "avant | après",
    "plus augmenter | moins diminuer",
    "antes | después",
    "más mayor aumentar | menos menor reducir",
];

/// Words at the end of a sentence that turn a verb: "on" and "off", "ein" and "aus".
pub const PARTICLES: &str =
    "on off in out up down ein aus an ab auf zu hin her vor nach rein raus hoch runter";

pub static NEGATIONS: Set = LazyLock::new(|| {
    "not no never without none nobody nothing neither nor nowhere nolonger hardly cannot dont cant doesnt \
    nicht kein keine keinen keinem keiner keines nie niemals ohne weder nichts niemand nirgends \
    pas sans jamais rien aucun aucune sin nunca ningún ninguna nada non senza mai nessun nessuna niente \
    não sem nunca nenhum nenhuma niet geen nooit zonder niets \
    не нет без никогда ничего ни 不 没 沒 無 无 非 別 别 未 \
    except unless lack lacking lacks außer"
        .split_whitespace()
        .collect()
});

/// What is asked for. "What" and "which" are in none.
pub const ASKING: &[&str] = &[
    "when wann quand cuándo cuando quando когда wanneer",
    "where wo wohin woher où dónde donde dove onde где waar",
    "why warum weshalb wieso wozu pourquoi perché почему waarom",
    "who whom whose wer wem wen wessen qui quién chi quem кто",
    "howmany cuánto cuántos cuánta combien quanto сколько",
    "how wie comment cómo come как hoe",
];

/// The words of [`ASKING`] without which the same words ask something else: "what is a volcano", "where is a volcano".
pub const SPECIFIC: &[&str] = &["when wann", "where wo wohin woher", "who whom whose wer wem wen wessen"];

/// Words that make "what" a "why".
pub const REASONS: &str = "reason reasons cause causes why because grund gründe ursache ursachen";

pub const TENSES: [&str; 3] = [
    "is are am does do has have ist sind hat haben what's who's",
    "was were did had war waren hatte wurde",
    "will wird werden would",
];

pub const MODALS: [&str; 2] = [
    "can could may might is are do does kann können darf dürfen ist",
    "should must shall ought soll sollte muss müssen sollten",
];

/// Words between two that may be turned.
pub const COORDINATORS: &str = "and or vs versus und oder , & et ou y o e bzw gegenüber .";

/// Prepositions by their direction.
pub const DIRECTIONS: &[&str] = &[
    "from von aus vom de desde da из",
    "to into nach zu zum zur à vers hacia a в",
    "than als",
    "before vor",
    "after",
    "by durch",
    "without ohne",
    "against gegen",
];

/// Names that are recognised in lower case too: programming languages, tools, firms, countries, capitals, languages.
pub static NAMES: Set = LazyLock::new(|| {
    "
python rust java javascript typescript kotlin ruby php perl scala haskell erlang elixir clojure fortran cobol matlab 
lua golang csharp powershell bash zsh sql html css xml json yaml toml csv markdown latex
vue svelte django flask laravel tailwind bootstrap jquery nextjs node deno bun
docker kubernetes podman terraform ansible jenkins git github gitlab linux windows macos ubuntu debian fedora android ios
postgres mysql sqlite mongodb redis oracle mariadb elasticsearch kafka powerpoint photoshop firefox chrome
safari edge vim emacs numpy pandas pytorch tensorflow
google microsoft amazon facebook openai anthropic netflix tesla nvidia intel amd samsung sony ibm twitter
aws azure gcp chatgpt claude gemini copilot iphone pixel galaxy bitcoin ethereum
usa uk eu un nato nasa fbi cia
austria australia germany france italy spain portugal switzerland sweden norway denmark finland iceland ireland poland czechia
slovakia slovenia hungary romania bulgaria greece turkey russia ukraine belarus estonia latvia lithuania croatia serbia bosnia
albania netherlands belgium luxembourg china japan korea india pakistan bangladesh indonesia malaysia singapore thailand vietnam
philippines mongolia nepal iran iraq israel palestine syria lebanon jordan egypt libya tunisia algeria morocco nigeria niger kenya
ethiopia ghana mali congo angola zambia zimbabwe uganda tanzania mexico canada brazil argentina chile peru colombia venezuela
ecuador bolivia paraguay uruguay cuba jamaica haiti panama guatemala england scotland wales europe africa asia
österreich australien deutschland frankreich italien spanien portugal schweiz schweden norwegen dänemark finnland island irland
polen tschechien slowakei slowenien ungarn rumänien bulgarien griechenland türkei russland ukraine kroatien serbien niederlande
belgien china japan indien ägypten mexiko kanada brasilien europa afrika asien amerika
newyork london paris berlin vienna wien venice rome rom madrid barcelona lisbon prague prag budapest warsaw moscow moskau kyiv
athens istanbul dublin amsterdam brussels zurich zürich geneva munich münchen hamburg cologne köln frankfurt graz salzburg linz
milan florence naples tokyo beijing shanghai seoul delhi mumbai sydney melbourne canberra toronto chicago boston
english german french spanish italian portuguese dutch russian chinese japanese korean arabic hebrew latin greek polish turkish
hindi swedish danish norwegian finnish czech hungarian
englisch deutsch französisch spanisch italienisch portugiesisch russisch chinesisch japanisch arabisch latein griechisch polnisch
mercury venus earth mars jupiter saturn uranus neptune pluto romeo julia
"
    .split_whitespace()
    .collect()
});
