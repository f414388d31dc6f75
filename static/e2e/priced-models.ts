/**
 * A provider with prices: an OpenAI-compatible server that lists its models with what they cost, answers
 * plausibly, and reports what each call cost. What the models think of each other is for the test to say.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { debateLine } from "./debate-lines";

interface Message {
  role: string;
  content: string;
}
interface Chat {
  model: string;
  messages: Message[];
  stream?: boolean;
}

/** US dollars a token; absent where the list names none. */
const prices: Record<string, number | null> = {
  "acme/aurora": 0.000_004,
  "acme/basil": 0.000_001,
  "birch/cedar-large-instruct": 0.000_002_5,
  "birch/dune": 0.000_000_7,
  "acme/chair": 0.000_006,
  "acme/title": 0.000_000_1,
  "birch/unpriced": null,
};
const council = Object.keys(prices).slice(0, 4);

/** What the models think. */
export interface Mood {
  /** Whether all reviewers rank the same answer first, and in the same order. */
  agreed: boolean;
  confidence: number;
  severity: "none" | "minor" | "major" | "critical";
  /** Whether critics find faults in a draft. */
  critical: boolean;
  /** Milliseconds between two pieces of a text. */
  pieceMs: number;
}
const calm: Mood = { agreed: false, confidence: 8, severity: "none", critical: true, pieceMs: 0 };

/** A member's opinion, by its place among the members. */
const opinions = [
  "Start from what the team knows. A language that three people can debug at night beats one that is faster on paper.",
  "Measure first. Most services wait for a database, and there the language is *not* what you notice.",
  "Consider who will maintain it in five years:\n\n| | now | in five years |\n|---|---|---|\n| hiring | easy | easy |\n| upgrades | rare | painful |",
  "Both work. The decision is cheap to take and dear to undo, so write down **why** you took it.",
];

const concluded =
  "Take the language the team can debug at night, and measure before you change it. Hiring is easy for both.\n\n" +
  "What the answers agree on:\n\n" +
  "- Most services wait for a database. There the language is *not* what anybody notices.\n" +
  "- What is dear is a change of mind, so write down **why** you chose, and what would change it.\n\n" +
  "They differ on who will maintain it in five years: if one person of three leaves, the language that is easier to learn wins.";

const answered = (model: string) =>
  `## The short answer\n\n${opinions[Math.max(0, council.indexOf(model)) % opinions.length]}\n\n` +
  "Three things decide it:\n\n1. what breaks first,\n2. who is woken then,\n3. and what it costs to change one’s mind.\n\n" +
  '```rust\nfn main() {\n    println!("decide, then measure");\n}\n```';

function reviewed(prompt: string, model: string, agreed: boolean): string {
  const found = [...prompt.matchAll(/\[(Response [A-Z])\] BEGIN (\S+)\n([\s\S]*?)\nEND \2/g)].map(
    ([, label = "", , body = ""]) => ({
      label,
      place: opinions.findIndex((opinion) => body.includes(opinion.slice(0, 20))),
    }),
  );
  const shift = agreed ? 0 : Math.max(0, council.indexOf(model));
  const count = Math.max(1, found.length);
  const order = found
    .toSorted((a, b) => a.place - b.place)
    .map((_, at, sorted) => sorted[(at + shift) % count]?.label ?? "");
  const said = order.map(
    (label, at) =>
      `**${label}** ${at === 0 ? "is the most useful." : "is fair, but thin on reasons."}`,
  );
  return `${said.join("\n\n")}\n\nFINAL RANKING:\n${order.map((label, at) => `${at + 1}. ${label}`).join("\n")}`;
}

function reply({ model, messages }: Chat, mood: Mood): string {
  const prompt = messages.findLast((message) => message.role === "user")?.content ?? "";
  const inDebate = debateLine(prompt, council.indexOf(model));
  if (inDebate !== null) return inDebate;
  const beginning = prompt.slice(0, 400).toLowerCase();
  if (beginning.startsWith("classify the question below")) {
    return "CATEGORY: CODING\nCONFIDENCE: 0.9\nREASONING: It asks about writing a service.";
  }
  if (beginning.includes("devil's advocate")) {
    const found =
      mood.severity === "none"
        ? "I looked for a claim that does not hold and found none."
        : "The answer takes for granted that the team stays. If one of three leaves, its main argument is gone.";
    return `${found}\n\nSEVERITY: ${mood.severity}`;
  }
  if (beginning.includes("critic of the draft")) {
    return mood.critical
      ? "It is missing what happens when the team grows, and the second paragraph is wrong about hiring."
      : "No major issues.";
  }
  if (beginning.includes("revise your answer")) {
    return "Take the language the team can debug at night, and say what would change your mind: a fourth person, or ten times the load.";
  }
  if (prompt.includes("SELECTED: ")) {
    return "EVALUATION:\nA is complete; B is shorter and misses the costs.\n\nSELECTED: A\n\nREASONING:\nIt names the costs.\n\nFINAL RESPONSE:\nUNCHANGED";
  }
  if (prompt.includes("COUNCIL NOTES:") || beginning.includes("chairman")) {
    return concluded;
  }
  if (prompt.includes("FINAL RANKING")) return reviewed(prompt, model, mood.agreed);
  if (beginning.includes("title")) return "A language for the next service";
  return `${answered(model)}\n\nCONFIDENCE: ${mood.confidence}`;
}

