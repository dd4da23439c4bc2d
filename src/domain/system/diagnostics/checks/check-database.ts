import { newestMigration, readApplied } from "../../../../../db/migrate/migrate.ts";
import { requireRow } from "../../../../../db/require-row.ts";
import type { ReplicaStatus } from "../../../../../db/server/replica.ts";
import { reasonOf } from "../../../../lib/reason.ts";
import type { DiagnosticsContext } from "../diagnostics-context.ts";
import { type Finding, fine, trouble } from "../diagnostics-context.ts";

/** A row of the options table that is no option, as the mark of the encryption key is. */
const ROW = "_doctor";
const WRITES = 5;
/** A committed write slower than this makes the journal grow under load. */
const SLOW_WRITE_MS = 100;

/** Whether the database answers, what it is, how long a committed write takes, whether its tables are this
 * release's, and whether it notices pages that the disk damaged. */
export async function checkDatabase({
  database,
  reads,
}: Pick<DiagnosticsContext, "database" | "reads">): Promise<Finding[]> {
  try {
    return [
      await askVersion(database),
      await timeWrites(database),
      await compareTables(database),
      await checkChecksums(database),
      ...checkReplica(reads.replica()),
    ];
  } catch (error) {
    const fix = database.kind === "embedded" ? "doctor_fix_database_embedded" : "doctor_fix_database_server";
    return [trouble("fail", ["doctor_database_down", { reason: reasonOf(error) }], [fix])];
  }
}

function checkReplica(replica: ReplicaStatus | null): Finding[] {
  if (replica === null) return [];
  const { isUsed, lagSeconds } = replica;
  if (lagSeconds === null) return [trouble("warn", ["doctor_replica_down"], ["doctor_fix_replica_down"])];
  const params = { seconds: lagSeconds };
  if (isUsed) return [fine("doctor_replica_fine", params)];
  return [trouble("warn", ["doctor_replica_behind", params], ["doctor_fix_replica_behind"])];
}

async function askVersion({ sql, kind }: DiagnosticsContext["database"]): Promise<Finding> {
  const row = requireRow(await sql<{ version: string }[]>`select current_setting('server_version') as version`);
  const code = kind === "embedded" ? "doctor_database_embedded" : "doctor_database_server";
  return fine(code, { version: row.version });
}

async function checkChecksums({ sql }: DiagnosticsContext["database"]): Promise<Finding> {
  const row = requireRow(await sql<{ on: boolean }[]>`select current_setting('data_checksums') = 'on' as on`);
  if (row.on) return fine("doctor_checksums_on");
  return trouble("warn", ["doctor_checksums_off"], ["doctor_fix_checksums"]);
}

async function timeWrites({ sql }: DiagnosticsContext["database"]): Promise<Finding> {
  const times: number[] = [];
  for (let round = 0; round < WRITES; round += 1) {
    const start = performance.now();
    await sql`insert into options (key, value) values (${ROW}, ${String(Date.now())})
      on conflict (key) do update set value = excluded.value`;
    times.push(performance.now() - start);
  }
  await sql`delete from options where key = ${ROW}`;
  // The first may have opened a connection.
  const ms = times.sort((a, b) => a - b)[Math.floor(WRITES / 2)] ?? 0;
  return judgeWrite(ms);
}

/** `ms`: the median of some committed writes. */
export function judgeWrite(ms: number): Finding {
  const message = ["doctor_database_write", { ms: ms.toFixed(1) }] as const;
  return ms > SLOW_WRITE_MS ? trouble("warn", message, ["doctor_fix_database_slow"]) : fine(...message);
}

async function compareTables({ sql }: DiagnosticsContext["database"]): Promise<Finding> {
  const [{ newest: applied, compatibleFrom }, newest] = await Promise.all([readApplied(sql), newestMigration()]);
  if (applied === newest) return fine("doctor_migrations_done");
  if (applied < newest) return trouble("fail", ["doctor_migrations_pending"], ["doctor_fix_migrations_pending"]);
  return compatibleFrom <= newest
    ? fine("doctor_migrations_compatible")
    : trouble("fail", ["doctor_migrations_newer"], ["doctor_fix_migrations_newer"]);
}
