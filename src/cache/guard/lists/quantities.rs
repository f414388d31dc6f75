//! Numbers, units, months and days.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::index::{Index, index};

/// The month of a word, from 1.
pub static MONTH_OF: Index<u32> = LazyLock::new(|| index(MONTHS.iter().copied().zip(1..)));

/// The first word of the list of the calendar that a word is in.
pub static DAY_OF: Index<&str> = LazyLock::new(|| {
    index(CALENDAR.iter().map(|words| (*words, words.split(' ').next().unwrap_or_default())))
});

/// The languages in which a word is a number, and which number.
pub static NUMBER_OF: LazyLock<HashMap<&str, Vec<(&str, u32)>>> = LazyLock::new(|| {
    let mut numbers: HashMap<&str, Vec<(&str, u32)>> = HashMap::new();
    for (language, words) in NUMBERS.iter().chain(ORDINALS) {
        for (word, value) in words.split(' ').filter_map(|entry| entry.split_once('=')) {
            numbers.entry(word).or_default().extend(value.parse().ok().map(|value| (*language, value)));
        }
    }
    numbers
});

/// By what a word multiplies the number before it, in English and in German.
pub static MULTIPLE_OF: Index<(f64, f64)> =
    LazyLock::new(|| index(MULTIPLES.iter().map(|(words, english, german)| (*words, (*english, *german)))));

/// The units of [`UNITS`] by their short forms, their long ones, and the words that count after a number.
pub static UNIT_OF: LazyLock<[HashMap<&str, Vec<&str>>; 3]> = LazyLock::new(|| {
    [
        index(UNITS.iter().map(|(unit, short, ..)| (*short, *unit))),
        index(UNITS.iter().map(|(unit, _, long, _)| (*long, *unit))),
        index(UNITS.iter().map(|(unit, .., of_numbers)| (*of_numbers, *unit))),
    ]
});

const MONTHS: &[&str] = &[
    "january jan januar jänner janvier enero gennaio janeiro januari",
    "february feb februar février febrero febbraio fevereiro februari",
    "march mar märz mars marzo março maart",
    "april apr avril abril aprile",
    "may mai mayo maggio maio mei",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug août agosto augustus",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre diciembre dicembre dezembro",
];

/// Words of the calendar, the same ones in one list.
const CALENDAR: &[&str] = &[
    "monday montag lundi lunes lunedì",
    "tuesday dienstag mardi martes martedì",
    "wednesday mittwoch mercredi miércoles mercoledì",
    "thursday donnerstag jeudi jueves giovedì",
    "friday freitag vendredi viernes venerdì",
    "saturday samstag sonnabend samedi sábado sabato",
    "sunday sonntag dimanche domingo domenica",
    "today heute aujourd'hui hoy oggi tonight",
    "tomorrow demain mañana domani",
    "yesterday gestern ayer ieri",
    "spring frühling frühjahr printemps primavera",
    "summer sommer été verano estate",
    "autumn herbst automne otoño autunno",
    "winter hiver invierno inverno",
    "weekend wochenende",
    "christmas weihnachten noël navidad",
    "easter ostern pâques pascua",
];

