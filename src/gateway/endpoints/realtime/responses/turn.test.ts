import { describe, expect, test } from "bun:test";
import { ConversationHistory } from "./turn.ts";

const answer = (id: string) => ({ id, output: [{ type: "message", id: `msg_${id}` }] });

describe("a connection's conversations", () => {
  test("are resolved to the items after a stored response", () => {
    const history = new ConversationHistory(1_000);
    history.keep({ previous_response_id: "resp_stored", input: "One" }, answer("a"), 10);
    const next = history.resolve({ previous_response_id: "a", input: [{ role: "user", content: "Two" }] });
    expect(next).toEqual({
      previous: "resp_stored",
      items: [
        { type: "message", role: "user", content: "One" },
        { type: "message", id: "msg_a" },
        { role: "user", content: "Two" },
      ],
    });
    expect(history.resolve({ previous_response_id: "resp_stored", input: "Two" })).toBeNull();
    expect(history.resolve({ input: "Two" })).toBeNull();
  });

  test("lose reasoning that only its provider could look up", () => {
    const history = new ConversationHistory(1_000);
    const output = [
      { type: "reasoning", id: "rs_1" },
      { type: "reasoning", id: "rs_2", encrypted_content: "sealed" },
      { type: "reasoning", id: "rs_c2x1aWNlf0197_0" },
    ];
    history.keep({ input: [] }, { id: "a", output }, 10);
    expect(history.resolve({ previous_response_id: "a" })?.items.map(({ id }) => id)).toEqual([
      "rs_2",
      "rs_c2x1aWNlf0197_0",
    ]);
  });

  test("are removed from the oldest on, by number and by length", () => {
    const byNumber = new ConversationHistory(1_000);
    for (let at = 0; at < 20; at += 1) byNumber.keep({ input: "One" }, answer(String(at)), 1);
    const known = (history: ConversationHistory) =>
      Array.from({ length: 20 }, (_, at) => at).filter((at) => history.resolve({ previous_response_id: String(at) }));
    expect(known(byNumber)).toEqual(Array.from({ length: 16 }, (_, at) => at + 4));
    const byLength = new ConversationHistory(100);
    for (let at = 0; at < 5; at += 1) byLength.keep({ input: "One" }, answer(String(at)), 40);
    expect(known(byLength)).toEqual([3, 4]);
    byLength.keep({ input: "One" }, answer("9"), 101);
    expect(known(byLength)).toEqual([]);
  });
});
