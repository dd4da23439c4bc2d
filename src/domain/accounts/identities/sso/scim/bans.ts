import { and, eq } from "drizzle-orm";
import { scimUsers } from "../../../../../../db/schema/accounts/scim.ts";
import { users } from "../../../../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../../../../db/types.ts";
import { USER_STATUS } from "../../../roles.ts";

/** Notes that a provider bans an account whose row the caller has locked; a ban of an administrator stays theirs. */
export async function claimBan(
  tx: Tx,
  providerId: number,
  user: Readonly<{ id: number; status: number }>,
): Promise<void> {
  if (user.status === USER_STATUS.banned && (await bannersOf(tx, user.id)).length === 0) return;
  await tx
    .update(scimUsers)
    .set({ hasBanned: true })
    .where(and(eq(scimUsers.providerId, providerId), eq(scimUsers.userId, user.id)));
}

/** Takes a provider's ban back. Returns whether the account may be used again: no other provider and no administrator bans it. */
export async function releaseBan(tx: Tx, providerId: number, userId: number): Promise<boolean> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
  const banners = await bannersOf(tx, userId);
  if (!banners.includes(providerId)) return false;
  await tx
    .update(scimUsers)
    .set({ hasBanned: false })
    .where(and(eq(scimUsers.providerId, providerId), eq(scimUsers.userId, userId)));
  return banners.length === 1;
}

/** An administrator decides about an account: bans of providers are theirs no longer. Returns whether there were any. */
export async function overrideBans(tx: Tx, userId: number): Promise<boolean> {
  const overridden = await tx
    .update(scimUsers)
    .set({ hasBanned: false })
    .where(and(eq(scimUsers.userId, userId), eq(scimUsers.hasBanned, true)))
    .returning({ userId: scimUsers.userId });
  return overridden.length > 0;
}

async function bannersOf(tx: Tx, userId: number): Promise<number[]> {
  const rows = await tx
    .select({ providerId: scimUsers.providerId })
    .from(scimUsers)
    .where(and(eq(scimUsers.userId, userId), eq(scimUsers.hasBanned, true)));
  return rows.map(({ providerId }) => providerId);
}
