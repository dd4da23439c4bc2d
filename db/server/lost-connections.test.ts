import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { sql } from "drizzle-orm";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/lib/until.ts";
import type { Database } from "../types.ts";
import { StatementTimeout, withDeadline } from "./deadlines.ts";
import { openDriver } from "./driver.ts";
import { openServer } from "./open-server.ts";

/** What a lost connection leaves in the driver must never reach the statements of the next one (patches/). */

setDefaultTimeout(120_000);

/** One message of the server: its type, its length, its contents. */
function message(type: string, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
const int32 = (value: number): number[] => [...new Uint8Array(new Uint32Array([value]).buffer)].reverse();
const int16 = (value: number): number[] => [value >> 8, value & 255];

const READY = message("Z", "I");
const WELCOME = Buffer.concat([message("R", int32(0)), message("K", int32(7), int32(8)), READY]);
const COLUMN = message("T", int16(1), "answer\0", int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0));
const row = (value: string) => message("D", int16(1), int32(value.length), value);
const done = (command: string) => Buffer.concat([message("C", `${command}\0`), READY]);
const rowsOf = async (rows: PromiseLike<Iterable<unknown>>): Promise<unknown[]> => [...(await rows)];
const FATAL = message("E", "SFATAL\0", "C57P01\0", "Mterminating connection\0", "\0");

