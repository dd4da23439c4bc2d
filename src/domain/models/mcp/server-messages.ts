import type { AsyncLocalStorage } from "node:async_hooks";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CancelledNotificationSchema,
  ErrorCode,
  McpError,
  type Notification,
  type Request as ProtocolRequest,
  type RequestId,
  type Result,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { type JsonObject, recordOf } from "../../../formats/json.ts";

/** The client of a call, as the call's server reaches it. */
export type CallClient = Readonly<{
  /** The client has canceled the call. */
  signal: AbortSignal;
  /** The least severe log messages that it wants; null: the server decides. */
  logLevel: string | null;
  /** Whether its calls are those of one session: what arrives between two of them is for the next one. */
  hasSession: boolean;
  /** The call is about to be sent. */
  sending(): void;
  /** Puts a question of the server to the client; `signal`: the server no longer wants an answer. Rejects McpError. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Passes a message on that needs no answer. */
  notify(method: string, params: JsonObject): void;
}>;

/** How long a call waits for the stream of the server's own messages; it may begin with the first of them. */
const LISTEN_WITHIN_MS = 250;
/** The stream outlives the calls by this time: the next one may follow. */
const LISTEN_AFTER_MS = 5_000;
const SET_LEVEL_WITHIN_MS = 5_000;

/** Messages that arrive between calls: so many, of so many UTF-16 code units of JSON together, the latest ones. */
const [MAX_LATE, MAX_LATE_LENGTH] = [100, 262_144];
/** All else that servers tell is about lists, which each client's request reads. */
const LASTING: readonly string[] = ["notifications/message", "notifications/elicitation/complete"];

type Exchange = Readonly<{ isOver: boolean; client: CallClient | null }>;

/**
 * The messages that a server sends by itself: questions and notifications. One that arrives in the response to a call belongs to that
 * call. On a stream of its own the protocol doesn't say which call it is about: it goes to the oldest one under way, whose client is
 * the same, since a connection serves one session of one client. Without one, as after the result, a notification waits for the next call.
 */
export class ServerMessages<Current extends Exchange> {
  readonly #calls = new Set<CallClient>();
  /** Questions that wait for an answer, by the server's ids. */
  readonly #questions = new Map<RequestId, AbortController>();
  #stream: AbortController | null = null;
  #mayListen = false;
  #silence: Timer | null = null;
  #logLevel: string | null = null;
  #late: { method: string; params: JsonObject; length: number }[] = [];
  #keepsLate = false;

  /** `mayAsk`: the client has declared that it answers questions. */
  constructor(
    private readonly client: Client<ProtocolRequest, Notification, Result>,
    private readonly exchanges: AsyncLocalStorage<Current>,
    private readonly mayAsk: boolean,
  ) {
    client.fallbackRequestHandler = ({ id, method, params }) => this.#ask(id, method, recordOf(params) ?? {});
    client.fallbackNotificationHandler = async ({ method, params }) => this.#notify(method, recordOf(params) ?? {});
    // The SDK ignores the id 0, with which servers begin.
    client.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId } }) => {
      if (requestId !== undefined) this.#questions.get(requestId)?.abort();
    });
  }

  /** A call begins; returns the function that ends it. */
  enter(client: CallClient): () => void {
    this.#calls.add(client);
    this.#keepsLate = client.hasSession;
    for (const { method, params } of this.#late.splice(0)) client.notify(method, params);
    if (this.#silence) clearTimeout(this.#silence);
    return () => {
      this.#calls.delete(client);
      if (this.#calls.size > 0 || !this.#stream) return;
      this.#silence = setTimeout(() => this.#stream?.abort(), LISTEN_AFTER_MS).unref();
    };
  }

  /** Before a call, on an open connection: says which log messages are wanted, and listens to the server. */
  async prepare(client: CallClient, transport: StreamableHTTPClientTransport | object): Promise<void> {
    const logs = this.client.getServerCapabilities()?.logging !== undefined;
    if (logs && client.logLevel !== null && client.logLevel !== this.#logLevel) {
      this.#logLevel = client.logLevel;
      const request = { method: "logging/setLevel", params: { level: client.logLevel } };
      // Messages below the level are dropped anyway.
      await this.client.request(request, ResultSchema, { timeout: SET_LEVEL_WITHIN_MS }).catch(() => {});
    }
    if ((logs || this.mayAsk) && "resumeStream" in transport && !this.#stream) await this.#listen(transport);
  }

  /** What ends the stream of the server's own messages, if it may be opened now: once for each `prepare`. */
  takeListening(): AbortSignal | null {
    if (!this.#mayListen) return null;
    this.#mayListen = false;
    return this.#stream?.signal ?? null;
  }

  async #listen(transport: StreamableHTTPClientTransport): Promise<void> {
    const stream = new AbortController();
    this.#stream = stream;
    this.#mayListen = true;
    stream.signal.addEventListener("abort", () => {
      if (this.#stream === stream) this.#stream = null;
    });
    // What arrives there belongs to no exchange.
    const opened = this.exchanges.exit(() => transport.resumeStream("")).catch(() => {});
    await Promise.race([opened, Bun.sleep(LISTEN_WITHIN_MS)]);
  }

  async #ask(id: RequestId, method: string, params: JsonObject): Promise<Result> {
    const client = this.#current();
    if (!client) throw new McpError(ErrorCode.InvalidRequest, "No call is under way whose client could answer.");
    const canceled = new AbortController();
    this.#questions.set(id, canceled);
    try {
      return await client.ask(method, params, canceled.signal);
    } finally {
      this.#questions.delete(id);
    }
  }

  #notify(method: string, params: JsonObject): void {
    const client = this.#current();
    client?.notify(method, params);
    if (client || !this.#keepsLate || !LASTING.includes(method)) return;
    this.#late.push({ method, params, length: JSON.stringify(params).length });
    const length = () => this.#late.reduce((sum, late) => sum + late.length, 0);
    while (this.#late.length > MAX_LATE || length() > MAX_LATE_LENGTH) this.#late.shift();
  }

  #current(): CallClient | null {
    const exchange = this.exchanges.getStore();
    const [oldest = null] = this.#calls;
    return (exchange && !exchange.isOver && exchange.client) || oldest;
  }
}
