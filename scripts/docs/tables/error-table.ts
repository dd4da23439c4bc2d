import { join } from "node:path";
import { failureCause } from "../../../src/domain/logs/failures/failure-rules.ts";
import { isSentence, type MessageCode, say } from "../../../src/lib/messages.ts";
import failures from "../../../ui/locales/en/logs/failures.json";
import chineseFailures from "../../../ui/locales/zh/logs/failures.json";
import { between, headingIn, type PageLanguage } from "./page-parts.ts";

const SRC = join(import.meta.dir, "../../../src");

type GatewayCode = Readonly<{ code: string; status: number; message: MessageCode }>;

/** How the sources write an error: a status, its code and its message, in a call or in a record. */
const PATTERNS = [
  /(?<!#end\()(?:\(\s*(\d{3}),\s*)?"([a-z][a-z_0-9]+)",\s*\{\s*code: "(gateway_\w+)"/g,
  /status: (\d{3}),\s*code: "([a-z_0-9]+)",\s*reason: \{ code: "(gateway_\w+)" \}/g,
  /tooMany\((\d{3})?"([a-z_0-9]+)", "(gateway_\w+)"/g,
];

/** Of errors whose status is set apart from their code: a quota or a limit. */
const COMMON_STATUS = 429;

/** The errors of the gateway itself, each code with its messages, as the sources have them. */
export async function gatewayCodes(): Promise<readonly GatewayCode[]> {
  const found = new Map<string, GatewayCode>();
  const statuses = new Map<string, number>();
  const files = [...new Bun.Glob("**/*.ts").scanSync({ cwd: SRC })].filter((file) => !file.endsWith(".test.ts")).sort();
  for (const file of files) {
    const text = await Bun.file(join(SRC, file)).text();
    for (const [, status, code = "", message] of PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)])) {
      const sentence = { code: message };
      if (!isSentence(sentence)) throw new Error(`${file}: there is no message ${message}`);
      if (status !== undefined) statuses.set(code, Number(status));
      found.set(`${code} ${message}`, { code, status: Number(status ?? 0), message: sentence.code });
    }
  }
  return [...found.values()]
    .map((known) => ({ ...known, status: known.status || (statuses.get(known.code) ?? COMMON_STATUS) }))
    .toSorted((a, b) => (a.code < b.code ? -1 : 1));
}

type ClassName = keyof typeof failures.classes;

const CLASSES = { en: failures.classes, zh: chineseFailures.classes };
const HEADS = { en: "| Code | Status | Message |", zh: "| 代码 | 状态码 | 消息 |" };

/** By who can do something about it, with what to do: each code, its status and what it says. */
async function errorTables(language: PageLanguage): Promise<string> {
  const codes = await gatewayCodes();
  const classOf = ({ status, message }: GatewayCode) => failureCause({ status, error_reason: { code: message } }).class;
  const isClass = (name: string): name is ClassName => Object.hasOwn(failures.classes, name);
  const names = [...new Set(codes.map(classOf))].filter(isClass);
  const order = Object.keys(failures.classes);
  return names
    .toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    .map((name) => {
      const { title, next } = CLASSES[language][name];
      const rows = codes.filter((code) => classOf(code) === name).map(rowIn(language));
      const heading = headingIn(language, "###", title, failures.classes[name].title);
      return [heading, "", next, "", HEADS[language], "| --- | --- | --- |", ...rows].join("\n");
    })
    .join("\n\n");
}

/** The first row of a code carries its anchor. */
const rowIn =
  (language: PageLanguage) =>
  ({ code, status, message }: GatewayCode, at: number, all: readonly GatewayCode[]): string => {
    const anchor = all[at - 1]?.code === code ? "" : `<a id="${code}"></a>`;
    const text = say(message, language)
      .replace(/\{(\w+)\}/g, "‹$1›")
      .replaceAll("|", "\\|")
      .replaceAll("<", "&lt;");
    return `| ${anchor}\`${code}\` | ${status} | ${text} |`;
  };

/** The page of errors with its tables between their markers. Throws when it has no markers. */
export const withErrors = async (text: string, language: PageLanguage): Promise<string> =>
  between(text, "errors", await errorTables(language));
