import { expect, test } from "bun:test";
import type { AgentNode, SessionCall } from "../session-calls.ts";
import { axisOf } from "./axis.ts";
import { linesOf } from "./timeline.ts";

const START = 1_790_000_000_000;
const call = (id: string, startMs: number, elapsedMs: number, tools: readonly string[] = []): SessionCall => ({
  ...{ request_id: id, created_at: START / 1000, started_ms: START + startMs, elapsed_ms: elapsedMs, tools },
  ...{ model: "m", failed: false, quota: 1, first_token_ms: null },
  ...{ prompt_tokens: 1, cached_tokens: 0, completion_tokens: 1 },
});
const SUMS = {
  ...{ calls: 1, failed: 0, quota: 1, prompt_tokens: 1, cached_tokens: 0, completion_tokens: 1 },
  ...{ elapsed_ms: 1, tool_calls: 0, started_at: START / 1000, ended_at: START / 1000 + 9 },
};
const agent = (name: string, ...children: AgentNode[]): AgentNode => ({
  ...{ agent: name, name, own: SUMS, branch: SUMS, children },
});

test("an agent is followed by its calls and those that it started, in the order of their beginning", () => {
  const agents = agent("", agent("late"), agent("early", agent("inner")));
  const steps = [
    { agent: "", step: "plan", calls: [call("first", 0, 100), call("last", 900, 50)] },
    { agent: "late", step: "", calls: [call("late-1", 700, 10)] },
    { agent: "early", step: "", calls: [call("early-1", 200, 10)] },
    { agent: "inner", step: "", calls: [call("inner-1", 300, 10)] },
  ];
  const lines = linesOf({ agents, steps });
  expect(lines.map(({ id, parents }) => [id, parents.length])).toEqual([
    ["agent ", 0],
    ["first", 1],
    ["agent early", 1],
    ["early-1", 2],
    ["agent inner", 2],
    ["inner-1", 3],
    ["agent late", 1],
    ["late-1", 2],
    ["last", 1],
  ]);
  expect(lines[0]?.span).toEqual({ from: START, to: START + 950 });
});

test("an only agent has no line; tools run between two calls of the same agent", () => {
  const steps = [
    { agent: "", step: "edit", calls: [call("b", 400, 100, ["grep"]), call("c", 450, 10, ["read"])] },
    { agent: "", step: "plan", calls: [call("a", 0, 100, ["before"])] },
  ];
  const lines = linesOf({ agents: agent(""), steps });
  expect(lines.map((line) => (line.kind === "call" ? [line.id, line.step, line.tools] : line.kind))).toEqual([
    ["a", "plan", null],
    ["b", "edit", { from: START + 100, to: START + 400 }],
    // It overlaps with the call before: nothing ran between them.
    ["c", "edit", null],
  ]);
});

test("long pauses are drawn short, what happened in its length, and every moment has its place", () => {
  const calls = [call("a", 0, 1000), call("b", 500, 1000), call("c", 3_600_000, 500)];
  const axis = axisOf(linesOf({ agents: agent(""), steps: [{ agent: "", step: "", calls }] }));
  expect(axis.length).toBe(1500 + 100 + 500);
  expect(axis.breaks).toEqual([{ at: 1550, skippedMs: 3_598_500 }]);
  const places = [-5, 0, 750, 1500, 1550, 1_800_000, 3_600_000, 3_600_250, 9_999_999].map((ms) => axis.at(START + ms));
  expect(places).toEqual([0, 0, 750, 1500, 1550, 1600, 1600, 1850, 2100]);
});

test("a session without known calls has an axis all the same", () => {
  expect(axisOf([])).toMatchObject({ length: 1, breaks: [] });
});
