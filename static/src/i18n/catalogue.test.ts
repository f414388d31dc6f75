/** What is said in the code, and what the catalogues know of it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import de from "./de.json";
import en from "./en.json";

const src = join(import.meta.dirname, "..");

type Literal = ts.StringLiteralLike | ts.TemplateExpression;

/** The texts that an expression can come to, by `?:`, `&&`, `||` and `??`. */
function literalsOf(node: ts.Expression): Literal[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return [node];
  if (ts.isConditionalExpression(node)) {
    return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  }
  if (ts.isBinaryExpression(node)) {
    const isAnd = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
    return [...(isAnd ? [] : literalsOf(node.left)), ...literalsOf(node.right)];
  }
  return ts.isParenthesizedExpression(node) ? literalsOf(node.expression) : [];
}

const wordsOf = (node: Literal) =>
  ts.isTemplateExpression(node)
    ? [node.head, ...node.templateSpans.map((span) => span.literal)]
        .map((part) => part.text)
        .join(" ")
    : node.text;

const isSentence = (text: string) => /^\p{Lu}.*\p{L} \p{L}/su.test(text.trim());

/** What only programs and logs read: names of classes, selectors, errors that are thrown. */
function isForMachines(node: ts.Node, source: ts.SourceFile): boolean {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isJsxAttribute(at) || ts.isNewExpression(at) || ts.isThrowStatement(at)) return true;
    if (ts.isCallExpression(at)) return /^(t|msg)$/.test(at.expression.getText(source));
    if (ts.isFunctionLike(at) || ts.isStatement(at)) return false;
  }
  return false;
}

interface Found {
  /** Every text that is translated somewhere, and the files it is in. */
  texts: Map<string, string[]>;
  /** Words that a reader sees and no catalogue knows, and misuses: one line each. */
  faults: string[];
}

/** Attributes whose text is read by people. */
const readable = new Set([
  "alt",
  "aria-description",
  "aria-label",
  "aria-roledescription",
  "aria-valuetext",
  "label",
  "legend",
  "placeholder",
  "title",
]);
const isWords = (text: string) => /\p{L}{2}/u.test(text);
/** Names, units and code are the same in every language. */
const untranslated = new Set([
  "LLM Council",
  "Markdown",
  "JSON",
  "CSV",
  "PDF",
  "ms",
  "kB",
  "tokens/s",
]);

function read(file: string, found: Found) {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    true,
    file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const fault = (node: ts.Node, what: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.faults.push(`${file.slice(src.length + 1)}:${line + 1}: ${what}`);
  };
  const keep = (text: string) =>
    found.texts.set(text, [...(found.texts.get(text) ?? []), file.slice(src.length + 1)]);
  const outside = (node: ts.Node, text: string) => {
    const words = text.replace(/\s+/g, " ").trim();
    if (isWords(words) && !untranslated.has(words)) fault(node, `not translated: ${words}`);
  };

  const visit = (node: ts.Node, inFunction: boolean) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [first] = node.arguments;
      const name = node.expression.text;
      if (name === "t" || name === "msg") {
        const said = first ? literalsOf(first) : [];
        for (const one of said) {
          if (ts.isTemplateExpression(one)) fault(one, `${name} takes a text with {{gaps}}`);
          else keep(one.text);
        }
        if (name === "msg" && said.length === 0) fault(node, "msg takes a text");
        if (name === "t" && !inFunction) fault(node, "t before the language is known: use msg");
      }
    }
    if (ts.isJsxSelfClosingElement(node) && node.tagName.getText(source) === "T") {
      for (const attribute of node.attributes.properties) {
        if (!ts.isJsxAttribute(attribute) || attribute.name.getText(source) !== "text") continue;
        const value = attribute.initializer;
        if (value && ts.isStringLiteral(value)) keep(value.text);
        else if (value && ts.isJsxExpression(value) && value.expression) {
          for (const one of literalsOf(value.expression)) {
            if (ts.isTemplateExpression(one)) fault(one, "T takes a text with {{gaps}}");
            else keep(one.text);
          }
        }
      }
    } else if (ts.isJsxText(node)) {
      outside(node, node.text);
    } else if (ts.isJsxAttribute(node) && readable.has(node.name.getText(source))) {
      const value = node.initializer;
      if (value && ts.isStringLiteral(value)) outside(node, value.text);
      if (value && ts.isJsxExpression(value) && value.expression) shown(value.expression);
    } else if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) {
      shown(node.expression);
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      if (isSentence(wordsOf(node)) && !isForMachines(node, source)) outside(node, wordsOf(node));
    }
    const within = inFunction || ts.isFunctionLike(node);
    ts.forEachChild(node, (child) => visit(child, within));
  };
  const shown = (expression: ts.Expression) => {
    for (const one of literalsOf(expression)) outside(one, wordsOf(one));
  };
  visit(source, false);
}

