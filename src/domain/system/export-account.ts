import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { playgroundChats } from "../../../db/schema/accounts/playground-chats.ts";
import { tokens } from "../../../db/schema/api-keys.ts";
import { redemptionCodes, redemptionUses } from "../../../db/schema/wallet/codes.ts";
import { checkIns, rebates, topUpOrders, withdrawals } from "../../../db/schema/wallet/wallet.ts";
import { logOf } from "../../../db/server/log-database.ts";
import type { Db } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { slicesById } from "../../lib/values/csv.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { viewUser } from "../accounts/users/user-view.ts";
import { viewApiKey } from "../api-keys/api-key-view.ts";
import { type LogCursor, readLogs } from "../logs/list/list-logs.ts";
import { listDrawingTasks, listMediaTasks } from "../tasks/list-tasks.ts";
import { ownOrderFields } from "../wallet/orders/list-orders.ts";

type ExportDeps = Readonly<{ db: Db; vault: Vault; settings: SettingsReader }>;
type Line = Readonly<{ kind: string }> & Readonly<Record<string, unknown>>;

const SLICE = 500;
/** A file is for programs too: as the API returns it when no language is set. */
const OWNER = { isOwner: true, language: "en" } as const;

/**
 * Everything that is kept of a user, as lines of JSON whose `kind` says what they are: account, key, order, redemption,
 * check_in, rebate, withdrawal, chat, drawing, task, log. Read in slices while it is sent. API keys are masked unless `withKeys`.
 */
export function exportAccount(deps: ExportDeps, userId: number, withKeys: boolean): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = linesOf(deps, userId, withKeys);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await lines.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(value.map((line) => `${JSON.stringify(line)}\n`).join("")));
    },
    async cancel() {
      await lines.return();
    },
  });
}

async function* linesOf(deps: ExportDeps, userId: number, withKeys: boolean): AsyncGenerator<Line[], void> {
  const { db, vault } = deps;
  yield [{ kind: "account", ...(await viewUser(db, userId)) }];
  yield* slices("key", async (after, limit) => {
    const rows = await db
      .select()
      .from(tokens)
      .where(and(eq(tokens.userId, userId), isNull(tokens.deletedAt), gt(tokens.id, after)))
      .orderBy(asc(tokens.id))
      .limit(limit);
    return rows.map((row) => {
      const view = viewApiKey(row, vault);
      return { ...view, key: withKeys ? `sk-${view.key}` : masked(view.key) };
    });
  });
  yield* slices("order", (after, limit) =>
    db
      .select(ownOrderFields)
      .from(topUpOrders)
      .where(and(eq(topUpOrders.userId, userId), gt(topUpOrders.id, after)))
      .orderBy(asc(topUpOrders.id))
      .limit(limit),
  );
  yield* slices("redemption", (after, limit) =>
    db
      .select({
        id: redemptionUses.id,
        name: redemptionCodes.name,
        quota: redemptionUses.quota,
        used_time: redemptionUses.usedTime,
      })
      .from(redemptionUses)
      .innerJoin(redemptionCodes, eq(redemptionCodes.id, redemptionUses.codeId))
      .where(and(eq(redemptionUses.userId, userId), gt(redemptionUses.id, after)))
      .orderBy(asc(redemptionUses.id))
      .limit(limit),
  );
  yield* checkInLines(db, userId);
  yield* slices("rebate", (after, limit) =>
    db
      .select({
        id: rebates.id,
        // Whose recharge it was is not the receiver's to keep.
        type: rebates.kind,
        recharge_quota: rebates.rechargeQuota,
        quota: rebates.quota,
        rate: rebates.rate,
        created_time: rebates.createdTime,
      })
      .from(rebates)
      .where(and(eq(rebates.userId, userId), gt(rebates.id, after)))
      .orderBy(asc(rebates.id))
      .limit(limit),
  );
  yield* slices("withdrawal", (after, limit) =>
    db
      .select({
        id: withdrawals.id,
        quota: withdrawals.quota,
        account: withdrawals.account,
        note: withdrawals.note,
        reply: withdrawals.reply,
        status: withdrawals.status,
        created_time: withdrawals.createdTime,
        decided_time: withdrawals.decidedTime,
      })
      .from(withdrawals)
      .where(and(eq(withdrawals.userId, userId), gt(withdrawals.id, after)))
      .orderBy(asc(withdrawals.id))
      .limit(limit),
  );
  yield* chatLines(db, userId);
  // The lists go backwards: what is submitted meanwhile would push rows from one page to the next.
  const end = nowSeconds();
  yield* pages("drawing", (page) => listDrawingTasks(deps, { userId, end: end * 1000 }, page, OWNER));
  yield* pages("task", (page) => listMediaTasks(db, { userId, end }, page, OWNER));
  yield* logLines(db, userId);
}

/** Rows as a list answers them, a page at a time. */
async function* pages(
  kind: string,
  read: (page: Readonly<{ page: number; pageSize: number }>) => Promise<{ items: object[] }>,
): AsyncGenerator<Line[], void> {
  for (let page = 0; ; page += 1) {
    const { items } = await read({ page, pageSize: SLICE });
    if (items.length > 0) yield items.map((row) => ({ kind, ...row }));
    if (items.length < SLICE) return;
  }
}

/** Rows in the order of their ids, a slice at a time. */
async function* slices(kind: string, read: Parameters<typeof slicesById>[0]): AsyncGenerator<Line[], void> {
  for await (const rows of slicesById(read)) yield rows.map((row) => ({ kind, ...row }));
}

async function* checkInLines(db: Db, userId: number): AsyncGenerator<Line[], void> {
  const days = { day: checkIns.day, quota: checkIns.quota, created_time: checkIns.createdTime };
  for (let after = "0001-01-01"; ; ) {
    const rows = await db
      .select(days)
      .from(checkIns)
      .where(and(eq(checkIns.userId, userId), gt(checkIns.day, after)))
      .orderBy(asc(checkIns.day))
      .limit(SLICE);
    if (rows.length > 0) yield rows.map((row) => ({ kind: "check_in", ...row }));
    if (rows.length < SLICE) return;
    after = rows.at(-1)?.day ?? after;
  }
}

/** One at a time: each may have many megabytes of files. */
async function* chatLines(db: Db, userId: number): AsyncGenerator<Line[], void> {
  const { id, title, body, updatedAt } = playgroundChats;
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const [row] = await db
      .select({ id, title, chat: body, updated_at: updatedAt })
      .from(playgroundChats)
      .where(and(eq(playgroundChats.userId, userId), gt(id, after)))
      .orderBy(asc(id))
      .limit(1);
    if (!row) return;
    yield [{ kind: "chat", ...row, chat: parsed(row.chat) }];
    after = row.id;
  }
}

async function* logLines(db: Db, userId: number): AsyncGenerator<Line[], void> {
  for (let before: LogCursor | undefined; ; ) {
    const rows = await readLogs(
      logOf(db),
      { userId },
      { page: 0, pageSize: SLICE, ...(before && { before }) },
      "owner",
    );
    if (rows.length > 0) yield rows.map((row) => ({ kind: "log", ...row, other: parsed(row.other) }));
    const last = rows.at(-1);
    if (!last || rows.length < SLICE) return;
    before = { createdAt: last.created_at, id: last.id };
  }
}

const masked = (key: string): string => `sk-${key.slice(0, 4)}…${key.slice(-4)}`;

function parsed(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
