import { expect, it } from "vitest";
import { render } from "../test/render";
import { highlight } from "./highlight";

/** Each coloured piece of a text. */
async function pieces(text: string, scope: string) {
  const page = await render(<code>{highlight("mermaid", text)}</code>);
  expect(page.textContent).toBe(text);
  return [...page.querySelectorAll(`.hljs-${scope}`)].map((piece) => piece.textContent);
}

const flow = 'graph TD\n  %% a note\n  A[Ask] -->|yes| B{"Is it?"}\n  subgraph one\n  end';
const sequence = "sequenceDiagram\n  participant A\n  A->>B: Why?\n  B-->>A: Because.";

it.each([
  [flow, "built_in", ["graph"]],
  [flow, "literal", ["TD"]],
  [flow, "comment", ["%% a note"]],
  [flow, "keyword", ["subgraph", "end"]],
  [flow, "symbol", ["-->"]],
  [sequence, "built_in", ["sequenceDiagram"]],
  [sequence, "keyword", ["participant"]],
])("of %j the %s is coloured", async (text, scope, found) => {
  expect(await pieces(text, scope)).toEqual(found);
});

it("labels are, and nothing of the text is lost", async () => {
  expect(await pieces(flow, "string")).toEqual(
    expect.arrayContaining(["[Ask]", "|yes|", '{"Is it?"}']),
  );
});
