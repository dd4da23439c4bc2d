import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { broadcastDeliveries, broadcasts } from "../../../../db/schema/notifications/announcements.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Notice } from "../message.ts";
import { NOTIFY_EVENTS, type NotifyEvent, notifyMethod, wants } from "../notification-setting.ts";
import type { Notifier } from "../notifier.ts";
import { claimDelivery, settleDelivery } from "./broadcast-delivery.ts";

/** A broadcast that was sent, as it was written. */
export type StoredBroadcast = Readonly<{ id: number; event: NotifyEvent; title: string; content: string }>;

type ResendDeps = Readonly<{ db: Db; notifier: Notifier }>;

const ACTIVE = 1;
/** Receivers read at a time. */
const SLICE = 200;

/** The message of a broadcast; what an administrator writes is one text for everybody, and braces in it mean themselves. */
export function broadcastNotice({ id, event, title, content }: StoredBroadcast): Notice {
  const words = { en: "{{value}}", zh: "{{value}}" };
  return { type: event, title: { en: title, zh: title }, content: words, values: [content], broadcastId: id };
}

/** A broadcast by its id. Throws OperationError when there is none. */
export async function getBroadcast(db: Db, id: number): Promise<StoredBroadcast> {
  const [row] = await db.select().from(broadcasts).where(eq(broadcasts.id, id));
  const event = NOTIFY_EVENTS.find((name) => name === row?.event);
  if (!row || !event) throw new OperationError("broadcast_not_found");
  return { id, event, title: row.title, content: row.content };
}

/**
 * Sends a broadcast once more to a user whom it did not reach, by the method that they have now. Resolves when it was handed
 * over, with their name; throws OperationError with why not.
 */
export async function resendToUser(
  { db, notifier }: ResendDeps,
  broadcast: StoredBroadcast,
  userId: number,
): Promise<string> {
  const [user] = await db
    .select({ name: users.username, setting: users.setting })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.status, ACTIVE), isNull(users.deletedAt)));
  if (!user || !wants(user.setting, broadcast.event)) throw new OperationError("broadcast_unsubscribed");
  const key = { broadcastId: broadcast.id, userId };
  const claim = await claimDelivery(db, key, nowSeconds());
  if (claim !== "claimed") throw new OperationError(REFUSALS[claim]);
  const method = notifyMethod(user.setting);
  try {
    await notifier.sendNow(userId, broadcastNotice(broadcast));
  } catch (error) {
    await settleDelivery(db, key, { isDelivered: false, method }, nowSeconds());
    throw error;
  }
  await settleDelivery(db, key, { isDelivered: true, method }, nowSeconds());
  return user.name;
}

const REFUSALS = {
  busy: "broadcast_resend_under_way",
  delivered: "broadcast_delivered",
  unknown: "broadcast_delivery_not_found",
} as const;

/** The users whom a broadcast did not reach, in slices by id. */
export async function* failedReceivers(db: Db, broadcastId: number): AsyncGenerator<readonly number[]> {
  for (let last = 0; ; ) {
    const rows = await db
      .select({ userId: broadcastDeliveries.userId })
      .from(broadcastDeliveries)
      .where(
        and(
          eq(broadcastDeliveries.broadcastId, broadcastId),
          eq(broadcastDeliveries.isDelivered, false),
          gt(broadcastDeliveries.userId, last),
        ),
      )
      .orderBy(asc(broadcastDeliveries.userId))
      .limit(SLICE);
    if (rows.length > 0) yield rows.map(({ userId }) => userId);
    if (rows.length < SLICE) return;
    last = rows.at(-1)?.userId ?? last;
  }
}
