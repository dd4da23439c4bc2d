import { and, asc, eq, isNotNull } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { mcpServers, mcpTools } from "../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../db/types.ts";
import { parseJson } from "../../../formats/json.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { isInScope, type ScopedCaller } from "../../../settings/option/caller-scope.ts";
import { keepRows } from "../../accounts/organizations/keep-rows.ts";
import type { McpTool } from "./connection.ts";
import { type McpRules, readMcpRules } from "./definition.ts";
import { isReadOnlyTool, readTool } from "./tools/tool-text.ts";

/** An MCP server, with the tools that callers may get. */
export type McpServer = McpRules &
  Readonly<{
    id: number;
    name: string;
    /** The key, or the secret of the OAuth client; empty: none. */
    secret: string;
    /** Approved, offered as approved, and allowed by the patterns. */
    offered: readonly McpTool[];
  }>;

/** Looks up MCP servers. */
export type McpLookup = Readonly<{
  /** Those that a caller may use, by name. */
  of(caller: ScopedCaller): readonly McpServer[];
  get(id: number): McpServer | undefined;
  /** All, also those that are disabled, by name. */
  all(): readonly McpServer[];
}>;

export type McpDirectory = McpLookup & Readonly<{ close(): void }>;

/** Looks servers up among these. */
export function createMcpIndex(servers: readonly McpServer[]): McpLookup {
  const byId = new Map(servers.map((server) => [server.id, server]));
  const sorted = servers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const enabled = sorted.filter(({ isEnabled }) => isEnabled);
  return {
    of: (caller) => enabled.filter(({ scope }) => !scope || isInScope(scope, caller)),
    get: (id) => byId.get(id),
    all: () => sorted,
  };
}

/** Loads all MCP servers with their approved tools, and keeps them true. */
export async function createMcpDirectory(
  deps: Readonly<{ db: Db; changes: Changes; log: Logger; vault: Vault }>,
): Promise<McpDirectory> {
  const { db, changes, log, vault } = deps;
  const read = (ids?: readonly number[]) => readServers({ db, log, vault }, ids);
  const rows = await keepRows({ changes, log, topic: "mcp_servers", read }, createMcpIndex);
  const { close } = rows;
  return { of: (caller) => rows.index.of(caller), get: (id) => rows.index.get(id), all: () => rows.index.all(), close };
}

/** Servers from the database; all without `ids`. One that cannot be read is logged and left out. */
export async function readServers(
  { db, log, vault }: Readonly<{ db: Db; log: Logger; vault: Vault }>,
  ids?: readonly number[],
): Promise<McpServer[]> {
  const { id, name, definition, secretCipher } = mcpServers;
  const rows = await db
    .select({ id, name, definition, secretCipher })
    .from(mcpServers)
    .where(ids && isOneOf(mcpServers.id, ids))
    .orderBy(asc(mcpServers.id));
  if (rows.length === 0) return [];
  const tools = await db
    .select({ serverId: mcpTools.serverId, approved: mcpTools.approved })
    .from(mcpTools)
    .where(
      and(
        ids && isOneOf(mcpTools.serverId, ids),
        isNotNull(mcpTools.approved),
        eq(mcpTools.approvedHash, mcpTools.offeredHash),
      ),
    )
    .orderBy(asc(mcpTools.name));
  const approved = Map.groupBy(tools, ({ serverId }) => serverId);
  return rows.flatMap(({ id, name, definition, secretCipher }): McpServer[] => {
    try {
      const rules = readMcpRules(parseJson(definition));
      const own = (approved.get(id) ?? []).flatMap((tool) => readTool(tool.approved ?? "") ?? []);
      const secret = secretCipher === "" ? "" : vault.decrypt(secretCipher);
      return [{ ...rules, id, name, secret, offered: own.filter((tool) => isAllowed(rules, tool)) }];
    } catch (error) {
      log.error({ error, server: name }, "an MCP server could not be read");
      return [];
    }
  });
}

/** Whether the rules of its server let callers have a tool. */
const isAllowed = ({ tools, isReadOnly }: McpRules, tool: McpTool): boolean =>
  (tools?.some((pattern) => pattern.test(tool.name)) ?? true) && (!isReadOnly || isReadOnlyTool(tool));
