import { desc, eq } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import type { Database } from "../../../db/types.ts";
import { createBilling } from "../../../src/billing/billing.ts";
import type { LogOther } from "../../../src/billing/types.ts";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import { type PollDeps, pollTasks } from "../../../src/domain/tasks/polling/poll-tasks.ts";
import type { TaskDeps } from "../../../src/domain/tasks/task.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import { createVault } from "../../../src/lib/security/crypto.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../billing/start-billing.ts";
import { openTestDatabase } from "../database.ts";
import { fixedSettings } from "../lib/settings.ts";
import { channelEntry } from "./entries.ts";
import { startRelay } from "./start-gateway.ts";

export const BALANCE = 10_000_000;

type TaskOptions = Readonly<{
  channels: readonly Partial<ChannelEntry>[];
  options?: Partial<Record<OptionKey, string>>;
  allowPrivateWebhooks?: boolean;
}>;

/** What following tasks needs, on this database, with these channels. */
export function taskDeps(
  database: Pick<Database, "db">,
  changes: TaskDeps["changes"],
  { channels, options, allowPrivateWebhooks = true }: TaskOptions,
): PollDeps {
  const fetch = createSafeFetch(createAddressPolicy(true));
  const entries = channels.map((fields, at) => channelEntry({ id: at + 1, ...fields }));
  return {
    db: database.db,
    changes,
    settings: fixedSettings(options),
    vault: createVault({ encryptionKey: "a key for tests of tasks" }),
    log: silentLog,
    hookFetch: createSafeFetch(createAddressPolicy(allowPrivateWebhooks)),
    channels: { get: (id) => entries.find((entry) => entry.id === id) },
    fetch,
  };
}

/** A relay on a database with real billing: one user with a limited key “test”, channels as given. */
export async function startTasks(options: TaskOptions) {
  const database = await openTestDatabase();
  const directory = await temporaryDirectory();
  const { sql, changes } = database;
  const userId = await addUser(sql, BALANCE);
  const tokenId = await addToken(sql, userId, BALANCE);
  for (const _ of options.channels) await addChannel(sql);
  const billing = await createBilling({
    database,
    changes,
    dataDir: directory.path,
    processId: Bun.randomUUIDv7(),
    log: silentLog,
  });
  const deps = taskDeps(database, changes, options);
  const relay = startRelay({
    channels: options.channels,
    ...(options.options && { options: options.options }),
    user: { id: userId },
    tokens: { test: { id: tokenId, userId, unlimitedQuota: false }, other: { id: 0, userId: 0 } },
    billing,
    tasks: deps,
  });
  const dollarsOf = async () => {
    await billing.flush();
    // As of one moment: a charge may be written meanwhile.
    const { user, key, sums } = await sql.begin("isolation level repeatable read", async (tx) => {
      const [sums] = await tx<{ logged: number; channels: number }[]>`
        select (select coalesce(sum(quota), 0)::bigint from logs where type = 2) as logged,
          (select coalesce(sum(used_quota), 0)::bigint from channels) as channels`;
      return { user: await booksOf(tx, userId), key: await tokenBooks(tx, tokenId), sums };
    });
    return {
      spent: BALANCE - user.quota,
      keySpent: BALANCE - key.remain,
      used: [user.used, key.used, user.rolledUp, sums?.logged, sums?.channels],
    };
  };
  return {
    database,
    deps,
    relay,
    userId,
    tokenId,
    billing,
    /** Every open task is due: none waits for the next second. */
    poll: async () => {
      await sql`update drawing_tasks set polled_at = 0 where is_open`;
      await sql`update media_tasks set polled_at = 0 where is_open`;
      return pollTasks(deps);
    },
    /** Quota units that balance, key and all counters say were spent: all must agree. */
    spent: async (): Promise<number> => {
      const { spent, keySpent, used } = await dollarsOf();
      for (const other of [keySpent, ...used]) {
        if (other !== spent) throw new Error(`the books differ: ${JSON.stringify({ spent, keySpent, used })}`);
      }
      return spent;
    },
    /** What the log says next to the newest charge. */
    lastCharge: async () => {
      await billing.flush();
      const [row] = await database.db.select().from(logs).where(eq(logs.type, 2)).orderBy(desc(logs.id)).limit(1);
      const { promptTokens, completionTokens, quota, modelName } = row ?? {};
      const other = JSON.parse(row?.other ?? "{}") as LogOther;
      return { ...other, row: { promptTokens, completionTokens, quota, modelName } };
    },
    events: () => database.db.select().from(logs).where(eq(logs.type, 4)),
    stop: async () => {
      relay.stop();
      await billing.close();
      await database.close();
      await directory.remove();
    },
  };
}
