/**
 * The page's words in the reader's language. The English text itself is the key: what is read in the
 * code is what is shown, and what a catalogue lacks is shown in English. `catalogue.test.ts` finds what
 * is missing, left over or outside of the catalogue; docs/web.md says how a language is added.
 */
import { kept } from "../ui/kept";
import en from "./en.json";

/** The languages in their own words. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;
const codes = Object.keys(languages) as Language[];

const key = "language";

/** What was chosen in this browser; null follows the browser's own languages. */
export const chosenLanguage = (): Language | null =>
  codes.find((code) => code === kept.read(key)) ?? null;

/** The languages that the browser says its reader wants, the first one most. */
const ofBrowser = () => navigator.languages ?? [];

function wantedLanguage(): Language {
  const chosen = chosenLanguage();
  if (chosen) return chosen;
  for (const wanted of ofBrowser()) {
    const found = codes.find((code) => code === wanted.split("-", 1)[0]);
    if (found) return found;
  }
  return "en";
}

/** A language with its region, such as en-GB; what else stands in it, such as a script, is left out. */
const named = /^([a-z]{2,3})(?:-[A-Z][a-z]{3})?-([A-Z]{2}|\d{3})(?![A-Za-z\d])/;

/**
 * A language as the reader's region writes dates and numbers: the first region that `wanted`, the browser's languages, names
 * with it (en-GB, de-CH), or the plain language where none is named.
 */
export function regional(code: Language, wanted: readonly string[]): string {
  for (const tag of wanted) {
    const [, base, region] = named.exec(tag) ?? [];
    if (base === code) return `${code}-${region}`;
  }
  return code;
}

const catalogues: Record<Exclude<Language, "en">, () => Promise<{ default: Catalogue }>> = {
  de: () => import("./de.json"),
};

/** Texts by their keys: the English text, with `_one`, `_other` and so on where a number decides. */
type Catalogue = Readonly<Record<string, string>>;

// English holds only the forms for one, where they differ: its other texts are their own keys.
let shown: { language: Language; texts: Catalogue; locale: string } = {
  language: "en",
  texts: en,
  locale: "en",
};
let plurals = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

/** Shows another language from now on, for readers who want these languages; called before the first render, and by tests. */
export function showLanguage(
  code: Language,
  texts: Catalogue = en,
  wanted: readonly string[] = [],
) {
  const locale = regional(code, wanted);
  shown = { language: code, texts, locale };
  plurals = new Intl.PluralRules(code);
  numbers = new Intl.NumberFormat(locale);
}

/** What a catalogue has for a text; what it lacks is shown in English. */
function found(text: string, count: number | undefined): string {
  if (count === undefined) return own(shown.texts, text) ?? text;
  const form = (rules: Intl.PluralRules) => `${text}_${rules.select(count)}`;
  return (
    own(shown.texts, form(plurals)) ??
    own(shown.texts, text) ??
    own(en, form(new Intl.PluralRules("en"))) ??
    text
  );
}

const own = (texts: Catalogue, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined;

/** Before the first render. If the catalogue cannot be fetched, the page is English and says nothing wrong. */
export async function loadLanguage(): Promise<void> {
  const wanted = wantedLanguage();
  // Also where the catalogue cannot be fetched.
  showLanguage("en", en, ofBrowser());
  if (wanted !== "en") showLanguage(wanted, (await catalogues[wanted]()).default, ofBrowser());
  document.documentElement.lang = wanted;
}

/** The place of the choice on its page, by its id. */
export const languageChoice = "language";

/** Loads the page anew: a run that is under way goes on at the server and is followed again. */
export function chooseLanguage(language: Language | null) {
  kept.write(key, language);
  // The reader goes on where it was chosen.
  history.replaceState(null, "", `#${languageChoice}`);
  location.reload();
}

/** The language that is shown: for what is not a text. */
export const language = (): Language => shown.language;

/** The language in the reader's region, for `Intl`: dates, numbers and sums. */
export const locale = (): string => shown.locale;

type Values = Readonly<Record<string, string | number>>;

/**
 * A text in the reader's language. `{{name}}` stands for a value, `{{count, number}}` for one that
 * decides between one and many. Never called before the first render: a table of texts at the top of
 * a file holds `msg`s and is translated where it is read.
 */
export function t(text: string, values: Values = {}): string {
  const { count } = values;
  const sentence = found(text, typeof count === "number" ? count : undefined);
  // Once, from left to right: a text of a model that stands in a gap is never a template.
  return sentence.replace(gap, (whole, name: string, asNumber?: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    return asNumber && typeof value === "number" ? numbers.format(value) : String(value);
  });
}

const gap = /\{\{(\w+)(, number)?\}\}/g;

/** A text as it stands in the catalogue, with its gaps, for `<T>`. */
export const template = (text: string, count?: number): string => found(text, count);

export { msg } from "./msg";
