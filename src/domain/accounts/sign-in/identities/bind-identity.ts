import { and, eq } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { identities, users } from "../../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { checkNotDeregistered, keepFormer } from "../../identity/former-identities.ts";
import { requireWayIn } from "../sign-in-methods.ts";
import type { ProviderName } from "./provider.ts";

type BindDeps = Readonly<{ db: Db; changes: Changes; vault: Vault }>;

/**
 * Binds an identity to a user. Throws OperationError when it is another's or was a deregistered user's, or the user has
 * another of that service.
 */
export async function bindIdentity(
  { db, changes, vault }: BindDeps,
  userId: number,
  { name: provider, label: service }: Readonly<{ name: ProviderName; label: string }>,
  subject: string,
): Promise<void> {
  const bound = await db.transaction(async (tx) => {
    const rows = await tx
      .insert(identities)
      .values({ provider, subject, userId, createdAt: nowSeconds() })
      .onConflictDoNothing()
      .returning({ userId: identities.userId });
    // Afterwards: who is being deregistered holds the insert up.
    if (rows.length > 0) await checkNotDeregistered(tx, vault, { provider, subject });
    return rows;
  });
  if (bound.length === 0) {
    const [owner] = await db
      .select({ userId: identities.userId })
      .from(identities)
      .where(and(eq(identities.provider, provider), eq(identities.subject, subject)));
    if (owner?.userId === userId) return;
    throw new OperationError(owner ? "identity_taken" : "identity_bound_already", { service });
  }
  await changes.publish("users", [userId]);
}

/** Unbinds what a user has bound of a service. Throws OperationError when the user could not sign in any more. */
export async function unbindIdentity(
  { db, changes, vault, settings }: BindDeps & Readonly<{ settings: SettingsReader }>,
  userId: number,
  provider: ProviderName,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Two unbindings at once must not each rely on the other's binding.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
    const removed = await tx
      .delete(identities)
      .where(and(eq(identities.userId, userId), eq(identities.provider, provider)))
      .returning({ provider: identities.provider, subject: identities.subject });
    if (removed.length === 0) throw new OperationError("identity_not_bound");
    await requireWayIn(tx, settings, userId);
    await keepFormer(
      tx,
      vault,
      userId,
      removed.map(({ subject }) => ({ provider, subject })),
    );
  });
  await changes.publish("users", [userId]);
}
