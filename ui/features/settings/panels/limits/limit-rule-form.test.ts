import { describe, expect, test } from "bun:test";
import { limitRules } from "../../../../../src/settings/option/limit-rules.ts";
import { checkRuleForm, formOfRule, limitRulesText, readLimitRules, ruleOfForm } from "./limit-rule-form.ts";

const RULES = [
  { name: "all", requests: 60 },
  {
    ...{ name: "each", models: ["gpt-5*", "re:o\\d"], groups: ["vip"], users: ["alice", "7"], keys: [17] },
    ...{ channels: ["openai-1"], per: ["user", "model"], tokens: 100_000, quota: 5_000_000, seconds: 3600 },
    concurrency: 3,
  },
  { name: "places", per: ["channel_key"], concurrency: 2 },
];

test("rules are read and written without a change, and mean the same to the server", () => {
  const rules = readLimitRules(JSON.stringify(RULES));
  expect(JSON.parse(limitRulesText(rules ?? []))).toEqual(RULES);
  const throughForm = (rules ?? []).map((rule) => ruleOfForm(formOfRule(rule)));
  expect(JSON.parse(limitRulesText(throughForm))).toEqual(RULES);
  const option = limitRules();
  const idsOf = (text: string) => {
    const { ofCallers, ofChannels } = option.read(text, "LimitRules").value;
    return [...ofCallers, ...ofChannels].map(({ id }) => id);
  };
  expect(idsOf(limitRulesText(throughForm))).toEqual(idsOf(JSON.stringify(RULES)));
});

test("ids of users and channels may be numbers, which the server reads as text", () => {
  const [rule] = readLimitRules('[{"name": "a", "users": [7, "bob"], "channels": [1], "requests": 1}]') ?? [];
  expect(rule).toMatchObject({ users: ["7", "bob"], channels: ["1"] });
});

test.each([
  ["no list", "{}"],
  ["a member that the form does not know", '[{"name": "a", "requests": 1, "burst": 2}]'],
  ["an unknown dimension", '[{"name": "a", "requests": 1, "per": ["country"]}]'],
  ["a number as text", '[{"name": "a", "requests": "1"}]'],
  ["no JSON", "["],
])("%s is edited as JSON", (_, text) => expect(readLimitRules(text)).toBeNull());

describe("what is wrong with a form", () => {
  const check = (fields: Partial<ReturnType<typeof formOfRule>>, taken: string[] = []) =>
    checkRuleForm({ ...formOfRule(null), name: "a", ...fields }, taken);
  test.each<[Parameters<typeof check>[0], ReturnType<typeof check>]>([
    [{}, {}],
    [{ name: " " }, { name: "name" }],
    [{ name: "x".repeat(65) }, { name: "name" }],
    [{ name: " taken " }, { name: "nameTaken" }],
    [{ requests: "" }, { requests: "nothing" }],
    [{ requests: "0" }, { requests: "nothing" }],
    [{ requests: "", concurrency: "2" }, {}],
    [{ requests: "1.5" }, { requests: "number" }],
    [{ tokens: "-1" }, { tokens: "number" }],
    [{ concurrency: "1000001" }, { concurrency: "number" }],
    [{ seconds: "0" }, { seconds: "seconds" }],
    [{ seconds: "2678401" }, { seconds: "seconds" }],
    [{ keys: ["a"] }, { keys: "keys" }],
  ])("%o", (fields, faults) => expect(check(fields, ["taken"])).toEqual(faults));

  test("whatever passes is taken by the server", () => {
    const rule = ruleOfForm({ ...formOfRule(null), name: "a", concurrency: "5", keys: ["3"], seconds: "" });
    expect(() => limitRules().read(limitRulesText([rule]), "LimitRules")).not.toThrow();
  });
});
