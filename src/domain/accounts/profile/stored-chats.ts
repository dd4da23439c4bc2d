import { and, desc, eq, or, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { playgroundChats } from "../../../../db/schema/accounts/playground-chats.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { contains } from "../../../lib/values/sql-text.ts";

/** Chats of one user; the space for all of them is the site's option. */
const MOST_CHATS = 1000;
const MEGABYTE = 1_048_576;

/** A chat in the list; the newest first. Times in epoch milliseconds. */
export type StoredChat = Readonly<{ id: string; title: string; bytes: number; updated_at: number }>;

/** Whether a user stores chats here, and how much they take. */
export type ChatHistory = Readonly<{
  enabled: boolean;
  items: readonly StoredChat[];
  used_bytes: number;
  /** 0: the site stores no chats. */
  limit_bytes: number;
}>;

/** A chat to store: the console's JSON, and the words that it is found by. */
type ChatInput = Readonly<{ id: string; title: string; words: string; body: string }>;

/** Lists a user's chats; `search` is looked for in titles and texts. `limitMegabytes`: the site's option. */
export async function listChats(db: Db, userId: number, search: string, limitMegabytes: number): Promise<ChatHistory> {
  const { id, title, bytes, updatedAt } = playgroundChats;
  const found = search ? or(contains(title, search), contains(playgroundChats.words, search)) : undefined;
  const [enabled, items, used] = await Promise.all([
    isEnabled(db, userId),
    db
      .select({ id, title, bytes, updated_at: updatedAt })
      .from(playgroundChats)
      .where(and(eq(playgroundChats.userId, userId), found))
      .orderBy(desc(updatedAt), id)
      .limit(MOST_CHATS),
    usedBytes(db, userId),
  ]);
  return { enabled, items, used_bytes: used.bytes, limit_bytes: limitMegabytes * MEGABYTE };
}

/** The console's JSON of a chat. Throws OperationError when the user has none with the id. */
export async function readChat(db: Db, userId: number, id: string): Promise<string> {
  const [row] = await db.select({ body: playgroundChats.body }).from(playgroundChats).where(ownChat(userId, id));
  if (!row) throw new OperationError("playground_chat_not_found", {}, { status: 404 });
  return row.body;
}

/** Stores a chat in place of an earlier version. Throws OperationError when the user's space is full or the switch is off. */
export async function saveChat(
  db: Db,
  userId: number,
  { id, title, words, body }: ChatInput,
  { limitMegabytes, nowMs }: Readonly<{ limitMegabytes: number; nowMs: number }>,
): Promise<void> {
  const bytes = Buffer.byteLength(body) + Buffer.byteLength(words);
  await db.transaction(async (tx) => {
    // One of a user's chats at a time, so that two together don't exceed the space.
    if (!(await isEnabled(tx, userId, true))) throw new OperationError("playground_history_off", {}, { status: 409 });
    const used = await usedBytes(tx, userId, id);
    if (used.count >= MOST_CHATS)
      throw new OperationError("playground_chats_full", { max: MOST_CHATS }, { status: 409 });
    if (used.bytes + bytes > limitMegabytes * MEGABYTE)
      throw new OperationError("playground_storage_full", { max: limitMegabytes }, { status: 409 });
    const row = { title, words, body, bytes, updatedAt: nowMs };
    const saved = await tx
      .insert(playgroundChats)
      .values({ id, userId, ...row })
      .onConflictDoUpdate({ target: playgroundChats.id, set: row, setWhere: eq(playgroundChats.userId, userId) })
      .returning({ id: playgroundChats.id });
    if (saved.length === 0) throw new OperationError("playground_chat_not_found", {}, { status: 404 });
  });
}

/** Deletes a chat; one that is gone already is no error. */
export async function deleteChat(db: Db, userId: number, id: string): Promise<void> {
  await db.delete(playgroundChats).where(ownChat(userId, id));
}

/** Switches storing on, or off, which deletes what is stored. Returns how many chats that were. */
export async function switchHistory(db: Db, userId: number, isOn: boolean): Promise<number> {
  return db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ setting: sql`${users.setting} || jsonb_build_object('playground_history', ${isOn}::boolean)` })
      .where(eq(users.id, userId));
    if (isOn) return 0;
    const removed = await tx
      .delete(playgroundChats)
      .where(eq(playgroundChats.userId, userId))
      .returning({ id: playgroundChats.id });
    return removed.length;
  });
}

const ownChat = (userId: number, id: string) => and(eq(playgroundChats.id, id), eq(playgroundChats.userId, userId));

async function isEnabled(db: Db | Tx, userId: number, locks = false): Promise<boolean> {
  const query = db.select({ setting: users.setting }).from(users).where(eq(users.id, userId));
  const [user] = locks ? await query.for("update") : await query;
  return user?.setting.playground_history === true;
}

/** What a user's chats take, without the one that is replaced. */
async function usedBytes(db: Db | Tx, userId: number, without?: string) {
  const rows = await db
    .select({
      bytes: sql<number>`coalesce(sum(${playgroundChats.bytes}), 0)`.mapWith(Number),
      count: sql<number>`count(*)`.mapWith(Number),
    })
    .from(playgroundChats)
    .where(
      and(
        eq(playgroundChats.userId, userId),
        without === undefined ? undefined : sql`${playgroundChats.id} <> ${without}`,
      ),
    );
  return requireRow(rows);
}