/// Numbers in words. "Ein" is an article.
const NUMBERS: &[(&str, &str)] = &[
    (
        "en",
        "zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13 \
         fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 \
         seventy=70 eighty=80 ninety=90 hundred=100 thousand=1000 million=1000000 billion=1000000000 dozen=12 twice=2 once=1",
    ),
    (
        "de",
        "null=0 eins=1 zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 dreizehn=13 \
         vierzehn=14 fünfzehn=15 sechzehn=16 siebzehn=17 achtzehn=18 neunzehn=19 zwanzig=20 dreißig=30 vierzig=40 fünfzig=50 \
         sechzig=60 siebzig=70 achtzig=80 neunzig=90 hundert=100 tausend=1000 dutzend=12",
    ),
    (
        "fr",
        "deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 douze=12 quinze=15 vingt=20 trente=30 cent=100 mille=1000",
    ),
    (
        "es",
        "dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 doce=12 veinte=20 treinta=30 cien=100 mil=1000",
    ),
    (
        "it",
        "due=2 tre=3 quattro=4 cinque=5 sei=6 sette=7 otto=8 nove=9 dieci=10 venti=20 trenta=30 cento=100 mille=1000",
    ),
    (
        "pt",
        "dois=2 duas=2 três=3 quatro=4 cinco=5 seis=6 sete=7 oito=8 nove=9 dez=10 vinte=20 cem=100 mil=1000",
    ),
    (
        "nl",
        "twee=2 drie=3 vier=4 vijf=5 zes=6 zeven=7 acht=8 negen=9 tien=10 twintig=20 honderd=100 duizend=1000",
    ),
];

const ORDINALS: &[(&str, &str)] = &[
    (
        "en",
        "first=1 second=2 third=3 fourth=4 fifth=5 sixth=6 seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11 twelfth=12 \
         twentieth=20",
    ),
    (
        "de",
        "erste=1 ersten=1 erster=1 erstes=1 zweite=2 zweiten=2 zweiter=2 dritte=3 dritten=3 dritter=3 vierte=4 vierten=4 fünfte=5 fünften=5 sechste=6 sechsten=6 \
         siebte=7 siebten=7 achte=8 achten=8 neunte=9 neunten=9 zehnte=10 zehnten=10",
    ),
];

/// What multiplies the number before it, in English and in German.
const MULTIPLES: &[(&str, f64, f64)] = &[
    ("hundred hundert", 1e2, 1e2),
    ("thousand tausend", 1e3, 1e3),
    ("million millions mio millionen", 1e6, 1e6),
    ("milliarde milliarden mrd milliard", 1e9, 1e9),
    ("billion billions billionen", 1e9, 1e12),
    ("trillion trillions trillionen", 1e12, 1e18),
];

