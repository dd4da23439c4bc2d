import { and, asc, eq, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { mcpServers, mcpTools } from "../../../../../db/schema/models/mcp.ts";
import type { Db, DbOrTx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { keepReason, type Reason, reasonOf } from "../../../../lib/reason.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { McpTool } from "../connection.ts";
import { credentialedFetch, type McpFetches } from "../credentials.ts";
import { type McpServer, readServers } from "../directory.ts";
import { allowedCapabilities, processOf } from "../open-connection.ts";
import { documentOf } from "../openapi/complete-server.ts";
import { parseDocument } from "../openapi/document.ts";
import type { DocumentTools } from "../openapi/read-tools.ts";
import { findLister } from "../sign-ins/find-lister.ts";
import { hideValues, readEnvironment } from "../stdio/environment.ts";
import { readTool, toolTextOf } from "./tool-text.ts";

type Deps = Readonly<{ db: Db; changes: Changes }>;

/** The most tools of one server; a model can't choose between more. */
const MAX_TOOLS = 1_000;
const MAX_LIST_BYTES = 8 * 1_048_576;
const LIST_TIMEOUT_MS = 60_000;

/** What a listing of a server's tools found. `error` null: it was listed. */
export type Listing = Readonly<{ error: Reason | null; waiting: number; skipped: number }>;

/**
 * Lists a server's tools and stores what it offers now; a tool that is new or described otherwise than it was approved is withheld
 * until it is approved. A server that cannot be listed is not an error of the operation: its tools stay as they are. `actorId`: the
 * administrator who asks, with whose sign-in a server is listed where there is one.
 */
export async function refreshTools(
  { db, changes, ...fetches }: Deps & McpFetches,
  server: McpServer,
  { signal = AbortSignal.timeout(LIST_TIMEOUT_MS), actorId }: Readonly<{ signal?: AbortSignal; actorId?: number }> = {},
): Promise<Listing> {
  let listed: DocumentTools;
  const listedBy = server.definition.auth === "oauth" ? await findLister(db, server.id, actorId) : null;
  try {
    listed = await listOffered({ db, ...fetches }, server, { signal, accountId: listedBy ?? 0 });
  } catch (error) {
    const reason = await describe(error, server, listedBy);
    await db
      .update(mcpServers)
      .set({ checkedAt: nowSeconds(), lastError: keepReason(reason) })
      .where(eq(mcpServers.id, server.id));
    return { error: reason, waiting: 0, skipped: 0 };
  }
  const texts = new Map(
    listed.tools.slice(0, MAX_TOOLS).flatMap((tool) => {
      const text = toolTextOf(tool);
      return text ? [[text.name, text] as const] : [];
    }),
  );
  const skipped = listed.skipped + listed.tools.length - texts.size;
  const waiting = await db.transaction(async (tx) => {
    const checked = { checkedAt: nowSeconds(), lastError: "", skippedTools: skipped, listedBy };
    const [row] = await tx.update(mcpServers).set(checked).where(eq(mcpServers.id, server.id)).returning();
    // Deleted meanwhile.
    if (!row) return 0;
    await storeOffered(tx, server.id, [...texts.values()]);
    return await countWaiting(tx, server.id);
  });
  await changes.enforce("mcp_servers", [server.id]);
  return { error: null, waiting, skipped };
}

/** Servers that are listed at the same time. */
const LISTED_AT_ONCE = 4;

/** Lists the tools of all servers that are enabled, until the signal ends. */
export async function refreshAllTools(
  deps: Deps & McpFetches & Readonly<{ log: Logger; vault: Vault }>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = (await readServers(deps)).filter(({ isEnabled }) => isEnabled);
  const work = async () => {
    for (let server = waiting.pop(); server && !signal.aborted; server = waiting.pop()) {
      await refreshTools(deps, server, { signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]) });
    }
  };
  await Promise.all(Array.from({ length: LISTED_AT_ONCE }, work));
}

async function listOffered(
  { db, ...fetches }: Readonly<{ db: Db }> & McpFetches,
  server: McpServer,
  { signal, accountId }: Readonly<{ signal: AbortSignal; accountId: number }>,
): Promise<DocumentTools> {
  if (server.kind === "openapi") {
    const { readTools } = await import("../openapi/read-tools.ts");
    const { definition, id } = server;
    return readTools(await parseDocument(await documentOf({ db, ...fetches }, definition, id)), MAX_TOOLS);
  }
  const { McpConnection } = await import("../connection.ts");
  const process =
    server.kind === "stdio" ? processOf(fetches, server, { maxBytes: MAX_LIST_BYTES, accountId: 0 }) : null;
  const connection = new McpConnection(process ?? credentialedFetch(fetches, server, accountId), {
    ...{ url: server.url, signal, maxBytes: MAX_LIST_BYTES, capabilities: allowedCapabilities(server) },
    // One more shows that there are too many.
    maxTools: MAX_TOOLS + 1,
  });
  try {
    const tools = await connection.listTools();
    return { tools, skipped: connection.skipped };
  } finally {
    connection.close();
    if (process) await keepOutput(db, server, process.stderr);
  }
}

/** Stores what the server's process wrote to standard error, for administrators; without its secrets. */
async function keepOutput(db: Db, { id, secret }: McpServer, text: string): Promise<void> {
  const output = hideValues(text, readEnvironment(secret));
  await db.update(mcpServers).set({ output }).where(eq(mcpServers.id, id));
}

