import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { createMigrated } from "../../test/support/database.ts";
import { runLongStatement } from "./deadlines.ts";
import { openServer } from "./open-server.ts";

const server = process.env.TEST_DATABASE_URL;

test.skipIf(!server)("no timeout ends a long statement, and the connection has its own again", async () => {
  const made = await createMigrated(server ?? "");
  const database = await openServer(made.url, 1);
  const timeout = async () => (await database.sql`show statement_timeout`)[0]?.statement_timeout;
  try {
    const usual = await timeout();
    await database.sql.unsafe("set statement_timeout = 100");
    expect(await database.sql`select pg_sleep(0.3)`.then(null, (error) => String(error))).toContain(
      "statement timeout",
    );
    await runLongStatement(database, sql`select pg_sleep(0.3)`);
    expect(await timeout()).toBe(usual);
    await expect(runLongStatement(database, sql`select 1 / 0`)).rejects.toThrow("division by zero");
    expect(await timeout()).toBe(usual);
  } finally {
    await database.close();
    await made.drop();
  }
});
