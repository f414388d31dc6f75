import { describe, expect, it } from "vitest";
import { asProblem, Problem } from "../api/problem";
import { inWords, readForm } from "./wrong";

const days = { least: 0, most: 10, whole: true };

function refusal(act: () => unknown): Problem {
  try {
    act();
  } catch (error) {
    return asProblem(error);
  }
  throw new Error("nothing was refused");
}

describe("a form that is read", () => {
  it("says all that is wrong at once", () => {
    const read = readForm();
    read.line("name", "  ", 5);
    read.line("reason", "longer", 5);
    read.line("title", "a\tb", 5);
    read.number("days", "abc", days);
    read.maybeNumber("limit", "11", days);
    expect(refusal(() => read.insist()).fields).toEqual([
      { field: "name", message: "This field is required." },
      { field: "reason", message: "At most 5 characters; these are 6." },
      { field: "title", message: "At most 5 characters, none of them invisible." },
      { field: "days", message: "A whole number is needed." },
      { field: "limit", message: "From 0 to 10." },
    ]);
  });

  it.each([
    ["a soft hyphen", "Vogel\u00adkunde"],
    ["a character without width", "Birds\u200b"],
    ["a turned line", "\u202eBirds"],
    ["two lines", "Birds\nand bees"],
    ["nothing to see", "\u3164"],
  ])("takes no name with %s", (_, name) => {
    const read = readForm();
    read.name("name", name, 20);
    expect(refusal(() => read.insist()).fields).toEqual([
      { field: "name", message: "At most 20 characters, none of them invisible." },
    ]);
  });

  it.each(["Vögel", "می\u200cخواهم", "👨\u200d👩\u200d👧 ❤\ufe0f"])(
    "takes %s as a name",
    (name) => {
      const read = readForm();
      expect(read.name("name", ` ${name} `, 20)).toBe(name);
      read.insist();
    },
  );

  it("gives what it has read where nothing is wrong", () => {
    const read = readForm();
    // Five characters, of two units each.
    expect(read.line("name", " 🐦🐦🐦🐦🐦 ", 5)).toBe("🐦🐦🐦🐦🐦");
    expect(read.number("days", "7", days)).toBe(7);
    expect(read.maybeNumber("limit", " ", days)).toBeNull();
    read.insist();
  });
});

describe("what the server refuses", () => {
  const fields = [
    { field: "user", message: "must be known" },
    { field: "other", message: "must be so" },
  ];
  const refused = () => Promise.reject(new Problem("refused", "No.", 422, fields));

  it.each([
    ["a table", { user: "Nobody is called so." }],
    ["what is asked for then", async () => ({ user: "Nobody is called so." })],
  ])("is said in the words of %s, and else as it is", async (_, words) => {
    const problem = asProblem(await inWords(refused(), words).catch((error: unknown) => error));
    expect(problem.status).toBe(422);
    expect(problem.fields).toEqual([
      { field: "user", message: "Nobody is called so." },
      { field: "other", message: "must be so" },
    ]);
  });

  it("of no field is left alone, and so is what was done", async () => {
    const gone = new Problem("network", "There is no server.");
    await expect(inWords(Promise.reject(gone), { user: "…" })).rejects.toBe(gone);
    expect(await inWords(Promise.resolve(7), {})).toBe(7);
  });
});
