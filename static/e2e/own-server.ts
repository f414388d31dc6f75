/** A server of a test's own, which it may stop, kill and start again over the same data. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program =
  process.env.LLM_COUNCIL_PROGRAM ??
  fileURLToPath(new URL("../../target/debug/llm-council", import.meta.url));

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  listener.close();
  if (typeof address !== "object" || !address) throw new Error("no free port");
  return address.port;
}

/** How the simulated models of a server write. */
export const pace = {
  /** For a test that reads the result. */
  quick: simulated(3000, 20),
  /** For a test that steps into a run: every stage lasts some seconds. */
  steady: simulated(60, 300),
  /** For one that steps into every stage of a run, and is away for a while each time. */
  slow: simulated(20, 300),
  /** For a run that must not end by itself. */
  endless: simulated(4, 300),
};

function simulated(tokensPerSecond: number, firstTokenMs: number): Record<string, string> {
  return {
    LLM_COUNCIL__PROVIDERS__SIMULATED__TOKENS_PER_SECOND: String(tokensPerSecond),
    LLM_COUNCIL__PROVIDERS__SIMULATED__FIRST_TOKEN_MS: String(firstTokenMs),
  };
}

export class OwnServer {
  readonly origin: string;
  readonly #dir: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | null = null;

  private constructor(origin: string, dir: string, env: NodeJS.ProcessEnv) {
    this.origin = origin;
    this.#dir = dir;
    this.#env = env;
  }

  /** With simulated models, no sign-in, and settings as environment variables. */
  static async start(settings: Record<string, string> = pace.quick): Promise<OwnServer> {
    const dir = await mkdtemp(join(tmpdir(), "llm-council-e2e-"));
    // As root, Postgres runs as another user, who must get in.
    await chmod(dir, 0o755);
    const port = await freePort();
    // Whatever this shell or another server of the tests is set up for is not for this one: with
    // a provider's key the tests would ask real models.
    const inherited = Object.entries(process.env).filter(([name]) =>
      /^(PATH|HOME|USER|LANG|LC_ALL|TZ|TMPDIR|LD_LIBRARY_PATH|LLM_COUNCIL_PG_BIN)$/.test(name),
    );
    const server = new OwnServer(`http://127.0.0.1:${port}`, dir, {
      ...Object.fromEntries(inherited),
      LLM_COUNCIL__SERVER__BIND: "127.0.0.1",
      LLM_COUNCIL__SERVER__PORT: String(port),
      LLM_COUNCIL__DATA_DIR: join(dir, "data"),
      LLM_COUNCIL__AUTH__MODE: "none",
      ...settings,
    });
    await server.startAgain();
    return server;
  }

  async startAgain() {
    const log = await open(join(this.#dir, "server.log"), "a");
    const child = spawn(program, ["serve"], {
      cwd: this.#dir,
      env: this.#env,
      stdio: ["ignore", log.fd, log.fd],
    });
    await log.close();
    this.#process = child;
    for (let tries = 0; tries < 240; tries += 1) {
      if (child.exitCode !== null) throw new Error(await this.#lastWords());
      if (await this.#isReady()) return;
      await new Promise((done) => setTimeout(done, 250));
    }
    throw new Error(`the server was not ready within 60 s\n${await this.#lastWords()}`);
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.origin}/health/ready`)).ok;
    } catch {
      return false;
    }
  }

  async #lastWords(): Promise<string> {
    const log = await readFile(join(this.#dir, "server.log"), "utf8");
    return log.split("\n").slice(-30).join("\n");
  }

  /** Ends the process by a signal; resolves with its exit code once it is gone. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    const child = this.#process;
    this.#process = null;
    if (!child) return 0;
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, "exit");
      child.kill(signal);
      await gone;
    }
    return child.exitCode;
  }

  async close() {
    const code = await this.end("SIGTERM");
    if (code !== 0) throw new Error(`the server ended with ${code}\n${await this.#lastWords()}`);
    await rm(this.#dir, { recursive: true, force: true });
  }
}
