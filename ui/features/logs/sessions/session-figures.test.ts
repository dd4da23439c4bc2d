import { expect, test } from "bun:test";
import type { SessionView } from "./session-calls.ts";
import { differenceOf, FIGURES, figureOf } from "./session-figures.ts";

const SESSION: SessionView = {
  ...{ id: "run", source: "header", user_id: 1, username: "ann", token_name: "key", started_at: 100, ended_at: 160 },
  ...{ calls: 3, failed: 1, quota: 250, prompt_tokens: 30, cached_tokens: 12, completion_tokens: 60 },
  ...{ elapsed_ms: 3702, tool_calls: 2 },
};

test("each figure of a session is shown once", () => {
  expect(FIGURES.map((figure) => figureOf(SESSION, figure))).toEqual([3, 1, 250, 60_000, 3702, 30, 12, 60, 2]);
});

test("differences are shares of the first session; of nothing there is none", () => {
  expect([differenceOf(4, 5), differenceOf(4, 2), differenceOf(0, 2)]).toEqual([0.25, -0.5, null]);
});
