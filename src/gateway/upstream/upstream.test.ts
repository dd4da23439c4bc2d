import { afterEach, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { OutboundError } from "../../lib/outbound/outbound-error.ts";
import { createDeadlineWheel } from "../call/progress.ts";
import { Exchange } from "./exchange.ts";
import { createUpstream } from "./upstream.ts";

const TEXT = JSON.stringify({ text: "水闸 lets ships climb ".repeat(500) });
const watch = createDeadlineWheel();
const newExchange = () => new Exchange(watch, 60_000);
const create = (allowPrivate = true, usesEnvironmentProxy = false) =>
  createUpstream(createAddressPolicy(allowPrivate), { usesEnvironmentProxy, maxConnections: 100 });
const servers: Bun.Server<undefined>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

/** A server that sends these bytes with this encoding, and records its requests. */
function start(body: Uint8Array<ArrayBuffer>, encoding: string) {
  const requests: { search: string; encodings: string | null }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      requests.push({ search: new URL(request.url).search, encodings: request.headers.get("accept-encoding") });
      return new Response(body, { headers: { "content-encoding": encoding, "x-kept": "yes" } });
    },
  });
  servers.push(server);
  return { requests, url: `${server.url.href}v1/chat?beta=true` };
}

const outgoing = (url: string) => ({ url, headers: { "x-own": "1" }, body: "{}", proxy: "" });

test.each([
  ["gzip", gzipSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["br", brotliCompressSync(TEXT)],
  ["zstd", zstdCompressSync(TEXT)],
])("a response in %s that was not requested is decompressed", async (encoding, body) => {
  const { url, requests } = start(new Uint8Array(body), encoding);
  const answer = await create().send(outgoing(url), newExchange());
  expect(await answer.text()).toBe(TEXT);
  expect([answer.headers.get("x-kept"), answer.headers.get("content-encoding")]).toEqual(["yes", null]);
  expect(requests).toEqual([{ search: "?beta=true", encodings: "identity" }]);
});

test("a response in an unknown encoding is rejected", async () => {
  const { url } = start(new Uint8Array(3), "secret");
  const sent = create().send(outgoing(url), newExchange());
  await expect(sent).rejects.toThrow("encoded as secret");
});

test("private addresses are rejected before anything is sent", async () => {
  const { url, requests } = start(new Uint8Array(0), "identity");
  const upstream = create(false);
  await expect(upstream.send(outgoing(url), newExchange())).rejects.toThrow(OutboundError);
  const named = url.replace("127.0.0.1", "localhost");
  await expect(upstream.send(outgoing(named), newExchange())).rejects.toThrow(OutboundError);
  expect(requests).toHaveLength(0);
});
