import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { mcpClients, mcpServers, mcpSignIns, mcpTools } from "../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../db/types.ts";
import { parseJson } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { type Language, say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { sayStored } from "../../../lib/reason.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { Difference } from "../../logs/write-log.ts";
import { refusing } from "../catalog/save-entry.ts";
import { checkServerName, type McpDefinition, readMcpRules, secretOriginOf } from "./definition.ts";
import { readEnvironment } from "./stdio/environment.ts";

type Deps = Readonly<{ db: Db; changes: Changes; vault: Vault }>;

/** What the list shows of a row: a document may be large. */
const { document, ...viewedColumns } = getTableColumns(mcpServers);
const VIEWED = { ...viewedColumns, hasDocument: sql<boolean>`${document} <> ''` };
type ServerRow = Omit<typeof mcpServers.$inferSelect, "document"> & Readonly<{ hasDocument: boolean }>;

/** A server as it is saved. `secret` absent: the stored one stays; empty: it is deleted. */
export type McpServerInput = Readonly<{
  name: string;
  server: unknown;
  secret?: string | undefined;
  /** The OpenAPI document; absent: the stored one stays. */
  document?: string | undefined;
}>;

/** A server as the management API lists it; its secret is never sent. */
export type McpServerView = Readonly<{
  id: number;
  name: string;
  has_secret: boolean;
  /** Whether an OpenAPI document was pasted. */
  has_document: boolean;
  /** Tools that callers get, unless the server's patterns withhold them. */
  approved_tools: number;
  /** Tools that wait for approval. */
  waiting_tools: number;
  skipped_tools: number;
  /** Epoch seconds of the last listing; null: there was none. */
  checked_at: number | null;
  /** What the server's process wrote to standard error when it was last listed; empty: nothing, or it is none. */
  output: string;
  /** Why the last listing failed; empty: it did not. */
  last_error: string;
  created_at: number;
}> &
  McpDefinition;

const MAX_SERVERS = 200;

/** All servers by name. */
export async function listMcpServers({ db }: Pick<Deps, "db">, language: Language): Promise<McpServerView[]> {
  const approved = sql<number>`count(*) filter (where ${mcpTools.approvedHash} = ${mcpTools.offeredHash})`;
  const offered = sql<number>`count(${mcpTools.offeredHash})`;
  const [rows, counts] = await Promise.all([
    db.select(VIEWED).from(mcpServers).orderBy(asc(mcpServers.name)),
    db.select({ serverId: mcpTools.serverId, approved, offered }).from(mcpTools).groupBy(mcpTools.serverId),
  ]);
  const byServer = new Map(counts.map((count) => [count.serverId, count]));
  return rows.map((row) => {
    const { approved: usable = 0, offered: all = 0 } = byServer.get(row.id) ?? {};
    return viewServer(row, { approved: Number(usable), waiting: Number(all) - Number(usable) }, language);
  });
}

function viewServer(
  { id, name, definition, secretCipher, hasDocument, output, checkedAt, lastError, skippedTools, createdAt }: ServerRow,
  tools: Readonly<{ approved: number; waiting: number }>,
  language: Language,
): McpServerView {
  return {
    ...definitionOf(definition),
    ...{ id, name, has_secret: secretCipher !== "", has_document: hasDocument },
    ...{ approved_tools: tools.approved, waiting_tools: tools.waiting },
    ...{ skipped_tools: skippedTools, checked_at: checkedAt, created_at: createdAt, output },
    last_error: sayStored(lastError, language) || (readable(definition) ? "" : say("mcp_unreadable", language)),
  };
}

const readable = (text: string): boolean => Object.keys(definitionOf(text)).length > 0;

/** Empty for one that an older or newer release wrote otherwise. */
function definitionOf(text: string): McpDefinition {
  try {
    return readMcpRules(parseJson(text)).definition;
  } catch {
    return {};
  }
}

/** What a change of a server did, for the log of changes; without the secret. */
export type ServerChange = Readonly<{ id: number; name: string }> & Difference;

/** Adds a server, whose tools are not listed yet. Throws OperationError: it exists, or its definition is invalid. */
export async function createMcpServer({ db, changes, vault }: Deps, input: McpServerInput): Promise<ServerChange> {
  const { name, secret = "", document: pasted = "" } = input;
  const { definition } = readInput(input);
  const present = await db.select({ name: mcpServers.name }).from(mcpServers);
  if (present.length >= MAX_SERVERS) throw new OperationError("mcp_servers_full", { max: MAX_SERVERS });
  const values = {
    ...{ name, definition: JSON.stringify(definition), createdAt: nowSeconds() },
    secretCipher: secret === "" ? "" : vault.encrypt(secret),
    document: keepsDocument(definition) ? pasted : "",
  };
  const rows = await db.insert(mcpServers).values(values).onConflictDoNothing().returning({ id: mcpServers.id });
  if (rows.length === 0) throw new OperationError("mcp_server_exists", { name });
  const { id } = requireRow(rows);
  await changes.publish("mcp_servers", [id]);
  return { id, name, after: { name, ...definition, secret: secret !== "" } };
}

/**
 * Replaces a server's name and definition. A stored secret stays only where it goes to the same origin. Throws OperationError: it does
 * not exist, or the new name or definition is invalid.
 */
export async function updateMcpServer(
  { db, changes, vault }: Deps,
  id: number,
  input: McpServerInput,
): Promise<ServerChange> {
  const { name, secret, document: pasted } = input;
  const { definition } = readInput(input);
  const change = await db.transaction(async (tx) => {
    const [stored] = await tx.select().from(mcpServers).where(eq(mcpServers.id, id)).for("update");
    if (!stored) throw new OperationError("mcp_server_not_found");
    const before = definitionOf(stored.definition);
    const namesake = await tx.select({ id: mcpServers.id }).from(mcpServers).where(eq(mcpServers.name, name));
    if (namesake.some((other) => other.id !== id)) throw new OperationError("mcp_server_exists", { name });
    const isSameOrigin = secretOriginOf(before) === secretOriginOf(definition);
    const cipher = secret ? vault.encrypt(secret) : secret === undefined && isSameOrigin ? stored.secretCipher : "";
    if (signInTargetOf(before) !== signInTargetOf(definition)) {
      await tx.delete(mcpSignIns).where(eq(mcpSignIns.serverId, id));
      await tx.delete(mcpClients).where(eq(mcpClients.serverId, id));
    }
    await tx
      .update(mcpServers)
      .set({
        ...{ name, definition: JSON.stringify(definition), secretCipher: cipher },
        document: keepsDocument(definition) ? (pasted ?? stored.document) : "",
      })
      .where(eq(mcpServers.id, id));
    return {
      ...{ id, name },
      before: { name: stored.name, ...before, secret: stored.secretCipher !== "" },
      after: {
        ...{ name, ...definition, secret: cipher !== "" },
        ...(secret && { secret_replaced: true }),
        ...(pasted && { document_replaced: true }),
      },
    };
  });
  await changes.enforce("mcp_servers", [id]);
  return change;
}

/** Deletes a server with its secret and tools. Throws OperationError if it does not exist. */
export async function deleteMcpServer(
  { db, changes }: Pick<Deps, "changes" | "db">,
  id: number,
): Promise<ServerChange> {
  const [stored] = await db.transaction(async (tx) => {
    // While the secret of its client is known, with which their tokens are revoked.
    await tx.delete(mcpSignIns).where(eq(mcpSignIns.serverId, id));
    return await tx.delete(mcpServers).where(eq(mcpServers.id, id)).returning();
  });
  if (!stored) throw new OperationError("mcp_server_not_found");
  await changes.enforce("mcp_servers", [id]);
  const before = { name: stored.name, ...definitionOf(stored.definition), secret: stored.secretCipher !== "" };
  return { id, name: stored.name, before };
}

/** Where accounts sign in, as whose client, and what for: sign-ins hold for nothing else. */
const signInTargetOf = ({ auth, url, issuer, client_id: client }: McpDefinition): string =>
  auth === "oauth" ? JSON.stringify([url, issuer, client]) : "";

/** A document is pasted, or fetched from its address. */
const keepsDocument = ({ kind, document_url: address }: McpDefinition): boolean =>
  kind === "openapi" && address === undefined;

const readInput = ({ name, server, secret = "" }: McpServerInput) =>
  refusing(() => {
    checkServerName(name);
    const rules = readMcpRules(server);
    if (rules.kind === "stdio") readEnvironment(secret);
    return rules;
  });
