import { type Findings, isTestFile, lineAt, type SourceFile, withoutComments } from "./source.ts";

type Rule = Readonly<{
  pattern: RegExp;
  /** Where the rule holds, and the files in it that may. */
  within: RegExp;
  except?: RegExp;
  /** A declaration that gives the name another meaning in the whole file. */
  redefined?: RegExp;
  reason: string;
}>;

const RULES: readonly Rule[] = [
  {
    pattern: /(?<![\w.$])(?:globalThis\.|Bun\.)?fetch\((?!\w+\??:\s|[^)\n]*\)\s*(?::[^{\n]*)?\{)/g,
    within: /^(src|db|ui)\//,
    except: /^(src\/lib\/outbound|ui\/(api\/(client|request|accounts\/fetch-signed-in)|offline\/service-worker)\.ts$)/,
    redefined: /\bfetch: SafeFetch\b/,
    reason:
      "fetch: outgoing requests go through src/lib/outbound (it refuses private addresses, also after redirects; the " +
      "relay's is src/gateway/upstream/upstream.ts); in the console through ui/api",
  },
  {
    pattern: /\$?\bcount\(/g,
    within: /^src\/(domain\/logs\/|console\/logs?)/,
    reason: "count over logs: it reads every row; page by key, and take totals from the roll-ups",
  },
  {
    pattern: /\bcount\(\s*\*?\s*\)[^;`]{0,80}\bfrom\s+"?logs\b/gi,
    within: /^(src|db)\//,
    reason: "count over logs: it reads every row; page by key, and take totals from the roll-ups",
  },
  {
    pattern: /const \[[a-z]\w*\] = await (?:(?!;\s*\n)[\s\S])*?\b(?:count|sum|max|min|exists|array|current_setting)\(/g,
    within: /^(src|db)\//,
    reason:
      "an aggregate always answers a row: read it with requireRow (db/require-row.ts), or a lost row reads as none",
  },
  {
    pattern: /\.to(Fixed|Precision|LocaleString|LocaleDateString|LocaleTimeString)\(|\bnew Intl\.\w+Format\(/g,
    within: /^ui\//,
    except: /^ui\/(lib\/format\/|components\/display\/receipt-sums\.ts$)/,
    reason:
      "formatting: numbers, money, times and durations are formatted by ui/lib/format, so that each looks the same",
  },
  {
    pattern: /\bMath\.random\(/g,
    within: /^(src|db)\//,
    reason:
      "Math.random: it can be predicted; secrets and ids come from crypto, and a choice that tests must repeat takes " +
      "its source of chance as an argument",
  },
  {
    pattern: /\bBun\.(?:spawn(?:Sync)?\(|\$)|["'](?:node:)?child_process["']|["']bun:ffi["']/g,
    within: /^(src|db)\//,
    except:
      /^(src\/(cli\/serve\/supervisor\/worker-process|lib\/runtime\/prepare-runtime|domain\/models\/mcp\/stdio\/transport)|db\/embedded\/make-seed)\.ts$/,
    reason:
      "processes: the gateway starts itself, and MCP servers whose commands the operator names in the environment, by a " +
      "list of arguments; what a request says is never a program",
  },
  {
    pattern: /\beval\(|\bnew Function\(|\bdangerouslySetInnerHTML\b|\.(?:inner|outer)HTML\b|\binsertAdjacentHTML\(/g,
    within: /^(src|db|ui)\//,
    reason:
      "text as code: no text is run or put into a page as markup; ui/components/site/Prose.tsx shows Markdown and HTML",
  },
  {
    pattern: /\.postMessage\(|addEventListener\(\s*["']message["']/g,
    within: /^ui\//,
    except: /^ui\/components\/site\/brand-preview\.ts$/,
    reason: "messages between windows: ui/components/site/brand-preview.ts checks who sent one",
  },
  {
    pattern: /\bconsole\.\w+\(/g,
    within: /^(src|db)\//,
    reason:
      "console: the log is src/lib/runtime/log (structured, levels, secrets blanked); commands write to process.stdout",
  },
  {
    pattern: /\bprocess\.env\b(?!\.NODE_ENV\b)/g,
    within: /^(src|db)\//,
    except: /^src\/(server\/config|main|lib\/runtime\/prepare-runtime)\.ts$/,
    reason:
      "process.env: src/server/config.ts reads and validates the environment once; take what you need as an argument",
  },
  {
    pattern: /\.get\(\s*["'](?:host|x-forwarded-(?:host|port|proto|for))["']\s*\)|clientAddress\.hosts?\(/gi,
    within: /^(src|db)\//,
    except:
      /^src\/(lib\/http\/(client-ip|require-host)|console\/(http\/request-checks|accounts\/(sign-in\/session|registration\/(register|verification))))\.ts$/,
    reason:
      "Host: callers choose it; build addresses from requireServerAddress (src/settings/option/public-address.ts), and ask " +
      "src/lib/http/client-ip.ts which headers of a proxy count",
  },
  {
    // Not in lists of imports and exports, where `as` renames.
    pattern:
      /(?<!^(?:import\b|export (?:type )?\{)[^;]*)(?<=[\w)\]}"'`>] )as (?!const\b)(?:unknown\b|\(?(?:keyof|typeof)\b|[A-Z]\w*(?=[;,)\s<[.])|\{)/gm,
    within: /^ui\//,
    except:
      /^ui\/(lib\/json\.ts|components\/(layout\.tsx|form\/(use-checked-form\.ts|ResourceForm\.tsx)|page\/list\/use-list(-context)?\.tsx?))$/,
    reason:
      "as: it makes data look as the code expects it; take the type from the server's route, or check it (ui/lib/json)",
  },
];

/** Checks that calls which are a mistake in this project don't occur; tests may make them. */
export function checkForbiddenCalls(files: readonly SourceFile[]): Findings {
  return { problems: files.filter((file) => !isTestFile(file.path)).flatMap(violations) };
}

function violations(file: SourceFile): string[] {
  const text = withoutComments(file.text);
  const holds = (rule: Rule) =>
    rule.within.test(file.path) && !rule.except?.test(file.path) && !rule.redefined?.test(text);
  return RULES.filter(holds).flatMap((rule) =>
    [...text.matchAll(rule.pattern)].map((match) => `${file.path}:${lineAt(text, match.index)} ${rule.reason}`),
  );
}
