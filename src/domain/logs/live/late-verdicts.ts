import { sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import type { GuardrailNote, LogOther } from "../../../billing/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { GUARDRAIL_TAG } from "../../../settings/option/guardrails.ts";

/** A row of the log, by what its call knows. */
export type LoggedCall = Readonly<{ recordId: string; createdAt: number }>;
type Verdict = GuardrailNote["verdicts"][number];

/** Takes verdicts of services that answered after their calls were logged. In the background; what cannot be added in time is lost. */
export type LateVerdicts = Readonly<{ add(call: LoggedCall, verdict: Verdict): void }>;

/** The writer of calls may be behind. */
const RETRY_MS = 2_000;
const MOST_TRIES = 150;
const MOST_WAITING = 1_000;
const MOST_VERDICTS = 50;

/** Adds late verdicts to the rows of their calls, in notes and tags, as soon as the rows are there. */
export function createLateVerdicts(db: Db, log: Logger): LateVerdicts {
  type Waiting = LoggedCall & { verdicts: Verdict[]; tries: number };
  const waiting = new Map<string, Waiting>();
  let isScheduled = false;
  const flush = async () => {
    isScheduled = false;
    // What is put back waits for the next time.
    for (const [id, call] of [...waiting]) {
      waiting.delete(id);
      try {
        if (await addToRow(db, call, call.verdicts)) continue;
      } catch (error) {
        log.warn({ error, requestId: id }, "a verdict could not be added to the log");
      }
      call.tries += 1;
      const newer = waiting.get(id)?.verdicts ?? [];
      if (call.tries < MOST_TRIES) waiting.set(id, { ...call, verdicts: [...call.verdicts, ...newer] });
    }
    schedule();
  };
  const schedule = () => {
    if (waiting.size === 0 || isScheduled) return;
    isScheduled = true;
    setTimeout(() => void flush(), RETRY_MS).unref();
  };
  return {
    add({ recordId, createdAt }, verdict) {
      const known = waiting.get(recordId);
      if (known) known.verdicts.push(verdict);
      else if (waiting.size < MOST_WAITING)
        waiting.set(recordId, { recordId, createdAt, verdicts: [verdict], tries: 0 });
      schedule();
    },
  };
}

/** Resolves false if the row is not there yet. */
function addToRow(db: Db, { recordId, createdAt }: LoggedCall, verdicts: readonly Verdict[]): Promise<boolean> {
  return logOf(db).transaction(async (tx) => {
    const [row] = await tx.execute<{ other: string; tags: string[] | null }>(sql`
      select ${logs.other}, ${logs.tags} from ${logs}
      where ${logs.requestId} = ${recordId} and ${logs.createdAt} = ${createdAt} for update`);
    if (!row) return false;
    // What the writer of calls has written.
    const other = JSON.parse(row.other || "{}") as LogOther;
    const noted = other.guardrails?.verdicts ?? [];
    const names = verdicts.flatMap(({ action, shadow, name }) => [shadow ? "shadow" : action, name]);
    const tags = [...new Set([...names.map((name) => GUARDRAIL_TAG + name), ...(row.tags ?? [])])];
    const guardrails = { ...other.guardrails, verdicts: [...noted, ...verdicts].slice(0, MOST_VERDICTS) };
    await tx.execute(sql`
      update ${logs} set other = ${JSON.stringify({ ...other, guardrails, tags })},
        tags = (select array_agg(tag) from jsonb_array_elements_text(${JSON.stringify(tags)}::text::jsonb) tag)
      where ${logs.requestId} = ${recordId} and ${logs.createdAt} = ${createdAt}`);
    return true;
  });
}
