import { expect, it } from "vitest";
import { toSeat } from "./ask";

it("asks a seat without what only a council does", () => {
  const body = {
    content: "What do you mean?",
    mode: "debate",
    use_adversary: true,
    use_web_search: true,
    quorum: 2,
    preset_id: "p1",
    parent_message_id: "m1",
    verbosity: 2,
  };
  expect(toSeat(body, "basil")).toEqual({
    content: "What do you mean?",
    mode: "council",
    direct_to: "basil",
    use_web_search: true,
    preset_id: "p1",
    parent_message_id: "m1",
    verbosity: 2,
  });
});
