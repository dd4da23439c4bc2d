/** Clients that hold connections instead of calling: others are served, memory stays bounded, and they are let go. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { until } from "../support/lib/until.ts";
import { type Stage, setStage } from "./harness.ts";

const MEBIBYTE = 1_048_576;
const stages: Stage[] = [];
afterAll(() => Promise.all(stages.map(({ stop }) => stop())));

async function start(env: Record<string, string> = {}): Promise<Stage> {
  const stage = await setStage(["m"], { env });
  stages.push(stage);
  return stage;
}

async function isServed({ gateway, key }: Stage): Promise<boolean> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
  });
  await answer.text();
  return answer.ok;
}

/** Opens connections that say `first` and no more. */
async function hold({ gateway }: Stage, count: number, first = ""): Promise<Socket[]> {
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

const residentBytes = ({ gateway }: Stage): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) * 1024;

test("10,000 idle connections cost little memory and hold nobody up", async () => {
  const stage = await start();
  expect(await isServed(stage)).toBe(true);
  const before = residentBytes(stage);
  const sockets = await hold(stage, 10_000);
  expect(await isServed(stage)).toBe(true);
  expect(residentBytes(stage) - before).toBeLessThan(100 * MEBIBYTE);
  for (const socket of sockets) socket.destroy();
  expect(await isServed(stage)).toBe(true);
});

test("silent connections and headers that never end are closed", async () => {
  const stage = await start({ IDLE_TIMEOUT: "1" });
  const silent = await hold(stage, 200);
  const dribbling = await hold(stage, 200, "POST /v1/chat/completions HTTP/1.1\r\nHost: gateway.test\r\nX-Slow: ");
  for (const socket of [...silent, ...dribbling]) {
    socket.on("error", () => {});
    socket.resume();
  }
  const dripping = setInterval(() => {
    for (const socket of dribbling) if (!socket.destroyed) socket.write("a");
  }, 200);
  expect(await isServed(stage)).toBe(true);
  await until(() => [...silent, ...dribbling].every((socket) => socket.destroyed));
  clearInterval(dripping);
  expect(await isServed(stage)).toBe(true);
});
