import { DecodeError } from "../../../../formats/conversation/codec.ts";
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import type { McpTool } from "../connect.ts";
import type { McpServer } from "../toolset.ts";

export const MAX_SERVERS = 16;

/**
 * The MCP servers of a Responses request. Throws DecodeError. Source:
 * https://platform.openai.com/docs/api-reference/responses/create#responses_create-tools
 */
export function responsesServers(tools: unknown): readonly McpServer[] {
  const declared = recordsOf(tools).filter(({ type }) => type === "mcp");
  if (declared.length > MAX_SERVERS) {
    throw new DecodeError(
      { code: "gateway_too_many_entries", params: { field: "tools", count: MAX_SERVERS } },
      "tools",
    );
  }
  const labels = new Set<string>();
  return declared.map((tool) => {
    const label = textOf(tool.server_label) ?? "";
    if (label === "") throw missing("tools.server_label");
    if (labels.has(label)) throw new DecodeError({ code: "gateway_mcp_label_twice", params: { label } }, "tools");
    labels.add(label);
    const url = textOf(tool.server_url);
    if (url === null && (tool.connector_id != null || tool.tunnel_id != null)) {
      throw new DecodeError({ code: "gateway_mcp_connector", params: { label } }, "tools");
    }
    const authorization = textOf(tool.authorization);
    const headers = Object.entries(recordOf(tool.headers) ?? {}).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    return {
      label,
      url: checkedUrl(url ?? "", label, "tools"),
      headers: { ...Object.fromEntries(headers), ...(authorization && { authorization: `Bearer ${authorization}` }) },
      description: textOf(tool.server_description),
      allows: allowedBy(tool.allowed_tools),
      needsApproval: approvalBy(tool.require_approval),
    };
  });
}

/** The URL of a server. Throws DecodeError if it is none. */
export function checkedUrl(url: string, label: string, param: string): string {
  const { protocol } = URL.parse(url) ?? {};
  if (protocol === "https:" || protocol === "http:") return url;
  throw new DecodeError({ code: "gateway_mcp_url", params: { label } }, param);
}

const missing = (field: string): DecodeError =>
  new DecodeError({ code: "gateway_field_missing", params: { field } }, "tools");

function allowedBy(value: unknown): McpServer["allows"] {
  if (value == null) return () => true;
  if (!Array.isArray(value)) return matches(recordOf(value) ?? {});
  const names = new Set(textsOf(value));
  return ({ name }) => names.has(name);
}

/** OpenAI requests an approval of every call unless the client says otherwise. */
function approvalBy(value: unknown): McpServer["needsApproval"] {
  if (value === "never") return () => false;
  const filters = recordOf(value);
  if (!filters) return () => true;
  const [never, always] = [recordOf(filters.never), recordOf(filters.always)];
  const isExempt = never ? matches(never) : () => false;
  const isNamed = always && !never ? matches(always) : () => true;
  return (tool) => !isExempt(tool) && isNamed(tool);
}

/** A filter of tools: by name, and by whether they only read. */
function matches({ tool_names: names, read_only: readOnly }: JsonObject): (tool: McpTool) => boolean {
  const listed = Array.isArray(names) ? new Set(textsOf(names)) : null;
  return ({ name, annotations }) =>
    (listed === null || listed.has(name)) &&
    (typeof readOnly !== "boolean" || (annotations?.readOnlyHint === true) === readOnly);
}
