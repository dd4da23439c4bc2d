import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia, t } from "elysia";
import { announceBody } from "../../../test/support/lib/announce-body.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { envelope, ok } from "./envelope.ts";
import { bodyLimit } from "./request-checks.ts";

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
