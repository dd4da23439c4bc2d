import { afterEach, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { createClientAddress } from "../../lib/http/client-ip.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { envelope, ok } from "./envelope.ts";
import { rateLimit } from "./rate-limit.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server behind one trusted proxy (this machine); the resources use the limits as the console's do. */
function start(limits: { api: number; critical: number; user?: number }) {
  const every = (count: number) => ({ count, windowMs: 3_600_000 });
  const clientAddress = createClientAddress(["127.0.0.1", "::1"]);
  const limited = rateLimit({
    rateLimits: {
      api: every(limits.api),
      user: every(limits.user ?? 1000),
      web: null,
      critical: every(limits.critical),
    },
    clientAddress,
    sharedLimits: null,
    countRefusal() {},
    async identify(request) {
      const id = Number(request.headers.get("authorization"));
      return Number.isInteger(id) && id > 0 ? id : null;
    },
  });
  const app = new Elysia()
    .use(envelope({ log: createLogger({ logLevel: "silent", logFormat: "json" }) }))
    .use(limited)
    .use(
      new Elysia({ prefix: "/api/a", name: "a" })
        .use(limited)
        .get("/", () => ok("a"))
        .post("/login", () => ok("in"), { critical: true }),
    )
    .use(new Elysia({ prefix: "/api/b", name: "b" }).use(limited).post("/reset", () => ok("reset"), { critical: true }))
    .get("/page", () => "page")
    .listen({ port: 0, hostname: "127.0.0.1" });
  stops.push(() => app.stop(true));
  return (method: string, path: string, ip: string, authorization?: string) =>
    fetch(`http://127.0.0.1:${app.server?.port}${path}`, {
      method,
      headers: { "x-forwarded-for": ip, ...(authorization && { authorization }) },
    });
}

const statuses = async (calls: Promise<Response>[]) => (await Promise.all(calls)).map((response) => response.status);
const many = <T>(count: number, call: () => T): T[] => Array.from({ length: count }, call);

describe("rate limits", () => {
  test("an address gets its number of calls, then 429 with an envelope and Retry-After", async () => {
    const call = start({ api: 5, critical: 100 });
    expect(await statuses(many(5, () => call("GET", "/api/a", "192.0.2.1")))).toEqual([200, 200, 200, 200, 200]);
    const refused = await call("GET", "/api/a", "192.0.2.1");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ success: false, code: "too_many_requests" });
    expect((await call("GET", "/api/a", "192.0.2.2")).status).toBe(200);
    expect((await call("GET", "/page", "192.0.2.1")).status).toBe(200);
  });

  test("signed-in users have a count of their own, whatever their address and whoever shares it", async () => {
    const call = start({ api: 2, user: 3, critical: 100 });
    expect(await statuses(many(3, () => call("GET", "/api/a", "192.0.2.1")))).toEqual([200, 200, 429]);
    expect((await call("GET", "/api/a", "192.0.2.1", "7")).status).toBe(200);
    expect((await call("GET", "/api/a", "192.0.2.2", "7")).status).toBe(200);
    expect((await call("GET", "/api/a", "192.0.2.3", "7")).status).toBe(200);
    const refused = await call("GET", "/api/a", "192.0.2.4", "7");
    expect(refused.status).toBe(429);
    const seconds = refused.headers.get("retry-after");
    expect(Number(seconds)).toBeGreaterThan(0);
    expect((await refused.json()).message).toBe(`Too many requests. Try again in ${seconds} seconds.`);
    expect((await call("GET", "/api/a", "192.0.2.1", "8")).status).toBe(200);
  });

  test("invalid credentials count as none, and end before they are looked up without limit", async () => {
    const call = start({ api: 2, user: 100, critical: 100 });
    expect((await call("GET", "/api/a", "192.0.2.1", "junk")).status).toBe(200);
    expect((await call("GET", "/api/a", "192.0.2.1", "more junk")).status).toBe(200);
    expect((await call("GET", "/api/a", "192.0.2.1", "junk")).status).toBe(429);
    expect((await call("GET", "/api/a", "192.0.2.1")).status).toBe(429);
    expect((await call("GET", "/api/a", "192.0.2.2", "7")).status).toBe(200);
  });

  test("critical calls share one stricter count", async () => {
    const call = start({ api: 100, critical: 3 });
    const first = await statuses([
      call("POST", "/api/a/login", "192.0.2.1"),
      call("POST", "/api/b/reset", "192.0.2.1"),
      call("POST", "/api/a/login", "192.0.2.1"),
    ]);
    expect(first).toEqual([200, 200, 200]);
    expect((await call("POST", "/api/b/reset", "192.0.2.1")).status).toBe(429);
    expect((await call("POST", "/api/a/login", "192.0.2.1")).status).toBe(429);
    expect((await call("GET", "/api/a", "192.0.2.1")).status).toBe(200);
  });
});
