import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import { aliasOf } from "../../../../domain/models/mcp/tools/tool-names.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { hexDigest } from "../../../../lib/security/crypto.ts";
import type { McpResult } from "../sources/tool-result.ts";
import type { McpToolset, OfferedTool } from "../toolset.ts";
import { addUsage, type McpTurn, type PendingCall } from "../turn.ts";

/**
 * The messages of a request as a model without MCP tools reads them: each MCP call becomes a function call, and its result
 * begins the message of the user that follows.
 */
function withFunctions(messages: unknown): JsonObject[] {
  const result: JsonObject[] = [];
  let results: JsonObject[] = [];
  for (const message of recordsOf(messages)) {
    if (message.role !== "assistant" || !Array.isArray(message.content)) {
      const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
      const isUser = message.role === "user" && results.length > 0;
      result.push(isUser ? { ...message, content: [...results, ...recordsOf(content)] } : message);
      if (isUser) results = [];
      continue;
    }
    let content: JsonObject[] = [];
    for (const block of recordsOf(message.content)) {
      if (block.type === "mcp_tool_listing") continue;
      if (block.type === "mcp_tool_result") {
        results.push(resultOf(block));
        continue;
      }
      // What follows the results belongs to the next round.
      if (results.length > 0 && block.type !== "tool_use") {
        result.push({ ...message, content }, { role: "user", content: results });
        content = [];
        results = [];
      }
      content.push(block.type === "mcp_tool_use" ? callOf(block) : block);
    }
    if (content.length > 0) result.push({ ...message, content });
  }
  if (results.length > 0) result.push({ role: "user", content: results });
  return result;
}

const callOf = ({ id, name, server_name: server, input }: JsonObject): JsonObject => ({
  ...{ type: "tool_use", id, name: aliasOf(textOf(server) ?? "", textOf(name) ?? ""), input: input ?? {} },
});

const resultOf = ({ tool_use_id: id, content, is_error: isError }: JsonObject): JsonObject => ({
  ...{ type: "tool_result", tool_use_id: id, content: content ?? "", is_error: isError === true },
});

/**
 * A Messages request, round by round: MCP tools are functions for the model, and `mcp_tool_use` and `mcp_tool_result` blocks for
 * the client. Source: https://docs.anthropic.com/en/docs/agents-and-tools/mcp-connector
 */
export class MessagesTurn implements McpTurn {
  /** Anthropic's servers list the tools for every request. */
  readonly known: ReadonlyMap<string, readonly McpTool[]> = new Map();
  /** What the client gets. */
  readonly content: JsonObject[] = [];
  readonly #messages: JsonObject[];
  #toolset: McpToolset | null = null;
  #functions: readonly JsonObject[] = [];
  #first: JsonObject | null = null;
  #last: JsonObject = {};
  #usage: JsonObject | null = null;
  #hasRun = false;
  #goesOn = true;
  #isLast = false;
  #isPaused = false;

  constructor(private readonly body: JsonObject) {
    this.#messages = withFunctions(body.messages);
  }

  begin(toolset: McpToolset): readonly PendingCall[] {
    this.#toolset = toolset;
    const toolsets = recordsOf(this.body.tools).filter(({ type }) => type === "mcp_toolset");
    this.#functions = toolset.offered.map(({ alias, server, tool }, at, all) => {
      const { cache_control: cache } = toolsets.find(({ mcp_server_name: name }) => name === server.label) ?? {};
      const isLastOfServer = all[at + 1]?.server !== server;
      return {
        name: alias,
        ...(tool.description !== null && { description: tool.description }),
        input_schema: tool.inputSchema,
        ...(cache != null && isLastOfServer && { cache_control: cache }),
      };
    });
    return [];
  }

  request(isLast: boolean): JsonObject {
    this.#isLast = isLast;
    const { mcp_servers: _, tool_choice: choice, ...body } = this.body;
    const own = recordsOf(body.tools).filter(({ type }) => type !== "mcp_toolset");
    const tools = [...own, ...this.#functions];
    const chosen = this.#choice(recordOf(choice), own);
    return {
      ...body,
      messages: this.#messages,
      tools: tools.length > 0 ? tools : undefined,
      ...(chosen && tools.length > 0 && { tool_choice: chosen }),
    };
  }

  /** The first round's response has begun: the client gets its id. */
  began(message: JsonObject): void {
    this.#first ??= message;
  }

  take(message: JsonObject): readonly PendingCall[] {
    this.began(message);
    this.#last = message;
    this.#hasRun = true;
    this.#usage = addUsage(this.#usage, recordOf(message.usage));
    const blocks = recordsOf(message.content);
    this.content.push(...blocks.map((block) => this.clientBlock(block)));
    const results: JsonObject[] = [];
    const pending: PendingCall[] = [];
    const uses = message.stop_reason === "tool_use" ? blocks.filter(({ type }) => type === "tool_use") : [];
    for (const use of uses) {
      const tool = this.#toolOf(use);
      if (!tool) continue;
      const finish = ({ text, error }: McpResult) => {
        const content = [{ type: "text", text }];
        const isError = error !== null;
        results.push({ type: "tool_result", tool_use_id: use.id, content, is_error: isError });
        this.content.push({ type: "mcp_tool_result", tool_use_id: idOf(use), is_error: isError, content });
      };
      pending.push({ tool, input: JSON.stringify(use.input ?? {}), finish });
    }
    this.#goesOn = pending.length > 0 && pending.length === uses.length && !this.#isLast;
    this.#isPaused = pending.length > 0 && pending.length === uses.length && this.#isLast;
    const sent = blocks.filter(({ type, text }) => type !== "text" || text !== "");
    this.#messages.push({ role: "assistant", content: sent }, { role: "user", content: results });
    return pending;
  }

  goesOn(): boolean {
    return this.#goesOn;
  }

  response(): JsonObject {
    const { id } = this.#first ?? this.#last;
    return {
      ...this.#last,
      ...{ id, content: this.content },
      // The client continues by sending the content back.
      ...(this.#isPaused && { stop_reason: "pause_turn", stop_sequence: null }),
      ...(this.#usage && { usage: this.#usage }),
    };
  }

  /** A round's block as the client sees it. */
  clientBlock(block: JsonObject): JsonObject {
    const tool = this.#toolOf(block);
    if (!tool) return block;
    return {
      ...{ type: "mcp_tool_use", id: idOf(block), name: tool.tool.name },
      ...{ server_name: tool.server.label, input: block.input ?? {} },
    };
  }

  #toolOf({ type, name }: JsonObject): OfferedTool | null {
    return type === "tool_use" ? (this.#toolset?.find(textOf(name) ?? "") ?? null) : null;
  }

  /** A choice that forces a tool is for the first round: later ones may answer. */
  #choice(choice: JsonObject | null, own: readonly JsonObject[]): JsonObject | null {
    if (choice?.type !== "any" && choice?.type !== "tool") return choice;
    if (this.#hasRun) {
      const { disable_parallel_tool_use: isSerial } = choice;
      return { type: "auto", ...(isSerial !== undefined && { disable_parallel_tool_use: isSerial }) };
    }
    if (choice.type === "any" || own.some(({ name }) => name === choice.name)) return choice;
    const named = this.#toolset?.offered.find(({ tool }) => tool.name === choice.name);
    return named ? { ...choice, name: named.alias } : choice;
  }
}

/** The id by which the client knows a call. */
const idOf = ({ id }: JsonObject): string => `mcptoolu_${hexDigest(textOf(id) ?? "").slice(0, 24)}`;
