import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql as raw } from "drizzle-orm";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { makeCertificates } from "../../test/support/processes/certificates.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { users } from "../schema/index.ts";
import { openServer } from "./open-server.ts";

setDefaultTimeout(240_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`insert into users (username, aff_code, created_at, quota) values ('one', 'a', 1, 9007199254740991)`;
});
afterAll(() => database.close());

test("statements of the query builder are prepared under a name, once, also inside transactions and savepoints", async () => {
  const { db } = database;
  await db.transaction(async (tx) => {
    for (const name of ["one", "two"]) await tx.select({ id: users.id }).from(users).where(eq(users.username, name));
    await tx.transaction(async (inner) => {
      await inner.select({ id: users.id }).from(users).where(eq(users.group, "one"));
    });
    const count = async (text: string) => {
      const [row] = await tx.execute<{ count: number }>(
        raw.raw(`select count(*)::int as count from pg_prepared_statements
          where statement like '%${text}%' and statement not like '%pg_prepared%'`),
      );
      return row?.count;
    };
    expect(await count('"users"."username" = $1')).toBe(1);
    expect(await count('"users"."group" = $1')).toBe(1);
  });
});

test("statements of lists have no name, so that each is planned for its own values however often it runs", async () => {
  await database.listDb.transaction(async (tx) => {
    for (let run = 0; run < 8; run++) await tx.select({ id: users.id }).from(users).where(eq(users.status, run));
    await tx.transaction((inner) => inner.select({ id: users.id }).from(users).where(eq(users.status, 1)));
    const named = await tx.execute(
      raw.raw(`select statement from pg_prepared_statements where statement like '%"users"."status" = $1%'
        and statement not like '%pg_prepared%'`),
    );
    expect([...named]).toEqual([]);
  });
});

test("64-bit numbers arrive as numbers, from the builder and from the driver", async () => {
  const [built] = await database.db.select({ quota: users.quota }).from(users);
  const [driven] =
    await database.sql`select quota, sum(quota)::bigint as total, count(*) as rows from users group by quota`;
  expect(built?.quota).toBe(Number.MAX_SAFE_INTEGER);
  expect(driven).toEqual({ quota: Number.MAX_SAFE_INTEGER, total: Number.MAX_SAFE_INTEGER, rows: 1 });
});

test("a failed transaction leaves nothing behind and the connection usable", async () => {
  const { db, sql } = database;
  const failing = db.transaction(async (tx) => {
    await tx.update(users).set({ quota: 0 });
    await tx.execute(raw`select 1 / 0`);
  });
  await expect(failing).rejects.toThrow();
  const [row] = await sql`select quota from users`;
  expect(row?.quota).toBe(Number.MAX_SAFE_INTEGER);
});

setDefaultTimeout(120_000);

let server: TemporaryPostgres;
let plain: TemporaryPostgres;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-tls-"));
  const tls = await makeCertificates(folder);
  [server, plain] = await Promise.all([
    startTemporaryPostgres({ durable: false, tls }),
    startTemporaryPostgres({ durable: false }),
  ]);
});
afterAll(async () => {
  await Promise.all([server.stop(), plain.stop(), rm(folder, { recursive: true })]);
});

/** Whether the connection is encrypted, and whose certificate the client showed. */
async function connect(to: TemporaryPostgres, host: string, parameters: Record<string, string>) {
  const url = `${to.url.replace("127.0.0.1", host)}?${new URLSearchParams(parameters)}`;
  const { sql, close } = await openServer(url, 1);
  try {
    const [row] = await sql`select ssl, client_dn from pg_stat_ssl where pid = pg_backend_pid()`;
    return row;
  } finally {
    await close();
  }
}

const file = (name: string) => join(folder, name);
const client = () => ({ sslcert: file("client.crt"), sslkey: file("client.key") });
const authority = () => ({ sslrootcert: file("authority.crt") });

test.each(["prefer", "require", "verify-ca", "verify-full"])(
  "sslmode=%s encrypts and shows the certificate",
  async (sslmode) => {
    const row = await connect(server, "localhost", { sslmode, ...authority(), ...client() });
    expect(row).toEqual({ ssl: true, client_dn: "/CN=client" });
  },
);

test("verify-full refuses a certificate of another host, verify-ca accepts it", async () => {
  const parameters = { ...authority(), ...client() };
  await expect(connect(server, "127.0.0.1", { sslmode: "verify-full", ...parameters })).rejects.toThrow();
  expect(await connect(server, "127.0.0.1", { sslmode: "verify-ca", ...parameters })).toMatchObject({ ssl: true });
});

test("a certificate of an unknown authority is refused where it is verified, and only there", async () => {
  for (const sslmode of ["verify-ca", "verify-full"]) {
    await expect(connect(server, "localhost", { sslmode, ...client() })).rejects.toThrow();
    const unknownAuthority = { sslrootcert: file("client.crt") };
    await expect(connect(server, "localhost", { sslmode, ...unknownAuthority, ...client() })).rejects.toThrow();
  }
  // libpq's rule: a root certificate that is named is looked at.
  await expect(
    connect(server, "localhost", { sslmode: "require", sslrootcert: file("client.crt"), ...client() }),
  ).rejects.toThrow();
  expect(await connect(server, "localhost", { sslmode: "require", ...client() })).toMatchObject({ ssl: true });
});

test("a server that wants a client certificate refuses one without it", async () => {
  await expect(connect(server, "localhost", { sslmode: "verify-full", ...authority() })).rejects.toThrow();
  await expect(connect(server, "localhost", { sslmode: "disable" })).rejects.toThrow();
});

test("without TLS on the server prefer goes on, require does not", async () => {
  expect(await connect(plain, "127.0.0.1", { sslmode: "prefer" })).toEqual({ ssl: false, client_dn: null });
  for (const sslmode of ["require", "verify-ca", "verify-full"]) {
    await expect(connect(plain, "127.0.0.1", { sslmode })).rejects.toThrow("TLS");
  }
});

test("a file that cannot be read is named", async () => {
  await expect(connect(server, "localhost", { sslmode: "verify-ca", sslrootcert: file("absent") })).rejects.toThrow(
    "absent",
  );
});
