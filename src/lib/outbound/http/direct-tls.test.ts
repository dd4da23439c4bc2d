import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeCertificate } from "../../testing/certificate.ts";

const folder = mkdtempSync(path.join(tmpdir(), "sluice-tls-"));
const certificate = path.join(folder, "certificate.pem");
const key = path.join(folder, "key.pem");
let server: Bun.Server<undefined>;
let asked = 0;

beforeAll(async () => {
  await makeCertificate(certificate, key);
  server = Bun.serve({
    hostname: "localhost",
    port: 0,
    tls: { key: Bun.file(key), cert: Bun.file(certificate) },
    fetch() {
      asked += 1;
      return new Response(`answer ${asked}`);
    },
  });
});
afterAll(() => {
  server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** Asks twice in a process of its own, which trusts what its environment says from its start. */
async function askTwice(tlsName: string, trusts: boolean): Promise<string> {
  const script = `
    const { createDirectHttp } = await import(${JSON.stringify(path.join(import.meta.dir, "direct-http.ts"))});
    const { originOf } = await import(${JSON.stringify(path.join(import.meta.dir, "origin.ts"))});
    const { Stopper } = await import(${JSON.stringify(path.join(import.meta.dir, "../stopper.ts"))});
    const http = createDirectHttp();
    for (let times = 0; times < 2; times += 1) {
      try {
        const answer = await http.send(
          originOf("localhost", ${server.port}, ${JSON.stringify(tlsName)}),
          { method: "POST", host: "localhost", path: "/", headers: {}, body: "secret" }, new Stopper());
        console.log(answer.status, await answer.text());
      } catch (error) { console.log(error.name, error.code); }
    }
    process.exit(0);`;
  const env = { ...process.env, ...(trusts && { NODE_EXTRA_CA_CERTS: certificate }) };
  const child = Bun.spawn([process.execPath, "-e", script], { env, stdio: ["ignore", "pipe", "inherit"] });
  return (await new Response(child.stdout).text()).trim();
}

test("a certificate that is trusted and bears the name is talked to, over one connection", async () => {
  asked = 0;
  expect(await askTwice("localhost", true)).toBe("200 answer 1\n200 answer 2");
});

test("nothing is sent to a certificate of another name, or to one that nobody vouches for", async () => {
  asked = 0;
  const refusal = /^ConnectionLost [A-Z_]+\nConnectionLost [A-Z_]+$/;
  const ofAnotherName = await askTwice("other.test", true);
  expect(ofAnotherName).toMatch(refusal);
  expect(ofAnotherName).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
  expect(await askTwice("localhost", false)).toMatch(refusal);
  expect(asked).toBe(0);
});
