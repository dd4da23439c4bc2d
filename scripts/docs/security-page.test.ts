import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { requirements, withRequirements } from "../../docs/.vitepress/asvs.ts";
import { FRESH_SECONDS } from "../../src/domain/accounts/sign-in/confirm-owner.ts";
import { FLOW_SECONDS } from "../../src/domain/accounts/sign-in/flows.ts";
import { SESSION_SECONDS } from "../../src/domain/accounts/sign-in/sessions.ts";
import { isTestFile, readSources } from "../checks/source.ts";

const ROOT = join(import.meta.dir, "../..");
const page = readFileSync(join(ROOT, "docs/operate/security.md"), "utf8");

/** Requirements of levels 1 and 2 by section: OWASP ASVS 5.0.0. */
const REQUIREMENTS = `
  1.1:1-2 1.2:1-9 1.3:1-11 1.4:1-3 1.5:1-2 2.1:1-3 2.2:1-3 2.3:1-4 2.4:1 3.2:1-2 3.3:1-4 3.4:1-6 3.5:1-5 3.7:1-2
  4.1:1-3 4.2:1 4.3:1-2 4.4:1-4 5.1:1 5.2:1-3 5.3:1-2 5.4:1-3 6.1:1-3 6.2:1-12 6.3:1-4 6.4:1-4 6.5:1-5 6.6:1-3
  6.8:1-4 7.1:1-3 7.2:1-4 7.3:1-2 7.4:1-5 7.5:1-2 7.6:1-2 8.1:1-2 8.2:1-3 8.3:1 8.4:1 9.1:1-3 9.2:1-4 10.1:1-2
  10.2:1-2 10.3:1-4 10.4:1-11 10.5:1-5 10.6:1-2 10.7:1-3 11.1:1-2 11.2:1-3 11.3:1-3 11.4:1-4 11.5:1 11.6:1
  12.1:1-3 12.2:1-2 12.3:1-4 13.1:1 13.2:1-5 13.3:1-2 13.4:1-5 14.1:1-2 14.2:1-4 14.3:1-3 15.1:1-3 15.2:1-3
  15.3:1-7 16.1:1 16.2:1-5 16.3:1-4 16.4:1-3 16.5:1-3 17.1:1 17.2:1-4 17.3:1-2
`;

const ids = REQUIREMENTS.trim()
  .split(/\s+/)
  .flatMap((entry) => {
    const [section = "", ranges = ""] = entry.split(":");
    return ranges.split(",").flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => `V${section}.${first + at}`);
    });
  });

test("the data has every requirement of level 2, once", () => {
  expect(ids).toHaveLength(253);
  expect(requirements.map(({ id }) => id)).toEqual(ids);
});

test("the page says how many requirements are met, and the table shows each of them with its tests", () => {
  const count = (counted: string) => requirements.filter(({ state }) => state === counted).length;
  const [full, partly, not, none] = [count("met"), count("partly"), count("not met"), count("n/a")];
  expect(full + partly + not + none).toBe(ids.length);
  expect(page).toContain(`${full} are met, ${partly} in part, ${not} are not, and ${none} do not apply`);
  const shown = withRequirements("# ASVS\n\n<!-- asvs -->\n").split("\n");
  expect(shown.filter((line) => /^\| V[\d.]+ \| [a-z/ ]+ \| .+ \| `\S+` › ".+" \|$/.test(line))).toHaveLength(
    ids.length,
  );
  expect(shown.filter((line) => line.startsWith("## V"))).toHaveLength(17);
});

