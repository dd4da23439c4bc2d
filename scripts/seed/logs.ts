import { type LogMonth, listLogMonths, monthOf } from "../../db/maintenance/partitions.ts";
import type { Statements } from "../../db/types.ts";
import { MODELS } from "./models.ts";
import type { FirstIds, Sizes } from "./seed.ts";

const MONTHS = 12;
/** A person at work: calls with one key to one model within an hour, on the channel that the conversation stays with. */
const CALLS_A_SITTING = 6;
/** One row in a hundred is no call: a top-up, an administrator's change, a check-in. */
const SHARE_OF_EVENTS = 0.01;

type Step = (what: string, work: (tx: Statements) => Promise<void>) => Promise<void>;

/**
 * Log rows over twelve months up to `now`, as many a day; a few users, models and channels make most of the calls. Only the first
 * month is made up, the others repeat it with times of their own, and an empty one gets its indexes once it is full: so a
 * hundred million rows take an hour.
 */
export async function addLogs(step: Step, first: FirstIds, sizes: Sizes, now: Date): Promise<void> {
  const end = Math.floor(now.getTime() / 1000);
  const months = Array.from({ length: MONTHS }, (_, index) => monthOf(now, index - MONTHS + 1));
  const [{ from: start } = monthOf(now, 0)] = months;
  for (const month of months) {
    const { name, from } = month;
    const until = Math.min(month.until, end);
    await step(name, (tx) =>
      fillMonth(tx, month, async (table) => {
        if (from > start) return repeatMonth(tx, first, { table, from, until, start });
        const rows = Math.round((sizes.logs * (until - from)) / (end - from));
        const events = Math.round(rows * SHARE_OF_EVENTS);
        const part = { table, from, span: until - from };
        await addCalls(tx, first, sizes, { ...part, rows: rows - events });
        await addEvents(tx, first, sizes, { ...part, rows: events });
      }),
    );
  }
}

async function fillMonth(tx: Statements, month: LogMonth, fill: (table: string) => Promise<void>): Promise<void> {
  const { name, from, until } = month;
  if ((await listLogMonths(tx)).some((present) => present.name === name)) {
    const [row] = await tx.unsafe(`select from ${name} limit 1`);
    if (row) return fill("logs");
    await tx.unsafe(`drop table ${name}`);
  }
  await tx.unsafe(`create table ${name} (like logs including defaults including constraints)`);
  await tx.unsafe(`alter table ${name} alter id set default nextval(pg_get_serial_sequence('logs', 'id'))`);
  await fill(name);
  await tx.unsafe(`alter table ${name} alter id drop default`);
  await tx.unsafe(`alter table logs attach partition ${name} for values from (${from}) to (${until})`);
}

/** `start`: of the month that is repeated, until `until`; epoch seconds. */
type Repeated = Readonly<{ table: string; from: number; until: number; start: number }>;

/** The new rows of the month at `start`, as many as fit, as if they were made from `from` on. */
async function repeatMonth(tx: Statements, first: FirstIds, { table, from, until, start }: Repeated): Promise<void> {
  const later = from - start;
  await tx`
    insert into ${tx(table)} (created_at, type, user_id, username, token_id, token_name, model_name, channel_id, "group",
      is_stream, failed, use_time, elapsed_ms, prompt_tokens, completion_tokens, quota, ip, request_id, content, other)
    select created_at + ${later}::bigint, type, user_id, username, token_id, token_name, model_name, channel_id, "group",
      is_stream, failed, use_time, elapsed_ms, prompt_tokens, completion_tokens, quota, ip,
      lpad(to_hex((created_at + ${later}::bigint) * 1000), 12, '0') || substr(request_id, 13), content, other
    from logs
    where created_at >= ${start}::bigint and created_at < ${start + until - from}::bigint and user_id >= ${first.user}::int
    order by created_at`;
}

