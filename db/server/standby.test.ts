import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { DatabaseUnreachable } from "../types.ts";
import { openServer } from "./open-server.ts";

setDefaultTimeout(120_000);

let primary: TemporaryPostgres;
let standby: TemporaryPostgres;
beforeAll(async () => {
  primary = await startTemporaryPostgres({ durable: false });
  standby = await startTemporaryPostgres({ durable: false, standbyOf: primary.url });
});
afterAll(async () => {
  await standby.stop();
  await primary.stop();
});

const hostOf = (server: TemporaryPostgres) => new URL(server.url).host;
/** The standby comes first, so that each connection meets it. */
const both = (query = "") => `postgres://postgres@${hostOf(standby)},${hostOf(primary)}/postgres${query}`;

test("every connection passes over the standby", async () => {
  const { sql, close } = await openServer(both(), 4);
  const roles = await Promise.all(
    Array.from({ length: 8 }, () => sql`select pg_is_in_recovery() as standby, pg_sleep(0.05)`),
  );
  expect(roles.map(([row]) => row?.standby)).toEqual(Array.from({ length: 8 }, () => false));
  await sql`create table numbers as select 1 as number`;
  await close();
});

test("a standby can be asked for", async () => {
  const { sql, close } = await openServer(both("?target_session_attrs=standby"), 1);
  expect([...(await sql`select pg_is_in_recovery() as standby`)]).toEqual([{ standby: true }]);
  await close();
});

test("a host that refuses connections is passed over", async () => {
  const { sql, close } = await openServer(`postgres://postgres@127.0.0.1:1,${hostOf(primary)}/postgres`, 1);
  expect(await sql`select 1 as one`).toHaveLength(1);
  await close();
});

test("a host that takes connections and stays silent is passed over", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { sql, close } = await openServer(
    `postgres://postgres@127.0.0.1:${silent.port},${hostOf(primary)}/postgres`,
    1,
  );
  expect(await sql`select 1 as one`).toHaveLength(1);
  await close();
  silent.stop(true);
});

test("without a primary it says so at once, and follows the standby when it is promoted", async () => {
  const database = await openServer(both(), 2);
  await primary.shutDown("SIGQUIT");
  await expect(openServer(both(), 1)).rejects.toThrow(DatabaseUnreachable);
  await expect(database.sql`insert into numbers values (2)`).rejects.toThrow();
  await standby.promote();
  const until = Date.now() + 30_000;
  const insert = (): Promise<unknown> =>
    database.sql`insert into numbers values (3)`.catch((error) => {
      if (Date.now() > until) throw error;
      return Bun.sleep(50).then(insert);
    });
  await insert();
  expect(await database.sql`select count(*) from numbers where number = 3`).toEqual([{ count: 1 }] as never);
  await database.close();
});
