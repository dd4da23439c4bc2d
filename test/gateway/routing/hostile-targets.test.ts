/** Addresses that would lead a request inside: names that change their answer between check and connection, and redirects. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createDeadlineWheel } from "../../../src/gateway/call/progress.ts";
import { Exchange } from "../../../src/gateway/upstream/exchange.ts";
import { createUpstream } from "../../../src/gateway/upstream/upstream.ts";
import { createDialWebSocket } from "../../../src/lib/outbound/dial-websocket.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";

const [OUTSIDE, INSIDE] = ["127.0.0.2", "127.0.0.1"] as const;
const policy = { allowPrivate: false, variable: "", allows: (address: string) => address === OUTSIDE };
const reached: string[] = [];
const ATTEMPTS = 4;

/** A server on either side, on one port: whoever asks a name twice gets the other address and is found out. */
function serve(hostname: string, port: number) {
  return Bun.serve<undefined>({
    hostname,
    port,
    fetch(request, server) {
      reached.push(hostname);
      if (request.headers.has("upgrade") && server.upgrade(request)) return undefined;
      const target = new URL(request.url).searchParams.get("to");
      return target === null ? new Response("{}") : Response.redirect(target, 307);
    },
    websocket: { message: () => {} },
  });
}
const outside = serve(OUTSIDE, 0);
const port = outside.port ?? 0;
const inside = serve(INSIDE, port);
afterAll(() => Promise.all([outside.stop(true), inside.stop(true)]));

let lookups = 0;
/** The first answer is fine, every other one leads inside. */
const lookup = async () => [lookups++ === 0 ? OUTSIDE : INSIDE];
beforeEach(() => {
  lookups = 0;
  reached.length = 0;
});

const exchange = () => new Exchange(createDeadlineWheel(), 20_000);
const upstream = () => createUpstream(policy, { usesEnvironmentProxy: false, maxConnections: 10, lookup });
const url = (path = "/") => `http://rebinding.example:${port}${path}`;
const request = { url: url(), headers: {}, body: "{}", proxy: "" };

describe("a name that changes its answer", () => {
  const ways: readonly (readonly [string, () => (path?: string) => Promise<unknown>])[] = [
    [
      "an upstream",
      () => {
        const { send } = upstream();
        return () => send(request, exchange());
      },
    ],
    [
      "an upstream by WebSocket",
      () => {
        const dial = createDialWebSocket(policy, lookup);
        return async () => (await dial(request, AbortSignal.timeout(20_000))).close();
      },
    ],
    [
      "an upstream's proxy",
      () => {
        const { send } = upstream();
        const proxy = `http://proxy.example:${port}`;
        // The target is an address, so the proxy's name is the only one.
        return () => send({ ...request, url: `http://${OUTSIDE}:9/`, proxy }, exchange());
      },
    ],
    [
      "webhooks, images, sign-in, model lists and all else",
      () => {
        const safeFetch = createSafeFetch(policy, lookup);
        return () => safeFetch(url());
      },
    ],
  ];

  test.each(ways)("never leads %s inside", async (_name, start) => {
    const send = start();
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) await send().catch(() => {});
    expect(reached).toContain(OUTSIDE);
    expect(reached).not.toContain(INSIDE);
  });
});

describe("a redirect", () => {
  const targets = [`http://${INSIDE}:${port}/`, `http://[::ffff:7f00:1]:${port}/`, `http://2130706433:${port}/`];

  test.each(targets)("to %s is not followed by the relay", async (target) => {
    const answer = await upstream().send({ ...request, url: url(`/?to=${target}`) }, exchange());
    expect(answer.status).toBe(307);
    expect(reached).toEqual([OUTSIDE]);
  });

  test.each([...targets, url("/second"), "file:///etc/passwd", "gopher://x/"])(
    "to %s is refused everywhere else",
    async (target) => {
      const safeFetch = createSafeFetch(policy, async () => [lookups++ === 0 ? OUTSIDE : INSIDE]);
      const path = `/?to=${encodeURIComponent(target)}`;
      const answer = await safeFetch(url(path)).then(
        ({ status }) => status,
        (error: unknown) => (error instanceof Error ? error.name : ""),
      );
      // The same name again is believed for seconds, so it leads where it was checked to lead.
      expect(answer).toBe(target === url("/second") ? 200 : "OutboundError");
      expect(reached).not.toContain(INSIDE);
    },
  );
});
