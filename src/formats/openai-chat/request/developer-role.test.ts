import { expect, test } from "bun:test";
import { providerOf } from "../../../providers/registry.ts";
import { developerAsSystem } from "./developer-role.ts";

const user = { role: "user", content: "u" };
const messages = [{ role: "developer", content: "s" }, user];
const asSystem = [{ role: "system", content: "s" }, user];

test.each(["gpt-5.1", "openai/o3", "ft:gpt-4o:us::1", "gpt-oss-120b"])("%s receives developer messages", (model) => {
  expect(developerAsSystem(messages, model)).toBeNull();
});

test.each(["m", "Qwen/Qwen3-32B", "my-gpt", "o-mini"])("%s receives no developer messages", (model) => {
  expect(developerAsSystem(messages, model)).toEqual(asSystem);
  expect(developerAsSystem(messages.slice(1), model)).toBeNull();
});

test.each([1, 8])("a channel of type %d, which may serve any model, decides by the model", (type) => {
  const params = { capability: "chat", dialect: "openai-chat", stream: false } as const;
  const adapt = (model: string) => providerOf(type)?.prepare?.({ model, messages }, { ...params, model });
  expect(adapt("deepseek-v4")).toEqual({ model: "deepseek-v4", changes: { messages: asSystem }, dropped: [] });
  expect(adapt("gpt-5.1")?.changes ?? {}).toEqual({});
});
