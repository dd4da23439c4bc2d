import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import { aliasOf } from "../../../../domain/models/mcp/tools/tool-names.ts";
import { DecodeError } from "../../../../formats/conversation/codec.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { callIdFor } from "../../../../formats/tools/tool-names.ts";

/** A call that its user has approved; `result` is the input item for its result. */
export type ApprovedCall = Readonly<{ alias: string; input: string; requestId: string; result: JsonObject }>;

/** The input of a request as a model without MCP tools reads it. */
type History = Readonly<{
  input: JsonObject[];
  /** Calls that this request approves. */
  approved: readonly ApprovedCall[];
  /** Tools that were listed before, by the label of their server. */
  known: ReadonlyMap<string, readonly McpTool[]>;
}>;

/**
 * Reads the input of a request: earlier MCP calls become functions with results, approved ones with a result to come. `earlier`:
 * the items of the response that the request continues. Throws DecodeError for an approval of an unknown request.
 */
export function readHistory(value: unknown, earlier: readonly JsonObject[]): History {
  const items = typeof value === "string" ? [{ type: "message", role: "user", content: value }] : recordsOf(value);
  const input: JsonObject[] = [];
  const approved: ApprovedCall[] = [];
  const known = new Map<string, readonly McpTool[]>();
  const requests = new Map<string, JsonObject>();
  for (const item of earlier) note(item, requests, known);
  for (const item of items) {
    note(item, requests, known);
    switch (item.type) {
      case "mcp_list_tools":
      case "mcp_approval_request":
        break;
      case "mcp_call":
        input.push(...pairOf(item, textOf(item.id) ?? "", textOf(item.output) ?? errorText(item.error)));
        break;
      case "mcp_approval_response": {
        const id = textOf(item.approval_request_id) ?? "";
        const request = requests.get(id);
        if (!request) throw new DecodeError({ code: "gateway_mcp_no_approval_request", params: { id } }, "input");
        const [call, result] = pairOf(request, id, rejection(item.reason));
        input.push(call, result);
        if (item.approve !== true) break;
        const alias = textOf(call.name) ?? "";
        approved.push({ alias, input: textOf(request.arguments) ?? "", requestId: id, result });
        break;
      }
      default:
        input.push(item);
    }
  }
  return { input, approved, known };
}

function note(item: JsonObject, requests: Map<string, JsonObject>, known: Map<string, readonly McpTool[]>): void {
  if (item.type === "mcp_approval_request") requests.set(textOf(item.id) ?? "", item);
  if (item.type !== "mcp_list_tools") return;
  const tools = recordsOf(item.tools).flatMap((tool): McpTool[] => {
    const name = textOf(tool.name);
    const inputSchema = recordOf(tool.input_schema);
    if (name === null || !inputSchema) return [];
    return [{ name, description: textOf(tool.description), inputSchema, annotations: recordOf(tool.annotations) }];
  });
  if (tools.length > 0) known.set(textOf(item.server_label) ?? "", tools);
}

/** A call and its result. */
function pairOf(item: JsonObject, id: string, output: string): [JsonObject, JsonObject] {
  const callId = callIdFor("openai-chat", id);
  const name = aliasOf(textOf(item.server_label) ?? "", textOf(item.name) ?? "");
  return [
    { type: "function_call", call_id: callId, name, arguments: textOf(item.arguments) ?? "" },
    { type: "function_call_output", call_id: callId, output },
  ];
}

const errorText = (error: unknown): string => `Error: ${error == null ? "no result" : JSON.stringify(error)}`;

const rejection = (reason: unknown): string =>
  typeof reason === "string" && reason !== ""
    ? `The user rejected this tool call: ${reason}`
    : "The user rejected this tool call.";
