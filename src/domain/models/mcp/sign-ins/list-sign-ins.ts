import { and, eq, isNull, sql } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import { mcpRevocations, mcpSignIns } from "../../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../../db/types.ts";
import type { Language } from "../../../../lib/messages.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { sayStored } from "../../../../lib/reason.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import { rightsOfRole } from "../../../accounts/access/admin-roles.ts";
import { ROLE } from "../../../accounts/access/roles.ts";
import type { Acting } from "../../../accounts/organizations/members/acting.ts";
import { holdRight } from "../../../accounts/organizations/membership.ts";
import { writeOrganizationLog } from "../../../accounts/organizations/operation.ts";
import { namesInGroup } from "../../../accounts/users/usable-groups.ts";
import type { McpLookup, McpServer } from "../directory.ts";
import { isGrantFor, openGrant } from "./grant.ts";

type Deps = Readonly<{ db: Db; mcpServers: McpLookup; vault: Vault }>;

/** How an account stands with a server: `ended` needs another sign-in. */
export type SignInState = "none" | "signed_in" | "ended";

/** A server at which an account signs in, as the management API lists it; tokens are never sent. */
export type McpSignInView = Readonly<{
  /** The server's. */
  id: number;
  name: string;
  description: string;
  host: string;
  state: SignInState;
  /** Epoch seconds; null: there is none. */
  signed_in_at: number | null;
  /** Who signed in; empty: there is none. */
  signed_in_by: string;
  /** What the authorization server has granted; empty: it does not say. */
  scope: string;
  /** What the server has missed since; empty: nothing. */
  missing_scope: string;
  /** Why it has ended, or could not be renewed; empty: nothing is wrong. */
  reason: string;
}>;

/** The servers at which an account can sign in, by name. */
export async function listSignIns(deps: Deps, acting: Acting, language: Language): Promise<McpSignInView[]> {
  const { db, vault } = deps;
  const [servers, rows] = await Promise.all([
    serversFor(deps, acting),
    db
      .select({ row: mcpSignIns, by: users.username })
      .from(mcpSignIns)
      .innerJoin(users, eq(users.id, mcpSignIns.signedInBy))
      .where(eq(mcpSignIns.userId, acting.actor.id)),
  ]);
  return servers.map((server) => {
    const { row, by = "" } = rows.find((each) => each.row.serverId === server.id) ?? {};
    const grant = row && row.grantCipher !== "" ? openGrant(vault, row.grantCipher) : null;
    const isUsable = grant !== null && isGrantFor(grant, server);
    return {
      ...{ id: server.id, name: server.name, description: server.definition.description ?? "", host: server.url.host },
      ...{
        state: isUsable ? "signed_in" : row ? "ended" : "none",
        signed_in_at: row?.signedInAt ?? null,
        signed_in_by: by,
      },
      ...{ scope: row?.scope ?? "", missing_scope: row?.missingScope ?? "" },
      reason: row ? sayStored(row.lastError, language) : "",
    };
  });
}

/** A server at which an account can sign in. Rejects OperationError if it cannot. */
export async function findServer(
  deps: Pick<Deps, "db" | "mcpServers">,
  acting: Acting,
  id: number,
): Promise<McpServer> {
  const server = (await serversFor(deps, acting)).find((each) => each.id === id);
  if (!server) throw new OperationError("mcp_server_not_found");
  return server;
}

/** Servers that the account or one of its keys may call; administrators, who list and try tools, get all for themselves. */
async function serversFor({ db, mcpServers }: Pick<Deps, "db" | "mcpServers">, acting: Acting): Promise<McpServer[]> {
  const withSignIn = mcpServers.all().filter(({ definition }) => definition.auth === "oauth");
  if (withSignIn.length === 0 || (await isAdministrator(db, acting))) return withSignIn;
  const { actor } = acting;
  const named = withSignIn.flatMap(({ scope }) => [...(scope?.keys ?? [])]);
  // An account may have very many keys, but most differ in nothing that scopes name.
  const keyId = sql<number>`case when ${isOneOf(tokens.id, named)} then ${tokens.id} else 0 end`;
  const keys = await db
    .selectDistinct({ keyId, group: tokens.group, projectId: tokens.projectId })
    .from(tokens)
    .where(and(eq(tokens.userId, actor.id), isNull(tokens.deletedAt)));
  const usable = new Set(mcpServers.of({ group: actor.group, accountId: actor.id, projectId: 0, keyId: 0 }));
  for (const { keyId, group, projectId } of keys) {
    for (const each of group === "" ? [actor.group] : [group, ...namesInGroup(group)]) {
      const caller = { group: each, accountId: actor.id, projectId: projectId ?? 0, keyId };
      for (const server of mcpServers.of(caller)) usable.add(server);
    }
  }
  return withSignIn.filter((server) => usable.has(server));
}

async function isAdministrator(db: Db, { person, role }: Acting): Promise<boolean> {
  if (role !== null) return false;
  if (person.role >= ROLE.admin) return true;
  return person.adminRoleId !== null && (await rightsOfRole(db, person.adminRoleId)).has("models:read");
}

/**
 * Deletes an account's sign-in at a server, and revokes its tokens where the authorization server can: true if it did. Rejects
 * OperationError if there is none.
 */
export async function signOut(
  { db, vault, send, mcpServers }: Deps & Readonly<{ send: CheckedFetch }>,
  { actor, person, role }: Acting,
  serverId: number,
): Promise<boolean> {
  const server = mcpServers.get(serverId);
  const removed = await db.transaction(async (tx) => {
    if (role !== null && person.kind !== "service") await holdRight(tx, actor.id, person.id, "keys.all");
    const isAccount = and(eq(mcpSignIns.serverId, serverId), eq(mcpSignIns.userId, actor.id));
    const [row] = await tx.delete(mcpSignIns).where(isAccount).returning();
    if (!row) throw new OperationError("mcp_sign_in_none");
    const name = server?.name ?? String(serverId);
    if (role !== null)
      await writeOrganizationLog(tx, actor.id, person, {
        content: `${person.username} signed out of the MCP server ${name}`,
        note: { code: "organization_mcp_signed_out", params: { by: person.username, name } },
        action: "delete",
      });
    return row;
  });
  const grant = removed.grantCipher === "" ? null : openGrant(vault, removed.grantCipher);
  if (!grant) return false;
  const { revokeGrant } = await import("./request-tokens.ts");
  const isRevoked = await revokeGrant(send, grant, server && isGrantFor(grant, server) ? server.secret : "");
  // Else the job of deleted sign-ins tries again.
  if (isRevoked) await db.delete(mcpRevocations).where(eq(mcpRevocations.grantCipher, removed.grantCipher));
  return isRevoked;
}
