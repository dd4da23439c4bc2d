import { expect, test } from "bun:test";
import { atEndOfTurn, endOfTurn } from "./tick.ts";

test("what is requested in a tick is done after it, in order, and before those who wait go on", async () => {
  const done: string[] = [];
  atEndOfTurn(() => done.push("first"));
  const waits = [1, 2].map((number) => endOfTurn().then(() => done.push(`waiter ${number}`)));
  atEndOfTurn(() => done.push("second"));
  await Promise.resolve();
  expect(done).toEqual([]);
  await Promise.all(waits);
  expect(done).toEqual(["first", "second", "waiter 1", "waiter 2"]);
});

test("work that is requested at the end of a tick belongs to the next", async () => {
  const done: string[] = [];
  atEndOfTurn(() => {
    done.push("now");
    atEndOfTurn(() => done.push("later"));
  });
  await endOfTurn();
  expect(done).toEqual(["now"]);
  await endOfTurn();
  expect(done).toEqual(["now", "later"]);
});
