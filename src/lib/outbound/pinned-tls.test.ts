import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeCertificate } from "../../../test/support/lib/certificate.ts";

const folder = mkdtempSync(path.join(tmpdir(), "sluice-tls-"));
const certificate = path.join(folder, "certificate.pem");
const key = path.join(folder, "key.pem");
let server: Bun.Server<undefined>;
const received: string[] = [];

beforeAll(async () => {
  await makeCertificate(certificate, key);
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { key: Bun.file(key), cert: Bun.file(certificate) },
    async fetch(request) {
      received.push(await request.text());
      return new Response(request.headers.get("host"));
    },
  });
});
afterAll(() => {
  server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** Requests each name at the server's address, in a process that trusts the certificate from its start, or does not. */
async function request(names: readonly string[], trusts: boolean): Promise<string[]> {
  const script = `
    const { FetchTarget, fetchPinned } = await import(${JSON.stringify(path.join(import.meta.dir, "pinned-fetch.ts"))});
    for (const name of ${JSON.stringify(names)}) {
      const target = new FetchTarget(new URL("https://" + name + ":${server.port}/"));
      const init = { method: "POST", headers: {}, body: name, signal: AbortSignal.timeout(20_000) };
      try {
        const response = await fetchPinned(target, ["127.0.0.1"], init);
        console.log(response.status, await response.text());
      } catch (error) { console.log(error.code); }
    }
    process.exit(0);`;
  const env = { ...process.env, ...(trusts && { NODE_EXTRA_CA_CERTS: certificate }) };
  const child = Bun.spawn([process.execPath, "-e", script], { env, stdio: ["ignore", "pipe", "inherit"] });
  return (await new Response(child.stdout).text()).trim().split("\n");
}

test("a pinned connection is held to the name by the certificate, also while one to another name is open", async () => {
  received.length = 0;
  const [first, other, again] = await request(["localhost", "other.test", "localhost"], true);
  const answer = `200 localhost:${server.port}`;
  expect([first, again]).toEqual([answer, answer]);
  expect(other).toMatch(/^[A-Z_]+$/);
  expect(received).toEqual(["localhost", "localhost"]);
});

test("a certificate that nobody vouches for is refused before anything is sent", async () => {
  received.length = 0;
  expect((await request(["localhost"], false))[0]).toMatch(/^[A-Z_]+$/);
  expect(received).toEqual([]);
});
