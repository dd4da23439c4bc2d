import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../../support/lib/free-port.ts";
import { gatewayCommand } from "../../../support/processes/gateway.ts";

const ROOT = path.resolve(import.meta.dir, "../../../..");
const KILLS = 3;

test("killed at random moments, the gateway charges each delivered answer once", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-kill-test-"));
  const [port, upstreamPort] = [await freePort(), await freePort()];
  const settings = `ALLOW_PRIVATE_UPSTREAMS=true HOST=127.0.0.1 PORT=${port} DATA_DIR=${dataDir} LOG_LEVEL=error`;
  const options = {
    start: `exec env -u DATABASE_URL -u REDIS_URL ${settings} ${gatewayCommand().join(" ")} serve`,
    url: `http://127.0.0.1:${port}`,
    "count-with": "sluice",
    kills: String(KILLS),
    clients: "4",
    most: "2",
    "upstream-port": String(upstreamPort),
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = Bun.spawn([process.execPath, "scripts/soak/kill-test/kill-test.ts", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const result: unknown = JSON.parse(await Bun.readableStreamToText(child.stdout));
  expect(await child.exited).toBe(0);
  expect(result).toMatchObject({ kills: KILLS, lost: 0, doubled: 0, difference: 0 });
  expect(result).toMatchObject({ delivered: expect.any(Number) });
  await rm(dataDir, { recursive: true });
}, 240_000);