const found: Found = { texts: new Map(), faults: [] };
for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
  const isCode = /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$|\.d\.ts$/.test(entry.name);
  const isOurs = !/src\/(test|i18n)$/.test(entry.parentPath);
  if (isCode && isOurs) read(join(entry.parentPath, entry.name), found);
}

/** English texts that are the same for one as for many: the forms for one come with every first load, so these are left out. */
const alike: readonly string[] = [
  "and {{count, number}} more",
  "{{count, number}} cited",
  "{{count, number}} failed",
  "{{count, number}} found",
  "{{count, number}} more can be found by searching.",
  "{{count, number}} selected",
  "{{count, number}} still at it",
  "{{name}} ({{count, number}})",
];
const isCounted = (text: string) => /\{\{count\b/.test(text);
const forms = (texts: Iterable<string>, endings: (text: string) => readonly string[]) =>
  [...texts].flatMap((text) => endings(text).map((ending) => text + ending)).sort();
/** Gaps and tags, which a translation may order as it likes. */
const holes = (text: string) => (text.match(/\{\{[^}]*\}\}|<\/?\w+>/g) ?? []).sort();

describe("the words of the page", () => {
  it("all stand in the catalogue's care", () => {
    expect(found.faults).toEqual([]);
  });

  it("say one as one in English", () => {
    const differ = (text: string) => isCounted(text) && !alike.includes(text);
    expect(Object.keys(en).sort()).toEqual(
      forms(found.texts.keys(), (text) => (differ(text) ? ["_one"] : [])),
    );
    expect(alike.filter((text) => !found.texts.has(text))).toEqual([]);
  });

  it("are all there in German, and nothing else is", () => {
    expect(Object.keys(de).sort()).toEqual(
      forms(found.texts.keys(), (text) => (isCounted(text) ? ["_one", "_other"] : [""])),
    );
  });

  it.each([
    ["en", en],
    ["de", de],
  ])("have the same gaps in %s", (_, catalogue: Record<string, string>) => {
    for (const [text, translation] of Object.entries(catalogue)) {
      const one = text.endsWith("_one");
      // "One member" may leave the number out.
      const least = holes(translation).filter((hole) => !(one && hole.startsWith("{{count")));
      const asked = holes(text).filter((hole) => !(one && hole.startsWith("{{count")));
      expect({ text, holes: least }).toEqual({ text, holes: asked });
      expect(translation.trim()).not.toBe("");
    }
  });
});

it("a part of many is counted in German without a verb, which would have to agree with the part", () => {
  const counted =
    /\}\} von \{\{[^}]+\}\} (\p{Lu}\p{L}+ )?(haben|sind|antworten|nennen|sagen|setzen|zählen)\b/u;
  expect("{{good}} von {{count, number}} Mitgliedern haben geantwortet").toMatch(counted);
  expect(Object.values(de).filter((text) => counted.test(text))).toEqual([]);
});

it.each([
  ["Add files to the project", "Add files"],
  ["Use {{nearest}} in the place of {{model}}", "Use {{nearest}}"],
  ["Show what version {{version}} says", "Show"],
  ["Hide what version {{version}} says", "Hide"],
] as const)(
  "the name “%s” has what is to be read on its button, for those who speak to it",
  (name, text) => {
    expect(name).toContain(text);
    expect(de[name]).toContain(de[text]);
  },
);

describe("one thing has one name", () => {
  const texts = [...found.texts.keys()];

  it("what a member is told beside the question is a system prompt", () => {
    const otherwise = [...found.texts].filter(([text]) => /\binstructions?\b/i.test(text));
    // Those of a project are something else.
    const files = otherwise.flatMap(([, files]) => files);
    expect(files.filter((file) => !/^(features|pages)\/project/.test(file))).toEqual([]);
    expect(texts).toContain("System prompt");
  });

  it("a ranking is in the form that was asked for, and no ballot is “as asked”", () => {
    const sources = join(src, "../../src");
    const ofTheServer = readdirSync(sources, { recursive: true, withFileTypes: true })
      .filter(({ name }) => name.endsWith(".rs"))
      .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8"));
    expect(ofTheServer.length).toBeGreaterThan(100);
    expect([...texts, ...ofTheServer].filter((text) => /ballots? as asked/i.test(text))).toEqual(
      [],
    );
    expect(texts).toContain("ranking in the requested form");
  });

  it.each([
    ["Borda", /score/i, /Borda-W|Punkte/],
    ["Kendall’s W", /^Agreement \(/, /^Die Einigkeit \(/],
    ["Kendall’s tau-b", /^Agreement \(/, /^Die Einigkeit \(/],
  ])("%s has a plain word beside it", (name, plain, german) => {
    const named = texts.filter((text) => text.includes(name));
    expect(named).not.toEqual([]);
    for (const text of named) {
      expect(text).toMatch(plain);
      expect(de[text as keyof typeof de]).toMatch(german);
    }
  });
});
