import { expect, test } from "bun:test";
import { SQL } from "bun";
import { openTestDatabase } from "../../db/testing.ts";
import { findMariadb, startTemporaryMariadb } from "../../scripts/processes/temporary-mariadb.ts";
import { startTemporaryPostgres } from "../../scripts/processes/temporary-postgres.ts";
import { createVault } from "../lib/crypto.ts";
import { runImport } from "./run-import.ts";
import { fill, KEYS } from "./testing.ts";

const vault = createVault({ encryptionKey: "the key of the importer's tests" });
const mariadb = findMariadb();
if (mariadb === null) process.stderr.write("MariaDB is not installed (package mariadb-server): its test is skipped\n");

async function expectImport(url: string): Promise<void> {
  const database = await openTestDatabase();
  try {
    const choices = { isDry: false, withLogs: true };
    const { family, report } = await runImport({ database, vault }, url, choices);
    expect(family).toBe("Veloera");
    const users = { read: 3, added: 3, before: 2_600_000_000, after: 2_600_000_000 };
    expect(report.section("users")).toMatchObject(users);
    expect(report.section("API keys")).toMatchObject({ added: 3, before: 5000, after: 5000 });
    expect(report.section("channels").added).toBe(2);
    expect(report.section("redemption codes")).toMatchObject({ added: 2, before: 750_000, after: 750_000 });
    expect(report.section("options").added).toBe(4);
    expect(report.section("log")).toMatchObject({ added: 3, before: 1500, after: 1500 });
    const [token] = await database.sql`select * from tokens where key_hash = ${vault.keyedHash(KEYS.alice)}`;
    expect(token).toMatchObject({ id: 4, user_id: 7, unlimited_quota: false, remain_quota: 5000 });
    const [gone] = await database.sql`select deleted_at, status from users where username = 'debtor'`;
    expect(gone?.deleted_at).toBe(1_740_830_400);

    const again = await runImport({ database, vault }, url, choices);
    for (const [name, { added }] of again.report.sections) expect({ name, added }).toEqual({ name, added: 0 });
  } finally {
    await database.close();
  }
}

test("an import from a Postgres server", async () => {
  const server = await startTemporaryPostgres({ durable: false });
  const sql = new SQL({ url: server.url, max: 1 });
  try {
    const run = (text: string) => sql.unsafe(text.replace(/\btimestamp\b/g, "timestamptz"));
    await fill(run, "Veloera");
    await run("update users set deleted_at = '2025-03-01 12:00:00+00' where id = 8");
    await expectImport(server.url);
  } finally {
    await sql.close();
    await server.stop();
  }
}, 90_000);

test.skipIf(mariadb === null)(
  "an import from a MariaDB server",
  async () => {
    const server = await startTemporaryMariadb(mariadb ?? "");
    const sql = new SQL({ url: server.url, adapter: "mysql", max: 1 });
    try {
      // As the ORM makes them there: names in backticks, indexed texts with a length, texts with defaults longer ones.
      const inMysql = (text: string) =>
        text
          .replaceAll('"', "`")
          .replace(/username text unique/, "username varchar(191) unique")
          .replace(/integer primary key/g, "bigint primary key")
          .replace(/timestamp/g, "datetime(3)");
      // JSON texts of the rows keep their quotation marks.
      const run = (text: string) => sql.unsafe(text.startsWith("create") ? inMysql(text) : quoteNames(text));
      await fill(run, "Veloera");
      await run("update users set deleted_at = '2025-03-01 12:00:00' where id = 8");
      await expectImport(server.url);
    } finally {
      await sql.close();
      await server.stop();
    }
  },
  90_000,
);

const quoteNames = (text: string): string => text.replace(/"(key|group)"/g, "`$1`");
