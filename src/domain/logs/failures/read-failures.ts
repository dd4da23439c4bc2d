import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { channels } from "../../../../db/schema/channels/channels.ts";
import { failureDecisions } from "../../../../db/schema/logs/failures.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { mainOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import type { FailureNote, LogOther } from "../../../billing/types.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { logConditions } from "../log-filter.ts";
import { sumUsage } from "../usage/usage-sums.ts";
import { LOG_TYPE, writeManagementLog } from "../write-log.ts";
import { type FailureClass, type FailureState, failureCause, failureKey } from "./failure-rules.ts";

/** Whose failures of which time, in epoch seconds, both inclusive; a user's own are grouped by what users may know. */
type FailureQuery = Readonly<{ start: number; end: number; userId?: number }>;

/** Calls of a period that failed alike. */
export type FailureGroup = Readonly<{
  /** What the calls have in common, as text: the group's name in addresses and alert rules. */
  cause: string;
  class: FailureClass;
  /** 0: none was reached, or it is the operator's business. */
  channel_id: number;
  channel_name: string;
  /** Of the channel now; 0: there is none. */
  channel_status: number;
  model: string;
  status: number;
  code: string;
  count: number;
  users: number;
  /** Of all calls of the period, from 0 to 1. */
  share: number;
  first_seen: number;
  last_seen: number;
  state: FailureState;
  /** The latest call: its request, whose it is, and why it failed. */
  example: FailureNote & Readonly<{ request_id: string; user_id: number; token_name: string }>;
}>;

type FailureGroups = Readonly<{
  groups: readonly FailureGroup[];
  /** All calls of the period, and those that failed. */
  calls: number;
  failed: number;
  /** Only the latest failures were grouped: there are more than are looked at. */
  is_partial: boolean;
}>;

/** So many failures say what goes wrong; more would take long to read. */
const MOST_FAILURES = 5000;
/** Of one owner; the oldest are forgotten. */
const MOST_DECISIONS = 1000;
/** Characters of a row's `other` from which the logged content is left out of it. */
const LONG_OTHER = 20_000;

/** The failures of a period by their cause, those that were seen last first. */
export async function readFailures(db: Db, { userId, ...period }: FailureQuery): Promise<FailureGroups> {
  const filter = { ...period, ...(userId !== undefined && { userId }) };
  const rows = await readRows(db, filter);
  const isOwn = userId !== undefined;
  const sums = await sumUsage(db, filter);
  const failed = Math.max(sums.failed, rows.length);
  const calls = Math.max(sums.count, failed);
  const groups = groupRows(rows, isOwn);
  const known = await readChannels(db, groups);
  const decisions = await readDecisions(db, userId ?? 0);
  return {
    groups: groups.map(({ users, ...group }) => {
      const channel = known.get(group.channel_id);
      return {
        ...group,
        channel_name: channel?.name ?? "",
        channel_status: channel?.status ?? 0,
        users: users.size,
        share: calls === 0 ? 0 : ((group.count / rows.length) * failed) / calls,
        state: stateOf(decisions.get(group.cause), group.last_seen),
      };
    }),
    calls,
    failed,
    is_partial: rows.length < failed && rows.length === MOST_FAILURES,
  };
}

type Row = Awaited<ReturnType<typeof readRows>>[number];

/** What was asked and answered, where contents are logged: members whose values are texts. */
const CONTENTS = String.raw`"(system_prompt|context|input_content|output_content|client|upstream)":"(?:[^"\\]|\\.)*"`;

/** The latest failed calls, without what their contents were. */
async function readRows(db: Db, filter: Readonly<{ start: number; end: number; userId?: number }>) {
  // As text: rows that came from elsewhere may be no JSON, and an error would take the others with it.
  const short = sql<string>`case when length(${logs.other}) <= ${LONG_OTHER} then ${logs.other}
    else regexp_replace(${logs.other}, ${CONTENTS}, ${String.raw`"\1":""`}, 'g') end`;
  return db
    .select({
      ...{ createdAt: logs.createdAt, userId: logs.userId, channelId: logs.channelId, modelName: logs.modelName },
      ...{ tokenName: logs.tokenName, requestId: logs.requestId, content: logs.content, other: short },
    })
    .from(logs)
    .where(logConditions({ ...filter, type: LOG_TYPE.consumption, failed: true }))
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(MOST_FAILURES);
}

