import { expect, it } from "vitest";
import { headOf, titleOf } from "./title";

it.each([
  ["  What is\n a tide? ", "What is a tide?"],
  [
    "Should a small team write its next web service in Rust or in Go, and why?",
    "Should a small team write its next web service in Rust or…",
  ],
  ["x".repeat(80), `${"x".repeat(60)}…`],
])("the head of %j is %j", (question, head) => {
  expect(headOf(question)).toBe(head);
});

it("only the server says whether a title is nobody's own", () => {
  expect(titleOf({ title: "New Conversation", title_is_default: true })).toBe("New conversation");
  expect(titleOf({ title: "New Conversation", title_is_default: false })).toBe("New Conversation");
});
