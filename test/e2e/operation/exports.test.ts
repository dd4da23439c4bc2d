/** Usage exports, and the archive of the log, of a gateway that is killed while their destination is away. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
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
import { startFakeS3 } from "../../support/processes/fake-s3.ts";

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

test.if(ENGINES.includes("postgres"))(
  "the log is archived to S3, each row once, although the gateway is killed during the upload",
  async () => {
    const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "hush" };
    const s3 = startFakeS3(keys);
    const env = { DATABASE_URL: await emptyDatabase() };
    const first = await startGateway({ env });
    const sql = postgres(env.DATABASE_URL, { max: 1, onnotice() {} });
    const month = "2026-01";
    await sql`insert into logs (created_at, type, model_name, quota, request_id)
    select ${Date.parse(`${month}-02T00:00:00Z`) / 1000}::bigint + n, 2, 'gpt', n, 'old-' || n from generate_series(1, 2500) n`;
    const root = await setUp(first);
    const options = { LogArchive: "s3", ArchiveS3Url: s3.url, ArchiveS3Bucket: "logs", LogRetention: { "*": 7 } };
    for (const [key, value] of Object.entries(options)) await setOption(root, key, value);
    await setOption(root, "ArchiveS3AccessKeyId", keys.accessKeyId);
    await setOption(root, "ArchiveS3SecretAccessKey", keys.secretAccessKey);
    s3.state.isSilent = true;
    await root.post("/api/jobs/log%20retention/run");
    await until(() => s3.state.requests.some((request) => request.startsWith("PUT")));
    await first.stop("SIGKILL");
    s3.state.isSilent = false;
    expect((await sql`select from logs where request_id like 'old-%'`).length).toBe(2500);

    const second = await startGateway({ dataDir: first.dataDir, env });
    const again = await login(second, ROOT_NAME, ROOT_PASSWORD);
    // The lease of the process that died has to expire first.
    await sql`update job_turns set lease_until = 0 where job = 'log retention'`;
    await again.post("/api/jobs/log%20retention/run");
    const listed = () => again.get("/api/log-archives/");
    const months = await until(listed, (found) => found.length > 0 && !found[0].is_moving);
    expect(months).toMatchObject([{ month, rows: 2500, files: 1, places: ["s3"] }]);
    expect((await sql`select from logs where request_id like 'old-%'`).length).toBe(0);
    expect([s3.objects.size, s3.state.refused]).toEqual([1, 0]);
    const page = await again.get(`/api/log-archives/rows?month=${month}&page_size=100`);
    expect(page.items.map(({ quota }: { quota: number }) => quota)).toEqual(
      Array.from({ length: 100 }, (_, n) => 2500 - n),
    );
    const { items } = await again.get(`/api/log-archives/rows?month=${month}&request_id=old-3`);
    expect(items).toMatchObject([{ quota: 3, request_id: "old-3" }]);
    await sql.end();
    expect(await second.stop()).toBe(0);
    await s3.stop();
  },
  120_000,
);
