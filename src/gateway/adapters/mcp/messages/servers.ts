import { DecodeError } from "../../../../formats/conversation/codec.ts";
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import { checkedUrl, MAX_SERVERS } from "../responses/servers.ts";
import type { McpServer } from "../toolset.ts";

/**
 * The MCP servers of a Messages request, as the betas mcp-client-2025-04-04 (`tool_configuration`) and mcp-client-2025-11-20
 * (`mcp_toolset`) declare them. Throws DecodeError. Source: https://docs.anthropic.com/en/docs/agents-and-tools/mcp-connector
 */
export function messagesServers({ mcp_servers: value, tools }: JsonObject): readonly McpServer[] {
  const declared = recordsOf(value);
  if (declared.length > MAX_SERVERS) {
    const reason = { code: "gateway_too_many_entries", params: { field: "mcp_servers", count: MAX_SERVERS } } as const;
    throw new DecodeError(reason, "mcp_servers");
  }
  const toolsets = recordsOf(tools).filter(({ type }) => type === "mcp_toolset");
  const labels = new Set<string>();
  return declared.flatMap((server): McpServer[] => {
    const label = textOf(server.name) ?? "";
    if (label === "") {
      throw new DecodeError({ code: "gateway_field_missing", params: { field: "mcp_servers.name" } }, "mcp_servers");
    }
    if (labels.has(label)) throw new DecodeError({ code: "gateway_mcp_label_twice", params: { label } }, "mcp_servers");
    labels.add(label);
    const toolset = toolsets.find(({ mcp_server_name: name }) => name === label);
    // With toolsets, a server without one offers nothing.
    if (toolsets.length > 0 && !toolset) return [];
    const token = textOf(server.authorization_token);
    return [
      {
        label,
        url: checkedUrl(textOf(server.url) ?? "", label, "mcp_servers"),
        headers: token ? { authorization: `Bearer ${token}` } : {},
        description: null,
        allows: toolset ? allowedByToolset(toolset) : allowedByServer(recordOf(server.tool_configuration)),
        needsApproval: () => false,
      },
    ];
  });
}

function allowedByServer(configuration: JsonObject | null): McpServer["allows"] {
  if (configuration?.enabled === false) return () => false;
  const allowed = configuration?.allowed_tools;
  if (!Array.isArray(allowed)) return () => true;
  const names = new Set(textsOf(allowed));
  return ({ name }) => names.has(name);
}

function allowedByToolset({ default_config: usual, configs }: JsonObject): McpServer["allows"] {
  const isUsuallyOn = recordOf(usual)?.enabled !== false;
  const own = recordOf(configs) ?? {};
  return ({ name }) => {
    const enabled = recordOf(own[name])?.enabled;
    return typeof enabled === "boolean" ? enabled : isUsuallyOn;
  };
}
