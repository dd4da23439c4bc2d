import { and, eq } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { identities, users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { SettingsReader } from "../settings/settings.ts";
import { requireWayIn } from "./guard-ways-in.ts";
import { OUTSIDE_LABELS } from "./outside/index.ts";
import type { OutsideName } from "./outside/provider.ts";

type BindDeps = Readonly<{ db: Db; changes: Changes }>;

/** Binds an identity to a user. Throws OperationError when it is another's, or the user has another of that service. */
export async function bindIdentity(
  { db, changes }: BindDeps,
  userId: number,
  provider: OutsideName,
  subject: string,
): Promise<void> {
  const service = OUTSIDE_LABELS[provider];
  const bound = await db
    .insert(identities)
    .values({ provider, subject, userId, createdAt: nowSeconds() })
    .onConflictDoNothing()
    .returning({ userId: identities.userId });
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
  { db, changes, settings }: BindDeps & Readonly<{ settings: SettingsReader }>,
  userId: number,
  provider: OutsideName,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Two unbindings at once must not each rely on the other's binding.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
    const removed = await tx
      .delete(identities)
      .where(and(eq(identities.userId, userId), eq(identities.provider, provider)))
      .returning({ provider: identities.provider });
    if (removed.length === 0) throw new OperationError("identity_not_bound");
    await requireWayIn(tx, settings, userId);
  });
  await changes.publish("users", [userId]);
}
