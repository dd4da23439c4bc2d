import { describe, expect, test } from "bun:test";
import { fakeSink, silentLog, temporaryDirectory } from "../../../../test/support/billing/start-billing.ts";
import { startRedisCluster, startSentinelSet } from "../../../../test/support/lib/redis/redis-sets.ts";
import { REDIS } from "../../../../test/support/lib/redis/start-redis.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { Journal } from "../journal.ts";
import { JournalCopy } from "./journal-copy.ts";
import { indexKey } from "./stream.ts";
import { JournalCopies } from "./take-copies.ts";

const DATABASE = "d1";
const RECORDS = 300;

type Fixture = Readonly<{ url: string; fail(): Promise<void>; close(): Promise<void> }>;

const FORMS: Record<string, () => Promise<Fixture>> = {
  async sentinel() {
    const set = await startSentinelSet();
    return { ...set, fail: set.killMaster };
  },
  async cluster() {
    const cluster = await startRedisCluster();
    return { ...cluster, fail: () => cluster.killOwner(indexKey(DATABASE)) };
  },
};

describe.if(REDIS !== undefined)("the journal's copy", () => {
  test.each(Object.keys(FORMS))(
    "follows a fail-over in a %s set: another process finds every record once",
    async (form) => {
      const set = await FORMS[form]?.();
      if (!set) throw new Error(form);
      const directory = await temporaryDirectory();
      const journal = new Journal(directory.path, silentLog);
      const parts = { url: set.url, database: DATABASE, log: silentLog };
      const copy = new JournalCopy({ ...parts, processId: "dead", journal });
      const copies = new JournalCopies(parts);
      const appended: string[] = [];
      const append = async (upTo: number) => {
        while (appended.length < upTo) {
          const text = `{"n":${appended.length}}`;
          appended.push(text);
          journal.append(text);
          await Bun.sleep(5);
        }
      };
      try {
        await until(() => copy.state === "complete");
        await append(RECORDS / 3);
        await set.fail();
        await append((2 * RECORDS) / 3);
        await until(() => copy.state === "complete");
        await append(RECORDS);
        await copy.close(false);
        const taken: string[] = [];
        const sink = fakeSink({ apply: async (texts) => void taken.push(...texts) });
        // The process that takes it asks for the new master itself.
        expect(await until(() => copies.list().catch(() => []))).toEqual(["dead"]);
        expect(await copies.take("dead", sink)).toBe("taken");
        expect(taken).toEqual(appended);
        await copies.forget("dead");
        expect(await copies.list()).toEqual([]);
      } finally {
        copies.close();
        await copy.close(false);
        await journal.close();
        await directory.remove();
        await set.close();
      }
    },
    120_000,
  );
});
