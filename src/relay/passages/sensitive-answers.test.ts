import { describe, expect, test } from "bun:test";
import { ReplyCollector } from "../../dialects/collect-reply.ts";
import type { ReplyEvent } from "../../dialects/reply.ts";
import { sensitiveAnswers } from "./sensitive-answers.ts";

const WORDS = { words: ["secret", "bad word"], patterns: [/\b\d{4}-\d{4}\b/iu] };

/** What a client reads of an answer that comes in pieces of `size` characters. */
function read(answer: string, size: number, stops: boolean) {
  const filter = sensitiveAnswers(WORDS, stops)();
  const collector = new ReplyCollector();
  const steps: ReplyEvent[] = [];
  for (let at = 0; at < answer.length; at += size)
    steps.push({ type: "text", choice: 0, text: answer.slice(at, at + size) });
  steps.push({ type: "finish", choice: 0, reason: "stop", native: null });
  for (const step of steps) for (const passed of filter(step)) collector.push(passed);
  const [choice] = collector.reply.choices;
  const text = choice?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, reason: choice?.finish.reason };
}

describe.each([1, 2, 3, 7, 1000])("pieces of %p characters", (size) => {
  test("are masked wherever a word is cut", () => {
    expect(read("A Secret and a bad word, card 1234-5678 too.", size, false)).toEqual({
      text: "A **###** and a **###**, card **###** too.",
      reason: "stop",
    });
  });

  test("end at the first word where the site wants that", () => {
    expect(read("Well, a secret is out", size, true)).toEqual({ text: "Well, a ", reason: "content_filter" });
  });

  test("arrive whole when there is nothing to find", () => {
    expect(read("Nothing to hide here.", size, true)).toEqual({ text: "Nothing to hide here.", reason: "stop" });
  });
});
