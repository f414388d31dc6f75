import { describe, expect, it } from "vitest";
import { filled, variablesOf } from "./variables";

/** Numbers that look random and are the same in every run (mulberry32). */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const pieces = [
  "{",
  "}",
  "{{",
  "}}",
  "{{a}}",
  "{{ b }}",
  "a",
  "team",
  " ",
  "\n",
  "$&",
  "$1",
  "ä",
  "漢",
  "😀",
  "{{}}",
  "\\",
  "-",
];

/** Texts of braces and words, in all orders. */
function* texts(count: number, from: readonly string[] = pieces) {
  const next = random(7);
  for (let n = 0; n < count; n++) {
    yield Array.from({ length: next(14) }, () => from[next(from.length)]).join("");
  }
}

describe("variables", () => {
  it("are found once each, in the order in which they come", () => {
    expect(variablesOf("{{team}} and {{ Your name }}, {{team}}")).toEqual(["team", "Your name"]);
    expect(variablesOf("{{Zeit-raum_2}} {{größe}} {{名前}}")).toEqual([
      "Zeit-raum_2",
      "größe",
      "名前",
    ]);
  });

  it("are none where nothing closes them, or nothing stands in them", () => {
    for (const text of [
      "{{team",
      "{team}",
      "{{}}",
      "{{ }}",
      "{{a\nb}}",
      "{{a.b}}",
      "{{#if x}}",
      "}}team{{",
      `{{${"x".repeat(41)}}}`,
      "{ {a} }",
    ]) {
      expect(variablesOf(text), text).toEqual([]);
      expect(filled(text, { team: "T", a: "A" }), text).toBe(text);
    }
  });

  it("are the innermost where braces are nested", () => {
    expect(variablesOf("{{{{a}}}}")).toEqual(["a"]);
    expect(filled("{{{{a}}}}", { a: "x" })).toBe("{{x}}");
    expect(variablesOf("{{{a}}}")).toEqual(["a"]);
    expect(filled("{{a {{b}} c}}", { b: "x" })).toBe("{{a x c}}");
  });

  it("take values as they are", () => {
    expect(filled("{{a}}{{b}}", { a: "{{b}}", b: "$& $1 $$" })).toBe("{{b}}$& $1 $$");
    expect(filled("{{a}} {{constructor}} {{toString}}", { a: "" })).toBe(
      " {{constructor}} {{toString}}",
    );
  });
});

describe("any text", () => {
  it("without variables comes out as it went in", () => {
    for (const text of texts(2_000)) {
      const out = filled(text, {});
      expect(out).toBe(text);
      if (variablesOf(text).length === 0)
        expect(filled(text, { a: "x", b: "y", team: "z" })).toBe(text);
    }
  });

  it("has no variable left once all are filled with what has no braces", () => {
    for (const text of texts(2_000, [
      ...pieces.filter((piece) => !/^[{}]+$/.test(piece)),
      "{",
      "}",
    ])) {
      const values = Object.fromEntries(variablesOf(text).map((name) => [name, "·"]));
      const out = filled(text, values);
      for (const name of variablesOf(text)) expect(variablesOf(out)).not.toContain(name);
    }
  });

  it("gets longer by its values and by nothing else", () => {
    for (const text of texts(1_000)) {
      const names = variablesOf(text);
      const marked = filled(text, Object.fromEntries(names.map((name) => [name, `{{${name}}}`])));
      expect(marked.replaceAll(/[ \t]/g, "")).toBe(text.replaceAll(/[ \t]/g, ""));
    }
  });

  it("of any length is read in no time", () => {
    const long = "{{a ".repeat(20_000) + "}}".repeat(20_000);
    const before = performance.now();
    variablesOf(long);
    filled(long, { a: "x" });
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
