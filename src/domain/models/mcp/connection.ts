import { AsyncLocalStorage } from "node:async_hooks";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  type ClientCapabilities,
  ErrorCode,
  ListToolsResultSchema,
  McpError,
  type Notification,
  type Progress,
  type Request as ProtocolRequest,
  type Result,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
import { type JsonObject, MOST_DEPTH } from "../../../formats/json.ts";
import type { CheckedFetch } from "../../../lib/outbound/safe-fetch.ts";
import { JsonDepth } from "../../../lib/values/json/json-depth.ts";
import type { Operation } from "./openapi/operation.ts";
import { ResultTooDeepError, ResultTooLargeError } from "./result-too-large.ts";
import { type CallClient, ServerMessages } from "./server-messages.ts";
import type { StdioTransport } from "./stdio/transport.ts";

/** A tool as its server describes it. */
export type McpTool = Readonly<{
  name: string;
  title?: string;
  description: string | null;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: JsonObject | null;
  /** What a tool of an OpenAPI document calls. */
  operation?: Operation;
}>;

/** What a tool returned, as its server wrote it. */
export type ToolResult = ReturnType<typeof CallToolResultSchema.parse>;

type ConnectionOptions = Readonly<{
  url: URL;
  headers?: Readonly<Record<string, string>>;
  /** Ends everything under way. */
  signal: AbortSignal;
  /** Of one response. */
  maxBytes?: number;
  /** The most tools that are listed. */
  maxTools?: number;
  /** What the server learns of its client; absent: that it can do nothing. */
  capabilities?: ClientCapabilities;
}>;

/** How a call may go. */
export type CallOptions = Readonly<{
  /** From the request to the result, however much progress the tool reports. */
  timeoutMs?: number;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Gets the server's questions and messages; absent: nobody does. */
  client?: CallClient | undefined;
}>;

/** What calls tools of a server. */
export type ServerConnection = Readonly<{
  /** It could not connect, and cannot be used again. */
  hasFailed: boolean;
  /** Calls a tool. Rejects what connecting or the call rejects; a tool that failed is a result. */
  callTool(name: string, input: JsonObject, options?: CallOptions): Promise<ToolResult>;
  /** Sends another request of the protocol; absent: the server is of another kind. */
  request?(method: string, params: JsonObject, options?: CallOptions): Promise<JsonObject>;
  close(): void;
}>;

const CONNECT_TIMEOUT_MS = 20_000;
/** The process of a server may have something to load. */
const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1_048_576;
const MAX_PAGES = 20;
const MAX_TOOLS = 256;

/** A response that has ended is read to its end within this time. */
const READ_WITHIN_MS = 1_000;

/** What ends the exchange for which a request is sent: the transport itself waits for its timeout where a response is cut off. */
const exchanges = new AsyncLocalStorage<Exchange>();

