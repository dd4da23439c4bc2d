import { and, asc, eq, isNull } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Db } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { createRateLimiter, type Limit } from "../../lib/limits/rate-limiter.ts";
import { writtenLanguage } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { claimDelivery, type DeliveryKey, settleDelivery } from "./broadcasts/broadcast-delivery.ts";
import { type Notice, sayNotice } from "./message.ts";
import { notifyMethod } from "./notification-setting.ts";
import { forgetNotice, keepNotice, LATER_TRIES, type PendingNotice, takeDueNotices } from "./pending-notices.ts";
import { NotifyError } from "./post.ts";
import { type Receiver, type SendDeps, sendMessage } from "./send.ts";

/** Notifies people, by the method that each has chosen. */
export type Notifier = {
  /**
   * Notifies a user; retries for some seconds, then later and also after a restart. Resolves with whether it was handed over
   * within the seconds, and never rejects.
   */
  notify(userId: number, notice: Notice): Promise<boolean>;
  /** Tries notices again whose time has come. Rejects when the database does not answer. */
  retryLater(nowSeconds: number): Promise<void>;
  /** Notifies the site's super admin, at most once per interval for each kind of notice. Does not wait. */
  notifyRoot(notice: Notice): void;
  /** Sends a user a test message at once. Throws OperationError with why it did not arrive. */
  test(userId: number): Promise<void>;
  /** Sends a user a notice at once, without later tries. Throws OperationError with why it did not arrive. */
  sendNow(userId: number, notice: Notice): Promise<void>;
};

const ROOT_ROLE = 100;
const RETRY_AFTER_MS = [2000, 10_000] as const;

const TEST: Notice = {
  type: "test",
  title: { en: "Test notice", zh: "测试通知" },
  content: { en: "Notices reach you this way.", zh: "通知可以通过此方式送达。" },
  values: [],
};

/** `rootLimit`: notices of one kind to the super admin; `localAddress`: the console where no ServerAddress is set. */
export function createNotifier(
  deps: SendDeps & Readonly<{ db: Db; log: Logger; rootLimit: Limit; localAddress: string }>,
  retryAfterMs: readonly number[] = RETRY_AFTER_MS,
): Notifier {
  const { db, log, settings } = deps;
  const rootLimiter = createRateLimiter(deps.rootLimit);

  const send = (receiver: Receiver, notice: Notice) => {
    const language = writtenLanguage(String(receiver.setting.language));
    return sendMessage(deps, receiver, sayNotice(notice, language, settings.get("ServerAddress") || deps.localAddress));
  };
  const receiverOf = async (userId: number): Promise<Receiver | undefined> => {
    const [user] = await db
      .select({ email: users.email, setting: users.setting })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)));
    return user;
  };
  const notify = async (userId: number, notice: Notice): Promise<boolean> => {
    let retained: number | null = null;
    try {
      const receiver = await receiverOf(userId);
      if (!receiver) return false;
      for (let tries = 0; ; tries += 1) {
        try {
          await send(receiver, notice);
          if (retained !== null) await forgetNotice(db, retained);
          return true;
        } catch (error) {
          const pauseMs = retryAfterMs[tries];
          if (isFinal(error)) {
            if (retained !== null) await forgetNotice(db, retained);
            throw error;
          }
          retained ??= await keepNotice(db, userId, notice, nowSeconds());
          if (pauseMs === undefined) throw error;
          await Bun.sleep(pauseMs);
        }
      }
    } catch (error) {
      log.warn({ userId, type: notice.type, reason: reasonOf(error) }, "a notice could not be handed over");
      return false;
    }
  };
  const tryAgain = async ({ id, userId, notice, tries }: PendingNotice) => {
    const { broadcastId } = notice;
    const isLast = tries >= LATER_TRIES;
    try {
      const receiver = await receiverOf(userId);
      if (receiver && broadcastId === undefined) await send(receiver, notice);
      else if (receiver && broadcastId !== undefined) {
        const claim = await claimDelivery(db, { broadcastId, userId }, nowSeconds());
        // Somebody sends it by hand right now: what does not arrive is tried later.
        if (claim === "busy" && !isLast) return;
        if (claim === "unknown") await send(receiver, notice);
        if (claim === "claimed") await sendClaimed({ broadcastId, userId }, receiver, notice);
      }
      await forgetNotice(db, id);
    } catch (error) {
      if (!isFinal(error) && !isLast) return;
      await forgetNotice(db, id);
      log.warn({ userId, type: notice.type, reason: reasonOf(error) }, "a notice was given up");
    }
  };
  const sendClaimed = async (key: DeliveryKey, receiver: Receiver, notice: Notice) => {
    const method = notifyMethod(receiver.setting);
    const settle = (isDelivered: boolean) => settleDelivery(db, key, { isDelivered, method }, nowSeconds());
    try {
      await send(receiver, notice);
    } catch (error) {
      await settle(false);
      throw error;
    }
    await settle(true);
  };
  const sendNow = async (userId: number, notice: Notice) => {
    const receiver = await receiverOf(userId);
    if (!receiver) throw new OperationError("user_not_found");
    try {
      await send(receiver, notice);
    } catch (error) {
      if (error instanceof OperationError) throw error;
      if (error instanceof NotifyError) throw new OperationError(error.code, { reason: error.reason });
      throw new OperationError("notify_failed", { reason: { code: "why_unknown" } });
    }
  };
  const findRoot = async (): Promise<number | undefined> => {
    const [root] = await db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.role, ROOT_ROLE), isNull(users.deletedAt)))
      .orderBy(asc(users.id))
      .limit(1);
    return root?.id;
  };
  return {
    notify,
    async retryLater(now) {
      for (;;) {
        const due = await takeDueNotices(db, now);
        if (due.length === 0) return;
        for (const pending of due) await tryAgain(pending);
      }
    },
    notifyRoot(notice) {
      if (rootLimiter.take(notice.type) > 0) return;
      findRoot().then(
        (rootId) => (rootId === undefined ? false : notify(rootId, notice)),
        (error) => log.warn({ error, type: notice.type }, "a notice could not be handed over"),
      );
    },
    test: (userId) => sendNow(userId, TEST),
    sendNow,
  };
}

/** No mail server, or an address that is refused: the next try would end the same way. */
const isFinal = (error: unknown): boolean =>
  error instanceof OperationError
    ? error.code === "mail_not_configured"
    : error instanceof NotifyError && error.isFinal;

const reasonOf = (error: unknown): string =>
  error instanceof NotifyError ? error.message : error instanceof OperationError ? error.code : "unknown";
