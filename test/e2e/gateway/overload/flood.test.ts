import { expect, test } from "bun:test";
import path from "node:path";
import { createApiKey, createChannel, login, setOption } from "../../../support/e2e/console-client.ts";
import { ENGINES, setUp, startOn } from "../../../support/e2e/fixture.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

/** One user calls over 1,000 connections without a pause, while another one makes a call now and then. */

const FLOOD = path.join(import.meta.dir, "flood-worker.ts");
const CONNECTIONS = 1_000;
const SECONDS = 6;
const PASSWORD = "another-password-1";
const WORKERS = ENGINES.includes("postgres") ? [1, 2] : [1];

test.each(WORKERS)(
  "with %i workers the other one's calls are served as if there were no flood",
  async (workers) => {
    const engine = workers > 1 ? "postgres" : "embedded";
    const upstream = startUpstream(() => Response.json(chatReply()));
    const gateway = await startOn(engine, { env: { WORKERS: String(workers) } });
    const flood = Bun.spawn([process.execPath, FLOOD, gateway.url, "flood", String(CONNECTIONS), String(SECONDS)], {
      stdin: "pipe",
      stdout: "pipe",
    });
    const output = flood.stdout.getReader();
    const read = async () => new TextDecoder().decode((await output.read()).value);
    try {
      const root = await setUp(gateway);
      await createChannel(root, (await read()).trim(), ["flood"]);
      await createChannel(root, upstream.url, ["gpt-4o"]);
      await setOption(root, "ModelRatio", { flood: 1, "gpt-4o": 1 });
      await setOption(root, "QuotaForNewUser", 1_000_000_000);
      await root.post("/api/user/", { username: "another", password: PASSWORD, display_name: "", role: 1 });
      const { key } = await createApiKey(await login(gateway, "another", PASSWORD));
      const call = async () => {
        const startedMs = performance.now();
        const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "gpt-4o", max_tokens: 5, messages: [{ role: "user", content: "hi" }] }),
        });
        await reply.text();
        return { status: reply.status, ms: performance.now() - startedMs };
      };
      await call();
      flood.stdin.write(`${(await createApiKey(root)).key}\n`);
      flood.stdin.end();
      // Until all connections are there.
      await Bun.sleep(1_500);
      const calls: Awaited<ReturnType<typeof call>>[] = [];
      while (flood.exitCode === null) {
        calls.push(await call());
        await Bun.sleep(10);
      }
      expect(calls.length).toBeGreaterThan(20);
      expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200]));
      const statuses: Record<string, number> = JSON.parse(await read());
      expect(Object.keys(statuses).filter((status) => status !== "200" && status !== "503 1")).toEqual([]);
      expect(statuses["200"]).toBeGreaterThan(CONNECTIONS);
      // Without turns half of the other one's calls wait for all that wait before them, as long as those of the flood.
      const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0);
      const floodMs = (CONNECTIONS * SECONDS * 1000) / answers;
      const median = calls.map(({ ms }) => ms).sort((one, other) => one - other)[Math.floor(calls.length / 2)];
      expect(median).toBeLessThan(floodMs / 2);
    } finally {
      flood.kill();
      expect(await gateway.stop()).toBe(0);
      await upstream.stop();
    }
  },
  60_000,
);
