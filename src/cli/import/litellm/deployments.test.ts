import { expect, test } from "bun:test";
import { createReport } from "../report.ts";
import { readDeployments } from "./deployments.ts";

const tablesWith = (...params: Readonly<Record<string, string>>[]) => ({
  ...{ users: [], teams: [], organizations: [], memberships: [], projects: [], keys: [], credentials: [] },
  budgets: new Map(),
  models: params.map((litellm_params, index) => ({
    model_id: `m${index}`,
    model_name: `name-${index}`,
    litellm_params,
  })),
});

function read(...params: Readonly<Record<string, string>>[]) {
  const report = createReport();
  const { channels } = readDeployments(tablesWith(...params), { saltKey: "s", env: { GROQ: "gsk" }, report });
  return { channels, skipped: [...report.section("channels").skipped.keys()] };
}

test.each([
  [{ model: "openai/m", api_key: "k", api_base: "https://up.example/v1/" }, [1, "https://up.example", "k"]],
  [
    { model: "openai/m", api_key: "k", api_base: "https://up.example/v4" },
    [8, "https://up.example/v4/chat/completions", "k"],
  ],
  [{ model: "m", api_key: "k", custom_llm_provider: "deepseek" }, [43, "", "k"]],
  [{ model: "claude-x", api_key: "k" }, [14, "", "k"]],
  [{ model: "meta/llama", api_key: "k", custom_llm_provider: "together_ai" }, [1001, "", "k"]],
  [{ model: "groq/m", api_key: "os.environ/GROQ" }, [1000, "", "gsk"]],
  [{ model: "ollama/m", api_base: "http://h:11434" }, [4, "http://h:11434", "none"]],
  [
    { model: "bedrock/anthropic.x", aws_access_key_id: "A", aws_secret_access_key: "S", aws_region_name: "us-east-1" },
    [1007, "", "A|S|us-east-1"],
  ],
])("the deployment %j becomes a channel", (params, expected) => {
  const [channel] = read(params).channels;
  expect([channel?.type, channel?.base_url, channel?.key]).toEqual(expected);
});

test("deployments of one account are one channel, unless they disagree about a model; those without a key are named", () => {
  const account = { api_key: "k" };
  const { channels } = read(
    { model: "gpt-a", ...account },
    { model: "openai/gpt-b", ...account },
    { model: "gpt-c", api_key: "other" },
  );
  expect(channels.map(({ models }) => models)).toEqual(["name-0,name-1", "name-2"]);
  const same = tablesWith({ model: "gpt-a", ...account }, { model: "gpt-b", ...account });
  const models = same.models.map((row) => ({ ...row, model_name: "gpt" }));
  const report = createReport();
  const apart = readDeployments({ ...same, models }, { saltKey: "s", env: {}, report }).channels;
  expect(apart.map(({ model_mapping }) => model_mapping)).toEqual(['{"gpt":"gpt-a"}', '{"gpt":"gpt-b"}']);
  expect(read({ model: "groq/m", api_key: "os.environ/NOT_SET" }).skipped).toEqual([
    "name-0: without a key (a variable that os.environ names must be set while you import)",
  ]);
  const wild = tablesWith({ model: "openai/*", ...account });
  const named = wild.models.map((row) => ({ ...row, model_name: "openai/*" }));
  const [any] = readDeployments({ ...wild, models: named }, { saltKey: "s", env: {}, report }).channels;
  expect(any).toMatchObject({ models: "openai/*", model_mapping: '{"openai/*":"*"}' });
});
