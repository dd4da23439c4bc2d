import { and, count, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { alertDeliveries, alertDestinations } from "../../../db/schema/alerts.ts";
import type { Db, DbOrTx } from "../../../db/types.ts";
import type { Language } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { sayStored } from "../../lib/reason.ts";
import { FIRST_REST_SECONDS, REST_SECONDS } from "../notifications/pending-notices.ts";
import { type Alert, sayAlert, storedAlert } from "./alert.ts";
import { type AlertOwner, type DestinationRow, ownedBy } from "./destinations.ts";

/** A delivery with where it goes. */
export type Delivery = Readonly<{
  id: string;
  alert: Alert;
  /** Attempts so far. */
  attempts: number;
  destination: DestinationRow;
}>;

/** How an attempt ended. */
export type AttemptResult = Readonly<{ httpStatus: number | null; error: string; isFinal: boolean }>;

/** A delivery on the wire. */
export type DeliveryView = Readonly<{
  id: string;
  destination_id: number;
  destination_name: string;
  event: string;
  state: Alert["state"];
  severity: Alert["severity"];
  title: string;
  content: string;
  status: "pending" | "delivered" | "failed";
  http_status: number | null;
  error: string;
  attempts: number;
  /** Times in epoch seconds. */
  created_at: number;
  /** When the next attempt is due; null: none is. */
  next_at: number | null;
  finished_at: number | null;
}>;

/** Rests after the first attempt that failed, the second, and so on. */
const RESTS = [FIRST_REST_SECONDS, ...REST_SECONDS] as const;
/** The event of test messages, which are tried once. */
export const TEST_EVENT = "test";
const AT_ONCE = 50;
const RETENTION_SECONDS = 30 * 86_400;

/**
 * Writes down what is to be sent. The caller attempts it; should it die, another process does after the first rest. With
 * `notBefore`, in epoch seconds, nobody attempts it until then.
 */
export async function enqueueDelivery(
  db: DbOrTx,
  destination: DestinationRow,
  alert: Alert,
  now: number,
  notBefore = now + FIRST_REST_SECONDS,
): Promise<Delivery> {
  const id = `msg_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  await db.insert(alertDeliveries).values({
    id,
    destinationId: destination.id,
    event: alert.notice.type,
    alert: { ...alert },
    createdAt: now,
    nextAt: notBefore,
  });
  return { id, alert, attempts: 0, destination };
}

/** Takes deliveries whose time has come; each goes to one process. */
export const takeDueDeliveries = (db: Db, now: number): Promise<Delivery[]> =>
  take(
    db,
    now,
    sql`${alertDeliveries.id} in (
      select id from ${alertDeliveries} where status = 'pending' and next_at <= ${now} order by next_at limit ${AT_ONCE}
      for update skip locked)`,
  );

/** Takes one delivery of an owner to send it again, whatever became of it. Throws OperationError when there is none. */
export async function takeDelivery(db: Db, owner: AlertOwner, id: string, now: number): Promise<Delivery> {
  const owned = sql`exists (select from ${alertDestinations}
    where ${alertDestinations.id} = ${alertDeliveries.destinationId} and ${ownedBy(owner)})`;
  const [delivery] = await take(db, now, sql`${alertDeliveries.id} = ${id} and ${owned}`);
  if (!delivery) throw new OperationError("alert_delivery_not_found");
  return delivery;
}

async function take(db: Db, now: number, condition: SQL): Promise<Delivery[]> {
  const taken = await db
    .update(alertDeliveries)
    .set({ status: "pending", nextAt: now + FIRST_REST_SECONDS, finishedAt: null })
    .where(condition)
    .returning({ id: alertDeliveries.id });
  if (taken.length === 0) return [];
  const rows = await db
    .select()
    .from(alertDeliveries)
    .innerJoin(alertDestinations, eq(alertDestinations.id, alertDeliveries.destinationId))
    .where(sql`${alertDeliveries.id} = any(${`{${taken.map(({ id }) => id).join(",")}}`}::text[])`);
  return rows.map(({ alert_deliveries: { id, alert, attempts }, alert_destinations: destination }) => ({
    id,
    attempts,
    alert: storedAlert(alert),
    destination,
  }));
}

/** Writes down how an attempt ended. Resolves with whether another one follows. */
export async function finishAttempt(
  db: Db,
  { id, alert, attempts }: Delivery,
  { httpStatus, error, isFinal }: AttemptResult,
  now: number,
): Promise<boolean> {
  const rest = error === "" || isFinal || alert.notice.type === TEST_EVENT ? undefined : RESTS[attempts];
  const outcome =
    rest === undefined
      ? { status: error === "" ? "delivered" : "failed", finishedAt: now }
      : { status: "pending", nextAt: now + rest };
  await db
    .update(alertDeliveries)
    .set({ ...outcome, attempts: attempts + 1, httpStatus, error })
    .where(eq(alertDeliveries.id, id));
  return rest !== undefined;
}

/** Puts a delivery off without an attempt, in epoch seconds. */
export async function postponeDelivery(db: Db, { id }: Delivery, until: number): Promise<void> {
  await db.update(alertDeliveries).set({ nextAt: until }).where(eq(alertDeliveries.id, id));
}

/** Ends a delivery without an attempt. */
export async function cancelDelivery(db: Db, { id }: Delivery, error: string, now: number): Promise<void> {
  await db.update(alertDeliveries).set({ status: "failed", error, finishedAt: now }).where(eq(alertDeliveries.id, id));
}

/** Deletes deliveries that are older than the log keeps them. */
export async function forgetOldDeliveries(db: Db, now: number): Promise<void> {
  await db.delete(alertDeliveries).where(lt(alertDeliveries.createdAt, now - RETENTION_SECONDS));
}

/** One page of an owner's deliveries, newest first; `page` counts from 0. */
export async function listDeliveries(
  db: Db,
  owner: AlertOwner,
  { page, pageSize, destinationId }: Readonly<{ page: number; pageSize: number; destinationId?: number | undefined }>,
  language: Language,
): Promise<{ items: DeliveryView[]; total: number }> {
  const condition = and(
    ownedBy(owner),
    destinationId === undefined ? undefined : eq(alertDestinations.id, destinationId),
  );
  const joined = eq(alertDestinations.id, alertDeliveries.destinationId);
  const { total } = requireRow(
    await db.select({ total: count() }).from(alertDeliveries).innerJoin(alertDestinations, joined).where(condition),
  );
  const rows = await db
    .select()
    .from(alertDeliveries)
    .innerJoin(alertDestinations, joined)
    .where(condition)
    .orderBy(desc(alertDeliveries.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map((row) => viewDelivery(row.alert_deliveries, row.alert_destinations, language)), total };
}

/** A delivery of an owner. Throws OperationError when there is none. */
export async function getDelivery(db: Db, owner: AlertOwner, id: string, language: Language): Promise<DeliveryView> {
  const [row] = await db
    .select()
    .from(alertDeliveries)
    .innerJoin(alertDestinations, eq(alertDestinations.id, alertDeliveries.destinationId))
    .where(and(ownedBy(owner), eq(alertDeliveries.id, id)));
  if (!row) throw new OperationError("alert_delivery_not_found");
  return viewDelivery(row.alert_deliveries, row.alert_destinations, language);
}

function viewDelivery(
  row: typeof alertDeliveries.$inferSelect,
  destination: DestinationRow,
  language: Language,
): DeliveryView {
  const alert = storedAlert(row.alert);
  const { title, content, state, severity } = sayAlert(alert, language, { site: "", address: "" });
  return {
    id: row.id,
    destination_id: destination.id,
    destination_name: destination.name,
    event: row.event,
    state,
    severity,
    title,
    content,
    status: row.status as DeliveryView["status"],
    http_status: row.httpStatus,
    error: sayStored(row.error, language),
    attempts: row.attempts,
    created_at: row.createdAt,
    next_at: row.status === "pending" ? row.nextAt : null,
    finished_at: row.finishedAt,
  };
}
