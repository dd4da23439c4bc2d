import { expect, test } from "bun:test";
import type { SessionCall } from "../session-calls.ts";
import { pairsOf } from "./call-pairs.ts";

const call = (id: string): SessionCall => ({
  ...{ request_id: id, created_at: 1, started_ms: 1000, elapsed_ms: 1, tools: [], model: "m", failed: false, quota: 1 },
  ...{ first_token_ms: null, prompt_tokens: 1, cached_tokens: 0, completion_tokens: 1 },
});
const step = (agent: string, name: string, ...ids: string[]) => ({ agent, step: name, calls: ids.map(call) });

test("calls are paired by agent, step and number; what only one session has stands alone", () => {
  const pairs = pairsOf(
    [step("", "plan", "a1", "a2"), step("tester", "plan", "a3")],
    [step("", "edit", "b2"), step("", "plan", "b1")],
  );
  expect(pairs.map(({ agent, step, one, other }) => [agent, step, one?.request_id, other?.request_id])).toEqual([
    ["", "plan", "a1", "b1"],
    ["", "plan", "a2", undefined],
    ["tester", "plan", "a3", undefined],
    ["", "edit", undefined, "b2"],
  ]);
  expect(new Set(pairs.map(({ id }) => id)).size).toBe(4);
});
