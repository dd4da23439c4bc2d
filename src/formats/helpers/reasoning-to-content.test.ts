import { expect, test } from "bun:test";
import type { ReplyEvent } from "../conversation/reply.ts";
import { thinkingToContent } from "./reasoning-to-content.ts";

test("reasoning becomes text between marks, separately for each response, without its signatures", () => {
  const move = thinkingToContent();
  const steps: ReplyEvent[] = [
    { type: "reasoning", choice: 0, text: "Hm" },
    { type: "reasoning", choice: 0, text: ", well." },
    { type: "signature", choice: 0, signature: { dialect: "anthropic", value: "s" } },
    { type: "reasoning", choice: 1, text: "Eh." },
    { type: "text", choice: 0, text: "Rain" },
    { type: "text", choice: 0, text: "!" },
    { type: "finish", choice: 1, reason: "stop", native: null },
  ];
  const moved = steps.flatMap(move);
  const textOf = (choice: number) =>
    moved.flatMap((step) => (step.type === "text" && step.choice === choice ? [step.text] : [])).join("");
  expect(textOf(0)).toBe("<think>\nHm, well.\n</think>\nRain!");
  expect(textOf(1)).toBe("<think>\nEh.\n</think>\n");
  expect(moved.map(({ type }) => type).filter((type) => type !== "text")).toEqual(["finish"]);
});
