import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { relayMessages } from "../../../src/lib/messages/relay.ts";

const GATEWAY = join(import.meta.dir, "../../../src/gateway");
const files = [...new Glob("**/*.ts").scanSync(GATEWAY)].filter((file) => !file.endsWith(".test.ts"));
const relay = (await Promise.all(files.map((file) => Bun.file(join(GATEWAY, file)).text()))).join("\n");

test.each(Object.entries(relayMessages))("%s has the words of a sentence that the relay says", (_, { en }) => {
  // Sentences are put together of parts, some with their plural.
  const parts = en.split(/\{\w+\}|1 |minutes?|(?<=\.) /).map((part) => part.replace(/\.$/, "").trim());
  for (const part of parts) expect(relay).toContain(part);
});
