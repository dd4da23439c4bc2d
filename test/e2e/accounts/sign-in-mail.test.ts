/** Mail over TLS: what a trusted certificate vouches for is delivered, anything else is not. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { lookup } from "node:dns/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setOptions } from "../../support/e2e/console-client.ts";
import { CHEAPEST_ENGINE, type Gateway, type Session, setUp, startOn } from "../../support/e2e/fixture.ts";
import { makeCertificate } from "../../support/lib/certificate.ts";
import { startMailServer } from "../../support/notifications.ts";

const TIMEOUT_MS = 120_000;

let folder: string;
let gateway: Gateway;
let root: Session;
/** Of a certificate that the gateway trusts, and of one that it does not know. */
let trusted: { cert: string; key: string };
let otherCertificate: { cert: string; key: string };

async function newCertificate(name: string) {
  const [certificate, key] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}.key`)];
  await makeCertificate(certificate, key);
  return { cert: await Bun.file(certificate).text(), key: await Bun.file(key).text() };
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-mail-"));
  [trusted, otherCertificate] = [await newCertificate("trusted"), await newCertificate("other")];
  gateway = await startOn(CHEAPEST_ENGINE, { env: { NODE_EXTRA_CA_CERTS: path.join(folder, "trusted.pem") } });
  root = await setUp(gateway);
}, TIMEOUT_MS);
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sets the server up as the gateway's and asks for a mail through it. */
async function sendThrough(
  server: Awaited<ReturnType<typeof startMailServer>>,
  { host, isImplicit }: { host: string; isImplicit: boolean },
) {
  await setOptions(root, {
    SMTPServer: host,
    SMTPPort: String(server.port),
    SMTPAccount: "gate@example.com",
    SMTPToken: "mail secret",
    SMTPSSLEnabled: String(isImplicit),
  });
  const email = `${Bun.randomUUIDv7().slice(-12)}@example.com`;
  const reply = await fetch(`${gateway.url}/api/verification?email=${email}`);
  await server.stop();
  return { email, answer: (await reply.json()) as { success: boolean; code?: string } };
}

/** Where this machine's name for itself leads first. */
const here = async () => (await lookup("localhost")).address;

describe.each([
  ["from the first byte, by address", { secure: true }, "127.0.0.1"],
  ["from the first byte, by name", { secure: true }, "localhost"],
  ["by STARTTLS, by address", { disabledCommands: [] }, "127.0.0.1"],
  ["by STARTTLS, by name", { disabledCommands: [] }, "localhost"],
])("mail over TLS %s", (_, mode, host) => {
  const way = { host, isImplicit: "secure" in mode };
  const addressOf = () => (host === "localhost" ? here() : host);

  test("is delivered where the certificate is trusted, and the password is sent", async () => {
    const server = await startMailServer({ ...mode, ...trusted }, await addressOf());
    const { email, answer } = await sendThrough(server, way);
    expect(answer).toMatchObject({ success: true });
    expect(server.received).toMatchObject([{ to: [email], isEncrypted: true, user: "gate@example.com" }]);
  });

  test("is not sent, nor the password sent, where it is not", async () => {
    const notices: unknown[] = [];
    const server = await startMailServer(
      {
        ...mode,
        ...otherCertificate,
        onAuth({ password }, _session, callback) {
          notices.push(password);
          callback(null, { user: "" });
        },
      },
      await addressOf(),
    );
    const { answer } = await sendThrough(server, way);
    expect(answer).toMatchObject({ success: false, code: "mail_failed" });
    expect(server.received).toEqual([]);
    expect(notices).toEqual([]);
  });
});
