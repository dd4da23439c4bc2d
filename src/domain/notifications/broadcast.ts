import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Db } from "../../../db/types.ts";
import { OperationError, throwRuleError } from "../../lib/operation-error.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Notice } from "./message.ts";
import { NOTICE_LIMITS, noticeError } from "./notice-rules.ts";
import { type NotifyEvent, wants } from "./notification-setting.ts";
import type { Notifier } from "./notifier.ts";

/** What somebody has everybody told who wants to hear of such things. */
export type BroadcastRequest = Readonly<{ event: NotifyEvent; title: string; content: string }>;

/** How far a broadcast is. */
export type BroadcastProgress = {
  is_running: boolean;
  event: NotifyEvent | null;
  title: string;
  delivered: number;
  failed: number;
};

/** Tells many people, one broadcast at a time. */
export type Broadcasts = {
  /** Starts one; it goes on by itself. Throws OperationError when a text is missing or one is under way. */
  start(request: BroadcastRequest): void;
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

  const tell = async (userId: number, notice: Notice) => {
    if (await deps.notifier.tell(userId, notice)) state.delivered += 1;
    else state.failed += 1;
  };
  const run = async (event: NotifyEvent, notice: Notice) => {
    for (let last = 0; !isCancelled; ) {
      const slice = await deps.db
        .select({ id: users.id, setting: users.setting })
        .from(users)
        .where(and(gt(users.id, last), eq(users.status, ACTIVE), isNull(users.deletedAt)))
        .orderBy(asc(users.id))
        .limit(SLICE);
      const receivers = slice.filter(({ setting }) => wants(setting, event));
      for (let from = 0; from < receivers.length && !isCancelled; from += AT_ONCE) {
        await Promise.all(receivers.slice(from, from + AT_ONCE).map(({ id }) => tell(id, notice)));
      }
      if (slice.length < SLICE) return;
      last = slice.at(-1)?.id ?? last;
    }
  };
  return {
    start({ event, title: requestedTitle, content: requestedContent }) {
      const [title, content] = [requestedTitle.trim(), requestedContent.trim()];
      throwRuleError(noticeError({ title, content }), NOTICE_LIMITS);
      if (state.is_running) throw new OperationError("broadcast_under_way");
      isCancelled = false;
      state = { is_running: true, event, title, delivered: 0, failed: 0 };
      // What an administrator writes is one text for everybody; braces in it mean themselves.
      const words = { en: "{{value}}", zh: "{{value}}" };
      run(event, { type: event, title: { en: title, zh: title }, content: words, values: [content] })
        .catch((error) => deps.log.error({ error, event }, "a broadcast broke off"))
        .finally(() => {
          state.is_running = false;
        });
    },
    progress: () => ({ ...state }),
    cancel() {
      isCancelled = true;
    },
  };
}
