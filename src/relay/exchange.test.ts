import { expect, test } from "bun:test";
import { Exchange } from "./exchange.ts";
import type { Watch, Watched } from "./watch.ts";

/** An exchange under a limit of a second, and what tells it the time: milliseconds from its beginning. */
function start(limitMs = 1_000) {
  const watched = new Set<Watched>();
  const watch: Watch = {
    add: (one) => void watched.add(one),
    remove: (one) => void watched.delete(one),
    get size() {
      return watched.size;
    },
  };
  const exchange = new Exchange(watch, limitMs);
  const begunMs = performance.now();
  const at = (ms: number) => {
    exchange.check(begunMs + ms);
    return exchange.stopped;
  };
  return { exchange, at, watched };
}

test("is stopped when nothing has come in time", () => {
  const { exchange, at } = start(60_000);
  expect([at(30_000), at(61_000), exchange.stopper.stopped]).toEqual([null, "first_byte_timeout", true]);
});

test("has a time of its own for the rest of an answer that has begun", () => {
  const { exchange, at } = start(60_000);
  exchange.begun(3_600_000);
  expect([at(61_000), at(7_200_000)]).toEqual([null, "first_byte_timeout"]);
});

test("keeps the longer time", () => {
  const { exchange, at } = start(3_600_000);
  exchange.begun(60_000);
  expect([at(61_000), at(3_700_000)]).toEqual([null, "first_byte_timeout"]);
});

test("has all the time for a rest without a limit, and where there never was one", () => {
  const endless = start(60_000);
  endless.exchange.begun(0);
  expect([endless.at(1e12), endless.watched.size]).toEqual([null, 0]);
  const free = start(0);
  free.exchange.begun(5);
  expect([free.at(1e12), free.watched.size]).toEqual([null, 0]);
});
