/** What a run of tests came to; `failures` names those that failed. */
export type Count = Readonly<{ passed: number; failed: number; failures: readonly Failure[] }>;

/** A failed test: the file it stands in, and its name with those of its groups. */
export type Failure = Readonly<{ file: string; name: string }>;

/** Reads a JUnit report; skipped tests count as neither passed nor failed. */
export function readReport(report: string): Count {
  const head = report.match(/<testsuites\b[^>]*>/)?.[0] ?? "";
  const total = (name: string) => Number(head.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = total("failures");
  return { passed: total("tests") - failed - total("skipped"), failed, failures: failuresOf(report) };
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
