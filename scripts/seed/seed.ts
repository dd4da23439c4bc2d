import { DEADLINES_MS, withDeadline } from "../../db/server/deadlines.ts";
import type { Database, Statements } from "../../db/types.ts";
import { foldUsage } from "../../src/domain/logs/usage/totals/fold-usage.ts";
import type { Vault } from "../../src/lib/security/crypto.ts";
import { addAbilities, addChannels, addTokens, addUsers } from "./accounts.ts";
import { addLogs } from "./logs.ts";
import { addUp, refreshStatistics } from "./sums.ts";

export type Sizes = Readonly<{ channels: number; users: number; tokens: number; logs: number }>;
export type Seeding = Readonly<{ database: Database; vault: Vault; say: (line: string) => void }>;

const HOUR_S = 3600;

/** Sizes at which every list is to open at once. */
export const FULL_SIZE: Sizes = { channels: 10_000, users: 100_000, tokens: 1_000_000, logs: 10_000_000 };

/** Adds that many of each; a step may take minutes. */
export const seed = (seeding: Seeding, sizes: Sizes): Promise<void> =>
  withDeadline(DEADLINES_MS.long, () => addAll(seeding, sizes));

/** Adds rows with roll-ups, abilities and counters that agree with the log, over the last twelve months. */
async function addAll({ database, vault, say }: Seeding, sizes: Sizes): Promise<void> {
  const step = async (what: string, work: (tx: Statements) => Promise<void>) => {
    const began = performance.now();
    await database.sql.begin(async (tx) => {
      await tx.unsafe(
        "set local statement_timeout = 0; set local synchronous_commit = off; set local work_mem = '128MB'",
      );
      await work(tx);
    });
    say(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  };
  const first = await nextIds(database.sql);
  await step(`${sizes.users} users`, (tx) => addUsers(tx, first, sizes));
  await step(`${sizes.tokens} API keys`, (tx) => addTokens(tx, vault, first, sizes));
  await step(`${sizes.channels} channels`, (tx) => addChannels(tx, vault, first, sizes));
  await step("abilities", (tx) => addAbilities(tx, first));
  await addLogs(step, first, sizes, new Date());
  await step("sums", (tx) => addUp(tx, first));
  // As a gateway that has run all year has done already.
  const thisHour = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S;
  while (await foldUsage(database, thisHour));
  await refreshStatistics(database.sql);
}

/** The ids that the first of the new rows get. */
export type FirstIds = Readonly<{ user: number; token: number; channel: number }>;

async function nextIds(sql: Statements): Promise<FirstIds> {
  const [row] = await sql<FirstIds[]>`select
    coalesce((select max(id) from users), 0) + 1 as user, coalesce((select max(id) from tokens), 0) + 1 as token,
    coalesce((select max(id) from channels), 0) + 1 as channel`;
  if (!row) throw new Error("the database did not say which ids are free");
  return row;
}
