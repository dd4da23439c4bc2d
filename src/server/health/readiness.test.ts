import { expect, test } from "bun:test";
import { until } from "../../../test/support/lib/until.ts";
import { createDatabaseProbe } from "./readiness.ts";

test("says within a moment whether the database answers, and asks once at a time", async () => {
  let questions = 0;
  let question = Promise.withResolvers<void>();
  const answers = createDatabaseProbe(() => {
    questions += 1;
    question = Promise.withResolvers();
    return question.promise;
  });
  const first = answers();
  question.resolve();
  expect(await first).toBe(true);

  // Silence counts as what was known, until it has lasted.
  expect(await Promise.all([answers(), answers()])).toEqual([true, true]);
  await until(async () => !(await answers()));
  expect(questions).toBe(2);

  question.resolve();
  await until(async () => {
    const known = answers();
    question.resolve();
    return known;
  });
  const refused = answers();
  question.reject(new Error("refused"));
  expect(await refused).toBe(false);
}, 30_000);
