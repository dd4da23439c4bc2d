import { expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { compressed } from "./compressed.ts";

const LIST = { items: Array.from({ length: 200 }, (_, id) => ({ id, name: `channel ${id}` })) };
const ask = (accepts: string, path = "/api/channel/") =>
  new Request(`http://x${path}`, { headers: { "accept-encoding": accepts } });

test.each([
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["zstd;q=0.5", "zstd"],
  ["br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip"],
  ["gzip, zstd;q=0", "gzip"],
  ["*", "gzip"],
])("a long answer is packed for %s", async (accepts, coding) => {
  const answer = await compressed(ask(accepts), Response.json(LIST, { status: 201, headers: { "x-request-id": "a" } }));
  expect(answer.status).toBe(201);
  expect(answer.headers.get("content-encoding")).toBe(coding);
  expect(answer.headers.get("vary")).toContain("accept-encoding");
  expect(answer.headers.get("x-request-id")).toBe("a");
  const bytes = await answer.bytes();
  const text = coding === "zstd" ? zstdDecompressSync(bytes) : gunzipSync(bytes);
  expect(JSON.parse(text.toString())).toEqual(LIST);
});

test.each([
  ["who does not take it", ask("br, gzip;q=0"), Response.json(LIST)],
  ["who says nothing", new Request("http://x/api/channel/"), Response.json(LIST)],
  ["a short answer", ask("gzip"), Response.json({ success: true })],
  ["another path", ask("gzip", "/v1/models"), Response.json(LIST)],
  ["a file", ask("gzip"), Response.json(LIST, { headers: { "content-disposition": "attachment" } })],
  ["events", ask("gzip"), new Response("data: 1\n\n", { headers: { "content-type": "text/event-stream" } })],
  ["what is packed", ask("gzip"), Response.json(LIST, { headers: { "content-encoding": "br" } })],
])("stays as it is: %s", async (_, request, answer) => {
  const text = await answer.clone().text();
  const encoding = answer.headers.get("content-encoding");
  const sent = await compressed(request, answer);
  expect(sent.headers.get("content-encoding")).toBe(encoding);
  expect(await sent.text()).toBe(text);
});

test("cookies of an answer stay apart", async () => {
  const answer = Response.json(LIST);
  answer.headers.append("set-cookie", "a=1");
  answer.headers.append("set-cookie", "b=2");
  expect((await compressed(ask("gzip"), answer)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});
