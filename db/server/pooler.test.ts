import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { until } from "../../test/support/lib/until.ts";
import { pgbouncer, startTemporaryPgbouncer } from "../../test/support/processes/temporary-pgbouncer.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { createChanges } from "../changes.ts";
import { openDatabase } from "../connect.ts";
import { options } from "../schema/index.ts";

setDefaultTimeout(120_000);

describe.skipIf(pgbouncer === null)("behind PgBouncer in transaction mode", () => {
  let server: TemporaryPostgres;
  let pooler: Awaited<ReturnType<typeof startTemporaryPgbouncer>>;
  beforeAll(async () => {
    server = await startTemporaryPostgres({ durable: false });
    pooler = await startTemporaryPgbouncer(server.url);
  });
  afterAll(async () => {
    await pooler.stop();
    await server.stop();
  });

  const open = () =>
    openDatabase({ databaseUrl: `${pooler.url}?prepare=false`, databaseDirectUrl: server.url, dataDir: "/nowhere" });

  test("tables are made, statements repeat on any connection, and changes arrive", async () => {
    const fail = (error: unknown) => {
      throw error;
    };
    const [one, other] = await Promise.all([open(), open()]);
    const [ours, theirs] = [await createChanges(one, fail), await createChanges(other, fail)];
    await one.db.insert(options).values({ key: "a", value: "1" });
    const read = () => one.db.select({ value: options.value }).from(options).where(eq(options.key, "a"));
    const found = await Promise.all(Array.from({ length: 100 }, read));
    expect(found).toEqual(Array.from({ length: 100 }, () => [{ value: "1" }]));
    // More transactions than the server has connections, each on whichever is free.
    for (let round = 0; round < 5; round++) {
      const inTransaction = () => one.db.transaction((tx) => tx.select().from(options).where(eq(options.key, "a")));
      await Promise.all(Array.from({ length: 20 }, inTransaction));
    }
    await one.db.transaction(async (tx) => {
      for (const value of ["2", "3"]) await tx.update(options).set({ value }).where(eq(options.key, "a"));
    });
    expect(await read()).toEqual([{ value: "3" }]);
    const received: (number | string)[] = [];
    theirs.subscribe("users", (ids) => void received.push(...ids));
    await ours.publish("users", [7]);
    await until(() => received.length > 0);
    expect(received).toEqual([7]);
    for (const end of [ours, theirs, one, other]) await end.close();
  });
});
