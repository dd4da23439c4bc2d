import type { Session } from "../e2e/console-client.ts";
import { until } from "../lib/until.ts";

/** A row of the usage log with its details parsed. */
export type LogRow = Readonly<{
  id: number;
  type: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  channel: number;
  token_id: number;
  user_id: number;
  model_name: string;
  content: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into details of every shape
  other: any;
}>;

const PATIENCE_MS = 5000;
const PAGE_SIZE = 100;

/** A row of the usage log as it comes; `other` is JSON. */
export type ChargedRow = Readonly<{ id: number; request_id: string; quota: number; model_name: string; other: string }>;

/** What a user was charged, each row once: what is written between two pages moves rows of the first one to the second. */
export async function chargesOf(root: Session, username: string): Promise<ChargedRow[]> {
  const rows = new Map<number, ChargedRow>();
  for (let page = 1; ; page += 1) {
    const { items, total }: { items: ChargedRow[]; total: number } = await root.get(
      `/api/log/?p=${page}&page_size=${PAGE_SIZE}&type=2&username=${encodeURIComponent(username)}`,
    );
    for (const row of items) rows.set(row.id, row);
    if (page * PAGE_SIZE >= total) return [...rows.values()].filter(({ quota }) => quota !== 0);
  }
}

/** Consumption rows, newest first, as an administrator sees them. */
async function consumptionLogs(root: Session, limit = 100): Promise<LogRow[]> {
  const { items } = await root.get(`/api/log/?type=2&p=1&page_size=${limit}`);
  return items.map((row: LogRow) => ({ ...row, other: JSON.parse(String(row.other) || "{}") }));
}

/** Waits until the log has rows that match (the journal is written to the database a moment after the call). */
export function waitForLogs(root: Session, matches: (row: LogRow) => boolean, count = 1): Promise<LogRow[]> {
  return until(
    async () => (await consumptionLogs(root)).filter(matches),
    ({ length }) => length >= count,
  );
}

/** Longer than the journal waits before it writes to the database. */
const QUIET_MS = 700;

/** The caller's account once the charges of earlier calls are in it: read until two readings agree. */
export async function settledAccount(
  session: Session,
): Promise<{ quota: number; used_quota: number; request_count: number }> {
  const deadline = Date.now() + PATIENCE_MS;
  let account = await session.get("/api/user/self");
  while (Date.now() < deadline) {
    await Bun.sleep(QUIET_MS);
    const again = await session.get("/api/user/self");
    if (again.request_count === account.request_count) return again;
    account = again;
  }
  return account;
}
