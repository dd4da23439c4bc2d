import type { McpTool } from "../../../domain/models/mcp/connection.ts";
import { type JsonObject, numberOf, recordOf } from "../../../formats/json.ts";
import type { EventText } from "../../../lib/http/sse.ts";
import type { McpResult } from "./sources/tool-result.ts";
import type { McpToolset, OfferedTool } from "./toolset.ts";

/** A call of an MCP tool that the gateway makes. */
export type PendingCall = Readonly<{
  tool: OfferedTool;
  /** JSON text of the arguments. */
  input: string;
  /** Takes the result into the response and the next round. */
  finish(result: McpResult): void;
}>;

/**
 * A client's request as rounds of model calls: what each round is sent, and the response that they add up to. One
 * implementation for each client format that has MCP tools.
 */
export type McpTurn = Readonly<{
  /** Tools that an earlier response has listed, by the label of their server. */
  known: ReadonlyMap<string, readonly McpTool[]>;
  /** Begins with the tools of all servers; returns calls to make before the first round. Throws DecodeError. */
  begin(toolset: McpToolset): readonly PendingCall[];
  /** The next round's request; `isLast`: the model must answer without calling MCP tools. */
  request(isLast: boolean): JsonObject;
  /** Takes a round's complete response; returns the calls to make. */
  take(response: JsonObject): readonly PendingCall[];
  /** Whether another round follows, once the calls are made. */
  goesOn(): boolean;
  /** The response for the client. */
  response(): JsonObject;
}>;

/** The streams of all rounds as one stream of the client's format. */
export type McpEvents = Readonly<{
  /** What the client gets for an event of a round; empty: nothing yet. */
  push(event: EventText): string;
  /** The round's complete response, once its stream has ended; null: the round failed, and the client knows. */
  takeResponse(): JsonObject | null;
  /** The results of a round's calls, once they are made. */
  results(): string;
  /** The end of the stream. */
  end(): string;
  /** The end of the stream where a round was refused; `body`: an error of the client's format. */
  fail(body: JsonObject): string;
}>;

/** The sum of two usages, with their details. */
export function addUsage(sum: JsonObject | null, more: JsonObject | null): JsonObject | null {
  if (!sum || !more) return sum ?? more;
  const names = new Set([...Object.keys(sum), ...Object.keys(more)]);
  const added: JsonObject = {};
  for (const name of names) {
    const [one, other] = [sum[name], more[name]];
    if (Array.isArray(one) && Array.isArray(other)) {
      added[name] = [...one, ...other];
      continue;
    }
    const inner = recordOf(one) ?? recordOf(other);
    added[name] = inner
      ? addUsage(recordOf(one), recordOf(other))
      : typeof one === "number" || typeof other === "number"
        ? (numberOf(one) ?? 0) + (numberOf(other) ?? 0)
        : (other ?? one);
  }
  return added;
}
