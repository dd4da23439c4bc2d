/** Usage exports of a gateway that is killed while their destination is away. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApiKey, createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import {
  ENGINES,
  emptyDatabase,
  type FakeUpstream,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const MODEL = "usage-10-5";
const CALLS = 12;

let upstream: FakeUpstream;
let receiver: Bun.Server<undefined>;
let isAway = false;
const received: string[] = [];
beforeAll(() => {
  upstream = startFakeUpstream();
  receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { data } = (await request.json()) as { data: { id: string }[] };
      if (isAway) return new Response("", { status: 503 });
      received.push(...data.map(({ id }) => id));
      return new Response("");
    },
  });
});
afterAll(async () => {
  receiver.stop(true);
  await upstream.stop();
});

test.each([...ENGINES])(
  "on %s, every call arrives although the gateway is killed and the destination was away",
  async (engine) => {
    received.length = 0;
    isAway = true;
    const env: Record<string, string> = engine === "postgres" ? { DATABASE_URL: await emptyDatabase() } : {};
    const first = await startGateway({ env });
    const root = await setUp(first);
    await createChannel(root, upstream.url, [MODEL]);
    await setOption(root, "ModelRatio", { [MODEL]: 1 });
    const { key } = await createApiKey(root);
    await root.post("/api/sinks/", {
      ...{ type: "webhook", name: "Lake", enabled: true, from_start: true },
      config: { url: `http://127.0.0.1:${receiver.port}/`, secret: `whsec_${btoa("s".repeat(32))}` },
    });
    const call = async (url: string) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hi" }] }),
      });
      expect(response.status).toBe(200);
      await response.text();
    };
    await Promise.all(Array.from({ length: CALLS }, () => call(first.url)));
    await first.stop("SIGKILL");

    const second = await startGateway({ dataDir: first.dataDir, env });
    await call(second.url);
    isAway = false;
    const again = await login(second, ROOT_NAME, ROOT_PASSWORD);
    const listed = async () => (await again.get("/api/sinks/"))[0];
    // Resuming tries at once.
    const { id, name } = await listed();
    await again.put(`/api/sinks/${id}`, { name, enabled: true, config: {} });
    await until(async () => {
      await again.post("/api/jobs/usage%20exports/run").catch(() => {});
      return new Set(received).size === CALLS + 1;
    });
    await until(async () => (await listed()).waiting === 0);
    expect(await listed()).toMatchObject({ failures: 0, last_error: "" });
    expect(await second.stop()).toBe(0);
  },
  120_000,
);