type Counted = Omit<FailureGroup, "users" | "share" | "state" | "channel_name" | "channel_status"> & {
  users: Set<number>;
};

/** Groups of rows that are ordered by time, the latest first. */
function groupRows(rows: readonly Row[], isOwn: boolean): Counted[] {
  const groups = new Map<string, Counted>();
  for (const row of rows) {
    const { admin_info: operators, ...others } = readOther(row.other);
    const other = isOwn || !operators ? others : { ...others, admin_info: operators };
    const found = failureCause(other);
    const channelId = isOwn ? 0 : row.channelId;
    const cause = failureKey(found, { channelId, model: row.modelName });
    const group = groups.get(cause);
    if (group) {
      groups.set(cause, {
        ...group,
        count: group.count + 1,
        first_seen: row.createdAt,
        users: group.users.add(row.userId),
      });
      continue;
    }
    const last = operators?.attempts?.findLast(({ isCancelled, error }) => !isCancelled && error);
    const { error = row.content, error_reason: reason } = (isOwn ? undefined : last) ?? other;
    groups.set(cause, {
      ...{ cause, ...found, channel_id: channelId, model: row.modelName, count: 1, users: new Set([row.userId]) },
      ...{ first_seen: row.createdAt, last_seen: row.createdAt },
      example: {
        ...{
          request_id: other.request_id ?? row.requestId ?? "",
          user_id: row.userId,
          token_name: row.tokenName,
          error,
        },
        ...(reason && { error_reason: reason }),
      },
    });
  }
  return [...groups.values()];
}

/** Imported rows may have anything there. */
function readOther(text: string): Partial<LogOther> {
  try {
    const other: unknown = JSON.parse(text || "{}");
    return typeof other === "object" && other !== null ? other : {};
  } catch {
    return {};
  }
}

async function readChannels(db: Db, groups: readonly Readonly<{ channel_id: number }>[]) {
  const ids = [...new Set(groups.map(({ channel_id: id }) => id).filter(Boolean))];
  if (ids.length === 0) return new Map<number, { name: string; status: number }>();
  const rows = await mainOf(db)
    .select({ id: channels.id, name: channels.name, status: channels.status })
    .from(channels)
    .where(isOneOf(channels.id, ids));
  return new Map(rows.map(({ id, ...channel }) => [id, channel]));
}

type Decision = Readonly<{ status: "muted" | "resolved"; decidedAt: number }>;

async function readDecisions(db: Db, ownerId: number): Promise<Map<string, Decision>> {
  const { cause, status, decidedAt } = failureDecisions;
  const rows = await mainOf(db)
    .select({ cause, status, decidedAt })
    .from(failureDecisions)
    .where(eq(failureDecisions.ownerId, ownerId));
  return new Map(rows.map(({ cause: key, ...decision }) => [key, decision]));
}

/** A resolved group that failed again is open. */
function stateOf(decision: Decision | undefined, lastSeen: number): FailureState {
  if (!decision) return "open";
  return decision.status === "resolved" && lastSeen > decision.decidedAt ? "open" : decision.status;
}

/** Mutes or resolves a group of the site's failures (owner 0) or of a user's own, or opens it again. */
export async function decideFailure(
  db: Db,
  ownerId: number,
  cause: string,
  decision: Readonly<{ state: FailureState; by: number; now: number }>,
): Promise<void> {
  const { state, by, now } = decision;
  await writeManagementLog(db, { id: by }, `Failures ${cause}: ${state}`, {
    note: { code: `failure_${state}`, params: { cause } },
    action: "update",
  });
  if (state === "open") {
    await db
      .delete(failureDecisions)
      .where(and(eq(failureDecisions.ownerId, ownerId), eq(failureDecisions.cause, cause)));
    return;
  }
  const values = { status: state, decidedAt: now, decidedBy: by };
  await db
    .insert(failureDecisions)
    .values({ ownerId, cause, ...values })
    .onConflictDoUpdate({ target: [failureDecisions.ownerId, failureDecisions.cause], set: values });
  const older = db
    .select({ cause: failureDecisions.cause })
    .from(failureDecisions)
    .where(eq(failureDecisions.ownerId, ownerId))
    .orderBy(desc(failureDecisions.decidedAt), failureDecisions.cause)
    .offset(MOST_DECISIONS);
  await db
    .delete(failureDecisions)
    .where(and(eq(failureDecisions.ownerId, ownerId), inArray(failureDecisions.cause, older)));
}
