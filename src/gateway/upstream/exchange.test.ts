import { expect, test } from "bun:test";
import type { DeadlineWheel, HasDeadline } from "../call/progress.ts";
import { Exchange } from "./exchange.ts";

/** An exchange with a limit of a second, and its clock: milliseconds from its beginning. */
function start(limitMs = 1_000) {
  const watched = new Set<HasDeadline>();
  const watch: DeadlineWheel = {
    add(one) {
      watched.add(one);
      one.place = 0;
    },
    remove(one) {
      watched.delete(one);
      one.place = -1;
    },
    cutOff() {},
    get size() {
      return watched.size;
    },
  };
  const exchange = new Exchange(watch, limitMs);
  const begunMs = performance.now();
  const at = (ms: number) => {
    for (const each of watched) each.check(begunMs + ms);
    return exchange.stopped;
  };
  return { exchange, at, watched };
}

test("is stopped if nothing has arrived in time", () => {
  const { exchange, at } = start(60_000);
  expect([at(30_000), at(61_000), exchange.signal.aborted]).toEqual([null, "first_byte_timeout", true]);
});

test("a body may take long as long as it makes progress, and is cut off when it stalls", () => {
  const { exchange, at } = start(60_000);
  exchange.expectBody(300_000);
  expect(at(290_000)).toBeNull();
  exchange.progressed();
  expect([at(299_000), at(301_000)]).toEqual([null, "idle_timeout"]);
  expect(exchange.signal.aborted).toBe(true);
});

test("a body that never ends is cut off after an hour", () => {
  const { exchange, at } = start(0);
  exchange.expectBody(7_200_000);
  exchange.progressed();
  expect([at(3_500_000), at(3_601_000)]).toEqual([null, "idle_timeout"]);
});

test("a further request has the same time limit for its headers", () => {
  const { exchange, at, watched } = start(60_000);
  exchange.expectBody(300_000);
  exchange.end();
  expect([at(1e12), watched.size]).toEqual([null, 0]);
  exchange.expectHead();
  expect([at(59_000), at(61_000)]).toEqual([null, "first_byte_timeout"]);
});

test("without a limit on the headers it waits indefinitely", () => {
  const { at, watched } = start(0);
  expect([at(1e12), watched.size]).toEqual([null, 1]);
});

test("releases its connection once, however it ends", () => {
  let released = 0;
  const { exchange } = start();
  exchange.release = () => {
    released += 1;
  };
  exchange.end();
  exchange.stop("client_left");
  expect([released, exchange.signal.aborted]).toEqual([1, true]);
});