/** A server that answers as the test defines; `sessions` lists the statements of each connection. */
async function fakeServer(answer: (query: string, socket: Socket, session: number) => void) {
  const sessions: string[][] = [];
  const server: Server = createServer((socket) => {
    const queries: string[] = [];
    const session = sessions.push(queries);
    let isStarted = false;
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      let rest = bytes;
      if (!isStarted) {
        isStarted = true;
        rest = rest.subarray(rest.readInt32BE(0));
        socket.write(WELCOME);
      }
      while (rest.length > 5) {
        const end = rest.readInt32BE(1) + 1;
        if (rest[0] === 0x51) {
          const query = rest.toString("utf8", 5, end - 1);
          queries.push(query);
          answer(query, socket, session);
        }
        rest = rest.subarray(end);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const url = `postgres://u@127.0.0.1:${address.port}/d`;
  const open = (deadlineMs?: number, max = 1) => openDriver({ max, fetch_types: false, deadlineMs }, url).sql;
  return { sessions, open, stop: () => server.close() };
}

test("rows of a result that was cut off leave no holes in the next one", async () => {
  const server = await fakeServer((_query, socket, session) => {
    if (session === 1) return void socket.end(Buffer.concat([COLUMN, row("1"), row("2"), row("3")]));
    socket.write(Buffer.concat([COLUMN, row("42"), done("SELECT 1")]));
  });
  const sql = server.open();
  await expect(sql.unsafe("select many").execute()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(await rowsOf(sql.unsafe("select one"))).toEqual([{ answer: "42" }]);
  await sql.end({ timeout: 1 });
  server.stop();
});

test("an error that came with the end of one connection is not given to a statement of the next", async () => {
  const server = await fakeServer((_query, socket, session) => {
    if (session === 1) return void socket.end(FATAL);
    socket.write(Buffer.concat([COLUMN, row("42"), done("SELECT 1")]));
  });
  const sql = server.open();
  await expect(sql.unsafe("select many").execute()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(await rowsOf(sql.unsafe("select one"))).toEqual([{ answer: "42" }]);
  await sql.end({ timeout: 1 });
  server.stop();
});

test("a transaction whose connection was lost sends nothing more, least of all on the connection after it", async () => {
  const server = await fakeServer((query, socket, session) => {
    if (session === 1 && query === "insert a") return void socket.end();
    socket.write(done(query.split(" ")[0]?.toUpperCase() ?? ""));
  });
  const sql = server.open();
  const resume = Promise.withResolvers<void>();
  const late: unknown[] = [];
  const finished = Promise.withResolvers<void>();
  const transaction = sql.begin(async (tx) => {
    await tx.unsafe("insert a").catch(() => {});
    await resume.promise;
    await tx.unsafe("insert b").catch((error) => late.push(error.code));
    finished.resolve();
  });
  await expect(transaction).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await sql.unsafe("select other");
  resume.resolve();
  await finished.promise;
  await sql.unsafe("select last");
  expect(late).toEqual(["CONNECTION_CLOSED"]);
  expect(server.sessions).toEqual([
    ["begin ", "insert a"],
    ["select other", "select last"],
  ]);
  await sql.end({ timeout: 1 });
  server.stop();
});

test("a statement that stays without an answer ends with its connection, and idle ones that are as silent go too", async () => {
  const server = await fakeServer((query, socket, session) => {
    if (query.startsWith("warm") || session > 3) socket.write(done("SELECT 0"));
  });
  const sql = server.open(500, 3);
  await Promise.all([1, 2, 3].map((call) => sql.unsafe(`warm ${call}`)));
  await expect(sql.unsafe("select silent").execute()).rejects.toBeInstanceOf(StatementTimeout);
  // None of these meets a connection from before the silence.
  await Promise.all([1, 2, 3].map((call) => sql.unsafe(`select ${call}`)));
  await sql.end({ timeout: 1 });
  server.stop();
});

test("statements that wait for a connection have the same deadline, and are never sent after it", async () => {
  const server = await fakeServer((query, socket) => {
    if (query === "select again") socket.write(done("SELECT 0"));
  });
  const sql = server.open(500);
  const slow = withDeadline(2000, () => sql.unsafe("select slow"));
  await until(() => server.sessions.flat().includes("select slow"));
  const waiting = sql.unsafe("select waiting").execute();
  await expect(waiting).rejects.toBeInstanceOf(StatementTimeout);
  await expect(slow).rejects.toBeInstanceOf(StatementTimeout);
  await sql.unsafe("select again");
  expect(server.sessions.flat().filter((query) => query.startsWith("select"))).toEqual(["select slow", "select again"]);
  await sql.end({ timeout: 1 });
  server.stop();
});

describe.skipIf(!process.env.TEST_DATABASE_URL)("on a server", () => {
  let database: TestDatabase;
  let one: Database;
  beforeAll(async () => {
    database = await openTestDatabase();
    one = await openServer(database.url ?? "", 1);
    await database.sql`create table cut (value integer)`;
  });
  afterAll(async () => {
    await one.close();
    await database.close();
  });

  test("a backend that ends in the middle of a result leaves no holes in the next one", async () => {
    for (let round = 0; round < 5; round++) {
      const cut = one.sql`
        select case when i = 900 then pg_terminate_backend(pg_backend_pid()) end, repeat('x', 1000)
        from generate_series(1, 1000) i`.execute();
      await expect(cut).rejects.toThrow();
      const answer = await until(() => rowsOf(one.sql`select 42 as answer`).catch(() => null));
      expect(answer).toEqual([{ answer: 42 }]);
    }
  });

  test("what a transaction does after its backend ended is not kept", async () => {
    const transaction = one.sql.begin(async (tx) => {
      await tx`insert into cut values (1)`;
      const [backend] = await tx`select pg_backend_pid() as pid`;
      await database.sql`select pg_terminate_backend(${backend?.pid})`;
      await until(() => one.sql`select 1`.catch(() => null));
      await tx`insert into cut values (2)`;
    });
    await expect(transaction).rejects.toThrow();
    await one.sql`select 1`;
    expect(await rowsOf(database.sql`select value from cut`)).toEqual([]);
  });

  test("what a relayed call waits for has a shorter deadline than the rest, also in a transaction", async () => {
    const { db, callDb, close } = await openServer(database.url ?? "", 3);
    await database.sql.begin(async (tx) => {
      await tx`lock table cut`;
      const insert = sql`insert into cut values (5)`;
      const isSettled = { usual: false };
      const usual = db.execute(insert).finally(() => (isSettled.usual = true));
      usual.catch(() => {});
      const call = callDb.execute(insert);
      const transaction = callDb.transaction(async (inner) => {
        await inner.execute(sql`select 1`);
        await inner.execute(insert);
      });
      const failures = await Promise.allSettled([call, transaction]);
      const reasons = failures.map(
        (failure) => failure.status === "rejected" && (failure.reason.cause ?? failure.reason),
      );
      expect(reasons).toEqual([new StatementTimeout(5000), new StatementTimeout(5000)]);
      expect(isSettled.usual).toBe(false);
      await tx`select pg_terminate_backend(pid) from pg_stat_activity
        where query like 'insert into cut%' and pid <> pg_backend_pid() and datname = current_database()`;
      await usual.catch(() => {});
    });
    await close();
  });

  test("a statement that waits for a lock beyond its deadline ends, on the server too", async () => {
    await database.sql.begin(async (tx) => {
      await tx`lock table cut`;
      const blocked = withDeadline(500, () => one.sql`insert into cut values (3)`);
      await expect(blocked).rejects.toBeInstanceOf(StatementTimeout);
      await until(async () => {
        const waiting =
          await database.sql`select 1 from pg_stat_activity where query like 'insert into cut%' and state = 'active'`;
        return waiting.length === 0;
      });
    });
    await until(() => one.sql`insert into cut values (4)`.catch(() => null));
    expect(await rowsOf(database.sql`select value from cut`)).toEqual([{ value: 4 }]);
  });
});