async function describe(error: unknown, { definition }: McpServer, listedBy: number | null): Promise<Reason> {
  const { statusOfFailure } = await import("../connection.ts");
  const status = statusOfFailure(error);
  if (definition.auth === "oauth" && listedBy === null && status === 401) return { code: "mcp_list_needs_sign_in" };
  return status === null ? reasonOf(error) : { code: "mcp_http_status", params: { status } };
}

async function storeOffered(
  tx: DbOrTx,
  serverId: number,
  texts: readonly Readonly<{ name: string; text: string; hash: string }>[],
): Promise<void> {
  const names = texts.map(({ name }) => name);
  const rows = await tx.select({ name: mcpTools.name }).from(mcpTools).where(eq(mcpTools.serverId, serverId));
  const removed = rows.map(({ name }) => name).filter((name) => !names.includes(name));
  const isUnlisted = and(eq(mcpTools.serverId, serverId), inArray(mcpTools.name, removed));
  if (removed.length > 0) {
    await tx.delete(mcpTools).where(and(isUnlisted, isNull(mcpTools.approved)));
    await tx.update(mcpTools).set({ offered: null, offeredHash: null }).where(isUnlisted);
  }
  if (texts.length === 0) return;
  await tx
    .insert(mcpTools)
    .values(texts.map(({ name, text, hash }) => ({ serverId, name, offered: text, offeredHash: hash })))
    .onConflictDoUpdate({
      target: [mcpTools.serverId, mcpTools.name],
      set: { offered: sql`excluded.offered`, offeredHash: sql`excluded.offered_hash` },
    });
}

/** Whether a tool is offered, and nobody has approved what it says. */
const isWaiting = and(
  isNotNull(mcpTools.offeredHash),
  or(isNull(mcpTools.approvedHash), ne(mcpTools.approvedHash, mcpTools.offeredHash)),
);

/** The tools of a server that wait for approval. */
const countWaiting = (db: DbOrTx, serverId: number): Promise<number> =>
  db.$count(mcpTools, and(eq(mcpTools.serverId, serverId), isWaiting));

/** How a tool stands: callers get those that are approved. */
export type ToolState = "approved" | "new" | "changed" | "removed";

/** A tool as administrators see it. */
export type ToolView = Readonly<{
  name: string;
  state: ToolState;
  /** Of what is offered: what an approval names. */
  hash: string;
  offered: McpTool | null;
  approved: McpTool | null;
  /** Epoch seconds; null: never. */
  approved_at: number | null;
}>;

/** The tools of a server by name. Throws OperationError if there is no such server. */
export async function listServerTools(db: Db, serverId: number): Promise<ToolView[]> {
  await requireServer(db, serverId);
  const rows = await db.select().from(mcpTools).where(eq(mcpTools.serverId, serverId)).orderBy(asc(mcpTools.name));
  return rows.map(({ name, offered, offeredHash, approved, approvedHash, approvedAt }) => ({
    name,
    state:
      offeredHash === null
        ? "removed"
        : approvedHash === null
          ? "new"
          : approvedHash === offeredHash
            ? "approved"
            : "changed",
    hash: offeredHash ?? "",
    offered: offered === null ? null : readTool(offered),
    approved: approved === null ? null : readTool(approved),
    approved_at: approvedAt,
  }));
}

/**
 * Approves tools as the administrator has read them: `hash` names the description. Throws OperationError, and approves none, if the
 * server offers one of them otherwise by now.
 */
export async function approveTools(
  { db, changes }: Deps,
  serverId: number,
  actor: Readonly<{ id: number }>,
  tools: readonly Readonly<{ name: string; hash: string }>[],
): Promise<void> {
  await requireServer(db, serverId);
  await db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: mcpTools.id, name: mcpTools.name, hash: mcpTools.offeredHash })
      .from(mcpTools)
      .where(eq(mcpTools.serverId, serverId))
      .for("update");
    const byName = new Map(rows.map((row) => [row.name, row]));
    const ids = tools.map(({ name, hash }) => {
      const row = byName.get(name);
      if (!row || row.hash !== hash) throw new OperationError("mcp_tool_changed", { tool: name });
      return row.id;
    });
    if (ids.length === 0) return;
    await tx
      .update(mcpTools)
      .set({
        approved: mcpTools.offered.getSQL(),
        approvedHash: mcpTools.offeredHash.getSQL(),
        approvedAt: nowSeconds(),
        approvedBy: actor.id,
      })
      .where(inArray(mcpTools.id, ids));
  });
  await changes.enforce("mcp_servers", [serverId]);
}

/** Takes tools from callers until they are approved again. Throws OperationError if there is no such server. */
export async function withdrawTools({ db, changes }: Deps, serverId: number, names: readonly string[]): Promise<void> {
  await requireServer(db, serverId);
  const isNamed = and(eq(mcpTools.serverId, serverId), inArray(mcpTools.name, [...names]));
  await db.transaction(async (tx) => {
    await tx.delete(mcpTools).where(and(isNamed, isNull(mcpTools.offered)));
    await tx
      .update(mcpTools)
      .set({ approved: null, approvedHash: null, approvedAt: null, approvedBy: 0 })
      .where(isNamed);
  });
  await changes.enforce("mcp_servers", [serverId]);
}

async function requireServer(db: Db, id: number): Promise<void> {
  const [row] = await db.select({ id: mcpServers.id }).from(mcpServers).where(eq(mcpServers.id, id));
  if (!row) throw new OperationError("mcp_server_not_found");
}
