/** Clients that hold connections instead of calling: others are served, memory stays bounded, and they are let go. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { CHEAPEST_ENGINE, type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const MEBIBYTE = 1_048_576;
const fixtures: Fixture[] = [];
afterAll(() => Promise.all(fixtures.map(({ stop }) => stop())));

async function start(env: Record<string, string> = {}): Promise<Fixture> {
  const fixture = await startFixture(["m"], { engine: CHEAPEST_ENGINE, env });
  fixtures.push(fixture);
  return fixture;
}

async function isServed({ gateway, key }: Fixture): Promise<boolean> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
  });
  await answer.text();
  return answer.ok;
}

/** Opens connections that say `first` and no more. */
async function hold({ gateway }: Fixture, count: number, first = ""): Promise<Socket[]> {
  const { hostname, port } = new URL(gateway.url);
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(500, count - sockets.length) }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<Socket>();
      const socket = connect(Number(port), hostname, () => resolve(socket));
      socket.on("error", reject);
      if (first !== "") socket.write(first);
      return promise;
    });
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}

const residentBytes = ({ gateway }: Fixture): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) * 1024;

test("10,000 idle connections cost little memory and hold nobody up", async () => {
  const fixture = await start();
  expect(await isServed(fixture)).toBe(true);
  const before = residentBytes(fixture);
  const sockets = await hold(fixture, 10_000);
  expect(await isServed(fixture)).toBe(true);
  expect(residentBytes(fixture) - before).toBeLessThan(100 * MEBIBYTE);
  for (const socket of sockets) socket.destroy();
  expect(await isServed(fixture)).toBe(true);
});

test("silent connections and headers that never end are closed", async () => {
  const fixture = await start({ IDLE_TIMEOUT: "1" });
  const silent = await hold(fixture, 200);
  const dribbling = await hold(fixture, 200, "POST /v1/chat/completions HTTP/1.1\r\nHost: gateway.test\r\nX-Slow: ");
  for (const socket of [...silent, ...dribbling]) {
    socket.on("error", () => {});
    socket.resume();
  }
  const dripping = setInterval(() => {
    for (const socket of dribbling) if (!socket.destroyed) socket.write("a");
  }, 200);
  expect(await isServed(fixture)).toBe(true);
  await until(() => [...silent, ...dribbling].every((socket) => socket.destroyed));
  clearInterval(dripping);
  expect(await isServed(fixture)).toBe(true);
});
