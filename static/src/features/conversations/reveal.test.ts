import { expect, it } from "vitest";
import { storedRun, synthesis } from "../../test/samples";
import { newConversation } from "../asking/conversation";
import { placeOf } from "./reveal";

it("what was found is looked for in the text of every answer, also of one that was read briefly", () => {
  const whole = storedRun([], [], synthesis({ response: "Because of the moon." }));
  const brief = { ...whole, stage3: null, brief: "Because of the wind." };
  const question = { id: "q", parent_id: null, content: "Why?", created_at: "" };
  const asked = { ...question, role: "user" as const };
  const conversation = { ...newConversation("c"), messages: [asked, brief, asked, whole] };
  const found = (snippet: string) => placeOf(conversation, { words: [], snippet });
  expect(found("…of the wind.…")).toEqual({ turn: 0, isQuestion: false });
  expect(found("of the moon")).toEqual({ turn: 1, isQuestion: false });
  expect(found("of the sun")).toBeNull();
});
