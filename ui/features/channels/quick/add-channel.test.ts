import { expect, test } from "bun:test";
import { type ChannelType, channelTypes } from "../../../../src/providers/registry.ts";
import { addChannel, offeredModels, testModelOf } from "./add-channel.ts";

const typeOf = (id: number): ChannelType => {
  const type = channelTypes.find((known) => known.id === id);
  if (!type) throw new Error(`no type ${id}`);
  return type;
};

const DEEPSEEK = 43;
const QWEN = 17;
const VERTEX = 41;
const NO_RULE = { names: [], refuses_others: false };

/** The server's calls; a type without models refuses the key. */
function startCalls(models: Readonly<Record<number, string[]>>) {
  const created: object[] = [];
  return {
    created,
    fetchModels: async ({ type }: { type: number }) => models[type] ?? Promise.reject(new Error(`${type}: HTTP 401`)),
    createChannel: async (body: object) => created.push(body),
    testChannel: async () => ({ success: true, message: "", time: 0.5 }),
  };
}

const ignore = () => {};

test("of several types the first that accepts the key becomes the channel's", async () => {
  const calls = startCalls({ [QWEN]: ["qwen-max", "qwen-turbo"] });
  const quick = { types: [DEEPSEEK, QWEN].map(typeOf), key: " sk-1 ", baseUrl: "", priced: NO_RULE };
  const phases: string[] = [];
  const added = await addChannel(quick, (phase) => phases.push(phase), calls);
  expect(added).toMatchObject({ id: 1, name: "Alibaba Qwen", tested: "qwen-turbo", leftOut: [] });
  expect(calls.created).toMatchObject([{ type: QWEN, key: "sk-1", models: "qwen-max,qwen-turbo", group: "default" }]);
  expect(phases).toEqual(["models", "saving", "test"]);
});

test("a key that no type accepts stores nothing, and the first refusal is shown", async () => {
  const calls = startCalls({});
  const quick = { types: [DEEPSEEK, QWEN].map(typeOf), key: "sk-1", baseUrl: "", priced: NO_RULE };
  await expect(addChannel(quick, ignore, calls)).rejects.toThrow("43: HTTP 401");
  expect(calls.created).toEqual([]);
});

test("models without a price are left out where others are refused", async () => {
  const calls = startCalls({ [DEEPSEEK]: ["deepseek-chat", "deepseek-new"] });
  const priced = { names: ["deepseek-chat"], refuses_others: true };
  const quick = { types: [typeOf(DEEPSEEK)], key: "sk-1", baseUrl: "", priced };
  expect(await addChannel(quick, ignore, calls)).toMatchObject({
    models: ["deepseek-chat"],
    leftOut: ["deepseek-new"],
  });
});

test("a provider that lists no models gets those of its type; an own server is named by its host", async () => {
  const calls = startCalls({ 1: ["m"] });
  const vertex = { types: [typeOf(VERTEX)], key: "{}", baseUrl: "", priced: NO_RULE };
  expect((await addChannel(vertex, ignore, calls)).models).toEqual([...typeOf(VERTEX).models]);
  const own = { types: [typeOf(1)], key: "k", baseUrl: "http://models.internal:8000", priced: NO_RULE };
  expect((await addChannel(own, ignore, calls)).name).toBe("models.internal:8000");
  expect(calls.created[1]).toMatchObject({ base_url: "http://models.internal:8000", test_model: "m" });
});

test.each([
  [["babbage-002", "dall-e-3", "gpt-4o", "gpt-4o-mini", "gpt-4o-mini-tts"], "gpt-4o-mini"],
  [["claude-opus-4-1", "claude-haiku-4-5"], "claude-haiku-4-5"],
  [["deepseek-reasoner", "deepseek-chat"], "deepseek-chat"],
  [["text-embedding-3-small"], "text-embedding-3-small"],
  [["some-model"], "some-model"],
])("%p is tested with %p", (models, expected) => expect(testModelOf(models)).toBe(expected));

test("without models there is nothing to test", () => expect(testModelOf([])).toBeUndefined());

test("models without a price are left out, unless none has one", () => {
  const without = (names: readonly string[]) => () => names;
  expect(offeredModels(["a", "b", "c"], without(["b"]))).toEqual({ offered: ["a", "c"], leftOut: ["b"] });
  expect(offeredModels(["a", "b"], without(["a", "b"]))).toEqual({ offered: ["a", "b"], leftOut: [] });
  expect(offeredModels(["a"], without([]))).toEqual({ offered: ["a"], leftOut: [] });
});
