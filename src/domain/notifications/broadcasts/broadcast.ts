import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { broadcastDeliveries, broadcasts } from "../../../../db/schema/accounts/announcements.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Notice } from "../message.ts";
import { NOTICE_LIMITS, noticeError } from "../notice-rules.ts";
import { type NotifyEvent, type StoredSetting, wants } from "../notification-setting.ts";
import type { Notifier } from "../notifier.ts";

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
  progress(): BroadcastProgress;
  /** Ends the one under way after the message that is being sent. */
  cancel(): void;
};

const ACTIVE = 1;
/** Users read at a time, and messages sent at a time. */
const SLICE = 200;
const AT_ONCE = 4;
/** Of users who chose none. */
const DEFAULT_METHOD = "email";

/** Creates the broadcasts of this process; `close` is `cancel`. */
export function createBroadcasts(deps: Readonly<{ db: Db; notifier: Notifier; log: Logger }>): Broadcasts {
  let state: BroadcastProgress = { is_running: false, event: null, title: "", delivered: 0, failed: 0 };
  let isCancelled = false;

  type Receiver = Readonly<{ id: number; setting: StoredSetting }>;

  const notifyAll = async (broadcastId: number, receivers: readonly Receiver[], notice: Notice) => {
    const rows = await Promise.all(
      receivers.map(async ({ id: userId, setting }) => {
        const isDelivered = await deps.notifier.notify(userId, notice);
        if (isDelivered) state.delivered += 1;
        else state.failed += 1;
        const method = typeof setting.notify_type === "string" ? setting.notify_type : DEFAULT_METHOD;
        return { broadcastId, userId, method, isDelivered, sentAt: nowSeconds() };
      }),
    );
    await deps.db.insert(broadcastDeliveries).values(rows).onConflictDoNothing();
    await report(broadcastId, "running");
  };
  const report = async (id: number, status: "running" | "finished" | "stopped" | "failed") => {
    const { delivered, failed } = state;
    await deps.db
      .update(broadcasts)
      .set({ delivered, failed, status, reportedAt: nowSeconds() })
      .where(eq(broadcasts.id, id));
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
    // What an administrator writes is one text for everybody; braces in it mean themselves.
    const words = { en: "{{value}}", zh: "{{value}}" };
    const notice = { type: event, title: { en: title, zh: title }, content: words, values: [content] };
    const now = nowSeconds();
    let id: number | null = null;
    try {
      const rows = await deps.db
        .insert(broadcasts)
        .values({ createdAt: now, reportedAt: now, senderName, event, title, content, status: "running" })
        .returning({ id: broadcasts.id });
      id = requireRow(rows).id;
      await run(id, event, notice);
      await report(id, isCancelled ? "stopped" : "finished");
    } catch (error) {
      deps.log.error({ error, event }, "a broadcast broke off");
      if (id !== null) await report(id, "failed").catch(() => undefined);
    }
    state.is_running = false;
  };
  return {
    start({ event, title: requestedTitle, content: requestedContent }, senderName = "") {
      const [title, content] = [requestedTitle.trim(), requestedContent.trim()];
      throwRuleError(noticeError({ title, content }), NOTICE_LIMITS);
      if (state.is_running) throw new OperationError("broadcast_under_way");
      isCancelled = false;
      state = { is_running: true, event, title, delivered: 0, failed: 0 };
      void send({ event, title, content }, senderName);
    },
    progress: () => ({ ...state }),
    cancel() {
      isCancelled = true;
    },
  };
}
