import { beforeEach, expect, it } from "vitest";
import { keys, queryClient } from "../../api/queries";
import { recalled } from "./recall";

const question = (content: string) => ({ role: "user", content });
const press = (content: string, key: string, at = content.length, id: string | null = "c1") =>
  recalled(id, content, {
    key,
    shiftKey: false,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    currentTarget: { selectionStart: at, selectionEnd: at },
  });
const up = (content: string) => press(content, "ArrowUp");
const down = (content: string) => press(content, "ArrowDown");

beforeEach(() => {
  queryClient.clear();
  const messages = [question("One?"), { role: "assistant" }, question("Two?"), question("One?")];
  queryClient.setQueryData(keys.conversation("c1"), { id: "c1", messages });
});

it("goes back through what was asked, and forth to the empty box", () => {
  expect([up(""), up("One?"), up("Two?")]).toEqual(["One?", "Two?", null]);
  expect([down("Two?"), down("One?"), down("")]).toEqual(["One?", "", null]);
});

it("leaves what somebody types, and other keys, alone", () => {
  expect([up("One"), down("On"), press("", "a")]).toEqual([null, null, null]);
  expect([press("", "ArrowUp", 0, null), press("", "ArrowUp", 0, "c2")]).toEqual([null, null]);
});

it("moves in a question of several lines first", () => {
  const messages = [question("Old?"), question("Two\nlines?")];
  queryClient.setQueryData(keys.conversation("c1"), { id: "c1", messages });
  const lines = "Two\nlines?";
  expect(up(lines)).toBeNull();
  expect(press(lines, "ArrowUp", 2)).toBe("Old?");
  expect(press(lines, "ArrowDown", 2)).toBeNull();
});
