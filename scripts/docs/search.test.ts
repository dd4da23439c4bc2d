/** What the documentation's search finds first, by the index that the site is built with. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import MiniSearch from "minisearch";
import { searchOptions } from "../../docs/.vitepress/search.ts";
import { searchWords } from "../../docs/.vitepress/theme/search-words.ts";
import { buildDocs } from "../build/docs.ts";

const CHUNKS = join(import.meta.dir, "../../dist/docs/assets/chunks");
const folder = mkdtempSync(join(tmpdir(), "sluice-search-"));
beforeAll(buildDocs, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Addresses of the first results, as the site's search box orders them (VitePress' VPLocalSearchBox). */
async function searcher(locale: string): Promise<(text: string) => readonly string[]> {
  const file = readdirSync(CHUNKS).find((name) => name.startsWith(`@localSearchIndex${locale}.`)) ?? "";
  const module = join(folder, `${locale}.mjs`);
  writeFileSync(module, brotliDecompressSync(readFileSync(join(CHUNKS, file))));
  const { default: json } = await import(module);
  const index = MiniSearch.loadJSON(String(json), {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    tokenize: searchWords,
    searchOptions: { prefix: true, ...searchOptions.miniSearch?.searchOptions },
  });
  return (text) => index.search(text).map(({ id }) => String(id));
}

const FIRST = 3;
const LEAST = 23;

/** What is asked most, with the pages that answer. */
const QUESTIONS: Readonly<Record<string, readonly (readonly [question: string, answers: RegExp])[]>> = {
  root: [
    ["no available channel", /errors#no-channel|guide\/channels/],
    ["ollama", /provider-setup#ollama/],
    ["model mapping", /channels#model-names/],
    ["log request content", /security|console#usage-log|settings#operation-logging/],
    ["delete logs", /log-retention/],
    ["nginx streaming", /proxies#nginx/],
    ["insufficient quota", /errors#/],
    ["model without price", /errors#model-without-a-price/],
    ["lost password", /operations#a-lost-password/],
    ["cache price", /guide\/pricing|prompt-caching|response-cache/],
    ["outbound proxy", /configuration|channels#/],
    ["azure", /provider-setup#azure/],
    ["vertex", /provider-setup#vertex/],
    ["bedrock", /provider-setup#aws/],
    ["requests per minute", /console#limits|errors#rate-limit|organizations/],
    ["thinking suffix", /channels|settings#models-(claude|gemini)/],
    ["cors", /api#cors/],
    ["github sign-in", /settings#system-github|single-sign-on/],
    ["smtp", /settings#system-email/],
    ["mysql", /migration/],
    ["guardrails", /guardrails#guardrails/],
    ["close registration", /settings#system-sign-in-and-registration/],
    ["error codes", /errors#(codes|errors-and-what-to-do)/],
    ["create key api", /guide\/api|service-accounts|getting-started#_4/],
    ["cursor", /coding-agents#cursor/],
  ],
  zh: [
    ["添加渠道", /getting-started|guide\/channels/],
    ["Ollama", /provider-setup#ollama/],
    ["模型映射", /guide\/channels/],
    ["记录内容", /security|console|log/],
    ["日志保留", /log-retention/],
    ["nginx 流式", /proxies/],
    ["余额不足", /alerts|pricing|payments|plans|console|organizations/],
    ["倍率", /pricing/],
    ["重置密码", /operations#a-lost-password/],
    ["缓存价格", /pricing|prompt-caching|response-cache|model-catalog/],
    ["代理", /configuration|proxies|channels/],
    ["Azure", /provider-setup#azure/],
    ["Vertex", /provider-setup#vertex/],
    ["Bedrock", /provider-setup#aws/],
    ["速率限制", /plans#rate-limits|console|organizations|configuration|api/],
    ["推理", /settings#models-|model-catalog#fields|channels|api|prompt-caching|responses|routes|pricing/],
    ["跨域", /api#cors/],
    ["单点登录", /single-sign-on/],
    ["分组", /concepts|pricing|channels|console/],
    ["备份", /operations|backup/],
    ["护栏", /guardrails/],
    ["邀请", /organizations|console|plans/],
    ["告警", /alerts/],
    ["创建令牌", /getting-started|service-accounts|api/],
    ["Cursor", /coding-agents#cursor/],
  ],
};

describe.each(Object.keys(QUESTIONS))("the search of %s", (locale) => {
  test(`answers ${LEAST} of 25 questions in the first ${FIRST} results`, async () => {
    const search = await searcher(locale);
    const questions = QUESTIONS[locale] ?? [];
    expect(questions.length).toBe(25);
    const missed = questions
      .map(([question, answers]) => ({ question, answers, first: search(question).slice(0, FIRST) }))
      .filter(({ answers, first }) => !first.some((id) => answers.test(id)));
    expect(
      missed.length,
      JSON.stringify(
        missed.map(({ question, first }) => [question, first]),
        null,
        1,
      ),
    ).toBeLessThanOrEqual(questions.length - LEAST);
  });
});

test("a word as it is typed goes before words that begin so or look like it, and guides before decisions", async () => {
  const search = await searcher("root");
  const isGuide = (id: string | undefined) => /\/docs\/(guide|operate|accounts)\//.test(id ?? "");
  for (const word of ["CORS", "whisper", "Caddy", "Traefik", "HAProxy", "Codex"]) {
    const [first] = search(word);
    expect([word, first, isGuide(first)]).toEqual([word, first, true]);
  }
});
