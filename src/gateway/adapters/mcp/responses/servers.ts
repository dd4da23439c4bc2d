import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import { DecodeError } from "../../../../formats/conversation/codec.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { checkLabels, headersOf, invalid, namesOf, placeOf } from "../sources/declared.ts";
import type { SiteServerOf } from "../sources/site-address.ts";
import type { McpServer } from "../toolset.ts";

/**
 * The MCP servers of a request whose `tools` have the type `mcp`. `approvals`: reads which calls need an approval. Throws DecodeError.
 * Source: https://platform.openai.com/docs/api-reference/responses/create#responses_create-tools
 */
export function responsesServers(
  tools: unknown,
  siteServerOf: SiteServerOf,
  approvals: (value: unknown) => McpServer["needsApproval"] = approvalBy,
): readonly McpServer[] {
  const declared = recordsOf(tools).filter(({ type }) => type === "mcp");
  const labels = declared.map(({ server_label: label }) => textOf(label) ?? "");
  checkLabels(labels, { param: "tools", field: "tools.server_label" });
  return declared.map((tool, at) => {
    const label = labels[at] ?? "";
    const { server_url: url } = tool;
    if (url == null && (tool.connector_id != null || tool.tunnel_id != null)) {
      throw new DecodeError({ code: "gateway_mcp_connector", params: { label } }, "tools");
    }
    const authorization = textOf(tool.authorization);
    return {
      label,
      ...placeOf(url, label, { param: "tools", siteServerOf }),
      headers: {
        ...headersOf(tool.headers, "tools.headers", "tools"),
        ...(authorization && { authorization: `Bearer ${authorization}` }),
      },
      description: textOf(tool.server_description),
      allows: allowedBy(tool.allowed_tools),
      needsApproval: approvals(tool.require_approval),
    };
  });
}

/** Null: it is not set. */
function objectOf(value: unknown, field: string): JsonObject | null {
  if (value == null) return null;
  const object = recordOf(value);
  if (!object) throw invalid(field, "an object", "tools");
  return object;
}

function allowedBy(value: unknown): McpServer["allows"] {
  if (value == null) return () => true;
  const filter = recordOf(value);
  if (filter) return matches(filter, "tools.allowed_tools");
  const names = namesOf(value, "tools.allowed_tools", "tools");
  return ({ name }) => names.has(name);
}

/** OpenAI requests an approval of every call unless the client says otherwise. */
function approvalBy(value: unknown): McpServer["needsApproval"] {
  const field = "tools.require_approval";
  if (value === "never") return () => false;
  if (value == null || value === "always") return () => true;
  const filters = recordOf(value);
  if (!filters) throw invalid(field, "“always”, “never” or an object", "tools");
  const [never, always] = [objectOf(filters.never, `${field}.never`), objectOf(filters.always, `${field}.always`)];
  const isExempt = never ? matches(never, `${field}.never`) : () => false;
  const isNamed = always && !never ? matches(always, `${field}.always`) : () => true;
  return (tool) => !isExempt(tool) && isNamed(tool);
}

/** A filter of tools: by name, and by whether they only read. */
function matches({ tool_names: names, read_only: readOnly }: JsonObject, field: string): (tool: McpTool) => boolean {
  const listed = names == null ? null : namesOf(names, `${field}.tool_names`, "tools");
  if (readOnly != null && typeof readOnly !== "boolean") throw invalid(`${field}.read_only`, "true or false", "tools");
  return ({ name, annotations }) =>
    (listed === null || listed.has(name)) &&
    (typeof readOnly !== "boolean" || (annotations?.readOnlyHint === true) === readOnly);
}
