import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { oauthGrants, oauthTokens } from "../../../../db/schema/accounts/applications.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { ApiKeyDeps } from "../operation.ts";
import { forgetClients } from "./clients/clients.ts";
import { redirectHost } from "./clients/redirect-uris.ts";

type Deps = Pick<ApiKeyDeps, "db" | "changes">;

/** An application with access, as the person who gave it sees it. */
export type GrantView = Readonly<{
  id: number;
  client: string;
  /** Where its client is: a host, or the scheme of an application. */
  host: string;
  /** What its key allows, as names of servers; null: all servers. */
  servers: readonly string[] | null;
  key_id: number;
  key_name: string;
  /** The organization whose key it is; empty: the person's own account. */
  organization: string;
  created_at: number;
  /** When it last made a call, epoch seconds; 0: never. */
  used_at: number;
}>;

const accounts = alias(users, "accounts");

/** The applications to which a person gave access, the newest first. */
export async function listGrants({ db }: Pick<Deps, "db">, person: Readonly<{ id: number }>): Promise<GrantView[]> {
  const rows = await db
    .select({ grant: oauthGrants, key: tokens, account: accounts })
    .from(oauthGrants)
    .innerJoin(tokens, eq(tokens.id, oauthGrants.tokenId))
    .innerJoin(accounts, eq(accounts.id, tokens.userId))
    .where(and(eq(oauthGrants.userId, person.id), isNull(tokens.deletedAt), gt(oauthGrants.refreshedAt, 0)))
    .orderBy(desc(oauthGrants.id));
  return rows.map(({ grant, key, account }) => ({
    ...{ id: grant.id, client: grant.clientName, host: redirectHost(grant.redirectUri) },
    servers: grant.server === "" ? serversOf(key) : [grant.server],
    ...{ key_id: key.id, key_name: key.name },
    organization: account.id === person.id ? "" : account.displayName || account.username,
    ...{ created_at: grant.createdAt, used_at: key.accessedTime },
  }));
}

/** The servers of a key's list of models, which its owner may have changed since. */
function serversOf({ modelLimitsEnabled, modelLimits }: typeof tokens.$inferSelect): readonly string[] | null {
  if (!modelLimitsEnabled || modelLimits.includes("mcp/*")) return null;
  return modelLimits.map((name) => /^mcp\/([^/]+)\/\*$/.exec(name)?.[1] ?? name);
}

/** Ends the access that a person gave to an application, and deletes its key. Throws OperationError application_not_found. */
export async function revokeGrant({ db, changes }: Deps, person: Readonly<{ id: number }>, id: number): Promise<void> {
  const ended = await db.transaction(async (tx) => {
    const [grant] = await tx
      .select()
      .from(oauthGrants)
      .where(and(eq(oauthGrants.id, id), eq(oauthGrants.userId, person.id)))
      .for("update");
    if (!grant) throw new OperationError("application_not_found", {}, { status: 404 });
    const { clientName: client, tokenId } = grant;
    await writeManagementLog(tx, person, `Ended the access of ${client} to MCP servers by the API key #${tokenId}`, {
      note: { code: "application_revoked", params: { client, id: tokenId } },
      action: "delete",
    });
    return endGrants(tx, [id]);
  });
  await changes.enforce("tokens", ended);
}

/** Deletes access of applications with its keys. Returns the keys' ids, which the caller enforces after the commit. */
export async function endGrants(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const ended = await tx
    .delete(oauthGrants)
    .where(inArray(oauthGrants.id, [...ids]))
    .returning({ tokenId: oauthGrants.tokenId });
  const keys = ended.map(({ tokenId }) => tokenId);
  if (keys.length > 0) {
    await tx
      .update(tokens)
      .set({ deletedAt: nowSeconds() })
      .where(and(inArray(tokens.id, keys), isNull(tokens.deletedAt)));
  }
  return keys;
}

const ROWS_PER_STEP = 500;

/** Ends access that no application redeemed or refreshed in time, or whose key is deleted; forgets tokens and clients that are over. */
export async function forgetEndedGrants({ db, changes }: Deps, now: number, signal: AbortSignal): Promise<void> {
  const isEnded: SQL | undefined = or(lt(oauthGrants.expiresAt, now), isNotNull(tokens.deletedAt));
  while (!signal.aborted) {
    const ended = await db
      .select({ id: oauthGrants.id })
      .from(oauthGrants)
      .innerJoin(tokens, eq(tokens.id, oauthGrants.tokenId))
      .where(isEnded)
      .limit(ROWS_PER_STEP);
    if (ended.length === 0) break;
    const keys = await db.transaction((tx) =>
      endGrants(
        tx,
        ended.map(({ id }) => id),
      ),
    );
    await changes.enforce("tokens", keys);
  }
  await db.delete(oauthTokens).where(lt(oauthTokens.expiresAt, now));
  await forgetClients({ db }, now);
}
