/** What four models say to each other in a debate in rotation over the question of `scenes.ts`. */

const positions: readonly string[] = [
  "Go. A small team needs a language that everybody reads after a week: a service waits for its database, and what Rust saves there nobody notices. I would change my mind for a service that is bound by its processor.",
  "Rust, with one condition: two of the team know it already. Most of what wakes people at night is a value that nobody expected, and the compiler asks about each of them by day.",
  "Go, for the sake of hiring. In two years half of the team is new, and whoever comes has to change this service in the first week.",
  "Neither yet. Write the first version in what the team knows best, measure it, and decide when you know what it does all day.",
];

const critiques: readonly string[] = [
  "You take the two who know Rust for granted. **“Asks about each of them by day”** holds for what is in the types; a wrong timeout or a full disk is in no type. What is right: nil pointers are the most frequent crash of such services.",
  "**“Has to change this service in the first week”**: somebody who changes it in the first week breaks it in the second. That people can read a language says nothing about whether they see what must not change.",
  "**“Decide when you know”** sounds careful and costs a rewrite. A service that works is never written anew; your first version is the decision.",
  "**“Nobody notices”** is a claim about one kind of service. You name no number: at which share of time in the database does it hold, and who measured it?",
];

const rebuttals: readonly string[] = [
  "Granted: I gave no number. Measured on our own three services it is between 80 and 95 % of the time, so the language moves what is left by a few milliseconds. My position stands: Go, as long as the database is what is waited for.\n\nPOSITION: UNCHANGED",
  "Granted: timeouts and disks are in no type, and without two who know it the team pays for a year of learning. So I no longer say Rust for this team: Go now, and Rust for the one part that is bound by its processor.\n\nPOSITION: CHANGED after A: two people who know it cannot be taken for granted.",
  "Reading is not enough, that is right: the tests have to say what must not change. With them I stay with Go.\n\nPOSITION: UNCHANGED",
  "That a first version is never written anew is true more often than I said. Then it should be in the language that the team debugs at night: for this team that is Go.\n\nPOSITION: CHANGED after C: the first version is the decision.",
];

const judgment =
  "**Write it in Go**, and measure where the time goes before anybody talks of another language.\n\n" +
  "- A service of this kind waits for its database for most of its time; what a faster language saves there is a few milliseconds.\n" +
  "- A first version is hardly ever written anew. So the language is decided now, by who debugs it at night.\n" +
  "- If one part turns out to be bound by the processor, that part alone is worth Rust, once two people know it.\n\n" +
  "DEBATE NOTES:\n" +
  "MOST CONVINCING: A, who gave a number when it was asked for one\n" +
  "SETTLED: the first version is the decision\n" +
  "SETTLED: reading a language is not the same as knowing what must not change\n" +
  "OPEN: how long a team needs until two people are at home in Rust\n" +
  "MINORITY: a compiler that asks by day is worth a slower start";

/** What a speaker of this place among the members says, or the chairman; null where a prompt belongs to no debate. */
export function debateLine(prompt: string, place: number): string | null {
  const of = (lines: readonly string[]) => lines[Math.max(0, place) % lines.length] ?? "";
  const beginning = prompt.slice(0, 200);
  if (beginning.startsWith("You are the chairman") && prompt.includes("DEBATE NOTES:")) {
    return judgment;
  }
  if (!beginning.includes("one of several speakers in a debate")) return null;
  if (prompt.includes("State your position on the question below")) return of(positions);
  return prompt.includes("Criticise this position") ? of(critiques) : of(rebuttals);
}
