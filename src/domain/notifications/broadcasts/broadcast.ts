import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { broadcastDeliveries, broadcasts } from "../../../../db/schema/notifications/announcements.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Notice } from "../message.ts";
import { NOTICE_LIMITS, noticeError } from "../notice-rules.ts";
import { type NotifyEvent, notifyMethod, type StoredSetting, wants } from "../notification-setting.ts";
import type { Notifier } from "../notifier.ts";
import { broadcastNotice, failedReceivers, resendToUser, type StoredBroadcast } from "./resend-broadcast.ts";

/** A message that an administrator sends to everybody who subscribed to its event. */
export type BroadcastRequest = Readonly<{ event: NotifyEvent; title: string; content: string }>;

/** How far a broadcast is. */
export type BroadcastProgress = {
  is_running: boolean;
  event: NotifyEvent | null;
  title: string;
  delivered: number;
  failed: number;
};

/** Notifies many people, one broadcast at a time. */
export type Broadcasts = {
  /** Starts one; it goes on by itself. Throws OperationError when a text is missing or one is under way. */
  start(request: BroadcastRequest, senderName?: string): void;
  /** Sends one again to all whom it did not reach; it goes on by itself. Throws OperationError when one is under way. */
  resendFailed(broadcast: StoredBroadcast): void;
  progress(): BroadcastProgress;
  /** Ends the one under way after the message that is being sent. */
  cancel(): void;
};

const ACTIVE = 1;
/** Users read at a time, and messages sent at a time. */
const SLICE = 200;
const AT_ONCE = 4;

/** Creates the broadcasts of this process; `close` is `cancel`. */
export function createBroadcasts(deps: Readonly<{ db: Db; notifier: Notifier; log: Logger }>): Broadcasts {
  let state: BroadcastProgress = { is_running: false, event: null, title: "", delivered: 0, failed: 0 };
  let isCancelled = false;

  type Receiver = Readonly<{ id: number; setting: StoredSetting }>;

  const notifyAll = async (broadcastId: number, receivers: readonly Receiver[], notice: Notice) => {
    const rows = await Promise.all(
      receivers.map(async ({ id: userId, setting }) => {
        const isDelivered = await deps.notifier.notify(userId, notice);
        return { broadcastId, userId, method: notifyMethod(setting), isDelivered, sentAt: nowSeconds() };
      }),
    );
    const delivered = rows.filter(({ isDelivered }) => isDelivered).length;
    const failed = rows.length - delivered;
    state.delivered += delivered;
    state.failed += failed;
    // Together: who is sent one again meanwhile is counted in steps, too.
    await deps.db.transaction(async (tx) => {
      await tx.insert(broadcastDeliveries).values(rows).onConflictDoNothing();
      await tx
        .update(broadcasts)
        .set({
          delivered: sql`${broadcasts.delivered} + ${delivered}::int`,
          failed: sql`${broadcasts.failed} + ${failed}::int`,
          reportedAt: nowSeconds(),
        })
        .where(eq(broadcasts.id, broadcastId));
    });
  };
  const report = async (id: number, status: "finished" | "stopped" | "failed") => {
    await deps.db.update(broadcasts).set({ status, reportedAt: nowSeconds() }).where(eq(broadcasts.id, id));
  };
  const run = async (id: number, event: NotifyEvent, notice: Notice) => {
    for (let last = 0; !isCancelled; ) {
      const slice = await deps.db
        .select({ id: users.id, setting: users.setting })
        .from(users)
        .where(and(gt(users.id, last), eq(users.status, ACTIVE), isNull(users.deletedAt)))
        .orderBy(asc(users.id))
        .limit(SLICE);
      const receivers = slice.filter(({ setting }) => wants(setting, event));
      for (let from = 0; from < receivers.length && !isCancelled; from += AT_ONCE) {
        await notifyAll(id, receivers.slice(from, from + AT_ONCE), notice);
      }
      if (slice.length < SLICE) return;
      last = slice.at(-1)?.id ?? last;
    }
  };
  /** Records it, then sends it to all; never rejects. */
  const send = async ({ event, title, content }: BroadcastRequest, senderName: string) => {
    const now = nowSeconds();
    let id: number | null = null;
    try {
      const rows = await deps.db
        .insert(broadcasts)
        .values({ createdAt: now, reportedAt: now, senderName, event, title, content, status: "running" })
        .returning({ id: broadcasts.id });
      id = requireRow(rows).id;
      await run(id, event, broadcastNotice({ id, event, title, content }));
      await report(id, isCancelled ? "stopped" : "finished");
    } catch (error) {
      deps.log.error({ error, event }, "a broadcast broke off");
      if (id !== null) await report(id, "failed").catch(() => undefined);
    }
    state.is_running = false;
  };
  const resendOne = async (broadcast: StoredBroadcast, userId: number) => {
    try {
      await resendToUser(deps, broadcast, userId);
      state.delivered += 1;
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      state.failed += 1;
    }
  };
  /** Sends it again to all whom it did not reach; never rejects. */
  const resend = async (broadcast: StoredBroadcast) => {
    try {
      for await (const receivers of failedReceivers(deps.db, broadcast.id)) {
        for (let from = 0; from < receivers.length && !isCancelled; from += AT_ONCE) {
          await Promise.all(receivers.slice(from, from + AT_ONCE).map((userId) => resendOne(broadcast, userId)));
        }
        if (isCancelled) break;
      }
    } catch (error) {
      deps.log.error({ error, event: broadcast.event }, "sending a broadcast again broke off");
    }
    state.is_running = false;
  };
  const begin = ({ event, title }: Readonly<{ event: NotifyEvent; title: string }>) => {
    if (state.is_running) throw new OperationError("broadcast_under_way");
    isCancelled = false;
    state = { is_running: true, event, title, delivered: 0, failed: 0 };
  };
  return {
    start({ event, title: requestedTitle, content: requestedContent }, senderName = "") {
      const [title, content] = [requestedTitle.trim(), requestedContent.trim()];
      throwRuleError(noticeError({ title, content }), NOTICE_LIMITS);
      begin({ event, title });
      void send({ event, title, content }, senderName);
    },
    resendFailed(broadcast) {
      begin(broadcast);
      void resend(broadcast);
    },
    progress: () => ({ ...state }),
    cancel() {
      isCancelled = true;
    },
  };
}
