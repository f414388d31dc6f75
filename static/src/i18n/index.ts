/**
 * The page's words in the reader's language. The English text itself is the key: what is read in the
 * code is what is shown, and what a catalogue lacks is shown in English. `catalogue.test.ts` finds what
 * is missing, left over or outside of the catalogue; docs/web.md says how a language is added.
 */
import i18next from "i18next";
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

function wantedLanguage(): Language {
  const chosen = chosenLanguage();
  if (chosen) return chosen;
  for (const wanted of navigator.languages ?? []) {
    const found = codes.find((code) => code === wanted.split("-", 1)[0]);
    if (found) return found;
  }
  return "en";
}

const catalogues: Record<Exclude<Language, "en">, () => Promise<{ default: object }>> = {
  de: () => import("./de.json"),
};

// English holds only the forms for one: its other texts are their own keys.
i18next.init({
  lng: "en",
  fallbackLng: "en",
  resources: { en: { translation: en } },
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
  // React escapes; and a text of a model is never a template.
  interpolation: { escapeValue: false, skipOnVariables: true },
});

/** Before the first render. If the catalogue cannot be fetched, the page is English and says nothing wrong. */
export async function loadLanguage(): Promise<void> {
  const wanted = wantedLanguage();
  if (wanted !== "en") {
    i18next.addResourceBundle(wanted, "translation", (await catalogues[wanted]()).default);
    await i18next.changeLanguage(wanted);
  }
  document.documentElement.lang = wanted;
}

/** The place of the choice on its page, by its id. */
export const languageChoice = "language";

/** Takes the page anew: a question that runs goes on at the server and is followed again. */
export function chooseLanguage(language: Language | null) {
  kept.write(key, language);
  // Where it was chosen is where the reader goes on.
  history.replaceState(null, "", `#${languageChoice}`);
  location.reload();
}

/** The language that is shown: for `Intl`, and for what is not a text. */
export const language = (): Language => codes.find((code) => code === i18next.language) ?? "en";

type Values = Readonly<Record<string, string | number>>;

/**
 * A text in the reader's language. `{{name}}` stands for a value, `{{count, number}}` for one that
 * decides between one and many. Never called before the first render: a table of texts at the top of
 * a file holds `msg`s and is translated where it is read.
 */
export const t = (text: string, values?: Values): string => i18next.t(text, values ?? {});

/** A text as it stands in the code, with its gaps, for `<T>`. */
export const template = (text: string, count?: number): string =>
  i18next.t(text, { skipInterpolation: true, ...(count !== undefined && { count }) });

/** Marks a text for the catalogue that is translated later, with `t`. */
export const msg = <Text extends string>(text: Text): Text => text;
