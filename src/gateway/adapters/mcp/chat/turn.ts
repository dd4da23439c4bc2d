import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { invalid } from "../sources/declared.ts";
import type { McpResult } from "../sources/tool-result.ts";
import { describe, type McpToolset, type OfferedTool } from "../toolset.ts";
import { addUsage, type McpTurn, type PendingCall } from "../turn.ts";
import { withFunctions } from "./history.ts";

/** Between the texts of two rounds. */
export const BETWEEN_TEXTS = "\n\n";

/**
 * A Chat Completions request, round by round: MCP tools are functions for the model; the client gets one message with the texts of all
 * rounds, and the calls that were made as `executed_tools`, the member in which Groq lists tools that it ran
 * (https://console.groq.com/docs/agentic-tooling).
 */
export class ChatTurn implements McpTurn {
  readonly known: ReadonlyMap<string, readonly McpTool[]> = new Map();
  /** Calls that were made, as the client gets them. */
  readonly executed: JsonObject[] = [];
  readonly #messages: JsonObject[];
  readonly #texts: { content: string; reasoning: string }[] = [];
  #toolset: McpToolset | null = null;
  #functions: readonly JsonObject[] = [];
  #first: JsonObject | null = null;
  #last: JsonObject = {};
  #usage: JsonObject | null = null;
  #goesOn = true;
  #isLast = false;

  /** Throws DecodeError. */
  constructor(private readonly body: JsonObject) {
    if (body.n != null && body.n !== 1) throw invalid("n", "1", "n");
    this.#messages = withFunctions(body.messages);
  }

  begin(toolset: McpToolset): readonly PendingCall[] {
    this.#toolset = toolset;
    this.#functions = toolset.offered.map(({ alias, server, tool }) => ({
      type: "function",
      function: { name: alias, ...describe(tool, server.description), parameters: tool.inputSchema },
    }));
    return [];
  }

  request(isLast: boolean): JsonObject {
    this.#isLast = isLast;
    const own = recordsOf(this.body.tools).filter(({ type }) => type !== "mcp");
    const tools = [...own, ...this.#functions];
    const choice = this.#choice();
    return {
      ...this.body,
      messages: this.#messages,
      tools: tools.length > 0 ? tools : undefined,
      tool_choice: tools.length > 0 ? choice : undefined,
    };
  }

  /** The first round's response has begun: the client gets its id. */
  began(response: JsonObject): void {
    this.#first ??= response;
  }

  /** Whether its stream ends with the usage. */
  get wantsUsage(): boolean {
    return recordOf(this.body.stream_options)?.include_usage === true;
  }

  get id(): unknown {
    return this.#first?.id;
  }

  take(response: JsonObject): readonly PendingCall[] {
    this.began(response);
    this.#last = response;
    this.#usage = addUsage(this.#usage, recordOf(response.usage));
    const { message = {}, reason } = choiceOf(response);
    this.#texts.push({ content: textOf(message.content) ?? "", reasoning: textOf(message.reasoning_content) ?? "" });
    const calls = recordsOf(message.tool_calls);
    const tools = calls.map((call) => this.toolOf(call));
    // A function of the client's ends the response. The model makes the other calls once it has that result.
    const isOurs = tools.length > 0 && tools.every((tool) => tool !== null) && !CUT.test(reason);
    this.#goesOn = isOurs && !this.#isLast;
    if (!this.#goesOn) return [];
    this.#messages.push(message);
    return calls.flatMap((call, at): PendingCall[] => {
      const tool = tools[at];
      if (!tool) return [];
      const input = textOf(recordOf(call.function)?.arguments) ?? "";
      return [{ tool, input, finish: (result) => this.#finish(call, tool, input, result) }];
    });
  }

  goesOn(): boolean {
    return this.#goesOn;
  }

  response(): JsonObject {
    const { choice, message = {}, reason } = choiceOf(this.#last);
    const { tool_calls: calls, ...rest } = message;
    const own = recordsOf(calls).filter((call) => this.toolOf(call) === null);
    const content = joined(this.#texts.map((text) => text.content));
    const reasoning = joined(this.#texts.map((text) => text.reasoning));
    return {
      ...this.#last,
      ...(this.#first && { id: this.#first.id, created: this.#first.created }),
      choices: [
        {
          ...choice,
          message: {
            ...rest,
            ...(content !== "" && { content }),
            ...(reasoning !== "" && { reasoning_content: reasoning }),
            ...(own.length > 0 && { tool_calls: own }),
            ...(this.executed.length > 0 && { executed_tools: this.executed }),
          },
          finish_reason: own.length === 0 && reason === "tool_calls" ? "stop" : reason,
        },
      ],
      ...(this.#usage && { usage: this.#usage }),
    };
  }

  /** The MCP tool that a call is of; null: the function is the client's. */
  toolOf({ function: called }: JsonObject): OfferedTool | null {
    return this.#toolset?.find(textOf(recordOf(called)?.name) ?? "") ?? null;
  }

  #finish({ id }: JsonObject, { server, tool }: OfferedTool, input: string, { text, error }: McpResult): void {
    this.#messages.push({ role: "tool", tool_call_id: id, content: text });
    this.executed.push({
      ...{ index: this.executed.length, type: "mcp", server_label: server.label, name: tool.name, arguments: input },
      ...(error ? { output: null, error } : { output: text }),
    });
  }

  /** A choice that forces a tool is for the first round: later ones may answer. */
  #choice(): unknown {
    const { tool_choice: choice } = this.body;
    if (this.#isLast) return "none";
    const requested = recordOf(choice);
    if (this.#first) {
      const isForced = choice === "required" || (requested && recordOf(requested.allowed_tools)?.mode !== "auto");
      return isForced ? "auto" : choice;
    }
    const offered = this.#toolset?.offered ?? [];
    if (requested?.type === "mcp") {
      const { server_label: label, name } = requested;
      const fitting = offered.filter(
        ({ server, tool }) => server.label === label && (name == null || tool.name === name),
      );
      const tools = fitting.map(({ alias }) => functionChoice(alias));
      if (tools.length < 2) return tools[0] ?? "auto";
      return { type: "allowed_tools", allowed_tools: { mode: "required", tools } };
    }
    return choice;
  }
}

const functionChoice = (name: string): JsonObject => ({ type: "function", function: { name } });

/** Reasons of an answer that is not complete: calls in it may lack a part. */
const CUT = /^(length|content_filter)$/;

function choiceOf(response: JsonObject) {
  const [choice] = recordsOf(response.choices);
  return { choice, message: recordOf(choice?.message) ?? undefined, reason: textOf(choice?.finish_reason) ?? "" };
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== "").join(BETWEEN_TEXTS);
