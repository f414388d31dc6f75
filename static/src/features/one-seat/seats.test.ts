import { expect, it } from "vitest";
import type { AssistantMessage, Schemas } from "../../api/types";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import type { LiveRun } from "../asking/runs";
import { storedTurns, type Turn } from "../council/turns";
import { councilSeats, seatsOf } from "./seats";

const seat = (name: string) => ({ model: name, member: name });
const councils = storedRun(
  seats.map((one) => answer(one)),
  [],
  synthesis(),
);
const alone = (id: string, name: string, fact: Schemas["HeadingFact"]) => ({
  ...storedRun([answer(seat(name))], [], synthesis({ heading_fact: fact })),
  id,
});
const chairmans = alone("m2", "pool/chair", { code: "chairman_alone" });

const turns = (...messages: AssistantMessage[]): Turn[] => storedTurns({ id: "c-1", messages });
const names = seats.map(({ member }) => member);

it("are those who have answered, and not the chairman once more by its name", () => {
  expect(seatsOf(turns(councils, chairmans))).toEqual(names);
});

it("have a member that answered alone, also one that sits no more", () => {
  const own = alone("m3", "Basil", { code: "member_alone", member: "Basil" });
  const gone = alone("m4", "old/one", { code: "member_alone", member: "old/one" });
  expect(seatsOf(turns(councils, own, gone))).toEqual([...names, "old/one"]);
});

it("do not have the chairman while it answers", () => {
  const [turn] = turns({ ...chairmans, stage3: null });
  if (!turn) throw new Error("there is no turn");
  expect(seatsOf([turn])).toEqual(["pool/chair"]);
  expect(seatsOf([{ ...turn, live: { to: "chairman" } as LiveRun }])).toEqual([]);
});

it("have their places in the newest council, whoever is asked alone since", () => {
  const [first, second] = seats;
  if (!first || !second) throw new Error("there are two seats");
  const turned = storedRun([answer(second), answer(first)], [], synthesis());
  const own = alone("m3", "Basil", { code: "member_alone", member: "Basil" });
  expect(councilSeats(turns(councils, own))).toEqual({ "aurora/large": 0, Basil: 1 });
  expect(councilSeats(turns(councils, turned, own))).toEqual({ "aurora/large": 1, Basil: 0 });
});
