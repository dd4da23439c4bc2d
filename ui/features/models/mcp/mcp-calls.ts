import { queryOptions } from "@tanstack/react-query";
import type { McpDefinition } from "../../../../src/domain/models/mcp/definition.ts";
import type { ToolView } from "../../../../src/domain/models/mcp/pin-tools.ts";
import type { McpServerView } from "../../../../src/domain/models/mcp/save-server.ts";
import { readData } from "../../../api/client.ts";
import { mcpApi } from "../../../api/groups.ts";

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

/** The definition without what the server adds; null: it cannot be read. */
export const definitionOf = (view: McpServerView): McpDefinition | null => {
  const { id: _, name: __, has_secret: ___, approved_tools: ____, waiting_tools: _____, ...rest } = view;
  const {
    skipped_tools: ______,
    checked_at: _______,
    last_error: ________,
    created_at: _________,
    has_document: __________,
    ...definition
  } = rest;
  return definition.url === undefined ? null : definition;
};
