import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ListToolsResultSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import type { CheckedFetch } from "../../../lib/outbound/safe-fetch.ts";

/** A tool as its server describes it. */
export type McpTool = Readonly<{
  name: string;
  description: string | null;
  inputSchema: JsonObject;
  annotations: JsonObject | null;
}>;

/** What a tool returned, or how the call failed. `error` has the shape of OpenAI's `mcp_call` errors. */
export type McpResult = Readonly<{ text: string; error: JsonObject | null }>;

const CONNECT_TIMEOUT_MS = 20_000;
const CALL_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** Of all responses of a server in one request. */
const MAX_BYTES = 16 * 1_048_576;
const MAX_PAGES = 20;
const MAX_TOOLS = 256;
/** Of one result, as the model and the client get it. */
const MAX_RESULT_CHARACTERS = 100_000;

/**
 * A connection to an MCP server over Streamable HTTP, opened by the first use. Source:
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
export class McpConnection {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  #connected: Promise<void> | null = null;
  #bytesLeft = MAX_BYTES;

  /** `signal` ends everything under way. */
  constructor(
    send: CheckedFetch,
    url: URL,
    headers: Readonly<Record<string, string>>,
    private readonly signal: AbortSignal,
  ) {
    this.#client = new Client({ name: "sluice", version: "1.0.0" }, { jsonSchemaValidator: ACCEPTS_ALL });
    this.#transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers },
      fetch: async (address, init) => {
        // The server's own messages, outside of responses, concern no call.
        if ((init?.method ?? "GET") === "GET") return new Response(null, { status: 405 });
        // A session is also ended for a client that has left.
        const ends = init?.method === "DELETE" ? AbortSignal.timeout(CLOSE_TIMEOUT_MS) : signal;
        const response = await send(new URL(address), {
          method: init?.method ?? "POST",
          headers: Object.fromEntries(new Headers(init?.headers)),
          body: typeof init?.body === "string" ? init.body : undefined,
          signal: init?.signal ? AbortSignal.any([init.signal, ends]) : ends,
        });
        return this.#bounded(response);
      },
    });
  }

  /** The server's tools, by name. Rejects what connecting or listing rejects: `describeFailure` reads it. */
  async listTools(): Promise<readonly McpTool[]> {
    await this.#open();
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const request = { method: "tools/list" as const, ...(cursor !== undefined && { params: { cursor } }) };
      const listed = await this.#client.request(request, ListToolsResultSchema, this.#options(CONNECT_TIMEOUT_MS));
      for (const { name, description, inputSchema, annotations } of listed.tools) {
        const own = annotations ? { ...annotations } : null;
        tools.push({ name, description: description ?? null, inputSchema, annotations: own });
      }
      cursor = listed.nextCursor;
      if (cursor === undefined || tools.length >= MAX_TOOLS) break;
    }
    // In a fixed order, because prompt caches depend on it.
    return tools.slice(0, MAX_TOOLS).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Calls a tool; `input` is the JSON text of its arguments. Never rejects, unless the client has left. */
  async call(name: string, input: string): Promise<McpResult> {
    const values = recordOf(parseJson(input.trim() === "" ? "{}" : input));
    if (!values)
      return failed({ type: "mcp_protocol_error", code: -32602, message: "The arguments are not valid JSON." });
    try {
      await this.#open();
      const params = { name, arguments: values };
      const options = this.#options(CALL_TIMEOUT_MS);
      const result = await this.#client.request({ method: "tools/call", params }, CallToolResultSchema, options);
      const text = bounded(textOfResult(result));
      if (result.isError !== true) return { text, error: null };
      return { text, error: { type: "mcp_tool_execution_error", content: [{ type: "text", text }] } };
    } catch (error) {
      this.signal.throwIfAborted();
      return failed(errorObjectOf(error));
    }
  }

  /** Ends the session at the server, in the background. */
  close(): void {
    if (!this.#connected) return;
    const end = async () => {
      await this.#transport.terminateSession();
      await this.#client.close();
    };
    void end().catch(() => {});
  }

  #open(): Promise<void> {
    this.#connected ??= this.#client.connect(this.#transport, this.#options(CONNECT_TIMEOUT_MS));
    return this.#connected;
  }

  #options = (timeout: number) => ({ timeout, maxTotalTimeout: timeout, signal: this.signal });

  /** The response, which fails where the server has sent too much. */
  #bounded(response: Response): Response {
    if (!response.body) return response;
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        this.#bytesLeft -= part.byteLength;
        if (this.#bytesLeft < 0) controller.error(new Error(`The MCP server sent more than ${MAX_BYTES} bytes.`));
        else controller.enqueue(part);
      },
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(count), { status, headers });
  }
}

/** Results are passed on as they are; a server's schemas are not executed here. */
const ACCEPTS_ALL: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const failed = (error: JsonObject): McpResult => ({ text: `Error: ${String(error.message)}`, error });

/** A failure in the shape of OpenAI's `mcp_call` errors. */
function errorObjectOf(error: unknown): JsonObject {
  if (error instanceof StreamableHTTPError) {
    return { type: "http_error", code: error.code ?? 0, message: bounded(error.message) };
  }
  const message = bounded(error instanceof Error ? error.message : String(error));
  return { type: "mcp_protocol_error", code: error instanceof McpError ? error.code : -32603, message };
}

/** The HTTP status with which a server refused; null: it failed otherwise. */
export const statusOfFailure = (error: unknown): number | null =>
  error instanceof StreamableHTTPError && (error.code ?? 0) >= 100 ? (error.code ?? null) : null;

type ToolResult = ReturnType<typeof CallToolResultSchema.parse>;

/** The result as text: models of every format read that. */
function textOfResult({ content, structuredContent }: ToolResult): string {
  const texts = content.map((block): string => {
    switch (block.type) {
      case "text":
        return block.text;
      case "image":
      case "audio":
        return `[${block.type}: ${block.mimeType}]`;
      case "resource":
        return "text" in block.resource ? block.resource.text : `[resource: ${block.resource.uri}]`;
      default:
        return block.uri;
    }
  });
  if (texts.length === 0 && structuredContent) return JSON.stringify(structuredContent);
  return texts.join("\n");
}

function bounded(text: string): string {
  if (text.length <= MAX_RESULT_CHARACTERS) return text;
  return `${text.slice(0, MAX_RESULT_CHARACTERS)}\n[cut off after ${MAX_RESULT_CHARACTERS} characters]`;
}
