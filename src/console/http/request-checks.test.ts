import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia, t } from "elysia";
import { announceBody } from "../../../test/support/lib/raw-requests.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { createClientAddress } from "../../lib/http/client-ip.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { envelope, ok } from "./envelope.ts";
import { bodyLimit, sameOrigin } from "./request-checks.ts";

const MEGABYTE = 1_048_576;
const log = createLogger({ logLevel: "silent", logFormat: "json" });
const named = { body: t.Object({ name: t.String() }) };
const app = new Elysia()
  .use(envelope({ log }))
  .use(bodyLimit(MEGABYTE))
  .use(new Elysia({ name: "names" }).post("/api/name", ({ body }) => ok(body.name), named))
  .compile();

let server: Bun.Server<undefined>;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 4 * MEGABYTE,
    fetch: app.fetch,
  });
});
afterAll(() => server.stop(true));

const url = () => `http://127.0.0.1:${server.port}/api/name`;

/** Sent as a stream, so that its length is not declared. */
const inPieces = (text: string) => new Blob([text]).stream();

async function send(body: BodyInit, type = "application/json") {
  const headers = { "content-type": type, "accept-language": "en" };
  const answer = await fetch(url(), { method: "POST", headers, body });
  return { status: answer.status, body: await answer.json() };
}

test("a body that says to be too large is refused in the envelope before a byte of it came", async () => {
  const { status, text } = await announceBody(url(), 2 * MEGABYTE, { "accept-language": "zh-CN" });
  expect(status).toBe(413);
  expect(JSON.parse(text)).toEqual({ success: false, code: "request_too_large", message: "请求内容超过 1 MB。" });
});

test("others are read as ever, whether they declare their length or not", async () => {
  const json = JSON.stringify({ name: "Ghent" });
  for (const body of [json, inPieces(json)]) {
    expect(await send(body)).toMatchObject({ status: 200, body: { success: true, data: "Ghent" } });
  }
  for (const body of ["{", inPieces("{")]) {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: "malformed_body" } });
  }
  expect(await send(inPieces("name"), "text/plain")).toMatchObject({ status: 400, body: { code: "invalid_request" } });
});

/** A write from a page, as a proxy passes it on; the connection comes from `peer`, and 10.0.0.1 is trusted. */
async function write(headers: Record<string, string>, { peer = "10.0.0.1", serverAddress = "" } = {}) {
  const checks = sameOrigin({
    clientAddress: createClientAddress(["10.0.0.1"]),
    settings: fixedSettings({ ServerAddress: serverAddress }),
  });
  const site = new Elysia()
    .use(envelope({ log }))
    .use(checks)
    .post("/api/user/login", () => ok(null))
    .compile();
  const peers = { requestIP: () => ({ address: peer }) };
  Object.assign(site, { server: peers });
  const request = new Request("http://127.0.0.1:3000/api/user/login", {
    method: "POST",
    headers: { "accept-language": "en", ...headers },
  });
  const answer = await site.handle(request);
  const body: unknown = await answer.json();
  return { status: answer.status, body: body as { code?: string; message?: string } };
}

const NAS = "http://nas.lan:8080";

test.each([
  ["the browser's own Host", { origin: NAS, host: "nas.lan:8080" }, {}],
  [
    "the host that a trusted proxy names",
    { origin: NAS, host: "127.0.0.1:3000", "x-forwarded-host": "nas.lan:8080" },
    {},
  ],
  ["the port that a trusted proxy names", { origin: NAS, host: "nas.lan", "x-forwarded-port": "8080" }, {}],
  [
    "a scheme's own port, which browsers leave out",
    { origin: "https://nas.lan", host: "nas.lan", "x-forwarded-proto": "https", "x-forwarded-port": "443" },
    {},
  ],
  [
    "a port of the proxy's own that no browser sees",
    { origin: "http://nas.lan", host: "nas.lan", "x-forwarded-port": "8080" },
    {},
  ],
  ["the site's public address", { origin: NAS, host: "127.0.0.1:3000" }, { serverAddress: NAS }],
  ["what the browser says of the page", { origin: NAS, host: "x", "sec-fetch-site": "same-origin" }, {}],
  ["a program, which sends no Origin", { host: "x" }, {}],
])("a write passes with %s", async (_, headers, options) => {
  expect((await write(headers, options)).status).toBe(200);
});

test.each([
  [
    "the port that a proxy dropped",
    { origin: NAS, host: "nas.lan" },
    { code: "cross_site_port_dropped", says: [NAS, "“nas.lan”", "port", "Host $http_host"] },
  ],
  [
    "the Host header that a proxy replaced",
    { origin: NAS, host: "127.0.0.1:3000" },
    { code: "cross_site_host_dropped", says: [NAS, "“127.0.0.1:3000”", "Host $http_host"] },
  ],
  [
    "the proxy that is not trusted",
    { origin: NAS, host: "127.0.0.1:3000", "x-forwarded-host": "nas.lan:8080" },
    {
      code: "cross_site_proxy_untrusted",
      says: [NAS, "“127.0.0.1:3000”", "10.9.9.9", "TRUSTED_PROXIES"],
      peer: "10.9.9.9",
    },
  ],
  [
    "both sites, where the browser says that they differ",
    { origin: "https://evil.example", host: "nas.lan", "sec-fetch-site": "cross-site" },
    { code: "cross_site_refused", says: ["https://evil.example", "“nas.lan”"] },
  ],
])(
  "a refused write names %s",
  async (_, headers, { code, says, ...options }: { code: string; says: string[]; peer?: string }) => {
    const { status, body } = await write(headers, options);
    expect([status, body.code]).toEqual([403, code]);
    for (const text of says) expect(body.message).toContain(text);
  },
);

test("a port or host that an unknown proxy forwards counts for nothing", async () => {
  for (const name of ["x-forwarded-host", "x-forwarded-port"]) {
    const headers = { origin: NAS, host: "nas.lan", [name]: name.endsWith("port") ? "8080" : "nas.lan:8080" };
    expect((await write(headers, { peer: "10.9.9.9" })).status).toBe(403);
  }
});