/** Titles of tests as they stand in a file: of `test`, `it`, and of their tables; `%s` stays. Those that are skipped don't count. */
function titlesOf(text: string): Set<string> {
  const call =
    /(?:\b(?:test|it)(?:\.(?!skip\b|todo\b)\w+)*(?:<[^>(]*>)?\(|\)\()\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g;
  return new Set([...text.matchAll(call)].map(([, title = ""]) => title.slice(1, -1).replace(/\\(.)/g, "$1")));
}

test("every line names tests, each by the title of one in its file", () => {
  const titles = new Map<string, Set<string>>();
  const wrong = requirements.flatMap(({ id, tests }) => {
    if (tests.length === 0) return [`${id}: no test`];
    return tests.flatMap((test) => {
      const [, file = "", title = ""] = /^(.+?) › (.*)$/.exec(test) ?? [];
      if (!existsSync(join(ROOT, file))) return [`${id}: no file ${file}`];
      const known = titles.get(file) ?? titlesOf(readFileSync(join(ROOT, file), "utf8"));
      titles.set(file, known);
      return known.has(title) ? [] : [`${id}: ${file} has no test "${title}"`];
    });
  });
  expect(wrong).toEqual([]);
  expect(titles.size).toBeGreaterThan(50);
});

test("titles are those of tests and their tables, not of groups, and not of tests that are skipped", () => {
  const file = `
    describe("a group", () => {
      test("one", () => {});
      test.each([["a", 1]])(
        "two %s",
        () => {},
      );
      test.if(isHere)("three", () => {});
      it(\`four\`, () => {});
      test.skip("never", () => {});
      test.todo("later");
    });`;
  expect([...titlesOf(file)]).toEqual(["one", "two %s", "three", "four"]);
});

test("what is not met, met in part or does not apply says why", () => {
  const short = requirements.filter(({ state, how }) => state !== "met" && how.trim().length < 8);
  expect(short.map(({ id }) => id)).toEqual([]);
});

test("what the page says of sessions and codes is what the code does", () => {
  const words = page.replaceAll("\n", " ");
  expect(words).toContain(`**Sessions** last ${SESSION_SECONDS / 86_400} days, any number for a user`);
  expect(words).toContain("They have no inactivity timeout: what matters asks for a recent sign-in.");
  expect(words).toContain(`changed only within ${FRESH_SECONDS / 60} minutes of a sign-in`);
  expect(words).toContain(`its second factor or its provider ends after ${FLOW_SECONDS / 60} minutes`);
  expect(words).toContain("One that began at a provider lasts as any other; deactivation by SCIM ends it.");
});

/** Code that connects somewhere, by its place, and the page's word for where it does; null: only passes a client on. */
const CONNECTIONS: readonly (readonly [place: RegExp, word: string | null])[] = [
  [/^src\/domain\/models\/catalog\/|^src\/server\/jobs\/catalog|^src\/console\/models\//, "model catalog"],
  [/^src\/gateway\/adapters\/mcp\//, "MCP servers that callers name"],
  [/^src\/domain\/models\/mcp\//, "MCP servers that administrators add"],
  [/^src\/gateway\/(?:adapters\/conversation|tasks)\//, "media"],
  [/^src\/(?:gateway|providers|domain\/(?:channels|tasks)|console\/channels)\//, "channels and their proxies"],
  [/^src\/domain\/api-keys\/authorization\/clients\//, "the [metadata of applications]"],
  [/^src\/domain\/alerts\/leaks\//, "the lists of keys of those who report leaked ones"],
  [/^src\/domain\/(?:notifications|alerts)\//, "webhooks and [alert services]"],
  [/^src\/domain\/notifications\/mail|^src\/console\/accounts\/registration\/verification/, "the mail server"],
  [
    /^src\/domain\/accounts\/registration\/turnstile|^src\/console\/accounts\/(?:sign-in\/session|registration\/register)/,
    "human checks",
  ],
  [
    /^src\/(?:domain|console)\/accounts\/(?:sign-in|identity-providers)\/|^src\/console\/accounts\/|^src\/settings\/discover/,
    "sign-in services",
  ],
  [/^src\/(?:domain|console)\/wallet\//, "payment services"],
  [/^src\/settings\/check-update|^src\/console\/system\//, "the update check"],
  [/^src\/domain\/logs\//, "log exports and archives"],
  [/^src\/lib\/security\/secret-references\//, "secret managers"],
  [/^src\/lib\/redis\//, "Redis"],
  [/^db\//, "Postgres"],
  [/^src\/(?:cli|server|lib\/runtime|domain\/system)\//, null],
];

test("the page names every kind of place that the gateway connects to", () => {
  const [, named = ""] = /\*\*What it connects to\.\*\*([\s\S]*?)Nothing else\./.exec(page) ?? [];
  const words = named.replaceAll("\n", " ");
  const connects =
    /\bSafeFetch\b|\bmediaFetch\b|lib\/outbound\/|"node:(?:net|tls)"|"nodemailer"|"postgres"|\bnew WebSocket\(|\bRedisClient\b/;
  const files = readSources().filter(
    ({ path, text }) => /^(?:src|db)\/(?!lib\/outbound\/)/.test(path) && !isTestFile(path) && connects.test(text),
  );
  expect(files.length).toBeGreaterThan(40);
  const unknown = files.filter(({ path }) => !CONNECTIONS.some(([place]) => place.test(path)));
  expect(unknown.map(({ path }) => path)).toEqual([]);
  for (const [place, word] of CONNECTIONS) {
    if (word !== null) expect([word, words.includes(word)]).toEqual([word, true]);
    expect([String(place), files.some(({ path }) => place.test(path))]).toEqual([String(place), true]);
  }
  expect(words).toContain("a telemetry collector");
});
