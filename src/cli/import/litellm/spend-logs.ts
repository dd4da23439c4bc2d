import { createHash } from "node:crypto";
import type { Source, SourceRow } from "../source.ts";
import { integerIn, textOf } from "../values.ts";
import { type Accounts, ownerOf } from "./accounts.ts";
import { unitsOf } from "./limits.ts";
import { rowsOf, secondsIn } from "./tables.ts";

const TABLE = '"LiteLLM_SpendLogs"';
const ROWS_A_SLICE = 10_000;
const COLUMNS = `request_id, api_key, spend, prompt_tokens, completion_tokens, "startTime", "endTime", model, model_group,
  model_id, "user", team_id, requester_ip_address, status, end_user, request_tags`;
const CONSUMPTION = 2;
const FAILED = 5;

/** What each key (by its hash) or deployment spent as far as the log shows, in quota units: each call rounded as it comes over. */
export async function readSpending(
  source: Source,
  column: "api_key" | "model_id",
  unitsAUsd: string,
): Promise<ReadonlyMap<string, number>> {
  if ((await source.columns("LiteLLM_SpendLogs")).size === 0) return new Map();
  const rows = await rowsOf(
    source,
    `(select json_build_object('of', ${column}, 'units', sum(round(greatest(spend, 0)::numeric * ${Number(unitsAUsd)})))::text as row
      from ${TABLE} group by ${column}) r`,
  );
  return new Map(rows.map((row) => [textOf(row, "of"), integerIn(row, "units")]));
}

type Context = Readonly<{
  accounts: Accounts;
  users: readonly SourceRow[];
  tokens: readonly SourceRow[];
  channelOf: ReadonlyMap<string, number>;
  unitsAUsd: string;
}>;

/** LiteLLM's log as rows of the log, in the order of time. */
export async function* spendLogs(source: Source, context: Context): AsyncGenerator<SourceRow[]> {
  if ((await source.columns("LiteLLM_SpendLogs")).size === 0) return;
  const tokenOf = new Map(context.tokens.map((token) => [textOf(token, "key"), token]));
  const nameOf = new Map(context.users.map((user) => [integerIn(user, "id"), textOf(user, "username")]));
  for (let last: SourceRow | null = null; ; ) {
    const after = last
      ? `where ("startTime", request_id) > (${literal(textOf(last, "startTime"))}::timestamp, ${literal(textOf(last, "request_id"))})`
      : "";
    const rows: SourceRow[] = await rowsOf(
      source,
      `(select to_jsonb(s)::text as row from (select ${COLUMNS} from ${TABLE} ${after}
        order by "startTime", request_id limit ${ROWS_A_SLICE}) s) r`,
    );
    if (rows.length > 0) yield rows.map((row) => readLog(row, context, tokenOf.get(textOf(row, "api_key")), nameOf));
    if (rows.length < ROWS_A_SLICE) return;
    last = rows.at(-1) ?? null;
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function readLog(
  row: SourceRow,
  { accounts, channelOf, unitsAUsd }: Context,
  token: SourceRow | undefined,
  nameOf: ReadonlyMap<number, string>,
): SourceRow {
  const userId = token ? integerIn(token, "user_id") : ownerOf({ team_id: row.team_id, user_id: row.user }, accounts);
  const [begun, ended] = ["startTime", "endTime"].map((column) => Date.parse(`${textOf(row, column)}Z`));
  return {
    id: Number.parseInt(createHash("sha256").update(textOf(row, "request_id")).digest("hex").slice(0, 12), 16),
    created_at: secondsIn(row, "startTime"),
    type: textOf(row, "status") === "failure" ? FAILED : CONSUMPTION,
    user_id: userId,
    username: nameOf.get(userId) ?? "",
    token_id: token?.id ?? 0,
    token_name: token ? textOf(token, "name") : "",
    model_name: textOf(row, "model_group") || textOf(row, "model"),
    channel_id: channelOf.get(textOf(row, "model_id")) ?? 0,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    quota: unitsOf(row.spend, unitsAUsd),
    elapsed_time: Math.max(0, (ended ?? 0) - (begun ?? 0)) || 0,
    ip: textOf(row, "requester_ip_address"),
    end_user: row.end_user,
    tags: row.request_tags,
  };
}
