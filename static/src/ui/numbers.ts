/** Numbers as they are typed and shown in fields, in the way of the page's language and the reader's region. */
import { locale, t } from "../i18n";
import { count } from "./format";

/**
 * The sign before decimals, and the other one, which can only stand between thousands. A region that puts an apostrophe or a
 * space there (de-CH, de-AT) does so in what is shown; what is typed with them is asked for again.
 */
function signsOf(region: string): { decimal: string; group: string } {
  const parts = new Intl.NumberFormat(region).formatToParts(0.5);
  const isComma = parts.some(({ type, value }) => type === "decimal" && value === ",");
  return isComma ? { decimal: ",", group: "." } : { decimal: ".", group: "," };
}

/** Digits before the first mark for thousands. */
const isHead = (digits: string) => /^[1-9]\d{0,2}$/.test(digits);
/** Three digits behind a sign are thousands to one reader and decimals to another, except behind a zero. */
const mayBeThousands = (before: string, after: string) =>
  after.length === 3 && !/^0*$/.test(before);
const areDigits = (text: string) => /^\d*$/.test(text);

/**
 * What is typed as a number: null when it is none, "unclear" when two people could read it as two
 * numbers or its thousands are grouped as nobody does. A sum is never guessed to be a thousand times
 * more or less: not by the page's language and region either, which need not be those that somebody counts in.
 * The other decimal sign is understood where it can be nothing else.
 */
export function readNumber(text: string, region = locale()): number | "unclear" | null {
  const typed = text.trim();
  if (!/^-?[\d.,'’\s]*\d[\d.,'’\s]*$/.test(typed)) return null;
  const { decimal, group } = signsOf(region);
  const [whole = "", fraction = "", ...more] = typed.replace(/^-/, "").split(decimal);
  const [head = "", ...groups] = whole.split(group);
  const [first = ""] = groups;
  const number = (digits: string, after: string) =>
    Number(`${typed.startsWith("-") ? "-" : ""}${digits || "0"}.${after || "0"}`);
  if (more.length > 0 || !areDigits(fraction) || !areDigits(head)) return "unclear";
  if (groups.length === 0) {
    return mayBeThousands(head, fraction) ? "unclear" : number(head, fraction);
  }
  if (groups.length === 1 && !typed.includes(decimal)) {
    if (!areDigits(first) || mayBeThousands(head, first)) return "unclear";
    return number(head, first);
  }
  const isGrouped = isHead(head) && groups.every((digits) => /^\d{3}$/.test(digits));
  return isGrouped ? number(head + groups.join(""), fraction) : "unclear";
}

/** As it is typed when it is no clear number, so that the server refuses it at its field. */
export function numberOf(text: string): number | string {
  const number = readNumber(text);
  return typeof number === "number" ? number : text;
}

/** A number for a field: `readNumber` takes it for the same again. */
export function numberText(number: number, region = locale()): string {
  const format = new Intl.NumberFormat(region, {
    useGrouping: false,
    maximumSignificantDigits: 15,
  });
  const text = format.format(number);
  return readNumber(text, region) === "unclear" ? `${text}0` : text;
}

const unclearNumber = () =>
  t(
    "It is not clear which number this is. Write it without a mark for thousands and without exactly three decimals, such as {{one}} or {{other}}.",
    { one: numberText(1500), other: numberText(1.25) },
  );

export interface Bounds {
  least: number;
  most: number;
  whole?: boolean;
  /** A sum in US dollars: their sign may stand beside it. */
  money?: boolean;
}

/** A sum without its currency: `$5`, `5 $`, `5 USD`. */
const withoutDollars = (text: string) =>
  text.trim().replace(/^(?:US\$|\$|USD\b)\s*|\s*(?:US\$|\$|USD)$/i, "");

/**
 * What a field takes: the number, or a sentence that says why it is none. The one way in which a form makes a number of what
 * is typed, so that no slip is ever sent as another number, or as none.
 */
export function readWithin(
  text: string,
  { least, most, whole = false, money = false }: Bounds,
): number | string {
  const number = readNumber(money ? withoutDollars(text) : text);
  if (number === "unclear") return unclearNumber();
  if (number === null || (whole && !Number.isInteger(number))) {
    return whole ? t("A whole number is needed.") : t("A number is needed.");
  }
  if (number < least || number > most) {
    return t("From {{low}} to {{high}}.", { low: count(least), high: count(most) });
  }
  return number;
}
