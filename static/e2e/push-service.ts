/**
 * A push service of a test's own, and the browser that is subscribed to it: it takes messages as any does, and reads them with
 * the browser's keys (RFC 8291, over Node's own cryptography).
 */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Page } from "playwright-core";

interface Told {
  kind: string;
  run_id?: string;
  conversation_id?: string;
  title?: string;
}

export class PushService {
  readonly got: { told: Told; topic: string | undefined; vapid: string }[] = [];
  status = 201;
  readonly #server: Server;
  readonly #keys = createECDH("prime256v1");
  readonly #auth = randomBytes(16);

  constructor() {
    this.#keys.generateKeys();
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const { topic, authorization = "" } = request.headers;
        this.got.push({
          told: this.#read(Buffer.concat(pieces)),
          topic: typeof topic === "string" ? topic : undefined,
          vapid: authorization,
        });
        response.writeHead(this.status).end();
      });
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  close() {
    this.#server.close();
  }

  /** Opens one message. */
  #read(message: Buffer): Told {
    const salt = message.subarray(0, 16);
    const length = message.readUInt8(20);
    const theirs = message.subarray(21, 21 + length);
    const sealed = message.subarray(21 + length);
    const shared = this.#keys.computeSecret(theirs);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#keys.getPublicKey(), theirs]);
    const derive = (from: Buffer, by: Buffer, what: Buffer | string, bytes: number) =>
      Buffer.from(hkdfSync("sha256", from, by, what, bytes));
    const secret = derive(shared, this.#auth, info, 32);
    const key = derive(secret, salt, "Content-Encoding: aes128gcm\0", 16);
    const nonce = derive(secret, salt, "Content-Encoding: nonce\0", 12);
    const cipher = createDecipheriv("aes-128-gcm", key, nonce);
    cipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
  }

  /**
   * Has the page's browser subscribe here: a test's browser has no push service of its maker's. Whatever it is subscribed to
   * outlasts its pages. Answers what was done.
   */
  async serve(page: Page): Promise<string[]> {
    const address = this.#server.address();
    if (typeof address !== "object" || !address) throw new Error("it does not listen");
    const done: string[] = [];
    let key: string | null = null;
    await page.exposeFunction("pushService", (what: string, given: string) => {
      if (what === "subscribe") key = given;
      if (what !== "look") done.push(what);
      const subscribed = key;
      if (what === "unsubscribe") key = null;
      return subscribed;
    });
    await page.addInitScript(
      ({ endpoint, keys }) => {
        const service = (what: string, given = "") =>
          Reflect.get(window, "pushService")(what, given) as Promise<string | null>;
        const bytes = (text: string) =>
          Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) =>
            sign.charCodeAt(0),
          ).buffer;
        const subscription = (key: string) => ({
          options: { applicationServerKey: bytes(key) },
          toJSON: () => ({ endpoint, expirationTime: null, keys }),
          unsubscribe: () => service("unsubscribe").then(() => true),
        });
        Object.assign(PushManager.prototype, {
          getSubscription: async () => {
            const key = await service("look");
            return key === null ? null : subscription(key);
          },
          subscribe: async (options: { applicationServerKey: string }) => {
            await service("subscribe", options.applicationServerKey);
            return subscription(options.applicationServerKey);
          },
        });
      },
      {
        endpoint: `http://127.0.0.1:${address.port}/a-browser`,
        keys: {
          p256dh: this.#keys.getPublicKey().toString("base64url"),
          auth: this.#auth.toString("base64url"),
        },
      },
    );
    return done;
  }
}
