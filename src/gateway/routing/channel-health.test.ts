import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { OptionKey } from "../../settings/registry/index.ts";
import { createFailureCounter, createHealth } from "./channel-health.ts";

const DISABLED_BY_HAND = 2;

function create(options: Partial<Record<OptionKey, string>> = {}) {
  const state = { now: 1_000_000 };
  const disabled: unknown[][] = [];
  const notices: unknown[][] = [];
  const health = createHealth(
    {
      settings: fixedSettings({ AutomaticDisableChannelEnabled: "true", ...options }),
      disableChannel: (...args: unknown[]) => void disabled.push([(args[0] as ChannelEntry).id, ...args.slice(1)]),
      noticeNoCredit: (channel: ChannelEntry, reason: unknown) => void notices.push([channel.id, reason]),
    } as never,
    () => state.now,
  );
  return { state, disabled, notices, health };
}
const channel = (fields: Partial<ChannelEntry> = {}) =>
  channelEntry({ id: 1, keys: ["sk-a"], autoBan: true, ...fields } as Partial<ChannelEntry>);
const failure = (status: number, more: object = {}) =>
  ({
    ...{ status, answered: true, accountProblem: null, detail: "no answer", requestText: () => "" },
    error: { message: "key sk-a is wrong", type: "", code: null, param: "" },
    ...more,
  }) as never;

describe("an upstream that refuses a key", () => {
  test("has that key switched off, or the channel with its last one, and the reason does not show the key", () => {
    const { disabled, health } = create();
    health.report(channel(), "sk-a", failure(401));
    health.report(channel({ keys: ["sk-a", "sk-b"] }), "sk-a", failure(401));
    const [[, last, reason] = [], [, one] = []] = disabled;
    expect([last, one]).toEqual([null, "sk-a"]);
    expect(String(reason)).toStartWith("401: ");
    expect(String(reason)).not.toContain("sk-a");
  });

  test.each<[string, Partial<ChannelEntry>, Partial<Record<OptionKey, string>>]>([
    ["the channel forbids it", { autoBan: false }, {}],
    ["the site forbids it", {}, { AutomaticDisableChannelEnabled: "false" }],
  ])("keeps it where %s", (_, fields, options) => {
    const { disabled, health } = create(options);
    health.report(channel(fields), "sk-a", failure(401));
    health.report(channel(fields), "sk-a", failure(500));
    health.noAccount(channel(fields), "blocked");
    expect(disabled).toEqual([]);
  });

  test("keeps it after an error in the request", () => {
    const { disabled, health } = create();
    health.report(channel(), "sk-a", failure(400));
    expect(disabled).toEqual([]);
  });
});

describe("faults of an upstream", () => {
  test("switch off only where the site says so, then with what is known of them", () => {
    const usual = create();
    usual.health.report(channel(), "sk-a", failure(500));
    usual.health.report(channel(), "sk-a", failure(200, { answered: false }));
    expect(usual.disabled).toEqual([]);
    const strict = create({ AutomaticDisableOnFaults: "true" });
    strict.health.report(channel(), "sk-a", failure(500));
    strict.health.report(channel({ id: 2 }), "sk-a", failure(200, { answered: false }));
    strict.health.report(channel({ id: 3, autoBan: false }), "sk-a", failure(500));
    expect(strict.disabled.map(([id]) => id)).toEqual([1, 2]);
    expect(strict.disabled[1]?.[2]).toBe("no answer");
  });

  test("must be as many as the site says, without successes between them", () => {
    const { disabled, health } = create({ AutomaticDisableFailures: "2", AutomaticDisableCalls: "2" });
    health.report(channel(), "sk-a", failure(401));
    health.succeeded(channel().id, "sk-a");
    health.report(channel(), "sk-a", failure(401));
    expect(disabled).toEqual([]);
    health.report(channel(), "sk-a", failure(401));
    expect(disabled).toHaveLength(1);
  });

  test("count among at least as many calls as there must be failures, for so many seconds", () => {
    const counting = {
      AutomaticDisableFailures: "2",
      AutomaticDisableCalls: "1",
      AutomaticDisableSeconds: "10",
    } as const;
    const { disabled, health, state } = create(counting);
    health.report(channel(), "sk-a", failure(401));
    state.now += 10_001;
    health.report(channel(), "sk-a", failure(401));
    expect(disabled).toEqual([]);
    state.now += 10_000;
    health.report(channel(), "sk-a", failure(401));
    expect(disabled).toHaveLength(1);
  });
});

