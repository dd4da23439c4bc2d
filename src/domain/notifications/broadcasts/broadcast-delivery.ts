import { and, eq, lte, sql } from "drizzle-orm";
import { pendingNotices } from "../../../../db/schema/accounts/sign-in.ts";
import { broadcastDeliveries, broadcasts } from "../../../../db/schema/notifications/announcements.ts";
import type { Db } from "../../../../db/types.ts";

/** One message of a broadcast to one user. */
export type DeliveryKey = Readonly<{ broadcastId: number; userId: number }>;

/** `claimed`: for this caller alone; `busy`: somebody else sends it; `unknown`: the history has no such delivery. */
export type DeliveryClaim = "claimed" | "busy" | "delivered" | "unknown";

/** While it is sent again nobody else takes it; a process that died gives it back by the end of this time. */
const LEASE_S = 60;

const isDelivery = ({ broadcastId, userId }: DeliveryKey) =>
  and(eq(broadcastDeliveries.broadcastId, broadcastId), eq(broadcastDeliveries.userId, userId));

/** Claims a failed delivery to send it again: two people, or a person and the later tries, never send one twice. */
export async function claimDelivery(db: Db, key: DeliveryKey, nowSeconds: number): Promise<DeliveryClaim> {
  const claimed = await db
    .update(broadcastDeliveries)
    .set({ sentAt: nowSeconds + LEASE_S })
    .where(
      and(isDelivery(key), eq(broadcastDeliveries.isDelivered, false), lte(broadcastDeliveries.sentAt, nowSeconds)),
    )
    .returning({ userId: broadcastDeliveries.userId });
  if (claimed.length > 0) return "claimed";
  const [row] = await db
    .select({ isDelivered: broadcastDeliveries.isDelivered })
    .from(broadcastDeliveries)
    .where(isDelivery(key));
  if (!row) return "unknown";
  return row.isDelivered ? "delivered" : "busy";
}

/** Records how sending a claimed delivery again ended; what arrived is tried no more. `method`: by which it was sent. */
export async function settleDelivery(
  db: Db,
  key: DeliveryKey,
  { isDelivered, method }: Readonly<{ isDelivered: boolean; method: string }>,
  nowSeconds: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const changed = await tx
      .update(broadcastDeliveries)
      .set({ isDelivered, method, sentAt: nowSeconds })
      .where(and(isDelivery(key), eq(broadcastDeliveries.isDelivered, false)))
      .returning({ userId: broadcastDeliveries.userId });
    if (!isDelivered || changed.length === 0) return;
    await tx
      .update(broadcasts)
      .set({ delivered: sql`${broadcasts.delivered} + 1`, failed: sql`${broadcasts.failed} - 1` })
      .where(eq(broadcasts.id, key.broadcastId));
    await tx
      .delete(pendingNotices)
      .where(
        and(
          eq(pendingNotices.userId, key.userId),
          sql`${pendingNotices.notice} ->> 'broadcastId' = ${String(key.broadcastId)}`,
        ),
      );
  });
}