/// Units: what stands for them; short forms as they are written, which count only after a number; long forms in small
/// letters, which count anywhere; and words that count only after a number. No form is empty: a dash stands for none.
const UNITS: &[(&str, &str, &str, &str)] = &[
    ("kg", "kg KG Kg", "kg kilogram kilograms kilogramme kilogrammes kilogramm kilo kilos", "-"),
    ("g", "g", "gram grams gramme grammes gramm", "-"),
    ("mg", "mg", "milligram milligrams milligramm", "-"),
    ("µg", "μg mcg", "microgram micrograms mikrogramm", "-"),
    ("ton", "t", "ton tons tonne tonnes tonnen", "-"),
    ("pound", "lb lbs", "lb lbs pound pounds pfund", "-"),
    ("ounce", "oz", "ounce ounces unze unzen", "-"),
    ("stone", "st", "-", "stone stones"),
    ("km", "km KM", "km kilometre kilometres kilometer kilometers kilometern", "-"),
    ("m", "m", "metre metres meter meters metern", "-"),
    ("cm", "cm", "cm centimetre centimetres centimeter centimeters zentimeter", "-"),
    ("mm", "mm", "mm millimetre millimetres millimeter millimeters", "-"),
    ("nm", "nm", "nanometre nanometres nanometer", "-"),
    ("mile", "mi", "mile miles meile meilen", "-"),
    ("foot", "ft", "ft feet", "foot fuß"),
    ("inch", "-", "inch inches zoll", "-"),
    ("yard", "yd", "yard yards", "-"),
    ("acre", "ac", "acre acres", "-"),
    ("hectare", "ha", "hectare hectares hektar", "-"),
    ("l", "l L", "litre litres liter liters litern", "-"),
    ("ml", "ml mL", "ml millilitre millilitres milliliter milliliters", "-"),
    ("gallon", "gal", "gallon gallons gallone gallonen", "-"),
    ("pint", "pt", "pint pints", "-"),
    ("cup", "-", "-", "cup cups tasse tassen"),
    ("ms", "ms", "millisecond milliseconds millisekunden", "-"),
    ("s", "s", "-", "sec secs second seconds sekunde sekunden"),
    ("min", "-", "-", "min mins minute minutes minuten"),
    ("h", "h", "-", "hr hrs hour hours stunde stunden"),
    ("day", "d", "-", "day days tag tage tagen jour jours día días"),
    ("week", "-", "-", "week weeks woche wochen semaine semaines"),
    ("month", "-", "-", "month months monat monate monaten mois mes meses"),
    ("year", "-", "-", "year years yr yrs jahr jahre jahren ans año años"),
    ("celsius", "C", "celsius", "-"),
    ("fahrenheit", "F", "fahrenheit", "-"),
    ("kelvin", "-", "kelvin", "-"),
    ("degree", "-", "-", "degree degrees grad"),
    ("percent", "-", "percent prozent pct", "-"),
    ("dollar", "USD", "dollar dollars usd", "bucks"),
    ("euro", "EUR", "euro euros eur", "-"),
    ("sterling", "GBP", "sterling", "quid gbp"),
    ("yen", "JPY", "yen", "-"),
    ("franc", "CHF", "chf franc francs franken", "-"),
    ("yuan", "CNY", "yuan renminbi", "-"),
    ("rupee", "INR", "rupee rupees", "-"),
    ("bit", "-", "bit bits", "-"),
    ("byte", "B", "byte bytes", "-"),
    ("kB", "kB KB", "kilobyte kilobytes", "-"),
    ("MB", "MB", "megabyte megabytes", "-"),
    ("GB", "GB", "gigabyte gigabytes", "-"),
    ("TB", "TB", "terabyte terabytes", "-"),
    ("KiB", "KiB", "kibibyte", "-"),
    ("MiB", "MiB", "mebibyte", "-"),
    ("GiB", "GiB", "gibibyte", "-"),
    ("kb", "kb", "kilobit kilobits", "-"),
    ("Mb", "Mb Mbit Mbps", "megabit megabits mbps", "-"),
    ("Gb", "Gb Gbit Gbps", "gigabit gigabits gbps", "-"),
    ("Mb/s", "-", "mbit/s", "-"),
    ("W", "W", "watt watts", "-"),
    ("kW", "kW", "kilowatt kilowatts", "-"),
    ("MW", "MW", "megawatt megawatts", "-"),
    ("mW", "mW", "milliwatt milliwatts", "-"),
    ("GW", "GW", "gigawatt gigawatts", "-"),
    ("Wh", "Wh", "-", "-"),
    ("kWh", "kWh KWh", "kwh kilowattstunde kilowattstunden", "-"),
    ("MWh", "MWh", "-", "-"),
    ("V", "V", "volt volts", "-"),
    ("A", "A", "ampere amperes amp amps", "-"),
    ("mAh", "mAh", "-", "-"),
    ("Hz", "Hz", "hertz", "-"),
    ("kHz", "kHz", "kilohertz", "-"),
    ("MHz", "MHz", "megahertz", "-"),
    ("GHz", "GHz", "gigahertz", "-"),
    ("J", "J", "joule joules", "-"),
    ("kJ", "kJ", "kilojoule kilojoules", "-"),
    ("kcal", "kcal", "kcal calorie calories kalorie kalorien", "-"),
    ("Pa", "Pa", "pascal_", "-"),
    ("bar", "-", "-", "bar"),
    ("N", "N", "newton_ newtons", "-"),
    ("dB", "dB", "decibel decibels dezibel", "-"),
    ("mol", "mol", "mol", "-"),
    ("km/h", "-", "km/h kmh kph", "-"),
    ("mph", "-", "mph mi/h", "-"),
    ("m/s", "-", "m/s", "-"),
    ("knot", "kn", "knots", "-"),
];
