import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import { DecodeError } from "../../../../formats/conversation/codec.ts";
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import type { SiteServerOf } from "../site-address.ts";
import type { McpServer } from "../toolset.ts";

export const MAX_SERVERS = 16;

/**
 * The MCP servers of a Responses request. Throws DecodeError. Source:
 * https://platform.openai.com/docs/api-reference/responses/create#responses_create-tools
 */
export function responsesServers(tools: unknown, siteServerOf: SiteServerOf): readonly McpServer[] {
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
    const siteServer = siteServerOf(url ?? "");
    const authorization = textOf(tool.authorization);
    const headers = Object.entries(objectOf(tool.headers, "tools.headers") ?? {}).map(([name, value]) => {
      if (typeof value === "string") return [name, value] as const;
      throw invalid(`tools.headers.${name}`, "a text", "tools");
    });
    return {
      label,
      url: siteServer === null ? checkedUrl(url ?? "", label, "tools") : (url ?? ""),
      siteServer,
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

/** The error of a member with a wrong value: what the client meant to restrict must not be left open. */
export const invalid = (field: string, expected: string, param: string): DecodeError =>
  new DecodeError({ code: "gateway_field_invalid", params: { field, expected } }, param);

/** A list of names. Throws DecodeError for anything else. */
export function namesOf(value: unknown, field: string, param: string): ReadonlySet<string> {
  const names = textsOf(value);
  if (!Array.isArray(value) || names.length < value.length) throw invalid(field, "a list of names", param);
  return new Set(names);
}

/** Null: it is not set. */
function objectOf(value: unknown, field: string): JsonObject | null {
  if (value == null) return null;
  const object = recordOf(value);
  if (!object) throw invalid(field, "an object", "tools");
  return object;
}

const missing = (field: string): DecodeError =>
  new DecodeError({ code: "gateway_field_missing", params: { field } }, "tools");

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
