import { and, asc, desc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { upstreamObjects } from "../../../../db/schema/channels/objects.ts";
import type { Db } from "../../../../db/types.ts";
import type { LogOther } from "../../../billing/types.ts";
import type { JsonObject } from "../../../formats/json.ts";

/** Objects with endpoints of their own. */
export type RoutedKind = "file" | "upload" | "batch" | "job";
/** Objects with objects of their own below them. */
export type CollectionKind = "conversation" | "vector_store" | "container" | "eval";
/** `response` and `interaction`: made in the background. */
export type ObjectKind = RoutedKind | CollectionKind | "eval_run" | "response" | "interaction";

/** Who pays for an object when it is done, as of its creation. */
export type Payer = Readonly<{
  username: string;
  tokenName: string;
  /** The API key has its own quota. */
  tokenLimited: boolean;
  group: string;
  /** The user accepts the site's price for models without one; absent in rows of older versions. */
  acceptsUnset?: boolean;
  /** The user's own group, on which prices may depend. */
  userGroup?: string;
  /** The requested model, which determines the price, and its upstream name; absent if each call has its own. */
  model?: Readonly<{ requested: string; upstream: string }>;
  /** The requested models of an object that uses several. */
  models?: readonly string[];
  /** The budgets that its charge counts in. */
  budgets?: NonNullable<LogOther["budgets"]>;
}>;

/** An object that an upstream stores for a user. */
export type StoredObject = Readonly<{
  id: string;
  kind: ObjectKind;
  userId: number;
  /** The API key that made it. */
  tokenId: number;
  channelId: number;
  keyHash: string;
  /** The object as last reported by the upstream. */
  body: JsonObject;
  payer: Payer;
  /** Unix time in seconds. */
  createdAt: number;
  settledAt: number | null;
}>;

/** A page of a user's objects of one kind. */
type Page = Readonly<{
  kind: ObjectKind;
  userId: number;
  /** Only objects that have this value; null: all. */
  match: Readonly<{ member: "purpose" | "name" | "eval_id"; value: string }> | null;
  after: string | null;
  /** The page ends before this object; excludes `after`. */
  before: string | null;
  limit: number;
  newestFirst: boolean;
}>;

export type ObjectStore = Readonly<{
  /** Stores an object or its new state; its owner never changes. */
  keep(object: StoredObject): Promise<void>;
  /** The user's object of this kind; null if there is none. */
  find(kind: ObjectKind, id: string, userId: number): Promise<StoredObject | null>;
  /** Objects with these ids, whoever owns them. */
  findAll(ids: readonly string[]): Promise<StoredObject[]>;
  /**
   * Stores an object that is paid for at `object.settledAt`. Resolves false if the user has it already and paid for it after
   * `paidBefore` (Unix time in seconds), or if it is another user's.
   */
  keepPaid(object: StoredObject, paidBefore: number): Promise<boolean>;
  list(page: Page): Promise<StoredObject[]>;
  remove(id: string): Promise<void>;
  /** Batches, jobs, runs of evals and responses that are not charged yet, oldest first; those after `after`. */
  unsettled(limit: number, after: StoredObject | null): Promise<StoredObject[]>;
  settled(id: string, now: number): Promise<void>;
}>;

/** Where rows of older versions have the upstream's object. */
const FORMER_MEMBER = "told";
const memberOf = (body: typeof upstreamObjects.body, name: string) =>
  sql`coalesce(${body}::json #>> array['object', ${name}]::text[], ${body}::json #>> array[${FORMER_MEMBER}, ${name}]::text[])`;

const CHARGED: readonly ObjectKind[] = ["batch", "job", "eval_run", "response", "interaction"];

/** Whether an object is charged when it is done. */
export const isChargedAtEnd = (kind: ObjectKind): boolean => CHARGED.includes(kind);

/** Stores upstream objects and their owners in the database. */
export function createObjectStore(db: Db): ObjectStore {
  const table = upstreamObjects;
  return {
    async keep(object) {
      const { body: response, payer, ...row } = object;
      const body = JSON.stringify({ object: response, payer });
      await db
        .insert(table)
        .values({ ...row, body })
        .onConflictDoUpdate({ target: table.id, set: { body }, setWhere: eq(table.userId, object.userId) });
    },
    async find(kind, id, userId) {
      const [row] = await db
        .select()
        .from(table)
        .where(and(eq(table.id, id), eq(table.kind, kind), eq(table.userId, userId)));
      return row ? objectOf(row) : null;
    },
    async keepPaid(object, paidBefore) {
      const { body: response, payer, ...row } = object;
      const stored = await db
        .insert(table)
        .values({ ...row, body: JSON.stringify({ object: response, payer }) })
        .onConflictDoUpdate({
          target: table.id,
          set: { settledAt: object.settledAt },
          setWhere: and(eq(table.userId, object.userId), or(isNull(table.settledAt), lte(table.settledAt, paidBefore))),
        })
        .returning({ id: table.id });
      return stored.length > 0;
    },
    async findAll(ids) {
      const rows = await db
        .select()
        .from(table)
        .where(inArray(table.id, [...ids]));
      return rows.map(objectOf);
    },
    async list({ kind, userId, match, after, before, limit, newestFirst }) {
      const descends = newestFirst === (before === null);
      const order = descends ? desc : asc;
      const cursor = before ?? after;
      const place = sql`(${table.createdAt}, ${table.id})`;
      const from = sql`(select created_at, id from upstream_objects where id = ${cursor} and user_id = ${userId})`;
      const rows = await db
        .select()
        .from(table)
        .where(
          and(
            eq(table.kind, kind),
            eq(table.userId, userId),
            match === null ? undefined : sql`${memberOf(table.body, match.member)} = ${match.value}`,
            cursor === null ? undefined : descends ? sql`${place} < ${from}` : sql`${place} > ${from}`,
          ),
        )
        .orderBy(order(table.createdAt), order(table.id))
        .limit(limit);
      const objects = rows.map(objectOf);
      return before === null ? objects : objects.reverse();
    },
    async remove(id) {
      await db.delete(table).where(eq(table.id, id));
    },
    async unsettled(limit, after) {
      const rows = await db
        .select()
        .from(table)
        .where(
          and(
            inArray(table.kind, [...CHARGED]),
            isNull(table.settledAt),
            after === null
              ? undefined
              : sql`(${table.createdAt}, ${table.id}) > (${after.createdAt}::bigint, ${after.id}::text)`,
          ),
        )
        .orderBy(asc(table.createdAt), asc(table.id))
        .limit(limit);
      return rows.map(objectOf);
    },
    async settled(id, now) {
      await db.update(table).set({ settledAt: now }).where(eq(table.id, id));
    },
  };
}

function objectOf(row: typeof upstreamObjects.$inferSelect): StoredObject {
  const { payer, ...objects } = JSON.parse(row.body) as { payer: Payer } & Record<string, JsonObject>;
  return { ...row, kind: row.kind as ObjectKind, body: objects.object ?? objects[FORMER_MEMBER] ?? {}, payer };
}

const FINAL_STATUSES: ReadonlySet<unknown> = new Set([
  ...["completed", "failed", "expired", "cancelled", "canceled", "succeeded"],
  // A response that was cut off, an interaction that waits for its client or used up its budget.
  ...["incomplete", "requires_action", "budget_exceeded"],
]);

/** Whether an object is in a final state. */
export const isFinal = ({ status }: JsonObject): boolean => FINAL_STATUSES.has(status);
