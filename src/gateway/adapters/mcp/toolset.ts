import { type McpTool, statusOfFailure } from "../../../domain/models/mcp/connection.ts";
import { aliasOf, distinctAlias } from "../../../domain/models/mcp/tools/tool-names.ts";
import type { ChatDialect } from "../../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { reasonOf } from "../../../lib/reason.ts";
import { GatewayError } from "../../call/errors.ts";
import { callForModel, type McpResult, type ToolSource } from "./sources/tool-result.ts";

/** An MCP server as a request declares it. */
export type McpServer = Readonly<{
  label: string;
  url: string;
  /** One of the site's own servers, which `url` names; empty: all of them. Null: the server is at `url`. */
  siteServer: string | null;
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

/** The tools of one of the site's servers that a request gets: more are no choice for a model. */
const MAX_SITE_TOOLS = 256;

/** The MCP servers of one request: lists their tools, and calls them. */
export class McpToolset {
  readonly #sources = new Map<McpServer, ToolSource>();
  readonly #offered = new Map<string, OfferedTool>();
  listed: readonly ListedServer[] = [];

  constructor(
    private readonly open: (server: McpServer) => ToolSource,
    readonly servers: readonly McpServer[],
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Lists the tools of every server, but of those in `known` as an earlier response listed them; the site's servers as they are
   * approved now. Rejects GatewayError in `dialect`'s terms if a server cannot be reached.
   */
  async list(dialect: ChatDialect, known: ReadonlyMap<string, readonly McpTool[]>): Promise<void> {
    this.listed = await Promise.all(
      this.servers.map(async (server): Promise<ListedServer> => {
        const source = this.#sourceOf(server);
        const before = known.get(server.label);
        const listed = source.isListedByClient ? before : undefined;
        const all = listed ?? (await source.listTools().catch(unreachable(server, dialect)));
        const tools = all.filter(server.allows);
        if (server.siteServer !== null && tools.length > MAX_SITE_TOOLS) throw tooMany(server, tools.length, dialect);
        return { server, tools, isKnown: before !== undefined };
      }),
    );
    for (const { server, tools } of this.listed) {
      for (const tool of tools) {
        const usual = aliasOf(server.label, tool.name);
        // A tool "b__c" of the server "a" must not stand in for the tool "c" of "a__b".
        const alias = this.#offered.has(usual) ? distinctAlias(server.label, tool.name) : usual;
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
    return callForModel(this.#sourceOf(server), tool.name, input, this.signal);
  }

  /** Ends the sessions at all servers. */
  close(): void {
    for (const source of this.#sources.values()) source.close();
  }

  #sourceOf(server: McpServer): ToolSource {
    const source = this.#sources.get(server) ?? this.open(server);
    this.#sources.set(server, source);
    return source;
  }
}

/**
 * The error of a server whose tools cannot be listed: OpenAI responds with 424 `external_connector_error`, Anthropic with
 * 400 `invalid_request_error`, and Google's clients know no other status of theirs.
 */
const unreachable =
  ({ label }: McpServer, dialect: ChatDialect) =>
  (error: unknown): never => {
    // One of the site's servers, which the caller may not use.
    if (error instanceof GatewayError) throw error;
    const status = statusOfFailure(error);
    const why = status === null ? reasonOf(error) : `HTTP ${status}`;
    const reason = { code: "gateway_mcp_unreachable", params: { label, why } } as const;
    if (dialect === "anthropic" || dialect === "gemini") {
      const param = dialect === "gemini" ? "tools" : "mcp_servers";
      throw new GatewayError(400, null, reason, { type: "invalid_request_error", param });
    }
    throw new GatewayError(424, "http_error", reason, { type: "external_connector_error", param: "tools" });
  };

const tooMany = ({ label }: McpServer, count: number, dialect: ChatDialect): GatewayError =>
  new GatewayError(
    400,
    "mcp_too_many_tools",
    { code: "gateway_mcp_too_many_tools", params: { label, count, max: MAX_SITE_TOOLS } },
    { type: "invalid_request_error", param: dialect === "anthropic" ? "mcp_servers" : "tools" },
  );

/** What a function says of its tool, for a server that the request describes too. */
export function describe({ description }: McpTool, ofServer: string | null): JsonObject {
  const text = [ofServer, description].filter((part) => part !== null && part !== "").join("\n\n");
  return text === "" ? {} : { description: text };
}
