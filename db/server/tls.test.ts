import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificates } from "../../test/support/processes/certificates.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { openServer } from "./open-server.ts";

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
