import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, describe, expect, it } from "vitest";
import { showLanguage, t } from "./index";
import { T } from "./t";

const de = {
  "{{name}} wrote <link>the answer</link>": "<link>Die Antwort</link> schrieb {{name}}",
  "{{count, number}} test members_one": "ein Mitglied",
  "{{count, number}} test members_other": "{{count, number}} Mitglieder",
};
afterEach(() => showLanguage("en"));

const sentence = (name: string) =>
  renderToStaticMarkup(
    <T
      text="{{name}} wrote <link>the answer</link>"
      parts={{ name: <b>{name}</b>, link: (inner) => <a href="#answer">{inner}</a> }}
    />,
  );

describe("a sentence", () => {
  it("is its own text in English", () => {
    expect(sentence("Ada")).toBe('<b>Ada</b> wrote <a href="#answer">the answer</a>');
  });

  it("has the order of the other language", async () => {
    showLanguage("de", de);
    expect(sentence("Ada")).toBe('<a href="#answer">Die Antwort</a> schrieb <b>Ada</b>');
    expect(t("{{count, number}} test members", { count: 1 })).toBe("ein Mitglied");
    expect(t("{{count, number}} test members", { count: 1234 })).toBe("1.234 Mitglieder");
  });

  it("stays English where a catalogue lacks it", async () => {
    showLanguage("de", de);
    expect(t("Never translated {{name}}", { name: "x" })).toBe("Never translated x");
  });

  it.each(["{{name}}", "$t(Today)", "<link>x</link>", "<img src=x>", "Today_one", "a: b. c"])(
    "takes %s in a gap for what it is",
    (hostile) => {
      expect(t("Never {{name}}", { name: hostile })).toBe(`Never ${hostile}`);
      expect(sentence(hostile)).toContain(renderToStaticMarkup(<b>{hostile}</b>));
    },
  );

  it("counts in its gap", () => {
    const text = renderToStaticMarkup(
      <T
        text="{{count, number}} of <b>all</b>"
        count={1200}
        parts={{ b: (all) => <b>{all}</b> }}
      />,
    );
    expect(text).toBe("1,200 of <b>all</b>");
  });
});
