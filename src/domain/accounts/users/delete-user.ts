import { and, eq, inArray, isNull, like, ne, or, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { playgroundChats } from "../../../../db/schema/accounts/playground-chats.ts";
import { accessTokens } from "../../../../db/schema/accounts/security/access-tokens.ts";
import { passkeys, recoveryCodes, signInOrigins, totpSecrets } from "../../../../db/schema/accounts/sign-in.ts";
import { identities, sessions, users } from "../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { storedResponses } from "../../../../db/schema/channels/objects.ts";
import { mcpSignIns } from "../../../../db/schema/models/mcp.ts";
import { evaluationResults, evaluations, replayCalls } from "../../../../db/schema/models/replays.ts";
import { subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import { withdrawals } from "../../../../db/schema/wallet/wallet.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { ROLE } from "../access/roles.ts";
import { keepFormer, type Reach } from "../identity/former-identities.ts";
import { endMemberships, lockWithOrganizations } from "../organizations/members/leave-organizations.ts";

export type DeleteDeps = Readonly<{ db: Db; changes: Changes; vault: Vault }>;

/**
 * Deregisters a user for good: API keys, sessions, bindings, memberships, stored responses and personal data go, the books
 * stay whole. The name stays taken, and neither the address nor the bound identities make or open another account. Throws
 * OperationError when the user is a super admin, the only owner of an organization, or gone already.
 */
export async function deleteUser(deps: DeleteDeps, userId: number): Promise<void> {
  const { db, changes, vault } = deps;
  const tokenIds = await db.transaction((tx) => deleteAccount(tx, vault, userId));
  await changes.enforce("users", [userId]);
  if (tokenIds.length > 0) await changes.enforce("tokens", tokenIds);
}

/** The same in a transaction; returns the ids of the keys that the caller publishes to "tokens" after the commit. */
export async function deleteAccount(tx: Tx, vault: Vault, userId: number): Promise<number[]> {
  await lockWithOrganizations(tx, userId);
  const [user] = await tx
    .select({ role: users.role, email: users.email })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for("update");
  if (!user) throw new OperationError("user_not_found");
  if (user.role >= ROLE.root) throw new OperationError("root_cannot_be_deleted");
  const disabled = await endMemberships(tx, userId);
  const now = nowSeconds();
  await tx
    .update(users)
    .set({
      deletedAt: now,
      adminRoleId: null,
      passwordHash: null,
      email: null,
      displayName: "",
      note: "",
      setting: {},
      sessionVersion: sql`${users.sessionVersion} + 1`,
    })
    .where(eq(users.id, userId));
  const bound = await tx.delete(identities).where(eq(identities.userId, userId)).returning();
  const reached: Reach[] = bound.map(({ provider, subject }) => ({ provider, subject }));
  if (user.email !== null) reached.push({ provider: "email", subject: user.email });
  await keepFormer(tx, vault, userId, reached);
  await tx.delete(sessions).where(eq(sessions.userId, userId));
  await tx.delete(accessTokens).where(eq(accessTokens.userId, userId));
  await tx.delete(signInOrigins).where(eq(signInOrigins.userId, userId));
  await tx.delete(passkeys).where(eq(passkeys.userId, userId));
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.delete(totpSecrets).where(eq(totpSecrets.userId, userId));
  // Also an organization's, and those that a person has made for organizations.
  await tx.delete(mcpSignIns).where(or(eq(mcpSignIns.userId, userId), eq(mcpSignIns.signedInBy, userId)));
  // What is left of plans goes with the next run of their job.
  await tx
    .update(subscriptions)
    .set({ status: "ending", windowEnd: 0, pauseAtEnd: false })
    .where(and(eq(subscriptions.userId, userId), ne(subscriptions.status, "ended")));
  // Conversations stored for the next turn, and what was masked in them; upstreams store theirs themselves.
  const isOwn = or(eq(storedResponses.isNative, false), like(storedResponses.body, "v1.%"));
  await tx.delete(storedResponses).where(and(eq(storedResponses.userId, userId), isOwn));
  await deleteReplayedCalls(tx, userId);
  await tx.delete(playgroundChats).where(eq(playgroundChats.userId, userId));
  // Where money went; what is still to be paid needs its account.
  await tx
    .update(withdrawals)
    .set({ account: "", note: "" })
    .where(and(eq(withdrawals.userId, userId), inArray(withdrawals.status, ["paid", "rejected"])));
  const removed = await tx
    .update(tokens)
    .set({ deletedAt: now, allowIps: "" })
    .where(and(eq(tokens.userId, userId), isNull(tokens.deletedAt)))
    .returning({ id: tokens.id });
  return [...removed.map(({ id }) => id), ...disabled];
}

/** Deletes the requests of a user, with what they were answered. */
export async function deleteReplayedCalls(tx: Pick<Db, "delete">, userId: number): Promise<void> {
  const { evaluationId, position } = evaluationResults;
  await tx.delete(evaluationResults).where(
    sql`exists (select 1 from ${replayCalls} c join ${evaluations} e on e.set_id = c.set_id
      where c.user_id = ${userId} and e.id = ${evaluationId} and c.position = ${position})`,
  );
  await tx.delete(replayCalls).where(eq(replayCalls.userId, userId));
}
