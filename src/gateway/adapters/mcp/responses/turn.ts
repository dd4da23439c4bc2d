import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import { itemId, placeOfItem } from "../../../../formats/openai-responses/items.ts";
import { hexDigest } from "../../../../lib/security/crypto.ts";
import type { McpResult } from "../sources/tool-result.ts";
import { describe, type McpToolset, type OfferedTool } from "../toolset.ts";
import type { McpTurn, PendingCall } from "../turn.ts";
import { addUsage } from "../turn.ts";
import { type ApprovedCall, readHistory } from "./history.ts";

/** Items that only the client can answer. */
const CLIENT_CALLS =
  /^(function_call|custom_tool_call|computer_call|local_shell_call|shell_call|apply_patch_call|tool_search_call)$/;

/**
 * A Responses request, round by round: MCP tools are functions for the model, and `mcp_call` items for the client. Source:
 * https://platform.openai.com/docs/guides/tools-connectors-mcp
 */
export class ResponsesTurn implements McpTurn {
  /** What the next round is sent. */
  readonly input: JsonObject[];
  /** What the client gets. */
  readonly output: JsonObject[] = [];
  readonly #calls: readonly ApprovedCall[];
  readonly #known: ReadonlyMap<string, readonly McpTool[]>;
  #functions: readonly JsonObject[] = [];
  #toolset: McpToolset | null = null;
  #callsLeft: number;
  #first: JsonObject | null = null;
  #last: JsonObject = {};
  #usage: JsonObject | null = null;
  #hasRun = false;
  #goesOn = true;
  #isLast = false;

  /** `earlier`: the items of the response that the request continues. Throws DecodeError. */
  constructor(
    private readonly body: JsonObject,
    earlier: readonly JsonObject[],
  ) {
    const { input, approved, known } = readHistory(body.input, earlier);
    this.input = input;
    this.#calls = approved;
    this.#known = known;
    this.#callsLeft = numberOf(body.max_tool_calls) ?? Number.POSITIVE_INFINITY;
  }

  /** Tools that an earlier response has listed, by the label of their server. */
  get known(): ReadonlyMap<string, readonly McpTool[]> {
    return this.#known;
  }

  begin(toolset: McpToolset): readonly PendingCall[] {
    this.#toolset = toolset;
    for (const { server, tools, isKnown } of toolset.listed) {
      if (isKnown) continue;
      const listed = tools.map(({ name, description, inputSchema, annotations }) => ({
        ...{ name, description, input_schema: inputSchema, annotations },
      }));
      const id = `mcpl_${crypto.randomUUID().replaceAll("-", "")}`;
      this.output.push({ id, type: "mcp_list_tools", server_label: server.label, tools: listed, error: null });
    }
    this.#functions = toolset.offered.map(functionOf);
    return this.#calls.flatMap(({ alias, input, requestId, result }) => {
      const tool = toolset.find(alias);
      if (!tool) {
        result.output = "Error: this tool is not available any more.";
        return [];
      }
      const item = this.#callItem(tool, input, this.output.length, requestId);
      const at = this.output.push(item) - 1;
      return [{ tool, input, finish: (outcome: McpResult) => this.#finish(at, outcome, result) }];
    });
  }