/** Rows of a time: into that table, from then on (epoch seconds), within so many seconds. */
type Part = Readonly<{ table: string; from: number; span: number; rows: number }>;

async function addCalls(
  tx: Statements,
  first: FirstIds,
  sizes: Sizes,
  { table, from, span, rows }: Part,
): Promise<void> {
  const keysAUser = Math.max(1, Math.floor(sizes.tokens / sizes.users));
  const models = `{${MODELS.map((name) => JSON.stringify(name)).join(",")}}`;
  const channelsAModel = Math.max(1, Math.floor(sizes.channels / MODELS.length));
  await tx`
    with sittings as materialized (
      select s, floor(${sizes.users}::int * power(random(), 4))::int as u, floor(${MODELS.length}::int * power(random(), 3))::int as m,
        floor(${keysAUser}::int * power(random(), 3))::int as k, floor(${channelsAModel}::int * power(random(), 2))::int as c,
        floor(random() * ${span}::int / 3600)::int * 3600 as hour
      from generate_series(1, greatest(1, ${rows}::int / ${CALLS_A_SITTING}::int)) s
    ),
    calls as (
      select ${from}::bigint + least(hour + floor(random() * 3600)::int, ${span}::int - 1) as at, u, m, k, c, i,
        floor(20 + 6000 * power(random(), 3))::int as prompt, floor(10 + 1500 * power(random(), 2))::int as completion,
        floor(300 + 20000 * power(random(), 4))::int as ms, random() < 0.02 as failed, random() < 0.7 as streamed
      from generate_series(0, ${rows}::int - 1) i
      join sittings on s = 1 + i % greatest(1, ${rows}::int / ${CALLS_A_SITTING}::int)
    )
    insert into ${tx(table)} (created_at, type, user_id, username, token_id, token_name, model_name, channel_id, "group",
      is_stream, failed, use_time, elapsed_ms, prompt_tokens, completion_tokens, quota, ip, request_id, content, other)
    select at, 2, ${first.user}::int + u, 'user-' || ${first.user}::int + u,
      ${first.token}::int + u + k * ${sizes.users}::int, 'key-' || u + k * ${sizes.users}::int,
      (${models}::text::text[])[1 + m], ${first.channel}::int + least(m + c * ${MODELS.length}::int, ${sizes.channels}::int - 1),
      (array['default', 'default', 'default', 'vip', 'svip'])[1 + u % 5], streamed, failed, ms / 1000, ms,
      case when failed then 0 else prompt end, case when failed then 0 else completion end,
      case when failed then 0 else prompt + 4 * completion end, '203.0.113.' || u % 250,
      lpad(to_hex(at * 1000), 12, '0') || '-' || md5(at || '/' || i), '',
      '{"model_ratio":1,"completion_ratio":4,"group_ratio":1,"frt":' || ms / 3 || ',"usage_evidence":"reported","ending":"complete",'
        || '"admin_info":{"use_channel":["' || ${first.channel}::int + least(m + c * ${MODELS.length}::int, ${sizes.channels}::int - 1)
        || '"],"attempts":[]},"reserved":' || prompt + 16000 || ',"status":' || case when failed then 502 else 200 end || '}'
    from calls order by at`;
}

async function addEvents(
  tx: Statements,
  first: FirstIds,
  sizes: Sizes,
  { table, from, span, rows }: Part,
): Promise<void> {
  await tx`
    insert into ${tx(table)} (created_at, type, user_id, username, quota, content)
    select ${from}::bigint + floor(random() * ${span}::int)::int, (array[1, 5, 5, 4, 3])[1 + i % 5], ${first.user}::int + u,
      'user-' || ${first.user}::int + u, case when i % 5 < 3 then 500000 else 0 end,
      (array['Topped up $1', 'Checked in', 'Checked in', 'Invited a user', 'Changed a channel'])[1 + i % 5]
    from (select i, floor(${sizes.users}::int * power(random(), 4))::int as u from generate_series(1, ${rows}::int) i) e`;
}
