import { beforeEach, expect, it } from "vitest";
import { keys, queryClient } from "../../api/queries";
import { keptInTab } from "../../ui/kept";
import { type LiveRun, useLiveRuns } from "../asking/runs";
import { noteAsked } from "./asked-here";
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
  useLiveRuns.setState({ runs: {} });
  queryClient.clear();
  keptInTab.write("asked", null);
  const messages = [question("One?"), { role: "assistant" }, question("Two?"), question("One?")];
  queryClient.setQueryData(keys.conversation("c1"), { id: "c1", messages });
});

it("goes back through what was asked, and forth to the empty box", () => {
  expect([up(""), up("One?"), up("Two?")]).toEqual(["One?", "Two?", null]);
  expect([down("Two?"), down("One?"), down("")]).toEqual(["One?", "", null]);
});

it("knows the question whose answer is still being written, or read", () => {
  const live = { question: "Three?" } as LiveRun;
  useLiveRuns.setState({ runs: { c1: live } });
  expect([up(""), up("Three?"), up("One?")]).toEqual(["Three?", "One?", "Two?"]);
});

it("has what was asked in this tab for a new conversation, the newest first and each once", () => {
  for (const asked of ["One?", "Two?", "One?", " ", "x".repeat(10_001)]) noteAsked(asked);
  const at = (content: string, key: string) => press(content, key, content.length, null);
  expect([at("", "ArrowUp"), at("One?", "ArrowUp"), at("Two?", "ArrowUp")]).toEqual([
    "One?",
    "Two?",
    null,
  ]);
  expect([at("Two?", "ArrowDown"), at("One?", "ArrowDown")]).toEqual(["One?", ""]);
  expect(at("One? And", "ArrowUp")).toBeNull();
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
