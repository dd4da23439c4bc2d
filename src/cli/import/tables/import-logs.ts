import { createHash } from "node:crypto";
import { createLogMonths, monthOf } from "../../../../db/maintenance/partitions.ts";
import { requireRow } from "../../../../db/require-row.ts";
import type { Statements } from "../../../../db/types.ts";
import { boundText } from "../../../billing/bounds/bounds.ts";
import { SETTLING } from "../../../billing/journal/apply/apply-batch.ts";
import type { Family } from "../coverage/detect-family.ts";
import { type IdMap, type Migration, textArray } from "../migration.ts";
import type { SourceRow } from "../source.ts";
import { balanceOf, flagOf, integerIn, textOf } from "../values.ts";

const KIND = "log";
const CONSUMPTION = 2;
const SYSTEM = 4;
const ROWS_A_STATEMENT = 2000;

type Ids = Readonly<{ users: IdMap; tokens: IdMap; channels: IdMap }>;
type LogRow = ReturnType<typeof readLog>;

/** Brings the log over, month by month as it is kept here, and adds its calls to the statistics. */
export async function importLogs(migration: Migration, ids: Ids): Promise<void> {
  const { source, database, family, report, isDry } = migration;
  const section = report.section(KIND);
  if ((await source.columns("logs")).size === 0) return;
  for await (const rows of source.slices("logs")) {
    section.read += rows.length;
    const logs = rows.map((row) => readLog(family, row, ids));
    section.before += logs.reduce((sum, { type, quota }) => sum + (type === CONSUMPTION ? quota : 0), 0);
    const known = isDry ? await countHere(database.sql, logs) : null;
    if (known) {
      section.present += known.rows;
      section.added += rows.length - known.rows;
      continue;
    }
    const added = await database.sql.begin(async (tx) => {
      // In turns with the job that sums up hours: it would miss what is added to an hour meanwhile.
      await tx`select pg_advisory_xact_lock(${SETTLING})`;
      const months = new Map(
        logs.map(({ created_at }) => monthOf(new Date(created_at * 1000), 0)).map((m) => [m.name, m]),
      );
      await createLogMonths(tx, [...months.values()]);
      let count = 0;
      for (let start = 0; start < logs.length; start += ROWS_A_STATEMENT) {
        count += await insertLogs(tx, logs.slice(start, start + ROWS_A_STATEMENT));
      }
      return count;
    });
    section.added += added;
    section.present += rows.length - added;
    section.after += (await countHere(database.sql, logs)).quota;
  }
}

function readLog(family: Family, row: SourceRow, ids: Ids) {
  const [type, failed] = readType(family, integerIn(row, "type"));
  const useTime = balanceOf(row, "use_time");
  const elapsedMs = balanceOf(row, "elapsed_time") || useTime * 1000;
  return {
    created_at: balanceOf(row, "created_at"),
    type,
    failed,
    user_id: ids.users.get(integerIn(row, "user_id")) ?? 0,
    username: textOf(row, "username"),
    token_id: ids.tokens.get(integerIn(row, "token_id")) ?? 0,
    token_name: textOf(row, "token_name"),
    model_name: textOf(row, "model_name"),
    channel_id: ids.channels.get(integerIn(row, "channel_id")) ?? 0,
    group: textOf(row, "group"),
    is_stream: flagOf(row, "is_stream"),
    use_time: Math.min(useTime || Math.round(elapsedMs / 1000), LARGEST_INTEGER),
    elapsed_ms: Math.min(elapsedMs, LARGEST_INTEGER),
    prompt_tokens: Math.min(balanceOf(row, "prompt_tokens"), LARGEST_INTEGER),
    completion_tokens: Math.min(balanceOf(row, "completion_tokens"), LARGEST_INTEGER),
    quota: integerIn(row, "quota"),
    ip: textOf(row, "ip"),
    end_user: boundText(textOf(row, "end_user"), END_USER) || null,
    tags: tagsOf(row.tags),
    request_id: requestIdOf(row),
    content: textOf(row, "content"),
    other: detailsOf(row),
  };
}

const END_USER = { most: 256, isProse: false } as const;
/** As many, and as long ones, as a call may have. */
const MOST_TAGS = 10;
const TAG = { most: 64, isProse: false } as const;

