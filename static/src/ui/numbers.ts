/** Numbers as they are typed and shown in fields, in the way of the page's language. */
import { type Language, language, t } from "../i18n";

interface Signs {
  decimal: string;
  group: string;
}

function signsOf(lang: Language): Signs {
  const parts = new Intl.NumberFormat(lang).formatToParts(1234567.5);
  const sign = (type: "decimal" | "group") => parts.find((part) => part.type === type)?.value;
  return { decimal: sign("decimal") ?? ".", group: sign("group") ?? "," };
}

/** Digits before the first of the language's marks for thousands. */
const isHead = (digits: string) => /^[1-9]\d{0,2}$/.test(digits);
/** Three digits behind a sign are thousands to one reader and decimals to another, except behind a zero. */
const mayBeThousands = (before: string, after: string) =>
  after.length === 3 && !/^0*$/.test(before);
const areDigits = (text: string) => /^\d*$/.test(text);

/**
 * What is typed as a number: null when it is none, "unclear" when two people could read it as two
 * numbers or its thousands are grouped as nobody does. A sum is never guessed to be a thousand times
 * more or less. The other language's decimal sign is understood where it can be nothing else.
 */
export function readNumber(text: string, lang = language()): number | "unclear" | null {
  const typed = text.trim();
  if (!/^-?[\d.,'’\s]*\d[\d.,'’\s]*$/.test(typed)) return null;
  const { decimal, group } = signsOf(lang);
  const [whole = "", fraction = "", ...more] = typed.replace(/^-/, "").split(decimal);
  const [head = "", ...groups] = whole.split(group);
  const [first = ""] = groups;
  const number = (digits: string, after: string) =>
    Number(`${typed.startsWith("-") ? "-" : ""}${digits || "0"}.${after || "0"}`);
  if (more.length > 0 || !areDigits(fraction) || !areDigits(head)) return "unclear";
  if (groups.length === 0) {
    return mayBeThousands(head, fraction) ? "unclear" : number(head, fraction);
  }
  if (isHead(head) && groups.every((digits) => /^\d{3}$/.test(digits))) {
    return number(head + groups.join(""), fraction);
  }
  const isDecimal = groups.length === 1 && !typed.includes(decimal) && areDigits(first);
  return isDecimal && !mayBeThousands(head, first) ? number(head, first) : "unclear";
}

/** As it is typed when it is no clear number, so that the server refuses it at its field. */
export function numberOf(text: string): number | string {
  const number = readNumber(text);
  return typeof number === "number" ? number : text;
}

/** A number for a field: `readNumber` takes it for the same again. */
export function numberText(number: number, lang = language()): string {
  const format = new Intl.NumberFormat(lang, { useGrouping: false, maximumSignificantDigits: 15 });
  const text = format.format(number);
  return readNumber(text, lang) === "unclear" ? `${text}0` : text;
}

export const unclearNumber = () =>
  t(
    "It is not clear which number this is. Write it without a mark for thousands and without exactly three decimals, such as {{one}} or {{other}}.",
    { one: numberText(1500), other: numberText(1.25) },
  );
