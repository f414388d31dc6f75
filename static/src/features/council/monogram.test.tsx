import { expect, it } from "vitest";
import { render } from "../../test/render";
import { Monogram } from "./monogram";

it.each([
  ["openai/gpt-5.1", "G"],
  ["deepseek/reasoner:free", "R"],
  ["scripted:ada", "A"],
  ["scripted:basil", "B"],
  ["ollama:llama3:8b", "L"],
  ["llama3:8b", "L"],
  ["ollama:hf.co/someone/qwen:q4", "Q"],
  ["Sceptic: asks twice", "S"],
  ["“éloise”", "É"],
  ["…", "?"],
])("the mark of %s is %s", async (member, letter) => {
  const place = await render(<Monogram member={member} seat={0} />);
  expect(place.textContent).toBe(letter);
});
