/** What a run of tests came to; `failures` names those that failed, `files` says how long each file took. */
export type Count = Readonly<{
  passed: number;
  failed: number;
  failures: readonly Failure[];
  files: readonly FileTime[];
}>;

/** The time of a test file with its hooks and the loading of its modules, in seconds. */
export type FileTime = Readonly<{ file: string; seconds: number }>;

/** A failed test: the file it stands in, and its name with those of its groups. */
export type Failure = Readonly<{ file: string; name: string }>;

/** Reads a JUnit report; skipped tests count as neither passed nor failed. */
export function readReport(report: string): Count {
  const head = report.match(/<testsuites\b[^>]*>/)?.[0] ?? "";
  const total = (name: string) => Number(head.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = total("failures");
  const passed = total("tests") - failed - total("skipped");
  return { passed, failed, failures: failuresOf(report), files: fileTimesOf(report) };
}

/** A file is the outermost suite of its tests, and has its path for a name. */
function fileTimesOf(report: string): FileTime[] {
  return [...report.matchAll(/<testsuite\b([^>]*)>/g)].flatMap(([, attributes = ""]) => {
    const read = (name: string) => plain(attributes.match(new RegExp(`\\b${name}="([^"]*)"`))?.[1] ?? "");
    const file = read("file");
    return file !== "" && read("name") === file ? [{ file, seconds: Number(read("time")) }] : [];
  });
}

/** The files that took longest, the longest first, a line each. */
export function renderSlowest(files: readonly FileTime[], count = 10): string {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  return slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`).join("");
}

/** How long each file took, as `bun test --timings` reads it; of a file that ran twice, the longer run. */
export function renderTimings(files: readonly FileTime[]): string {
  const longest = new Map<string, number>();
  for (const { file, seconds } of files) {
    longest.set(file, Math.max(longest.get(file) ?? 0, Math.round(seconds * 1000)));
  }
  const sorted = [...longest].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ version: 1, files: Object.fromEntries(sorted) }, null, 2)}\n`;
}

function failuresOf(report: string): Failure[] {
  const failures: Failure[] = [];
  for (const [, attributes = "", rest = ""] of report.matchAll(/<testcase\b([^>]*)>\s*(<failure\b)?/g)) {
    if (rest === "") continue;
    const read = (name: string) => plain(attributes.match(new RegExp(`\\b${name}="([^"]*)"`))?.[1] ?? "");
    const group = read("classname");
    failures.push({ file: read("file"), name: group === "" ? read("name") : `${group} > ${read("name")}` });
  }
  return failures;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

const plain = (text: string): string => text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => ENTITIES[name] ?? "");
