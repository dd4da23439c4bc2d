import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { checkLabels, invalid, namesOf, placeOf } from "../sources/declared.ts";
import type { SiteServerOf } from "../sources/site-address.ts";
import type { McpServer } from "../toolset.ts";

/**
 * The MCP servers of a Messages request, as the betas mcp-client-2025-04-04 (`tool_configuration`) and mcp-client-2025-11-20
 * (`mcp_toolset`) declare them. Throws DecodeError. Source: https://docs.anthropic.com/en/docs/agents-and-tools/mcp-connector
 */
export function messagesServers(
  { mcp_servers: value, tools }: JsonObject,
  siteServerOf: SiteServerOf,
): readonly McpServer[] {
  const declared = recordsOf(value);
  if (value != null && (!Array.isArray(value) || declared.length < value.length)) {
    throw invalid("mcp_servers", "a list of objects", "mcp_servers");
  }
  const labels = declared.map(({ name }) => textOf(name) ?? "");
  checkLabels(labels, { param: "mcp_servers", field: "mcp_servers.name" });
  const toolsets = recordsOf(tools).filter(({ type }) => type === "mcp_toolset");
  return declared.flatMap((server, at): McpServer[] => {
    const label = labels[at] ?? "";
    const toolset = toolsets.find(({ mcp_server_name: name }) => name === label);
    // With toolsets, a server without one offers nothing.
    if (toolsets.length > 0 && !toolset) return [];
    const token = textOf(server.authorization_token);
    return [
      {
        label,
        ...placeOf(server.url, label, { param: "mcp_servers", siteServerOf }),
        headers: token ? { authorization: `Bearer ${token}` } : {},
        description: null,
        allows: toolset ? allowedByToolset(toolset) : allowedByServer(server.tool_configuration),
        needsApproval: () => false,
      },
    ];
  });
}

function allowedByServer(value: unknown): McpServer["allows"] {
  const field = "mcp_servers.tool_configuration";
  if (value == null) return () => true;
  const configuration = recordOf(value);
  if (!configuration) throw invalid(field, "an object", "mcp_servers");
  const { enabled, allowed_tools: allowed } = configuration;
  if (enabled != null && typeof enabled !== "boolean")
    throw invalid(`${field}.enabled`, "true or false", "mcp_servers");
  if (enabled === false) return () => false;
  if (allowed == null) return () => true;
  const names = namesOf(allowed, `${field}.allowed_tools`, "mcp_servers");
  return ({ name }) => names.has(name);
}

function allowedByToolset({ default_config: usual, configs }: JsonObject): McpServer["allows"] {
  const isUsuallyOn = isOn(usual, "tools.default_config") ?? true;
  if (configs != null && !recordOf(configs)) throw invalid("tools.configs", "an object", "tools");
  const own = new Map(
    Object.entries(recordOf(configs) ?? {}).map(([name, config]) => [name, isOn(config, `tools.configs.${name}`)]),
  );
  return ({ name }) => own.get(name) ?? isUsuallyOn;
}

/** Whether a configuration switches a tool on; null: it does not say. Throws DecodeError. */
function isOn(config: unknown, field: string): boolean | null {
  if (config == null) return null;
  const object = recordOf(config);
  if (!object) throw invalid(field, "an object", "tools");
  const { enabled = null } = object;
  if (enabled !== null && typeof enabled !== "boolean") throw invalid(`${field}.enabled`, "true or false", "tools");
  return enabled;
}