  request(isLast: boolean): JsonObject {
    this.#isLast = isLast || this.#callsLeft <= 0;
    const { background: _, max_tool_calls: __, ...body } = this.body;
    const own = recordsOf(body.tools).filter(({ type }) => type !== "mcp");
    const include = textsOf(body.include);
    return {
      ...body,
      input: this.input,
      tools: [...own, ...this.#functions],
      tool_choice: this.#choice(),
      store: false,
      // Reasoning goes back with the results of its calls.
      ...(body.reasoning != null && { include: [...new Set([...include, "reasoning.encrypted_content"])] }),
    };
  }

  /** The first round's response has begun: the client gets its id. */
  began(response: JsonObject): void {
    this.#first ??= response;
  }

  take(response: JsonObject): readonly PendingCall[] {
    this.began(response);
    this.#last = response;
    this.#hasRun = true;
    this.#usage = addUsage(this.#usage, recordOf(response.usage));
    const isComplete = response.status === "completed";
    const pending: PendingCall[] = [];
    let waits = false;
    const items = recordsOf(response.output);
    const returned = itemsToReturn(items);
    for (const [index, item] of items.entries()) {
      const at = this.output.length;
      const shown = this.clientItem(item, at);
      this.output.push(shown);
      if (shown.type === "mcp_approval_request") {
        waits = true;
        continue;
      }
      this.input.push(...(returned[index] ?? []));
      const tool = this.#toolOf(item);
      if (!tool) {
        waits ||= CLIENT_CALLS.test(textOf(item.type) ?? "");
        continue;
      }
      const result = { type: "function_call_output", call_id: item.call_id, output: "" };
      const finish = (outcome: McpResult) => {
        this.input.push(result);
        this.#finish(at, outcome, result);
      };
      if (!isComplete) this.output[at] = { ...shown, status: "incomplete" };
      else if (this.#isLast || this.#callsLeft <= 0) finish(TOO_MANY);
      else {
        this.#callsLeft -= 1;
        pending.push({ tool, input: textOf(item.arguments) ?? "", finish });
      }
    }
    this.#goesOn = pending.length > 0 && !waits;
    return pending;
  }

  goesOn(): boolean {
    return this.#goesOn;
  }

  response(): JsonObject {
    return { ...this.settings(this.#last), output: this.output, ...(this.#usage && { usage: this.#usage }) };
  }

  /** A round's response with the client's own settings, as the client sees all rounds as one response. */
  settings(response: JsonObject): JsonObject {
    const { body } = this;
    const { id, created_at: createdAt } = this.#first ?? response;
    return {
      ...response,
      ...{ id, created_at: createdAt },
      tools: recordsOf(body.tools).map(({ authorization: _, headers: __, ...tool }) => tool),
      tool_choice: body.tool_choice ?? "auto",
      max_tool_calls: body.max_tool_calls ?? null,
      store: body.store ?? true,
    };
  }

  /** A round's item as the client sees it at its place in the response. */
  clientItem(item: JsonObject, at: number): JsonObject {
    const tool = this.#toolOf(item);
    if (!tool) return this.#withOwnId(item, at);
    const input = textOf(item.arguments) ?? "";
    if (this.#isLast || !tool.server.needsApproval(tool.tool)) return this.#callItem(tool, input, at, null);
    const id = `mcpr_${hexDigest(`${this.#idOf()}/${at}`).slice(0, 48)}`;
    return {
      ...{ id, type: "mcp_approval_request", server_label: tool.server.label, name: tool.tool.name, arguments: input },
    };
  }

  #toolOf(item: JsonObject): OfferedTool | null {
    return item.type === "function_call" ? (this.#toolset?.find(textOf(item.name) ?? "") ?? null) : null;
  }

  #idOf = (): string => textOf(this.#first?.id) ?? "";

  #callItem({ server, tool }: OfferedTool, input: string, at: number, approvalRequestId: string | null): JsonObject {
    return {
      id: `mcp_${hexDigest(`${this.#idOf()}/${approvalRequestId}/${at}`).slice(0, 48)}`,
      type: "mcp_call",
      status: "in_progress",
      approval_request_id: approvalRequestId,
      arguments: input,
      error: null,
      name: tool.name,
      output: null,
      server_label: server.label,
    };
  }

  /** Ids that contain the item's position in its round get the position in the response. */
  #withOwnId(item: JsonObject, at: number): JsonObject {
    const id = textOf(item.id);
    const { responseId } = (id !== null && placeOfItem(id)) || {};
    if (id === null || responseId === undefined) return item;
    return { ...item, id: itemId(id.slice(0, id.indexOf("_") + 1), this.#idOf(), at) };
  }

  #finish(at: number, { text, error }: McpResult, result: JsonObject): void {
    result.output = text;
    const status = error ? "failed" : "completed";
    this.output[at] = { ...this.output[at], status, error, output: error ? null : text };
  }

  /** A choice that forces a tool is for the first round: later ones may answer. */
  #choice(): unknown {
    const { tool_choice: choice } = this.body;
    if (this.#isLast) return "none";
    if (this.#hasRun && choice !== "none" && recordOf(choice)?.mode !== "auto") return "auto";
    const requested = recordOf(choice);
    if (requested?.type !== "mcp") return choice;
    const { server_label: label, name } = requested;
    const fitting = (this.#toolset?.offered ?? []).filter(
      ({ server, tool }) => server.label === label && (name == null || tool.name === name),
    );
    const tools = fitting.map(({ alias }) => ({ type: "function", name: alias }));
    if (tools.length === 0) return "auto";
    return tools.length === 1 ? tools[0] : { type: "allowed_tools", mode: "required", tools };
  }
}

const TOO_MANY: McpResult = {
  text: "Error: no more tool calls are possible in this response.",
  error: { type: "mcp_protocol_error", code: -32000, message: "No more tool calls are possible in this response." },
};

/** A provider cannot look up reasoning that it did not store, unless the item contains it. */
const canReturn = ({ type, encrypted_content: sealed, summary, content }: JsonObject): boolean =>
  type !== "reasoning" || Boolean(sealed) || recordsOf(summary).length + recordsOf(content).length > 0;

/**
 * The items of a round as the next one is sent them. Where reasoning is left out, calls go without their ids, by which OpenAI's API would
 * require it.
 */
function itemsToReturn(items: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  if (items.every(canReturn)) return items.map((item) => [item]);
  return items.map(({ id, ...item }) =>
    canReturn(item) ? [item.type === "function_call" ? item : { ...item, id }] : [],
  );
}

const functionOf = ({ alias, server, tool }: OfferedTool): JsonObject => ({
  type: "function",
  name: alias,
  ...describe(tool, server.description),
  parameters: tool.inputSchema,
  strict: false,
});