const tokensOf = (text: string) => Math.ceil(text.length / 4);

async function bodyOf(request: IncomingMessage): Promise<Chat> {
  let text = "";
  for await (const part of request) text += String(part);
  return JSON.parse(text) as Chat;
}

export class PricedModels {
  mood: Mood = { ...calm };
  /** What every call was said to cost, in the order they ended; null where nothing was said. */
  readonly reported: { model: string; usd: number | null }[] = [];
  readonly #pausing = new Set<() => void>();
  readonly #server: Server;
  readonly #baseUrl: string;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#baseUrl = `http://127.0.0.1:${port}/v1`;
  }

  static async start(): Promise<PricedModels> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("no free port");
    const models = new PricedModels(server, address.port);
    server.on("request", (request, response) => {
      models.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    return models;
  }

  calm() {
    this.mood = { ...calm };
  }

  /** Settings of a server that asks these models. */
  get settings(): Record<string, string> {
    const named = {
      PROVIDERS__DEFAULT: "priced",
      PROVIDERS__PRICED__KIND: "openai_compatible",
      PROVIDERS__PRICED__BASE_URL: this.#baseUrl,
      PROVIDERS__PRICED__API_KEY: "none",
      COUNCIL__MODELS: council.join(", "),
      COUNCIL__CHAIRMAN: "acme/chair",
      COUNCIL__CHAIRMAN_FALLBACKS: "acme/aurora",
      COUNCIL__TITLE_MODEL: "acme/title",
      COUNCIL__UTILITY_MODEL: "acme/title",
      COUNCIL__MULTI_CHAIRMAN_MODELS: "acme/chair, acme/aurora",
      COUNCIL__ROUTING_POOLS__CODING: "acme/aurora, birch/cedar-large-instruct, birch/dune",
      COUNCIL__TIER1_MODELS: "acme/basil, birch/dune",
      COUNCIL__TIER2_MODELS: "acme/aurora, birch/cedar-large-instruct",
    };
    const settings = Object.entries(named).map(([name, value]) => [`LLM_COUNCIL__${name}`, value]);
    return Object.fromEntries(settings);
  }

  async #serve(request: IncomingMessage, response: ServerResponse) {
    if (request.method === "GET" && request.url?.endsWith("/models")) {
      const data = Object.entries(prices).map(([id, usd]) => ({
        id,
        ...(usd !== null && { pricing: { prompt: String(usd), completion: String(usd * 3) } }),
      }));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
      return;
    }
    const chat = await bodyOf(request);
    const text = reply(chat, this.mood);
    const usage = this.#bill(chat, text);
    const chunk = (choice: object, more: object = {}) =>
      `data: ${JSON.stringify({ id: "1", model: chat.model, choices: [choice], ...more })}\n\n`;
    response.setHeader("content-type", "text/event-stream");
    for (const piece of text.match(/\s*\S+/g) ?? []) {
      if (this.mood.pieceMs > 0) await this.#pause();
      response.write(chunk({ index: 0, delta: { content: piece } }));
    }
    response.write(chunk({ index: 0, delta: {}, finish_reason: "stop" }, { usage }));
    response.end("data: [DONE]\n\n");
  }

  /** Until the next piece is due, or somebody is in a hurry. */
  #pause() {
    return new Promise<void>((done) => {
      const go = () => {
        clearTimeout(timer);
        this.#pausing.delete(go);
        done();
      };
      const timer = setTimeout(go, this.mood.pieceMs);
      this.#pausing.add(go);
    });
  }

  /** Ends the pauses that are under way, such as those of models that were held still. */
  hurry() {
    for (const go of [...this.#pausing]) go();
  }

  /** Odd sums, so that a wrong rounding shows. */
  #bill(chat: Chat, text: string) {
    const prompt_tokens = tokensOf(chat.messages.map((message) => message.content).join(""));
    const completion_tokens = tokensOf(text);
    const price = prices[chat.model];
    const usd = price ? (prompt_tokens + 3 * completion_tokens) * price * 1.037 : null;
    this.reported.push({ model: chat.model, usd });
    const total_tokens = prompt_tokens + completion_tokens;
    return { prompt_tokens, completion_tokens, total_tokens, ...(usd !== null && { cost: usd }) };
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
