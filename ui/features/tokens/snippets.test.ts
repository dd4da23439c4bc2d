import { expect, test } from "bun:test";
import { addressOf, SNIPPETS, snippetOf } from "./snippets.ts";

const ACCESS = { baseUrl: "https://gate.test/v1", key: "sk-1", model: "some-model" };

test.each([...SNIPPETS])("%s says where, with which key and which model", (name) => {
  const code = snippetOf(name, ACCESS);
  for (const part of ["https://gate.test", "sk-1", "some-model"]) expect(code).toContain(part);
});

test.each(["anthropic", "google", "claudeCode", "geminiCli", "cherryStudio"] as const)(
  "%s adds the version itself",
  (name) => {
    expect(snippetOf(name, ACCESS)).not.toContain("/v1");
    expect(addressOf(name, ACCESS.baseUrl)).toBe("https://gate.test");
  },
);

test.each(["curl", "python", "typescript", "codex", "openCode", "cline", "lobeChat", "openWebUi"] as const)(
  "%s contains the version",
  (name) => {
    expect(snippetOf(name, ACCESS)).toContain("https://gate.test/v1");
    expect(addressOf(name, ACCESS.baseUrl)).toBe("https://gate.test/v1");
  },
);
