import { expect, test } from "bun:test";
import { counter } from "../../../test/support/formats/fixtures.ts";
import type { Part, Turn } from "../conversation/conversation.ts";
import { pairCalls } from "./pair-calls.ts";

const call = (id: string, name = "f"): Part => ({ type: "tool-call", id, name, input: "{}", kind: "function" });
const text = (words: string): Part => ({ type: "text", text: words });
const result = (callId: string, words: string): Part => ({
  type: "tool-result",
  callId,
  name: null,
  parts: [text(words)],
  isError: false,
});
const asks = (...parts: Part[]): Turn => ({ role: "user", parts });
const says = (...parts: Part[]): Turn => ({ role: "assistant", parts });
const paired = (...turns: Turn[]) =>
  pairCalls(turns, counter()).map(({ role, parts }) => [
    role,
    ...parts.map((part) => {
      if (part.type === "tool-call") return part.id;
      if (part.type === "tool-result") return `${part.callId}=${part.parts.map((p) => p.type === "text" && p.text)}`;
      return part.type === "text" ? part.text : part.type;
    }),
  ]);

test("tool_use without a tool_result in the very next message, or the reverse", () => {
  expect(
    paired(asks(text("go")), says(call("a"), call("b")), asks(text("and")), asks(result("b", "2")), says(call("c"))),
  ).toEqual([
    ["user", "go"],
    ["assistant", "a", "b"],
    ["user", "a=", "b=2", "and"],
    ["assistant", "c"],
    ["user", "c="],
  ]);
  expect(paired(asks(result("gone", "kept words")), says(text("ok")))).toEqual([
    ["user", "kept words"],
    ["assistant", "ok"],
  ]);
});

test("the same id twice: made unique, results follow in order", () => {
  expect(
    paired(says(call("a"), call("a"), call("")), asks(result("", "3"), result("a", "1"), result("a", "2"))),
  ).toEqual([
    ["assistant", "a", "call_0", "call_1"],
    ["user", "a=1", "call_0=2", "call_1=3"],
  ]);
});

test("results have the name of their call; the client's turns stay unchanged", () => {
  const turns = [says(call("a", "weather")), asks(result("a", "1")), asks(text("more"))];
  const before = structuredClone(turns);
  const [, answer] = pairCalls(turns, counter());
  expect(answer?.parts[0]).toMatchObject({ callId: "a", name: "weather" });
  expect(turns).toEqual(before);
});
