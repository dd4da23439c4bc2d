import { expect, test } from "bun:test";
import { createRecheckKey } from "./recheck-key.ts";

function start(
  reread: (key: string) => Promise<void> = async () => {},
  known: readonly string[] = [],
  isLoading = () => false,
) {
  const requests: string[] = [];
  let time = 1_000_000;
  const recheck = createRecheckKey({
    hash: (key) => `hash of ${key}`,
    isKnown: (key) => known.includes(key),
    isLoading,
    reread: (key) => {
      requests.push(key);
      return reread(key);
    },
    now: () => time,
  });
  const wait = (ms: number) => {
    time += ms;
  };
  return { requests, recheck, wait };
}

test("calls in parallel with one key ask once, and all get the answer", async () => {
  const gate = Promise.withResolvers<void>();
  const { requests, recheck } = start(() => gate.promise);
  const answers = Array.from({ length: 101 }, (_, at) => recheck("new", `192.0.2.${at}`));
  gate.resolve();
  expect(await Promise.all(answers)).toEqual(Array(101).fill(true));
  expect(requests).toEqual(["new"]);
});

test("an unknown key is looked up once a second", async () => {
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

test("a known key is looked up by each call, as it may have been filled in between", async () => {
  const { requests, recheck } = start(undefined, ["empty"]);
  expect([await recheck("empty", "a"), await recheck("empty", "a")]).toEqual([true, true]);
  expect(requests).toHaveLength(2);
});

test("calls with a known key that come while it is read share a read that begins after they came", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { requests, recheck } = start(() => gates[requests.length - 1]?.promise ?? Promise.resolve(), ["empty"]);
  const first = recheck("empty", "a");
  const later = Array.from({ length: 20 }, () => recheck("empty", "a"));
  expect(requests).toHaveLength(1);
  gates[0]?.reject(new Error("cut off"));
  expect(await first.catch(() => "failed")).toBe("failed");
  gates[1]?.resolve();
  expect(await Promise.all(later)).toEqual(Array(20).fill(true));
  expect(requests).toHaveLength(2);
});

test("a client that goes on calling with a known key reaches the database 100 times in 10 s", async () => {
  const { requests, recheck, wait } = start(undefined, ["empty", "filled"]);
  for (let at = 0; at < 1000; at += 1) await recheck("empty", "a");
  expect(requests).toHaveLength(100);
  expect(await recheck("filled", "a")).toBe(true);
  wait(11_000);
  expect(await recheck("empty", "a")).toBe(true);
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

test("while keys are being loaded every one that is not there yet is looked up", async () => {
  let isLoading = true;
  const { requests, recheck } = start(undefined, [], () => isLoading);
  for (let at = 0; at < 1000; at += 1) expect(await recheck(`key ${at}`, "198.51.100.1")).toBe(true);
  expect(requests).toHaveLength(1000);
  isLoading = false;
  for (let at = 0; at < 1000; at += 1) await recheck(`random ${at}`, "198.51.100.1");
  expect(requests).toHaveLength(1100);
});

test("a failing database is reported, and queried again after the key's pause", async () => {
  const { requests, recheck, wait } = start(() => Promise.reject(new Error("no database")));
  const ask = () => recheck("key", "a").catch(() => "failed");
  expect([await ask(), await ask()]).toEqual(["failed", "failed"]);
  expect(requests).toHaveLength(1);
  wait(1000);
  expect(await ask()).toBe("failed");
  expect(requests).toHaveLength(2);
});
