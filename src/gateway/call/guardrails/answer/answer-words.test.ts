import { describe, expect, test } from "bun:test";
import { wordGuardrail } from "../../../../domain/models/guardrails/compile.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import { ReplyCollector } from "../../../../formats/conversation/collect-reply.ts";
import type { ReplyEvent } from "../../../../formats/conversation/reply.ts";
import { compileLinearPattern } from "../../../../lib/values/patterns/linear-pattern.ts";
import { answerFilter } from "./answer-filter.ts";

const WORDS = {
  words: ["secret", "bad word"],
  patterns: [compileLinearPattern("\\b\\d{4}-\\d{4}\\b")].filter((pattern) => pattern !== null),
};

/** What a client receives of a response that arrives in chunks of `size` characters. */
function read(answer: string, size: number, stops: boolean) {
  const guardrails = [wordGuardrail(WORDS, { policy: null }, stops ? "block" : "mask")];
  const placeholders = new Placeholders(() => "");
  const filter = answerFilter({ guardrails, placeholders, isJson: false, log: null })();
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

describe.each([1, 2, 3, 7, 1000])("chunks of %p characters", (size) => {
  test("are masked wherever a word is split", () => {
    expect(read("A Secret and a bad word, card 1234-5678 too.", size, false)).toEqual({
      text: "A **###** and a **###**, card **###** too.",
      reason: "stop",
    });
  });

  test("end at the first word if the site says so", () => {
    expect(read("Well, a secret is out", size, true)).toEqual({ text: "Well, a ", reason: "content_filter" });
  });

  test("arrive complete if nothing is found", () => {
    expect(read("Nothing to hide here.", size, true)).toEqual({ text: "Nothing to hide here.", reason: "stop" });
  });
});

describe("reasoning and refusals", () => {
  const steps = (stops: boolean, ...events: ReplyEvent[]) => {
    const guardrails = [wordGuardrail(WORDS, { policy: null }, stops ? "block" : "mask")];
    const placeholders = new Placeholders(() => "");
    const filter = answerFilter({ guardrails, placeholders, isJson: false, log: null })();
    return events.flatMap((step) => filter(step));
  };
  const thought = (text: string): ReplyEvent => ({ type: "reasoning", choice: 0, text });
  const signature: ReplyEvent = { type: "signature", choice: 0, signature: { value: "s", dialect: "anthropic" } };
  const words = (all: readonly ReplyEvent[], type: ReplyEvent["type"]) =>
    all.map((step) => (step.type === type && "text" in step ? step.text : "")).join("");

  test("are masked separately, like answers; masked reasoning loses its signature", () => {
    const passed = steps(
      false,
      thought("the sec"),
      thought("ret is"),
      signature,
      { type: "text", choice: 0, text: "fine" },
      { type: "refusal", choice: 0, text: "no bad word" },
      { type: "finish", choice: 0, reason: "stop", native: null },
    );
    expect(words(passed, "reasoning")).toBe("the **###** is");
    expect(words(passed, "text")).toBe("fine");
    expect(words(passed, "refusal")).toBe("no **###**");
    expect(passed.some(({ type }) => type === "signature")).toBe(false);
  });

  test("keep their signature and its position if nothing was found", () => {
    const passed = steps(false, thought("harmless"), signature, { type: "text", choice: 0, text: "fine" });
    expect(words(passed, "reasoning")).toBe("harmless");
    expect(passed.findIndex(({ type }) => type === "signature")).toBeGreaterThan(0);
  });

  test("a word is not assembled from reasoning and the answer after it", () => {
    const passed = steps(true, thought("sec"), { type: "text", choice: 0, text: "ret ballot" }, signature);
    expect(words(passed, "reasoning") + words(passed, "text")).toBe("secret ballot");
  });

  test("end the response if the site says so", () => {
    const passed = steps(true, thought("a secret plan"), { type: "text", choice: 0, text: "more" });
    expect(words(passed, "reasoning")).toBe("a ");
    expect(passed.at(-1)).toMatchObject({ type: "finish", reason: "content_filter" });
  });
});
