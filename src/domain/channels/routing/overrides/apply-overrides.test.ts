import { describe, expect, test } from "bun:test";
import { OperationError } from "../../../../lib/operation-error.ts";
import { overrideChanges } from "./apply-overrides.ts";
import { readOverrideRules } from "./read-overrides.ts";

function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    return error instanceof OperationError ? error.code : String(error);
  }
}

const FACTS = {
  model: "up-model",
  requestedModel: "asked",
  requestPath: "/v1/chat/completions",
  headers: new Headers({ "x-tier": "gold" }),
};
const BODY = {
  model: "up-model",
  temperature: 0.5,
  messages: [
    { role: "system", content: "Be brief" },
    { role: "user", content: "Hi" },
  ],
  metadata: { a: 1, "b.c": 2 },
  stop: ["x"],
};

const changes = (operations: readonly object[], body: Record<string, unknown> = BODY) =>
  overrideChanges(readOverrideRules({ operations }).rules, body, FACTS);

describe("operations", () => {
  test.each<[object, Record<string, unknown>]>([
    [{ mode: "set", path: "temperature", value: 1 }, { temperature: 1 }],
    [{ mode: "set", path: "a.b.c", value: 1 }, { a: { b: { c: 1 } } }],
    [{ mode: "set", path: "metadata.b\\.c", value: 3 }, { metadata: { a: 1, "b.c": 3 } }],
    [{ mode: "default", path: "temperature", value: 1 }, { temperature: 0.5 }],
    [{ mode: "set", path: "top_p", value: 1, keep_origin: true }, { top_p: 1 }],
    [{ mode: "append", path: "stop", value: "y" }, { stop: ["x", "y"] }],
    [{ mode: "prepend", path: "stop", value: ["y", "z"] }, { stop: ["y", "z", "x"] }],
    [{ mode: "append", path: "missing", value: "y" }, {}],
    [{ mode: "append", path: "metadata", value: { a: 2, d: 3 } }, { metadata: { a: 2, "b.c": 2, d: 3 } }],
    [{ mode: "prepend", path: "metadata", value: { a: 2, d: 3 } }, { metadata: { a: 1, "b.c": 2, d: 3 } }],
    [{ mode: "delete", path: "temperature" }, { temperature: undefined }],
    [{ mode: "delete", path: "missing" }, {}],
    [
      { mode: "move", from: "stop", to: "stop_sequences" },
      { stop: undefined, stop_sequences: ["x"] },
    ],
    [{ mode: "copy", from: "metadata.a", to: "user" }, { user: 1 }],
  ])("%j", (operation, expected) => {
    expect(changes([operation])).toEqual(expected);
  });

  test("reach into lists, also from the end and all at once, and leave the body as it is", () => {
    const before = JSON.stringify(BODY);
    const last = changes([{ mode: "append", path: "messages.-1.content", value: "!" }]);
    expect(last).toEqual({ messages: [BODY.messages[0], { role: "user", content: "Hi!" }] });
    const all = changes([{ mode: "delete", path: "messages.*.content" }]);
    expect(all).toEqual({ messages: [{ role: "system" }, { role: "user" }] });
    expect(changes([{ mode: "delete", path: "messages.*" }])).toEqual({ messages: [] });
    expect(changes([{ mode: "set", path: "messages.7.role", value: "x" }]).messages).toEqual(BODY.messages);
    expect(JSON.stringify(BODY)).toBe(before);
  });

  test("see what the ones before them did", () => {
    const found = changes([
      { mode: "set", path: "a", value: 1 },
      { mode: "move", from: "a", to: "b" },
      { mode: "set", path: "c", value: 2, conditions: [{ path: "b", mode: "full", value: 1 }] },
    ]);
    expect(found).toEqual({ a: undefined, b: 1, c: 2 });
  });
});

describe("conditions", () => {
  const holds = (conditions: readonly object[], logic?: string) =>
    "hit" in changes([{ mode: "set", path: "hit", value: 1, conditions, logic }]);

  test.each<[object, boolean]>([
    [{ path: "temperature", mode: "exists" }, true],
    [{ path: "top_p", mode: "exists" }, false],
    [{ path: "top_p", mode: "exists", invert: true }, true],
    [{ path: "model", mode: "full", value: "up-model" }, true],
    [{ path: "model", mode: "prefix", value: "up-" }, true],
    [{ path: "model", mode: "suffix", value: "x" }, false],
    [{ path: "original_model", mode: "equals", value: "asked" }, true],
    [{ path: "request_path", mode: "contains", value: "chat" }, true],
    [{ path: "request_headers.X-Tier", mode: "equals", value: "gold" }, true],
    [{ path: "request_headers.x-none", mode: "exists" }, false],
    [{ path: "messages.0.content", mode: "matches", value: "^be\\s" }, true],
    [{ path: "messages", mode: "contains", value: '"role":"system"' }, true],
    [{ path: "temperature", mode: "gte", value: 0.5 }, true],
    [{ path: "temperature", mode: "lt", value: 0.5 }, false],
    [{ path: "temperature", mode: "lt", value: "9" }, false],
    [{ path: "model", mode: "full", value: "up-model", invert: true }, false],
    [{ path: "none", mode: "full", value: 1, pass_missing_key: true }, true],
    [{ path: "none", mode: "full", value: 1 }, false],
  ])("%j", (condition, expected) => {
    expect(holds([condition])).toBe(expected);
  });

  test("one is enough, or all are needed", () => {
    const [yes, no] = [
      { path: "temperature", mode: "exists" },
      { path: "none", mode: "exists" },
    ];
    expect([holds([yes, no]), holds([yes, no], "AND"), holds([yes, yes], "AND")]).toEqual([true, false, true]);
  });
});

test.each<[unknown, string]>([
  ["x", "channel_override_list"],
  [[{ mode: "trim_prefix", path: "a", value: "b" }], "channel_override_mode"],
  [[{ mode: "set", path: "", value: 1 }], "channel_override_path"],
  [[{ mode: "set", path: "a..b", value: 1 }], "channel_override_path"],
  [[{ mode: "set", path: "__proto__.a", value: 1 }], "channel_override_path"],
  [[{ mode: "set", path: "a" }], "channel_override_value"],
  [[{ mode: "set", path: "n", value: 4 }], "channel_override_priced"],
  [[{ mode: "delete", path: "service_tier" }], "channel_override_priced"],
  [[{ mode: "move", from: "speed", to: "x" }], "channel_override_priced"],
  [[{ mode: "copy", from: "x", to: "n" }], "channel_override_priced"],
  [[{ mode: "delete", path: "*" }], "channel_override_priced"],
  [[{ mode: "move", from: "a" }], "channel_override_path"],
  [[{ mode: "delete", path: "a", conditions: {} }], "channel_override_conditions"],
  [[{ mode: "delete", path: "a", conditions: [{ path: "b", mode: "like", value: 1 }] }], "channel_override_condition"],
  [
    [{ mode: "delete", path: "a", conditions: [{ path: "b", mode: "matches", value: "(" }] }],
    "channel_override_pattern",
  ],
])("%j is refused as %s", (operations, code) => {
  expect(codeOf(() => readOverrideRules({ operations }))).toBe(code);
});

test("members next to the operations are set in every body", () => {
  expect(readOverrideRules({ temperature: 1, operations: [] })).toEqual({ members: { temperature: 1 }, rules: [] });
});
