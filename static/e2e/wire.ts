/** A wire between browser and server that can be cut: a TCP proxy. */
import { createServer, type Server, type Socket, connect as toServer } from "node:net";

export class Wire {
  readonly origin: string;
  readonly #listener: Server;
  readonly #sockets: Set<Socket>;
  #isCut = false;
  #lose: RegExp | null = null;
  #watched: { what: RegExp; left: number; cut: () => void } | null = null;
  /** How many requests matched what `loseAnswerTo` was given. */
  lost = 0;

  private constructor(listener: Server, sockets: Set<Socket>, origin: string) {
    this.#listener = listener;
    this.#sockets = sockets;
    this.origin = origin;
  }

  static async to(server: string): Promise<Wire> {
    const { hostname, port } = new URL(server);
    const sockets = new Set<Socket>();
    const listener = createServer((client) => wire.#join(client, hostname, Number(port)));
    await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
    const address = listener.address();
    if (typeof address !== "object" || !address) throw new Error("the wire has no port");
    const wire = new Wire(listener, sockets, `http://127.0.0.1:${address.port}`);
    return wire;
  }

  #join(client: Socket, host: string, port: number) {
    this.#keep(client);
    if (this.#isCut) {
      client.resetAndDestroy();
      return;
    }
    const server = this.#keep(toServer(port, host));
    let losing = false;
    client.on("data", (bytes) => {
      if (this.#lose?.test(bytes.toString("latin1"))) {
        this.#lose = null;
        this.lost += 1;
        losing = true;
      }
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (losing) {
        client.resetAndDestroy();
        return;
      }
      client.write(bytes);
      this.#watch(bytes.toString("latin1"));
    });
    client.on("close", () => server.destroy());
    server.on("close", () => client.end());
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    // A broken connection is what this is about; "close" follows.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
    return socket;
  }

  /** Breaks every connection, and lets none through until it is mended. */
  cut() {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Cuts as soon as the server has sent this that many times: however slow the page is, the run is there. */
  cutAfter(what: RegExp, times: number): Promise<void> {
    return new Promise((cut) => {
      this.#watched = { what, left: times, cut };
    });
  }

  #watch(sent: string) {
    const watched = this.#watched;
    if (!watched) return;
    watched.left -= sent.match(watched.what)?.length ?? 0;
    if (watched.left > 0) return;
    this.#watched = null;
    this.cut();
    watched.cut();
  }

  mend() {
    this.#isCut = false;
  }

  /** The next request like this reaches the server; its answer does not reach the browser. */
  loseAnswerTo(request: RegExp) {
    this.#lose = request;
  }

  async close() {
    this.cut();
    await new Promise((done) => this.#listener.close(done));
  }
}
