/** An OpenAI-compatible server whose models say what a test tells them to, as fast as it says. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

export type Purpose = "answer" | "review" | "synthesis" | "title" | "research";

export interface Call {
  model: string;
  purpose: Purpose;
  /** The newest question, with what the server put around it. */
  prompt: string;
}

export interface Line {
  text: string;
  reasoning?: string;
  /** Characters in a piece; all at once where nothing is said. */
  piece?: number;
  /** Milliseconds between two pieces. */
  everyMs?: number;
  /** Awaited before the piece at this place of the text is said: a test that looks may set the pace. */
  before?: (at: number) => Promise<unknown> | undefined;
  /** Instead of a text: the error with this message. */
  error?: string;
  /** The HTTP status of that error. */
  status?: number;
  /** What the call is said to have used. */
  usage?: object;
}

interface Chat {
  model: string;
  messages: { role: string; content: string }[];
  /** Texts whose vectors are wanted, instead of messages. */
  input?: string | string[];
}

function purposeOf(prompt: string): Purpose {
  const beginning = prompt.slice(0, 400).toLowerCase();
  if (prompt.includes("RESEARCH: no")) return "research";
  if (prompt.includes("COUNCIL NOTES:") || beginning.includes("chairman")) return "synthesis";
  if (prompt.includes("FINAL RANKING")) return "review";
  return beginning.includes("title") ? "title" : "answer";
}

async function bodyOf(request: IncomingMessage): Promise<Chat> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as Chat;
}

const piecesOf = (text: string, length: number) =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );

export class ScriptedModels {
  readonly #server: Server;
  readonly #baseUrl: string;
  readonly #say: (call: Call) => Line;
  /** What its list of models has. */
  offered: readonly object[];

  private constructor(
    server: Server,
    port: number,
    say: (call: Call) => Line,
    offered: readonly object[],
  ) {
    this.#server = server;
    this.#baseUrl = `http://127.0.0.1:${port}/v1`;
    this.#say = say;
    this.offered = offered;
  }

  static async start(
    say: (call: Call) => Line,
    offered: readonly object[] = [],
  ): Promise<ScriptedModels> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("no free port");
    const models = new ScriptedModels(server, address.port, say, offered);
    server.on("request", (request, response) => {
      models.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    return models;
  }

  /** Settings of a server that has them as one more provider. */
  asProvider(name: string): Record<string, string> {
    const prefix = `LLM_COUNCIL__PROVIDERS__${name.toUpperCase()}`;
    return {
      [`${prefix}__KIND`]: "openai_compatible",
      [`${prefix}__BASE_URL`]: this.#baseUrl,
      [`${prefix}__API_KEY`]: "none",
    };
  }

  /** Settings of a server whose council are these models; the first one is the chairman. */
  settings(members: readonly string[]): Record<string, string> {
    const named = {
      PROVIDERS__DEFAULT: "scripted",
      COUNCIL__MODELS: members.join(", "),
      COUNCIL__CHAIRMAN: members[0] ?? "",
      COUNCIL__CHAIRMAN_FALLBACKS: members[1] ?? members[0] ?? "",
      COUNCIL__TITLE_MODEL: members[0] ?? "",
      COUNCIL__UTILITY_MODEL: members[0] ?? "",
    };
    const settings = Object.entries(named).map(([name, value]) => [`LLM_COUNCIL__${name}`, value]);
    return { ...this.asProvider("scripted"), ...Object.fromEntries(settings) };
  }

  async #serve(request: IncomingMessage, response: ServerResponse) {
    if (request.method === "GET") {
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ data: this.offered }));
      return;
    }
    const { model, messages, input } = await bodyOf(request);
    if (input !== undefined) {
      // Every text is like every other: only what they say can tell them apart.
      const data = [input].flat().map((_, index) => ({ index, embedding: [0.6, 0.8] }));
      const usage = { prompt_tokens: 5, total_tokens: 5 };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ model, data, usage }));
      return;
    }
    const prompt = messages.findLast((message) => message.role === "user")?.content ?? "";
    const line = this.#say({ model, purpose: purposeOf(prompt), prompt });
    if (line.error !== undefined) {
      response.statusCode = line.status ?? 400;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ error: { message: line.error } }));
      return;
    }
    response.setHeader("content-type", "text/event-stream");
    const chunk = (delta: object, more: object = {}) =>
      `data: ${JSON.stringify({ id: "1", model, choices: [{ index: 0, delta, ...more }] })}\n\n`;
    const write = async (field: "content" | "reasoning_content", text: string) => {
      for (const [at, piece] of piecesOf(text, line.piece ?? 200_000).entries()) {
        await line.before?.(at);
        if (line.everyMs) await new Promise((done) => setTimeout(done, line.everyMs));
        if (!response.write(chunk({ [field]: piece }))) await once(response, "drain");
      }
    };
    await write("reasoning_content", line.reasoning ?? "");
    await write("content", line.text);
    response.write(chunk({}, { finish_reason: "stop" }));
    if (line.usage)
      response.write(`data: ${JSON.stringify({ choices: [], usage: line.usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