/**
 * A connection to an MCP server over Streamable HTTP, or to a process of its own, opened by the first use. No redirect leads to another
 * origin. Source:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export class McpConnection implements ServerConnection {
  readonly #client: Client<ProtocolRequest, Notification, Result>;
  readonly #transport: StreamableHTTPClientTransport | StdioTransport;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #maxTools: number;
  readonly #messages: ServerMessages<Exchange>;
  #connected: Promise<void> | null = null;
  /** It could not connect, and cannot be used again. */
  hasFailed = false;
  /** Tools that were not listed, because they are called in another way. */
  skipped = 0;

  constructor(
    send: CheckedFetch | StdioTransport,
    { url, headers = {}, signal, maxBytes = MAX_BYTES, maxTools = MAX_TOOLS, capabilities = {} }: ConnectionOptions,
  ) {
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.#maxTools = maxTools;
    this.#client = new Client({ name: "sluice", version: "1.0.0" }, { jsonSchemaValidator: ACCEPTS_ALL, capabilities });
    this.#messages = new ServerMessages(this.#client, exchanges, Object.keys(capabilities).length > 0);
    if (typeof send !== "function") {
      this.#transport = send;
      return;
    }
    this.#transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: async (address, init) => {
        const isStream = (init?.method ?? "GET") === "GET";
        const listening = isStream ? this.#messages.takeListening() : null;
        if (isStream && !listening) return new Response(null, { status: 405 });
        // A session is also ended for a client that has left.
        const ends = init?.method === "DELETE" ? AbortSignal.timeout(CLOSE_TIMEOUT_MS) : signal;
        const response = await send(new URL(address), {
          method: isStream ? "GET" : (init?.method ?? "POST"),
          headers: Object.fromEntries(new Headers(init?.headers)),
          body: typeof init?.body === "string" ? init.body : undefined,
          signal: AbortSignal.any([ends, ...[init?.signal, listening].filter((each) => each != null)]),
        });
        return this.#bounded(response);
      },
    });
  }

  /** The server's tools, by name. Rejects what connecting or listing rejects: `statusOfFailure` reads it. */
  async listTools(): Promise<readonly McpTool[]> {
    await this.#open();
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const request = { method: "tools/list" as const, ...(cursor !== undefined && { params: { cursor } }) };
      const listed = await this.#exchange(CONNECT_TIMEOUT_MS, (options) =>
        this.#client.request(request, ListToolsResultSchema, options),
      );
      for (const { name, title, description, inputSchema, outputSchema, annotations, execution } of listed.tools) {
        // The gateway makes no tasks of calls, without which such a tool always fails.
        if (execution?.taskSupport === "required") {
          this.skipped += 1;
          continue;
        }
        tools.push({
          name,
          ...(title !== undefined && { title }),
          description: description ?? null,
          inputSchema,
          ...(outputSchema && { outputSchema }),
          annotations: annotations ? { ...annotations } : null,
        });
      }
      cursor = listed.nextCursor;
      if (cursor === undefined || tools.length >= this.#maxTools) break;
    }
    // In a fixed order, because prompt caches depend on it.
    return tools.slice(0, this.#maxTools).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Calls a tool. Rejects what connecting or the call rejects; a tool that failed is a result. */
  callTool(name: string, input: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
    const request = { method: "tools/call", params: { name, arguments: input } };
    return this.#call(options, (sent) => this.#client.request(request, CallToolResultSchema, sent));
  }

  /** Sends a request; its result is not validated. Rejects what connecting or the request rejects. */
  request(method: string, params: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    return this.#call(options, (sent) => this.#client.request({ method, params }, ResultSchema, sent));
  }

  async #call<T>(
    { timeoutMs = CALL_TIMEOUT_MS, onProgress, client }: CallOptions,
    send: (options: ExchangeOptions & Readonly<{ onprogress?: (progress: Progress) => void }>) => Promise<T>,
  ): Promise<T> {
    const process = "failure" in this.#transport ? this.#transport : null;
    if (process?.isOver) throw new SessionOverError("The server's process has ended.");
    const leave = client && this.#messages.enter(client);
    try {
      await this.#open();
      if (client) await this.#messages.prepare(client, this.#transport);
      client?.signal.throwIfAborted();
      client?.sending();
      return await this.#exchange(
        timeoutMs,
        (options) => send({ ...options, ...(onProgress && { onprogress: onProgress }) }),
        client,
      );
    } finally {
      leave?.();
    }
  }

  /** Ends the session at the server, in the background. */
  close(): void {
    if (!this.#connected) return;
    const end = async () => {
      if ("terminateSession" in this.#transport) await this.#transport.terminateSession();
      await this.#client.close();
    };
    void end().catch(() => {});
  }

  #open(): Promise<void> {
    const isProcess = "failure" in this.#transport;
    this.#connected ??= this.#exchange(isProcess ? START_TIMEOUT_MS : CONNECT_TIMEOUT_MS, (options) =>
      this.#client.connect(this.#transport, options),
    ).catch((error) => {
      this.hasFailed = true;
      throw error;
    });
    return this.#connected;
  }

  /** Rejects when the time is over or the response is cut off. */
  async #exchange<T>(
    timeout: number,
    send: (options: ExchangeOptions) => Promise<T>,
    client: CallClient | null = null,
  ): Promise<T> {
    const cut: Exchange = Object.assign(new AbortController(), { isSent: false, isOver: false, client });
    const { signal } = cut;
    const end = () => cut.abort(this.#signal.reason);
    const cancel = () => cut.abort(client?.signal.reason);
    this.#signal.addEventListener("abort", end, { once: true });
    client?.signal.addEventListener("abort", cancel, { once: true });
    try {
      this.#signal.throwIfAborted();
      return await exchanges.run(cut, () => send({ timeout, maxTotalTimeout: timeout, signal }));
    } catch (error) {
      if (client?.signal.aborted) throw client.signal.reason;
      if (!("failure" in this.#transport)) throw cut.signal.aborted ? cut.signal.reason : error;
      // A process that does not respond would not respond to the next call either.
      if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) this.#transport.kill();
      throw this.#transport.failure ?? error;
    } finally {
      cut.isOver = true;
      this.#signal.removeEventListener("abort", end);
      client?.signal.removeEventListener("abort", cancel);
    }
  }

  /** The response, which fails where the server has sent too much. */
  #bounded(response: Response): Response {
    if (!response.body) return response;
    const exchange = ownExchange();
    const maxBytes = this.#maxBytes;
    let left = maxBytes;
    const isEvents = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const depth = new JsonDepth(MOST_DEPTH, isEvents);
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        left -= part.byteLength;
        const isTooLarge = left < 0;
        if (!isTooLarge && !depth.exceeds(part)) return controller.enqueue(part);
        const error = isTooLarge ? new ResultTooLargeError(maxBytes) : new ResultTooDeepError(MOST_DEPTH);
        controller.error(error);
        exchange?.abort(error);
      },
    });
    const { status, headers } = response;
    const ended = () => {
      const error = new Error("The MCP server's response ended before its result.");
      // The SDK would tell the server that a request is cancelled which has its result.
      setTimeout(() => !exchange?.isOver && exchange?.abort(error), READ_WITHIN_MS).unref();
    };
    response.body.pipeTo(count.writable).then(ended, ended);
    return new Response(count.readable, { status, headers });
  }
}

/** `isSent`: the response to its request has begun; `isOver`: the request has its result, or has failed. */
type Exchange = AbortController & { isSent: boolean; isOver: boolean; readonly client: CallClient | null };

/** The exchange whose request this is the response to; answers to the server's questions are sent during it too. */
function ownExchange(): Exchange | null {
  const exchange = exchanges.getStore();
  if (!exchange || exchange.isSent) return null;
  exchange.isSent = true;
  return exchange;
}
type ExchangeOptions = Readonly<{ timeout: number; maxTotalTimeout: number; signal: AbortSignal }>;

/** Results are passed on as they are; a server's schemas are not executed here. */
const ACCEPTS_ALL: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** The session ended before the call was sent: another one can be opened for it. */
export class SessionOverError extends Error {
  override name = "SessionOverError";
}

/** A server without a protocol of its own refused with an HTTP status. */
export class HttpStatusError extends Error {
  override name = "HttpStatusError";

  constructor(readonly status: number) {
    super(`HTTP ${status}`);
  }
}

/** The HTTP status with which a server refused; null: it failed otherwise. */
export const statusOfFailure = (error: unknown): number | null =>
  error instanceof HttpStatusError
    ? error.status
    : error instanceof StreamableHTTPError && (error.code ?? 0) >= 100
      ? (error.code ?? null)
      : null;
