import { queryOptions } from "@tanstack/react-query";
import type { McpUsage } from "../../../../src/domain/logs/usage/read-mcp-usage.ts";
import type { McpDefinition } from "../../../../src/domain/models/mcp/definition.ts";
import type { McpServerView } from "../../../../src/domain/models/mcp/save-server.ts";
import type { ToolView } from "../../../../src/domain/models/mcp/tools/pin-tools.ts";
import { readData } from "../../../api/client.ts";
import { dataApi, mcpApi, mcpTrialApi } from "../../../api/groups.ts";

export type { McpDefinition, McpServerView, ToolView };

export const mcpServers = queryOptions({
  queryKey: ["mcp-servers"],
  queryFn: ({ signal }): Promise<readonly McpServerView[]> => readData(mcpApi.get({ fetch: { signal } })),
});

/** The tools of a server. */
export const mcpTools = (id: number) =>
  queryOptions({
    queryKey: ["mcp-servers", id, "tools"],
    queryFn: ({ signal }): Promise<readonly ToolView[]> => readData(mcpApi({ id }).tools.get({ fetch: { signal } })),
  });

/** A server as the form has it; `secret` and `document` empty: none, or the stored one. */
export type SavedServer = Readonly<{ name: string; server: McpDefinition; secret: string; document: string }>;

const bodyOf = ({ secret, document, ...server }: SavedServer) => ({
  ...server,
  ...(secret && { secret }),
  ...(document && { document }),
});

/** Adds a server, and lists its tools. */
export const createServer = (server: SavedServer) => readData(mcpApi.post(bodyOf(server)));

/** Replaces a server, and lists its tools. */
export const updateServer = (id: number, server: SavedServer) => readData(mcpApi({ id }).put(bodyOf(server)));

export const deleteServer = (id: number) => readData(mcpApi({ id }).delete());

/** Lists the tools that a server offers now. */
export const refreshServer = (id: number) => readData(mcpApi({ id }).refresh.post());

/** Approves tools as they are shown. */
export const approveTools = (id: number, tools: readonly ToolView[]) =>
  readData(mcpApi({ id }).tools.approve.post({ tools: tools.map(({ name, hash }) => ({ name, hash })) }));

/** Takes tools from callers. */
export const withdrawTools = (id: number, tools: readonly ToolView[]) =>
  readData(mcpApi({ id }).tools.withdraw.post({ tools: tools.map(({ name }) => name) }));

/** Calls an approved tool, charged to who does it. */
export const tryTool = (id: number, tool: string, input: Record<string, unknown>) =>
  readData(mcpTrialApi({ id }).tools.try.post({ tool, arguments: input }));

const DAY_S = 86_400;

/** Who used which tools of a server in the last days. */
export const mcpUsage = (server: string, days: number) =>
  queryOptions({
    queryKey: ["mcp-servers", "usage", server, days],
    queryFn: ({ signal }): Promise<McpUsage> =>
      readData(
        dataApi["mcp-server"].get({
          query: { server, start_timestamp: Math.floor(Date.now() / 1000) - days * DAY_S },
          fetch: { signal },
        }),
      ),
  });

/** The definition without what the server adds; null: it cannot be read. */
export const definitionOf = (view: McpServerView): McpDefinition | null => {
  const { id: _, name: __, has_secret: ___, approved_tools: ____, waiting_tools: _____, ...rest } = view;
  const {
    skipped_tools: ______,
    checked_at: _______,
    last_error: ________,
    created_at: _________,
    has_document: __________,
    output: ___________,
    ...definition
  } = rest;
  return definition.url === undefined && definition.command === undefined ? null : definition;
};
