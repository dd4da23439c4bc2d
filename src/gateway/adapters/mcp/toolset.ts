import { McpConnection, type McpTool, statusOfFailure } from "../../../domain/models/mcp/connection.ts";
import { aliasOf } from "../../../domain/models/mcp/tool-names.ts";
import type { ChatDialect } from "../../../formats/conversation/conversation.ts";
import type { CheckedFetch } from "../../../lib/outbound/safe-fetch.ts";
import { reasonOf } from "../../../lib/reason.ts";
import { GatewayError } from "../../call/errors.ts";
import { callForModel, type McpResult } from "./tool-result.ts";

/** An MCP server as a request declares it. */
export type McpServer = Readonly<{
  label: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  description: string | null;
  allows(tool: McpTool): boolean;
  needsApproval(tool: McpTool): boolean;
}>;

/** A tool that the model can call. */
export type OfferedTool = Readonly<{
  /** The function's name, as the model gets it. */
  alias: string;
  server: McpServer;
  tool: McpTool;
}>;

/** A server with its tools; `isKnown`: an earlier response has listed them. */
export type ListedServer = Readonly<{ server: McpServer; tools: readonly McpTool[]; isKnown: boolean }>;

/** The MCP servers of one request: lists their tools, and calls them. */
export class McpToolset {
  readonly #connections = new Map<McpServer, McpConnection>();
  readonly #offered = new Map<string, OfferedTool>();
  listed: readonly ListedServer[] = [];

  constructor(
    private readonly fetch: CheckedFetch,
    readonly servers: readonly McpServer[],
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Lists the tools of every server, but of those in `known` as an earlier response listed them. Rejects GatewayError in
   * `dialect`'s terms if a server cannot be reached.
   */
  async list(dialect: ChatDialect, known: ReadonlyMap<string, readonly McpTool[]>): Promise<void> {
    this.listed = await Promise.all(
      this.servers.map(async (server): Promise<ListedServer> => {
        const before = known.get(server.label);
        const all = before ?? (await this.#connectionTo(server).listTools().catch(unreachable(server, dialect)));
        return { server, tools: all.filter(server.allows), isKnown: before !== undefined };
      }),
    );
    for (const { server, tools } of this.listed) {
      for (const tool of tools) {
        const alias = aliasOf(server.label, tool.name);
        this.#offered.set(alias, { alias, server, tool });
      }
    }
  }

  get offered(): readonly OfferedTool[] {
    return [...this.#offered.values()];
  }

  /** The tool behind a function; null: the function is the client's. */
  find(alias: string): OfferedTool | null {
    return this.#offered.get(alias) ?? null;
  }

  /** Never rejects, unless the client has left. */
  call({ server, tool }: OfferedTool, input: string): Promise<McpResult> {
    return callForModel(this.#connectionTo(server), tool.name, input, this.signal);
  }

  /** Ends the sessions at all servers. */
  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  #connectionTo(server: McpServer): McpConnection {
    const known = this.#connections.get(server);
    if (known) return known;
    const made = new McpConnection(this.fetch, {
      url: new URL(server.url),
      headers: server.headers,
      signal: this.signal,
    });
    this.#connections.set(server, made);
    return made;
  }
}

/**
 * The error of a server whose tools cannot be listed: OpenAI responds with 424 `external_connector_error`, Anthropic with
 * 400 `invalid_request_error`.
 */
const unreachable =
  ({ label }: McpServer, dialect: ChatDialect) =>
  (error: unknown): never => {
    const status = statusOfFailure(error);
    const why = status === null ? reasonOf(error) : `HTTP ${status}`;
    const reason = { code: "gateway_mcp_unreachable", params: { label, why } } as const;
    if (dialect === "anthropic") {
      throw new GatewayError(400, null, reason, { type: "invalid_request_error", param: "mcp_servers" });
    }
    throw new GatewayError(424, "http_error", reason, { type: "external_connector_error", param: "tools" });
  };
