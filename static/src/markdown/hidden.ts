/**
 * Characters that nobody sees: what turns the reading direction, has no width, or spells a text of its
 * own in tags. A model that reads a copied text sees them all. Some have a meaning where they stand, in
 * emoji and in scripts that join their letters; those stay as they are.
 */
import { t } from "../i18n";

const hidden =
  "[\\u034f\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]";
const any = new RegExp(hidden, "u");

/** Letters join or part there by what stands between them. */
const joining =
  /\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Phag}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}/u
    .source;
/** Written without spaces: a line may break where one without width stands. */
const unspaced =
  /\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}/u
    .source;
const symbol = "\\p{S}\\p{Extended_Pictographic}0-9#*\\p{scx=Hani}\\p{scx=Mong}\\p{scx=Mymr}";

const meant = [
  // The flags of England, Scotland and Wales.
  "\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{1,8}\\u{e007f}",
  // One picture made of several.
  "(?<=[\\p{Extended_Pictographic}\\u{1f3fb}-\\u{1f3ff}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
  `(?<=[${symbol}])[\\ufe00-\\ufe0f]`,
  "(?<=\\p{scx=Hani})[\\u{e0100}-\\u{e01ef}]",
  `(?<=[${joining}])[\\u200c\\u200d]`,
  `(?<=[${unspaced}])\\u200b(?=[${unspaced}])`,
].join("|");
/** They set blanks and signs right beside letters that are read from the right. */
const marksOfDirection = "[\\u061c\\u200e\\u200f]";
const fromTheRight = /[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}]/u;

const leftToRight = new RegExp(`(?:${meant})|(${hidden})`, "gu");
const rightToLeft = new RegExp(
  `(?:${meant}|(?<!${marksOfDirection})${marksOfDirection})|(${hidden})`,
  "gu",
);

/** Runs of characters that mean nothing where they stand: from where to where. */
function* runs(text: string): Generator<[from: number, to: number]> {
  if (!any.test(text)) return;
  let run: [number, number] | null = null;
  for (const found of text.matchAll(fromTheRight.test(text) ? rightToLeft : leftToRight)) {
    const [, character] = found;
    if (character === undefined) continue;
    const end = found.index + character.length;
    if (run && run[1] === found.index) run[1] = end;
    else {
      if (run) yield run;
      run = [found.index, end];
    }
  }
  if (run) yield run;
}

/** For the clipboard: what is copied is what was seen. */
export function withoutHidden(text: string): string {
  let out = "";
  let from = 0;
  for (const [start, end] of runs(text)) {
    out += text.slice(from, start);
    from = end;
  }
  return out + text.slice(from);
}

export const hasHidden = (text: string) => runs(text).next().done === false;

/** What stands in the place of hidden characters. */
export interface Mark {
  /** In a word or two. */
  label: string;
  /** An explanation, also for screen readers. */
  title: string;
}

const mostNamed = 3;
const isTag = (code: number) => code >= 0xe0020 && code <= 0xe007e;

function markOf(run: string): Mark {
  const codes = [...run].map((character) => character.codePointAt(0) ?? 0);
  const spelt = codes.filter(isTag).map((code) => String.fromCodePoint(code - 0xe0000));
  if (spelt.length > 0) {
    const text = spelt.join("");
    return { label: t("hidden: {{text}}", { text }), title: t("Hidden text: {{text}}", { text }) };
  }
  const names = [...new Set(codes)].map(
    (code) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const named = names.slice(0, mostNamed).join(" ") + (names.length > mostNamed ? " …" : "");
  const label = codes.length > names.length ? `${named} × ${codes.length}` : named;
  return { label, title: t("Hidden characters: {{names}}", { names: label }) };
}

/** A text in pieces, each as it is or a mark for what is hidden there. */
export function marked(text: string): (string | Mark)[] {
  const pieces: (string | Mark)[] = [];
  let from = 0;
  for (const [start, end] of runs(text)) {
    if (start > from) pieces.push(text.slice(from, start));
    pieces.push(markOf(text.slice(start, end)));
    from = end;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
