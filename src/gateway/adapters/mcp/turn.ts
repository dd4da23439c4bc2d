import type { JsonObject } from "../../../formats/json.ts";
import type { McpResult } from "./connect.ts";
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
