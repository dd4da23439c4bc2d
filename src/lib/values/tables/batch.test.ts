import { expect, test } from "bun:test";
import { createBatch } from "./batch.ts";

test("what is requested in one turn, or while a batch runs, is one batch", async () => {
  const batches: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const ask = createBatch<number>(async (items) => {
    batches.push([...items]);
    await gate.promise;
  }, 3);
  const answers = [ask(1), ask(2)];
  await Bun.sleep(0);
  answers.push(...[3, 4, 5, 6].map(ask));
  gate.resolve();
  await Promise.all(answers);
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
});

test("a batch that fails is reported to those who wait for it, and the next one runs", async () => {
  const ask = createBatch<string>(async (items) => {
    if (items.includes("bad")) throw new Error("no database");
  }, 100);
  const first = Promise.allSettled([ask("bad"), ask("good")]);
  expect((await first).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(ask("good")).resolves.toBeUndefined();
});
