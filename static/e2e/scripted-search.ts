/** A search server in Tavily's shape that finds what a test tells it to. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

export interface Result {
  title: string;
  url: string;
  content: string;
  published_date?: string;
}

export interface Found {
  results?: readonly Result[];
  answer?: string;
  /** Instead of results: this HTTP status. */
  status?: number;
}

export class ScriptedSearch {
  /** Everything that was searched for. */
  readonly queries: string[] = [];
  readonly #server: Server;
  readonly #baseUrl: string;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#baseUrl = `http://127.0.0.1:${port}`;
  }

  static async start(find: (query: string) => Found | Promise<Found>): Promise<ScriptedSearch> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("no free port");
    const search = new ScriptedSearch(server, address.port);
    server.on("request", (request, response) => {
      search.#serve(request, response, find).catch((error: unknown) => {
        response.destroy(error as Error);
      });
    });
    return search;
  }

  /** Settings of a server that searches here. */
  get settings(): Record<string, string> {
    return {
      LLM_COUNCIL__SEARCH__TAVILY__BASE_URL: this.#baseUrl,
      LLM_COUNCIL__SEARCH__TAVILY__API_KEY: "none",
    };
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    find: (query: string) => Found | Promise<Found>,
  ) {
    response.setHeader("content-type", "application/json");
    if (request.method !== "POST") {
      response.end("{}");
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const { query } = JSON.parse(Buffer.concat(parts).toString("utf8")) as { query: string };
    this.queries.push(query);
    const { results = [], answer = null, status = 200 } = await find(query);
    response.statusCode = status;
    response.end(
      JSON.stringify(
        status === 200
          ? { query, answer, results: results.map((result) => ({ score: 0.9, ...result })) }
          : { detail: { error: "refused" } },
      ),
    );
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