function tagsOf(value: unknown): string[] | null {
  const texts = Array.isArray(value) ? value.filter((tag): tag is string => typeof tag === "string") : [];
  const tags = new Set(texts.map((tag) => boundText(tag.replaceAll("\0", "").trim(), TAG)).filter(Boolean));
  return tags.size === 0 ? null : [...tags].slice(0, MOST_TAGS);
}

/** The details of a row; empty where they are no JSON that the database can read. */
function detailsOf(row: SourceRow): string {
  const details = textOf(row, "other");
  try {
    // Neither zero characters nor halves of a pair can be kept in its JSON.
    return /\\u(0000|d[89a-f])/.test(JSON.stringify(JSON.parse(details))) ? "" : details;
  } catch {
    return "";
  }
}

const LARGEST_INTEGER = 2_147_483_647;

/** The families share the types 1 to 4; 5 is a channel test in one-api, a check-in in Veloera, else a failed call. */
function readType(family: Family, type: number): [type: number, failed: boolean] {
  if (type >= 1 && type <= 4) return [type, false];
  if (type !== 5 || family === "one-api") return [SYSTEM, false];
  return family === "Veloera" ? [5, false] : [CONSUMPTION, true];
}

/** What a row is known by when it comes again: made of what never changes in it, whichever engine it is read from. */
function requestIdOf(row: SourceRow): string {
  const columns = ["user_id", "username", "token_name", "model_name", "content"].map((name) => textOf(row, name));
  const numbers = ["id", "created_at", "type", "quota", "prompt_tokens", "completion_tokens"].map((name) =>
    integerIn(row, name),
  );
  const hash = createHash("sha256")
    .update(JSON.stringify([columns, numbers]))
    .digest("hex");
  return `imported-${hash.slice(0, 32)}`;
}

async function countHere(sql: Statements, logs: readonly LogRow[]): Promise<{ rows: number; quota: number }> {
  const times = logs.map(({ created_at }) => created_at);
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const found = requireRow(
    await sql<{ rows: number; quota: number }[]>`
    select count(*)::int as rows, coalesce(sum(quota) filter (where type = ${CONSUMPTION}), 0)::bigint as quota from logs
    where request_id in (select unnest(${textArray(logs.map(({ request_id }) => request_id))}::text::text[]))
      and created_at between ${first} and ${last}`,
  );
  return found;
}

/** Inserts those that are not here yet, and their sums. Returns how many. */
async function insertLogs(tx: Statements, logs: readonly LogRow[]): Promise<number> {
  const inserted = requireRow(
    await tx<{ count: number }[]>`
    with added as (
      insert into logs (created_at, type, failed, user_id, username, token_id, token_name, model_name, channel_id, "group",
        is_stream, use_time, elapsed_ms, prompt_tokens, completion_tokens, quota, ip, end_user, tags, request_id, content, other)
      select created_at, type, failed, user_id, username, token_id, token_name, model_name, channel_id, "group",
        is_stream, use_time, elapsed_ms, prompt_tokens, completion_tokens, quota, ip, end_user, tags, request_id, content, other
      from json_populate_recordset(null::logs, ${JSON.stringify(logs)}::text::json)
      on conflict do nothing
      returning *
    ), summed as (
      insert into usage_rollups as r (hour, user_id, username, token_id, token_name, channel_id, model_name, "group",
        count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms)
      select created_at - created_at % 3600 as hour, user_id, username, token_id, token_name, channel_id, model_name,
        "group", count(*), count(*) filter (where failed), sum(quota), sum(prompt_tokens::bigint),
        sum(completion_tokens::bigint), sum(elapsed_ms::bigint)
      from added where type = ${CONSUMPTION} group by 1, 2, 3, 4, 5, 6, 7, 8
      on conflict (hour, user_id, username, token_id, token_name, channel_id, model_name, "group") do update set
        count = r.count + excluded.count, failed = r.failed + excluded.failed, quota = r.quota + excluded.quota,
        prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = r.completion_tokens + excluded.completion_tokens,
        elapsed_ms = r.elapsed_ms + excluded.elapsed_ms
    ), late as (
      update usage_fold set until = s.first - s.first % 3600
      from (select min(created_at) as first from added) s where until > s.first
    )
    select count(*)::int as count from added`,
  );
  return inserted.count;
}
