import { expect, test } from "bun:test";
import { createRecheckKey } from "./recheck-key.ts";

function start(reread: (key: string) => Promise<void> = async () => {}) {
  const requests: string[] = [];
  let time = 1_000_000;
  const recheck = createRecheckKey({
    hash: (key) => `hash of ${key}`,
    reread: (key) => {
      requests.push(key);
      return reread(key);
    },
    now: () => time,
  });
  const wait = (ms: number) => {
    time += ms;
  };
  return { requests: requests, recheck, wait };
}

test("calls in parallel with one key ask once, and all hear the answer", async () => {
  const gate = Promise.withResolvers<void>();
  const { requests, recheck } = start(() => gate.promise);
  const answers = Array.from({ length: 101 }, (_, at) => recheck("new", `192.0.2.${at}`));
  gate.resolve();
  expect(await Promise.all(answers)).toEqual(Array(101).fill(true));
  expect(requests).toEqual(["new"]);
});

test("a key is asked about once a second", async () => {
  const { requests, recheck, wait } = start();
  expect([await recheck("bad", "a"), await recheck("bad", "a"), await recheck("bad", "b")]).toEqual([
    true,
    false,
    false,
  ]);
  wait(1000);
  expect(await recheck("bad", "a")).toBe(true);
  expect(requests).toHaveLength(2);
});

test("a flood of random keys is no flood of queries: by address, and in all", async () => {
  const { requests, recheck, wait } = start();
  for (let at = 0; at < 10_000; at += 1) await recheck(`random ${at}`, "198.51.100.1");
  expect(requests).toHaveLength(100);
  expect(await recheck("of somebody else", "192.0.2.1")).toBe(true);
  for (let at = 0; at < 10_000; at += 1) await recheck(`many ${at}`, `address ${at}`);
  expect(requests).toHaveLength(500);
  wait(11_000);
  expect(await recheck("later", "198.51.100.1")).toBe(true);
});

test("a database that fails is told, and asked again once the key's rest is over", async () => {
  const { requests, recheck, wait } = start(() => Promise.reject(new Error("no database")));
  const ask = () => recheck("key", "a").catch(() => "failed");
  expect([await ask(), await ask()]).toEqual(["failed", "failed"]);
  expect(requests).toHaveLength(1);
  wait(1000);
  expect(await ask()).toBe("failed");
  expect(requests).toHaveLength(2);
});
