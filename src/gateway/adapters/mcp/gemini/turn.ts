import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { invalid } from "../sources/declared.ts";
import type { McpResult } from "../sources/tool-result.ts";
import { describe, type McpToolset, type OfferedTool } from "../toolset.ts";
import { addUsage, type McpTurn, type PendingCall } from "../turn.ts";

/**
 * A generateContent request, round by round: MCP tools are functions for the model. The client gets the parts of all rounds but the calls
 * of MCP tools, which its SDK would take for its own. Source: https://ai.google.dev/api/generate-content
 */
export class GeminiTurn implements McpTurn {
  readonly known: ReadonlyMap<string, readonly McpTool[]> = new Map();
  readonly #contents: unknown[];
  /** What the client gets. */
  readonly #parts: JsonObject[] = [];
  #toolset: McpToolset | null = null;
  #functions: readonly JsonObject[] = [];
  #first: JsonObject | null = null;
  #last: JsonObject = {};
  #usage: JsonObject | null = null;
  #goesOn = true;
  #isLast = false;

  /** Throws DecodeError. */
  constructor(private readonly body: JsonObject) {
    const { generationConfig = body.generation_config, contents } = body;
    const { candidateCount, candidate_count: count = candidateCount } = recordOf(generationConfig) ?? {};
    if (count != null && count !== 1) throw invalid("generationConfig.candidateCount", "1", "generationConfig");
    this.#contents = Array.isArray(contents) ? [...contents] : contents == null ? [] : [contents];
  }

  begin(toolset: McpToolset): readonly PendingCall[] {
    this.#toolset = toolset;
    this.#functions = toolset.offered.map(({ alias, server, tool }) => ({
      name: alias,
      ...describe(tool, server.description),
      parametersJsonSchema: tool.inputSchema,
    }));
    return [];
  }

  request(isLast: boolean): JsonObject {
    this.#isLast = isLast;
    const { tool_config: snake, toolConfig = snake, ...body } = this.body;
    const own = recordsOf(body.tools).flatMap(({ mcpServers: _, mcp_servers: __, ...tool }) =>
      Object.keys(tool).length > 0 ? [tool] : [],
    );
    const tools = [...own, ...(this.#functions.length > 0 ? [{ functionDeclarations: this.#functions }] : [])];
    const config = this.#config(recordOf(toolConfig) ?? {});
    return {
      ...body,
      contents: this.#contents,
      tools: tools.length > 0 ? tools : undefined,
      toolConfig: tools.length > 0 && Object.keys(config).length > 0 ? config : undefined,
    };
  }

  /** The first round's response has begun: the client gets its id. */
  began(response: JsonObject): void {
    this.#first ??= response;
  }

  take(response: JsonObject): readonly PendingCall[] {
    this.began(response);
    this.#last = response;
    this.#usage = addUsage(this.#usage, recordOf(response.usageMetadata));
    const { content, parts } = contentOf(response);
    this.#parts.push(...this.clientParts(parts));
    const calls = parts.filter((part) => recordOf(part.functionCall));
    const tools = calls.map((part) => this.#toolOf(part));
    // A function of the client's ends the response. The model makes the other calls once it has that result.
    const isOurs = tools.length > 0 && tools.every((tool) => tool !== null);
    this.#goesOn = isOurs && !this.#isLast;
    if (!this.#goesOn) return [];
    const results: JsonObject[] = [];
    this.#contents.push({ ...content, role: "model", parts }, { role: "user", parts: results });
    return calls.flatMap((part, at): PendingCall[] => {
      const tool = tools[at];
      const { id, name, args } = recordOf(part.functionCall) ?? {};
      if (!tool) return [];
      const finish = ({ text, error }: McpResult) => {
        const result = error ? { error: text } : { output: text };
        results.push({ functionResponse: { ...(id !== undefined && { id }), name, response: result } });
      };
      return [{ tool, input: JSON.stringify(args ?? {}), finish }];
    });
  }

  goesOn(): boolean {
    return this.#goesOn;
  }

  response(): JsonObject {
    const { candidate, content } = contentOf(this.#last);
    const candidates = [{ ...candidate, content: { ...content, role: "model", parts: this.#parts } }];
    const usage = this.#usage && { usageMetadata: this.#usage };
    return { ...this.#last, candidates, ...usage, ...this.identity };
  }

  /** What names the response. */
  get identity(): JsonObject {
    return this.#first?.responseId === undefined ? {} : { responseId: this.#first.responseId };
  }

  /** Parts as the client sees them. A signature that stood on a call of an MCP tool signs the client's own calls of that round too. */
  clientParts(parts: readonly JsonObject[]): JsonObject[] {
    const shown = parts.filter((part) => this.#toolOf(part) === null);
    if (shown.length === parts.length) return shown;
    const signature = parts.find((part) => part.functionCall && part.thoughtSignature)?.thoughtSignature;
    const first = shown.findIndex((part) => part.functionCall);
    if (signature === undefined || first < 0 || shown[first]?.thoughtSignature !== undefined) return shown;
    return shown.with(first, { ...shown[first], thoughtSignature: signature });
  }

  #toolOf({ functionCall: called }: JsonObject): OfferedTool | null {
    return this.#toolset?.find(textOf(recordOf(called)?.name) ?? "") ?? null;
  }

  /** A choice that forces a function is for the first round: later ones may answer. */
  #config({ function_calling_config: snake, functionCallingConfig: value = snake, ...config }: JsonObject): JsonObject {
    const calling = recordOf(value);
    if (this.#isLast) return { ...config, functionCallingConfig: { mode: "NONE" } };
    const isForced = this.#first !== null && textOf(calling?.mode)?.toUpperCase() === "ANY";
    if (!calling || isForced) return config;
    // Calls are made complete.
    const { streamFunctionCallArguments: _, stream_function_call_arguments: __, ...others } = calling;
    return { ...config, functionCallingConfig: others };
  }
}

/** The first candidate of a response, or of a chunk of one. */
export function contentOf(response: JsonObject) {
  const [candidate = {}] = recordsOf(response.candidates);
  const content = recordOf(candidate.content) ?? {};
  return { candidate, content, parts: recordsOf(content.parts) };
}