describe("an account without credit", () => {
  const noCredit = () => failure(402, { accountProblem: "no_credit" });

  test("switches off at once, however many failures others need", () => {
    const { disabled, notices, health } = create({ AutomaticDisableFailures: "5", AutomaticDisableCalls: "5" });
    health.report(channel(), "sk-a", noCredit());
    expect([disabled.length, notices]).toEqual([1, []]);
  });

  test("is noticed once an hour for each channel that may not be switched off", () => {
    const { state, disabled, notices, health } = create();
    const protectedChannel = channel({ autoBan: false });
    const report = (of = protectedChannel) => health.report(of, "sk-a", noCredit());
    report();
    report();
    report({ ...protectedChannel, id: 2 });
    state.now += 3_599_999;
    report();
    expect(notices.map(([id]) => id)).toEqual([1, 2]);
    state.now += 1;
    report();
    health.report(protectedChannel, "sk-a", failure(401));
    expect([notices.map(([id]) => id), disabled]).toEqual([[1, 2, 1], []]);
    expect(String(notices[0]?.[1])).toStartWith("402: ");
  });
});

test("a service that has no account stays off until somebody switches it on, and says why", () => {
  const { disabled, health } = create();
  health.noAccount(channel(), "banned");
  health.noAccount(channel({ id: 2 }), "");
  expect(disabled).toEqual([
    [1, null, "banned", DISABLED_BY_HAND],
    [2, null, { code: "why_no_account" }, DISABLED_BY_HAND],
  ]);
});

/** Plays outcomes (F failed, s succeeded, digits: so many seconds pass) and returns at which failure there were enough. */
function play(script: string, failures: number, calls: number, withinMs = 10_000) {
  let now = 0;
  const counter = createFailureCounter(
    () => ({ failures, calls, withinMs }),
    () => now,
  );
  return [...script].flatMap((step, at) => {
    if (step === "F") return counter.failed(1, "k") ? [at] : [];
    if (step === "s") counter.succeeded(1, "k");
    else now += Number(step) * 1000;
    return [];
  });
}

test.each([
  ["FF", 1, 1, [0, 1]],
  ["FFF", 3, 3, [2]],
  // One success between them: three of the last three are needed, or three of four.
  ["FFsF", 3, 3, []],
  ["FFsF", 3, 4, [3]],
  ["FssssFF", 3, 5, []],
  // The count is reset.
  ["FFFFFF", 3, 3, [2, 5]],
  // Failures of 11 seconds ago do not count.
  ["FF9FF", 3, 3, [3]],
  ["FF99FF", 3, 3, []],
  ["sssFsF", 2, 3, [5]],
] as const)("%s with %i of %i", (script, failures, calls, expected) => {
  expect(play(script, failures, calls)).toEqual([...expected]);
});

test("keys are counted apart", () => {
  const counter = createFailureCounter(() => ({ failures: 2, calls: 2, withinMs: 10_000 }));
  expect([counter.failed(1, "a"), counter.failed(1, "b"), counter.failed(2, "a")]).toEqual([false, false, false]);
  expect(counter.failed(1, "b")).toBe(true);
});

test("the key that failed first is forgotten when too many fail", () => {
  const counter = createFailureCounter(() => ({ failures: 2, calls: 2, withinMs: 10_000 }));
  for (let key = 0; key <= 10_000; key += 1) counter.failed(1, String(key));
  expect(counter.failing.size).toBe(10_000);
  expect([counter.failed(1, "10000"), counter.failed(1, "0")]).toEqual([true, false]);
});

test("only keys that failed lately are listed as failing", () => {
  const counter = createFailureCounter(() => ({ failures: 3, calls: 2, withinMs: 10_000 }));
  counter.succeeded(1, "a");
  expect(counter.failing.size).toBe(0);
  counter.failed(1, "a");
  expect(counter.failing.size).toBe(1);
  counter.succeeded(1, "a");
  counter.succeeded(1, "a");
  expect(counter.failing.size).toBe(0);
});
