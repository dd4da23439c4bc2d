import { expect, test } from "bun:test";
import { exchangeLines } from "./ExchangeDiff.tsx";

test("names what changed, with the lines around it, and counts what it leaves out", () => {
  const messages = [{ role: "user", content: "Hello" }];
  const client = { model: "gpt-4o", messages, max_tokens: 50 };
  const lines = exchangeLines(JSON.stringify(client), JSON.stringify({ ...client, model: "mapped", user: "u" }));
  expect(lines).toEqual([
    { kind: "same", text: "{" },
    { kind: "removed", text: '  "model": "gpt-4o",' },
    { kind: "added", text: '  "model": "mapped",' },
    { kind: "same", text: '  "messages": [' },
    { kind: "same", text: "    {" },
    { kind: "same", text: '      "role": "user",' },
    { kind: "same", text: '      "content": "Hello"' },
    { kind: "same", text: "    }" },
    { kind: "same", text: "  ]," },
    { kind: "removed", text: '  "max_tokens": 50' },
    { kind: "added", text: '  "max_tokens": 50,' },
    { kind: "added", text: '  "user": "u"' },
    { kind: "same", text: "}" },
  ]);
  const many = { ...client, tools: Array.from({ length: 20 }, (_, n) => n) };
  const long = exchangeLines(JSON.stringify(many), JSON.stringify({ ...many, model: "mapped" }));
  expect(long.filter(({ kind }) => kind === "skipped")).toEqual([{ kind: "skipped", count: 27 }]);
  expect(long).toHaveLength(7);
});

test("a request that was cut is compared as text", () => {
  expect(exchangeLines('{"a": "b…', '{"a": "c…')).toEqual([
    { kind: "removed", text: '{"a": "b…' },
    { kind: "added", text: '{"a": "c…' },
  ]);
});
